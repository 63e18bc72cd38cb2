package kernel

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cpu"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// drawn is what a fuzz target is given: memory for elements, and choices.
type drawn struct {
	memory []byte
	n      int // elements
	*rand.Rand
}

// fuzz fuzzes a body for each width of an element, given in the data.
func fuzz(f *testing.F, f8, f16, f32, f64 func(*testing.T, drawn)) {
	for i := range 32 {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		n := []int{0, 1, 15, 16, 17, 63, 64, 65, 200, 1000, 2049}[rng.IntN(11)]
		f.Add(testkit.Raw(keysOf[int64](rng.IntN(40), rng)), uint8(i), uint16(n), rng.Uint64())
		f.Add(testkit.Raw(keysOf[int32](rng.IntN(40), rng)), uint8(i), uint16(n), rng.Uint64())
		f.Add(testkit.Raw(keysOf[int16](rng.IntN(40), rng)), uint8(i), uint16(n), rng.Uint64())
	}
	f.Fuzz(func(t *testing.T, memory []byte, width uint8, n uint16, choices uint64) {
		d := drawn{memory, int(n) % 2100, rand.New(rand.NewPCG(choices, 1))}
		[]func(*testing.T, drawn){f8, f16, f32, f64}[width%4](t, d)
	})
}

// elements returns n elements, the memory repeated, and the side on which a
// fence has them. Now and then one is changed.
func elements[K Key](t *testing.T, d drawn, n int) ([]K, testkit.Side) {
	side := testkit.Sides[d.IntN(2)]
	list := testkit.Fenced[K](t, n, side)
	raw := testkit.Raw(list)
	for at := 0; at < len(raw) && len(d.memory) > 0; {
		at += copy(raw[at:], d.memory)
	}
	if n > 0 && d.IntN(2) == 0 {
		list[d.IntN(n)] = K(d.Uint64())
	}
	return list, side
}

// oneOf returns one of the elements, another near it, or any.
func oneOf[K Key](d drawn, list []K) K {
	if len(list) == 0 || d.IntN(8) == 0 {
		return K(d.Uint64())
	}
	return list[d.IntN(len(list))] + K(d.IntN(3)/2)
}

// sameOnAll fails if an implementation of a kernel leaves other results than
// the portable one.
func sameOnAll(t *testing.T, kernel string, run func() []byte) {
	var want []byte
	for i, impl := range cpu.Implementations(kernel) { // the portable one is first
		restore := cpu.Select(kernel, impl)
		got := run()
		restore()
		if i == 0 {
			want = bytes.Clone(got)
		} else if !bytes.Equal(got, want) {
			t.Fatalf("%s, %s:\n%x, want\n%x", kernel, impl, got, want)
		}
	}
}

// results joins slices and numbers.
func results[K Key](numbers []int, slices ...[]K) []byte {
	var all []byte
	for _, s := range slices {
		all = append(all, testkit.Raw(s)...)
	}
	for _, n := range numbers {
		all = append(all, testkit.Raw([]int64{int64(n)})...)
	}
	return all
}

func fuzzEncode[K Key](t *testing.T, d drawn) {
	src, side := elements[K](t, d, d.n)
	keys, back := testkit.Fenced[K](t, d.n, side), testkit.Fenced[K](t, d.n, side)
	e := encodings[K]()[d.IntN(len(encodings[K]()))]
	sameOnAll(t, "Encode", func() []byte {
		copy(back, src)
		nan := Encode(keys, src, e)
		inPlace := Encode(back, back, e)
		Decode(back, back, e, e.Inf|1)
		return results([]int{nan, inPlace}, keys, back)
	})
}

func testEncode[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	for _, n := range lengths() {
		fuzzEncode[K](t, drawn{testkit.Raw(keysOf[K](n, rng)), n, rng})
	}
}

// Encode and Decode do the same on all, for every length.
func TestEncode(t *testing.T) {
	forKeys(t, testEncode[int8], testEncode[int16], testEncode[int32], testEncode[int64])
}

func FuzzEncode(f *testing.F) {
	fuzz(f, fuzzEncode[int8], fuzzEncode[int16], fuzzEncode[int32], fuzzEncode[int64])
}

