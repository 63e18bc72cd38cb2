package kernel

import "unsafe"

// Interpolation on vectors. Package rank defines it, proves its arithmetic and
// has the loops for every case; what is done here gives the same bits, or is
// left to it.

// Blends reports whether there is vector code for interpolation.
func Blends() bool { return blendsOnVectors() }

// BlendMin is the fewest lanes that Blend32 and Blend64 do on vectors: those of
// the longest vector.
const BlendMin = 16

// copies is a number four times, for vectors.
type copies [4]int64

func copiesOf(n int64) copies { return copies{n, n, n, n} }

const (
	signless = 1<<63 - 1
	nan64    = 0x7FF8 << 48
)

// power returns the float64 2^e.
func power(e int64) int64 { return (1023 + e) << 52 }

// Format is a float format of up to 32 bits as Blend32 needs it.
type Format struct {
	signless, nan, limit, eight, last, one copies

	bits  copies // the bits of a float64 that the format drops
	near  copies // the middle of two of its numbers, less 32, in these bits
	least copies // the smallest normal number, as a float64
	odd   copies // the bits that float32 drops, if it is not the format
}

// formatOf describes a format that drops so many bits of a float64 and has
// normal numbers from 2^exponent on.
func formatOf(drop uint, exponent, odd int64) Format {
	return Format{
		copiesOf(signless), copiesOf(nan64), copiesOf(65), copiesOf(power(3)), copiesOf(power(-53)), copiesOf(1),
		copiesOf(1<<drop - 1), copiesOf(1<<(drop-1) - 32), copiesOf(power(exponent)), copiesOf(odd),
	}
}

// The formats.
var (
	Float32  = formatOf(29, -126, 0)
	Float16  = formatOf(42, -14, 1<<29-1)
	BFloat16 = formatOf(45, -126, 1<<29-1)
)

// bounds64 are the numbers of Blend64, with tiny, huge and errWide of package rank
// last. They are literals here because kernel lies below rank; the tests hold every
// result to rank's.
var bounds64 = [5]copies{copiesOf(signless), copiesOf(nan64), copiesOf(power(-900)), copiesOf(power(1000)), copiesOf(power(-101))}

// Blend32 interpolates float32, dst[i] = a + w·(b-a) as rank.Interpolate32
// does, for ends a and b with the keys lo[i] and hi[i], or with these bits if
// not coded. There is one weight for all or one for each, 0 <= w <= 1; where it
// is 0 and b is not finite the lane is left out. lacking is what the weights lack, as
// in rank.Weights, or nil. Lanes before done have been
// done; from done to next-1 the caller does them, and calls again for those
// from next on.
//
// The proofs are those of rank: the sum of float64 arithmetic is far from the
// middle of two numbers of the format, or the weight lacks nothing and it can be
// rounded to odd.
//
// For the formats of 16 bits a and b are in that format, and so is the result
// after it is rounded to it: in between it is rounded to odd, or to the nearest
// float32 if it is the middle of a and b, since a float32 has more than twice
// their bits (Figueroa, 1995, SIGNUM Newsletter 30(3)).
func Blend32(dst []float32, lo, hi []int32, coded bool, w, lacking []float64, f *Format) (done, next int) {
	n := len(dst)
	lo, hi = lo[:n], hi[:n]
	if n < BlendMin || !Blends() {
		return 0, n
	}
	low := int32(0)
	if coded {
		low = MaxKey[int32]()
	}
	if len(w) == 1 && w[0] == 0.5 && (lacking == nil || lacking[0] == 0) {
		middle32(As[int32](dst), lo, hi, low)
		return n, n
	}
	var room [2][blendStep]float64
	weights := spread(w, lacking, n, &room)
	whole, last := n&^(blendStep-1), n-blendStep
	if done = blend32(As[int32](dst[:whole]), lo, hi, low, weights, f); done < whole {
		return done, min(done+blendStep, n)
	}
	// The rest is done with lanes before it, which come out the same.
	if blend32(As[int32](dst[last:]), lo[last:], hi[last:], low, weights.from(last), f) < blendStep {
		return whole, n
	}
	return n, n
}

// Blend64 is [Blend32] for float64.
func Blend64(dst []float64, lo, hi []int64, coded bool, w, lacking []float64) (done, next int) {
	n := len(dst)
	lo, hi = lo[:n], hi[:n]
	if n < BlendMin || !Blends() {
		return 0, n
	}
	low := int64(0)
	if coded {
		low = MaxKey[int64]()
	}
	if len(w) == 1 && w[0] == 0.5 && (lacking == nil || lacking[0] == 0) {
		middle64(As[int64](dst), lo, hi, low)
		return n, n
	}
	var room [2][blendStep]float64
	weights := spread(w, lacking, n, &room)
	whole, last := n&^(blendStep-1), n-blendStep
	if done = blend64(As[int64](dst[:whole]), lo, hi, low, weights); done < whole {
		return done, min(done+blendStep, n)
	}
	if blend64(As[int64](dst[last:]), lo[last:], hi[last:], low, weights.from(last)) < blendStep {
		return whole, n
	}
	return n, n
}

// blendStep is how many lanes are looked at together.
const blendStep = 8

// spreadWeights are weights and what they lack, of lanes or, if all share one, for a vector.
type spreadWeights struct {
	w, low        []float64
	step, stepLow int // from that of one lane to that of the next: 1, or 0
}

// spread spreads the weights of n lanes, with room for vectors.
func spread(w, low []float64, n int, room *[2][blendStep]float64) spreadWeights {
	if len(w) > 1 && low != nil {
		return spreadWeights{w[:n], low[:n], 1, 1}
	}
	s := spreadWeights{w, room[1][:], 1, 0}
	if low != nil {
		for i := range room[1] {
			room[1][i] = low[0]
		}
	}
	if len(w) == 1 {
		for i := range room[0] {
			room[0][i] = w[0]
		}
		s.w, s.step = room[0][:], 0
	}
	return s
}

// from returns the weights from the given lane on.
func (s spreadWeights) from(lane int) spreadWeights {
	s.w, s.low = s.w[lane*s.step:], s.low[lane*s.stepLow:]
	return s
}

// As returns numbers read as T, of the same size.
func As[T, F any](s []F) []T { return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), len(s)) }
