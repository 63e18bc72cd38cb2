package rank

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/dtype"
)

const benchLen = 4096

// benchWeights: the median's, one with few bits (exact ties), and one with all.
var benchWeights = []float64{0.5, 0.25, 0.3}

// benchEnds are neighbouring order statistics of normal data.
func benchEnds() (a, b []float64) {
	rng := rand.New(rand.NewPCG(21, 22))
	a, b = make([]float64, benchLen), make([]float64, benchLen)
	for i := range a {
		a[i] = rng.NormFloat64()
		b[i] = a[i] + rng.ExpFloat64()*0.01
	}
	return a, b
}

func benchBatch[R, T any](b *testing.B, name string, to func(float64) T, batch func(dst []R, a, b []T, g []float64)) {
	x, y := benchEnds()
	lo, hi, dst := make([]T, benchLen), make([]T, benchLen), make([]R, benchLen)
	for i := range lo {
		lo[i], hi[i] = to(x[i]), to(y[i])
	}
	for _, g := range benchWeights {
		b.Run(fmt.Sprintf("dtype=%s/g=%v", name, g), func(b *testing.B) {
			for b.Loop() {
				batch(dst, lo, hi, []float64{g})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchLen, "ns/value")
		})
	}
}

func BenchmarkInterpolate(b *testing.B) {
	benchBatch(b, "float64", func(x float64) float64 { return x }, Interpolate64)
	benchBatch(b, "float32", func(x float64) float32 { return float32(x) }, Interpolate32)
	benchBatch(b, "float16", dtype.ToF16, InterpolateF16)
	benchBatch(b, "bfloat16", dtype.ToBF16, InterpolateBF16)
	benchBatch(b, "int32", func(x float64) int64 { return int64(x * 0x1p28) }, InterpolateInt)
	benchBatch(b, "int64", func(x float64) int64 { return int64(x * 0x1p60) }, InterpolateInt)
	benchBatch(b, "uint64", func(x float64) uint64 { return uint64((x + 5) * 0x1p60) }, InterpolateUint)
}

func BenchmarkExactPath(b *testing.B) {
	for _, c := range []struct {
		name    string
		a, b, g float64
	}{
		{"near", 1.1, 1.2, 0.3},
		{"subnormal", 5e-324, 1.5e-323, 0.75},
		{"apart", -1, 0x1p1000, 0x1p-1000},
	} {
		b.Run("ends="+c.name, func(b *testing.B) {
			for b.Loop() {
				blendSlow64(c.a, c.b, c.g)
			}
		})
	}
}

func BenchmarkPosition(b *testing.B) {
	for _, m := range []Method{Linear, Nearest, MedianUnbiased} {
		for name, q := range map[string]Q{"float": At(0.3), "ratio": Ratio(3, 10)} {
			b.Run(fmt.Sprintf("method=%v/q=%s", m, name), func(b *testing.B) {
				n := int64(1000)
				for b.Loop() {
					n = 1000 + m.Position(n, q).Lo&1
				}
			})
		}
	}
}