func fuzzEncodeTile[K Key](t *testing.T, d drawn) {
	n, lanes, gap := 1+d.n%50, 1+d.IntN(50), d.IntN(3)
	memory, side := elements[K](t, d, n*(lanes+gap)+gap*lanes)
	dst := testkit.Roomy[K](t, n*lanes, side)
	tile := Tile{Base: unsafe.Pointer(&memory[0]), N: n, Stride: lanes + gap, Lanes: lanes, LaneStride: 1}
	if d.IntN(2) == 0 {
		tile.Stride, tile.LaneStride = 1, n+gap
	}
	stride, laneStride := lanes, 1
	if d.IntN(2) == 0 {
		stride, laneStride = 1, n
	}
	e := encodings[K]()[d.IntN(len(encodings[K]()))]
	sameOnAll(t, "Encode", func() []byte {
		nan := EncodeTile(dst, stride, laneStride, tile, e)
		return results([]int{nan}, dst)
	})
}

func FuzzEncodeTile(f *testing.F) {
	fuzz(f, fuzzEncodeTile[int8], fuzzEncodeTile[int16], fuzzEncodeTile[int32], fuzzEncodeTile[int64])
}

func fuzzCollect[K Key](t *testing.T, d drawn) {
	src, side := elements[K](t, d, d.n)
	dst, same := testkit.Roomy[K](t, d.n, side), testkit.Roomy[K](t, d.n, side)
	e := encodings[K]()[d.IntN(len(encodings[K]()))]
	encodeGeneric(dst, src, e)
	lo, hi := oneOf(d, dst[:d.n]), oneOf(d, dst[:d.n])
	lo, hi = min(lo, hi), max(lo, hi)
	if e.Code == Float {
		lo = min(lo, e.Inf) // a bound from below is a value
	}
	sameOnAll(t, "Collect", func() []byte {
		copy(same, src)
		c, in := Collect(dst, src, e, lo, hi), Collect(same, same[:d.n], e, lo, hi)
		counts := []int{c.Below, c.Inside, c.NaN, in.Below, in.Inside, in.NaN}
		if lo == hi {
			return results[K](counts) // copies of one key need not be written
		}
		return results(counts, dst[:c.Inside], same[:in.Inside])
	})
}

func FuzzCollect(f *testing.F) {
	fuzz(f, fuzzCollect[int8], fuzzCollect[int16], fuzzCollect[int32], fuzzCollect[int64])
}

func fuzzCountBelow[K Key](t *testing.T, d drawn) {
	src, _ := elements[K](t, d, d.n)
	k := oneOf(d, src)
	sameOnAll(t, "CountBelow", func() []byte {
		below, equal := CountBelow(src, k)
		return results[K]([]int{below, equal})
	})
}

func FuzzCountBelow(f *testing.F) {
	fuzz(f, fuzzCountBelow[int8], fuzzCountBelow[int16], fuzzCountBelow[int32], fuzzCountBelow[int64])
}

func fuzzPairs[K Key](t *testing.T, d drawn) {
	rows, side := elements[K](t, d, 2*d.n)
	a, b := testkit.Fenced[K](t, d.n, side), testkit.Fenced[K](t, d.n, side)
	sameOnAll(t, "Pairs", func() []byte {
		copy(a, rows)
		copy(b, rows[d.n:])
		SortPairs(a, b)
		return results(nil, a, b)
	})
}

func FuzzPairs(f *testing.F) {
	fuzz(f, fuzzPairs[int8], fuzzPairs[int16], fuzzPairs[int32], fuzzPairs[int64])
}

func fuzzSearch[K Key](t *testing.T, d drawn) {
	lanes, n := blockLanes[K](d.Rand), 1+d.n%250
	keys, side := elements[K](t, d, n*lanes)
	ranks, out, next := testkit.Fenced[K](t, lanes, side), testkit.Fenced[K](t, lanes, side), testkit.Fenced[K](t, lanes, side)
	for j := range ranks {
		ranks[j] = K(d.IntN(n))
	}
	float, memory := d.IntN(2) == 0, testkit.Roomy[K](t, SearchMemory[K](n), side)
	sameOnAll(t, "Search", func() []byte {
		Search(Block[K]{Keys: keys, N: n, Float: float, Memory: memory}, ranks, out, next)
		for j, rank := range ranks {
			if int(rank) == n-1 {
				next[j] = 0 // there is none
			}
		}
		return results(nil, out, next)
	})
}

