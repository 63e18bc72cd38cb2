package interpolate

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// blendDTypes are the dtypes between whose values is interpolated.
var blendDTypes = []dtype.DType{dtype.Bool, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16,
	dtype.Uint32, dtype.Uint64, dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64}

// elementsFor draws elements of a dtype: close together, or any.
func elementsFor[K kernel.Key](rng *rand.Rand, dt dtype.DType, n int) []K {
	v := make([]K, n)
	for i := range v {
		switch rng.IntN(3) {
		case 0:
			v[i] = K(rng.Uint64())
		case 1:
			v[i] = K(rng.IntN(9))
		default: // about 1, if a float
			v[i] = kernel.EncodingOf[K](dt).Inf/2 + K(rng.IntN(99))
		}
		if dt == dtype.Bool {
			v[i] &= 1
		}
	}
	return v
}

// reference is what rank says of the elements a and b.
func reference[K kernel.Key](dt dtype.DType, a, b []K, g rank.Weights) []byte {
	n := len(a)
	out := make([]float64, n)
	switch dt {
	case dtype.Float16:
		g.InterpolateF16(kernel.As[dtype.F16](kernel.As[int16](out[:n:n]))[:n], kernel.As[dtype.F16](a), kernel.As[dtype.F16](b))
		return unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), 2*n)
	case dtype.BFloat16:
		g.InterpolateBF16(kernel.As[dtype.BF16](kernel.As[int16](out[:n:n]))[:n], kernel.As[dtype.BF16](a), kernel.As[dtype.BF16](b))
		return unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), 2*n)
	case dtype.Float32:
		g.Interpolate32(kernel.As[float32](out)[:n], kernel.As[float32](a), kernel.As[float32](b))
		return unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), 4*n)
	case dtype.Float64:
		g.Interpolate64(out, kernel.As[float64](a), kernel.As[float64](b))
	default:
		x, y := make([]int64, n), make([]int64, n)
		mask := int64(uint64(1)<<(8*unsafe.Sizeof(K(0))-1)<<1 - 1)
		for i := range a {
			x[i], y[i] = int64(a[i]), int64(b[i])
			if dt.IsUnsigned() {
				x[i], y[i] = x[i]&mask, y[i]&mask
			}
		}
		if dt.IsUnsigned() {
			g.InterpolateUint(out, kernel.As[uint64](x), kernel.As[uint64](y))
		} else {
			g.InterpolateInt(out, x, y)
		}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), 8*n)
}

// fractions draws weights that are no float64s, but for some.
func fractions(rng *rand.Rand, n int) rank.Weights {
	q := rank.Ratio(1+rng.Int64N(98), 99)
	if rng.IntN(4) == 0 {
		q = rank.Ratio(1<<62, 1<<63-1) // a weight of 1/2, nearly
	}
	set := rank.NewSet(rank.MedianUnbiased, []rank.Q{q})
	w := rank.Weights{G: make([]float64, n), Low: make([]float64, n), Unit: set.Unit(0)}
	for i := range n {
		p := set.Position(0, 1+rng.Int64N(30))
		w.G[i], w.Low[i] = p.G, p.Low
	}
	return w
}

func testBetween[K kernel.Key](t *testing.T, dt dtype.DType) {
	rng := rand.New(rand.NewPCG(41, uint64(dt)))
	coding := CodingOf[K](dt)
	var s crew.Scratch
	for _, n := range []int{1, 2, 7, 15, 16, 17, 31, 255, 256, 257, 600} {
		for round := range 60 {
			s.Reset()
			a, b := elementsFor[K](rng, dt, n), elementsFor[K](rng, dt, n)
			g := rank.Weights{G: []float64{[]float64{0.5, 0.25, 0.3, 0}[round%4]}}
			switch round % 16 {
			case 3, 11:
				g.G = make([]float64, n)
				for i := range g.G {
					g.G[i] = rng.Float64()
				}
			case 4:
				g = fractions(rng, 1)
			case 5, 12:
				g = fractions(rng, n)
			}
			lo, hi := make([]K, n), make([]K, n)
			kernel.Encode(lo, a, coding.Encoding)
			kernel.Encode(hi, b, coding.Encoding)
			if g.Same(0) {
				b = a // hi is not looked at
			}
			want := reference(dt, a, b, g)
			got := make([]byte, len(want)+8)
			between(dt, unsafe.Pointer(&got[0]), lo, hi, g, coding, &s)
			if string(got[:len(want)]) != string(want) || string(got[len(want):]) != string(make([]byte, 8)) {
				t.Fatalf("%v, n=%d, weights %v: %x, want %x", dt, n, g, got, want)
			}
		}
	}
}

// between gives the bits of package rank, on vectors and off them.
func TestBetween(t *testing.T) {
	testkit.EachLevel(t, func(t *testing.T) {
		for _, dt := range blendDTypes {
			switch dt.Size() {
			case 1:
				testBetween[int8](t, dt)
			case 2:
				testBetween[int16](t, dt)
			case 4:
				testBetween[int32](t, dt)
			default:
				testBetween[int64](t, dt)
			}
		}
	})
}

func benchBetween[K kernel.Key](b *testing.B, dt dtype.DType) {
	const n = 1024
	rng := rand.New(rand.NewPCG(42, 1))
	coding := CodingOf[K](dt)
	lo, hi := make([]K, n), make([]K, n)
	for i := range lo {
		lo[i] = coding.Inf/2 + K(rng.IntN(100))
		hi[i] = lo[i] + K(rng.IntN(20))
	}
	dst := make([]float64, n)
	each := make([]float64, n)
	for i := range each {
		each[i] = rng.Float64()
	}
	third := fractions(rng, 1)
	for name, g := range map[string]rank.Weights{"0": {G: []float64{0}}, "0.5": half, "0.25": {G: []float64{0.25}}, "0.3": {G: []float64{0.3}}, "each": {G: each}, "1/3": third} {
		b.Run(fmt.Sprintf("dtype=%v/g=%s", dt, name), func(b *testing.B) {
			var s crew.Scratch
			for b.Loop() {
				s.Reset()
				between(dt, unsafe.Pointer(&dst[0]), lo, hi, g, coding, &s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/lane")
		})
	}
}

// BenchmarkBetween finishes 1024 lanes with close ends.
func BenchmarkBetween(b *testing.B) {
	benchBetween[int8](b, dtype.Uint8)
	benchBetween[int16](b, dtype.Float16)
	benchBetween[int16](b, dtype.BFloat16)
	benchBetween[int32](b, dtype.Int32)
	benchBetween[int32](b, dtype.Float32)
	benchBetween[int64](b, dtype.Float64)
	benchBetween[int64](b, dtype.Int64)
}
