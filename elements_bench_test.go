package ogive_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// benchElements are ten million elements, the size at which memory counts.
const benchElements = 10_000_000

func BenchmarkPredicate(b *testing.B) {
	for _, dt := range []dtype.DType{dtype.Float16, dtype.Float32, dtype.Float64, dtype.Complex64} {
		for _, workers := range []int{1, 2} {
			x := ogive.Must(ogive.Zeros(dt, benchElements))
			benchInto(b, fmt.Sprintf("op=isinf/dtype=%v/layout=vector/workers=%d", dt, workers), x, ogive.OpIsInf, ogive.Workers(workers))
		}
	}
	x := ogive.Must(ogive.Zeros(dtype.Float32, 2500, 4000))
	benchInto(b, "op=isinf/dtype=float32/layout=transposed/workers=2", ogive.Must(x.Transpose()), ogive.OpIsInf)
	benchInto(b, "op=isinf/dtype=float32/layout=strided/workers=2", ogive.Must(x.Slice(1, 0, 4000, 2)), ogive.OpIsInf)
	benchInto(b, "op=isinf/dtype=float32/layout=small/workers=2", ogive.Must(ogive.Zeros(dtype.Float32, 5)), ogive.OpIsInf)
}

// benchInto measures runs of a prepared plan.
func benchInto(b *testing.B, name string, x *ogive.Tensor, op ogive.Op, opts ...ogive.Option) {
	plan := ogive.Must(ogive.Prepare(op, x.DType(), x.Shape(), opts...))
	out := ogive.Must(ogive.Zeros(dtype.Bool, x.Shape()...))
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(x.Len() * x.DType().Size()))
		b.ReportAllocs()
		for b.Loop() {
			if err := plan.Run(x, out); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkIsIn is whole calls: the table is made in each.
func BenchmarkIsIn(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, m := range []int{16, 10_000, 1_000_000} {
		for _, hits := range []float64{0.1, 0.5} {
			test, elements := make([]int64, m), make([]int64, benchElements)
			for i := range test {
				test[i] = int64(r.Uint64())
			}
			for i := range elements {
				if elements[i] = int64(r.Uint64()); r.Float64() < hits {
					elements[i] = test[r.IntN(m)]
				}
			}
			x, t := vector(elements...), vector(test...)
			for _, dt := range []dtype.DType{dtype.Int64, dtype.Float64} {
				x, t := ogive.Must(x.Cast(dt)), ogive.Must(t.Cast(dt))
				benchIsIn(b, fmt.Sprintf("dtype=%v/range=wide/m=%d/hits=%v", dt, m, hits), x, t)
			}
		}
	}
	for _, m := range []int{16, 10_000, 1_000_000} {
		test, elements := make([]int64, m), make([]int64, benchElements)
		for i := range test {
			test[i] = r.Int64N(int64(10 * m))
		}
		for i := range elements {
			elements[i] = r.Int64N(int64(10 * m))
		}
		benchIsIn(b, fmt.Sprintf("dtype=int64/range=small/m=%d/hits=0.1", m), vector(elements...), vector(test...))
	}
}

func benchIsIn(b *testing.B, name string, x, test *ogive.Tensor) {
	out := ogive.Must(ogive.Zeros(dtype.Bool, x.Len()))
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(x.Len() * x.DType().Size()))
		for b.Loop() {
			ogive.Must(ogive.IsIn(x, test, ogive.Out(out)))
		}
	})
}