func FuzzSearch(f *testing.F) {
	fuzz(f, fuzzSearch[int8], fuzzSearch[int16], fuzzSearch[int32], fuzzSearch[int64])
}

// fuzzPack packs a tile whose lanes lie side by side, one after the other, or
// apart in both directions.
func fuzzPack[K Key](t *testing.T, d drawn) {
	width := blockLanes[K](d.Rand)
	n, lanes, gap := 1+d.n%127, width, 1+d.IntN(3)
	if d.IntN(3) == 0 {
		lanes = 1 + d.IntN(width)
	}
	tile := Tile{N: n, Stride: 1, Lanes: lanes, LaneStride: n + gap - 1}
	switch d.IntN(3) {
	case 0:
		tile.Stride, tile.LaneStride = lanes+gap-1, 1
	case 1:
		tile.Stride, tile.LaneStride = gap, gap*n
	}
	memory, side := elements[K](t, d, (n-1)*tile.Stride+(lanes-1)*tile.LaneStride+1)
	tile.Base = unsafe.Pointer(&memory[0])
	block, nans := testkit.Roomy[K](t, n*width, side), testkit.Fenced[K](t, width, side)
	e := encodings[K]()[d.IntN(len(encodings[K]()))]
	ahead := d.IntN(1 << 12)
	sameOnAll(t, "Pack", func() []byte {
		nan := Pack(block, tile, e, ahead, nans)
		var seen []K
		for i := range n {
			seen = append(seen, block[i*width:][:lanes]...)
		}
		if !nan {
			return results(nil, seen)
		}
		return results(nil, seen, nans[:lanes])
	})
}

func FuzzPack(f *testing.F) {
	fuzz(f, fuzzPack[int8], fuzzPack[int16], fuzzPack[int32], fuzzPack[int64])
}

func fuzzNetwork[K Key](t *testing.T, d drawn) {
	n, lanes, gap := 1+d.n%NetworkMax, 1+d.IntN(5*BlockLanes[K]()), d.IntN(3)
	stride, laneStride := lanes+gap, 1
	if d.IntN(2) == 0 {
		stride, laneStride = 1, n+gap
	}
	src, side := elements[K](t, d, (n-1)*stride+(lanes-1)*laneStride+1)
	e := encodings[K]()[d.IntN(len(encodings[K]()))]
	picks := testPicks(n, []int{d.IntN(33), d.IntN(33)}[:1+d.IntN(2)], d.IntN(2) == 0)
	counted := e.Code == Float && d.IntN(2) == 0
	sameOnAll(t, "Network", func() []byte {
		checkNetwork(t, picks, src, stride, laneStride, lanes, e, side, counted)
		return nil
	})
}

func FuzzNetwork(f *testing.F) {
	fuzz(f, fuzzNetwork[int8], fuzzNetwork[int16], fuzzNetwork[int32], fuzzNetwork[int64])
}

func fuzzTranspose[K Key](t *testing.T, d drawn) {
	n, lanes, gap, wider := 1+d.n%50, 1+d.IntN(50), d.IntN(4), d.IntN(3)
	src, side := elements[K](t, d, (lanes-1)*(n+gap)+n)
	dst := testkit.Roomy[K](t, (n-1)*(lanes+wider)+lanes, side)
	sameOnAll(t, "Transpose", func() []byte {
		Transpose(dst, lanes+wider, Tile{Base: unsafe.Pointer(&src[0]), N: n, Stride: 1, Lanes: lanes, LaneStride: n + gap})
		return results(nil, dst)
	})
}

func FuzzTranspose(f *testing.F) {
	fuzz(f, fuzzTranspose[int8], fuzzTranspose[int16], fuzzTranspose[int32], fuzzTranspose[int64])
}

// fuzzInWindow reads elements of type K as bits of type B.
func fuzzInWindow[K Key, B Bits](t *testing.T, d drawn) {
	src, side := elements[K](t, d, d.n)
	patterns := unsafe.Slice((*B)(unsafe.Pointer(unsafe.SliceData(src))), len(src))
	dst := testkit.Fenced[uint8](t, d.n, side)
	w := Window[B]{Mask: ^B(0), Low: B(oneOf(d, src)), Span: B(oneOf(d, src))}
	if d.IntN(2) == 0 {
		w.Mask >>= 1
	}
	sameOnAll(t, "InWindow", func() []byte {
		InWindow(dst, patterns, w)
		past := testkit.Fenced[uint8](t, d.n, side)
		StreamInWindow(past, patterns, w)
		return append(dst, past...)
	})
}

func FuzzInWindow(f *testing.F) {
	fuzz(f, fuzzInWindow[int8, uint8], fuzzInWindow[int16, uint16], fuzzInWindow[int32, uint32], fuzzInWindow[int64, uint64])
}

func fuzzWiden[K Key](t *testing.T, d drawn) {
	keys, side := elements[K](t, d, d.n)
	other, _ := elements[K](t, d, d.n)
	dst := testkit.Fenced[float64](t, d.n, side)
	e := Encoding[K]{Code: []Code{Signed, Unsigned}[d.IntN(2)]}
	sameOnAll(t, "Widen", func() []byte {
		MiddleInt(dst, keys, other, e)
		return testkit.Raw(dst)
	})
}

// fuzzWiden16 compares NaNs, of which any will do, as one.
func fuzzWiden16(t *testing.T, d drawn) {
	keys, side := elements[int16](t, d, d.n)
	bits, _ := elements[int32](t, d, d.n)
	wide, narrow := testkit.Fenced[int32](t, d.n, side), testkit.Fenced[int16](t, d.n, side)
	for i, b := range bits {
		if b&math.MaxInt32 > 0x7F800000 {
			bits[i] = 0x7FC00000
		}
	}
	e := EncodingOf[int16]([]dtype.DType{dtype.Float16, dtype.BFloat16}[d.IntN(2)])
	sameOnAll(t, "Widen", func() []byte {
		Widen16(wide, keys, e)
		Round16(narrow, bits, e)
		for i, b := range wide {
			if b&math.MaxInt32 > 0x7F800000 {
				wide[i] = 0x7FC00000
			}
		}
		return append(testkit.Raw(narrow), testkit.Raw(wide)...)
	})
}

func FuzzWiden(f *testing.F) {
	fuzz(f, fuzzWiden[int8], func(t *testing.T, d drawn) { fuzzWiden[int16](t, d); fuzzWiden16(t, d) }, fuzzWiden[int32], fuzzWiden[int64])
}

// blended runs a kernel of interpolation over all lanes, as often as it asks,
// with those that it leaves out taken from want.
func blended[F any](dst, want []F, w rank.Weights, blend func(at int, w rank.Weights) (done, next int)) {
	for at := 0; at < len(dst); {
		done, next := blend(at, w.Part(at, len(dst)))
		copy(dst[at+done:at+next], want[at+done:])
		at += next
	}
}

func fuzzBlend32(t *testing.T, d drawn) {
	lo, side := elements[int32](t, d, d.n)
	hi, _ := elements[int32](t, d, d.n)
	w, dst, want := weightsFor(t, d.Rand, d.n, side), testkit.Fenced[float32](t, d.n, side), make([]float32, d.n)
	w.Interpolate32(want, As[float32](lo), As[float32](hi))
	sameOnAll(t, "Blend", func() []byte {
		blended(dst, want, w, func(at int, w rank.Weights) (done, next int) {
			return Blend32(dst[at:], lo[at:], hi[at:], false, w.G, w.Low, &Float32)
		})
		return testkit.Raw(dst)
	})
}

func fuzzBlend64(t *testing.T, d drawn) {
	lo, side := elements[int64](t, d, d.n)
	hi, _ := elements[int64](t, d, d.n)
	w, dst, want := weightsFor(t, d.Rand, d.n, side), testkit.Fenced[float64](t, d.n, side), make([]float64, d.n)
	w.Interpolate64(want, As[float64](lo), As[float64](hi))
	sameOnAll(t, "Blend", func() []byte {
		blended(dst, want, w, func(at int, w rank.Weights) (done, next int) {
			return Blend64(dst[at:], lo[at:], hi[at:], false, w.G, w.Low)
		})
		return testkit.Raw(dst)
	})
}

func FuzzBlend(f *testing.F) { fuzz(f, fuzzBlend32, fuzzBlend64, fuzzBlend32, fuzzBlend64) }
