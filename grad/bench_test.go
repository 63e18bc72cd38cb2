package grad_test

import (
	"fmt"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/internal/testkit"
)

// BenchmarkGradient times, for large reductions of float32 with and without ties:
// the operation alone, the forward pass, the first pullback of a forward pass,
// both together, another pullback, and, to hold pullbacks to, writing zeros twice
// over a new gradient.
func BenchmarkGradient(b *testing.B) {
	ops := []struct {
		name  string
		plain func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, error)
		run   func(...ogive.Option) pulled
	}{
		{"quantile", func(x *ogive.Tensor, opts ...ogive.Option) (*ogive.Tensor, error) {
			return ogive.Quantile(x, 0.3, opts...)
		}, func(opts ...ogive.Option) pulled { return quantile(0.3, opts...) }},
		{"median", ogive.Median, median},
		{"medianindex", func(x *ogive.Tensor, opts ...ogive.Option) (*ogive.Tensor, error) {
			y, _, err := ogive.MedianWithIndex(x, opts...)
			return y, err
		}, withIndex},
	}
	for _, c := range []struct {
		shape []int
		axis  int
		kind  string
	}{
		{[]int{10_000_000}, 0, "normal"}, {[]int{20, 500_000}, 0, "normal"}, {[]int{10_000, 1000}, 1, "normal"},
		{[]int{10_000_000}, 0, "few1000"}, {[]int{20, 500_000}, 0, "few10"}, {[]int{10_000, 1000}, 1, "few1000"},
	} {
		x := ogive.Must(ogive.FromBytes(dtype.Float32, testkit.Fill(c.kind, dtype.Float32, volume(c.shape), 1), c.shape...))
		axis := ogive.Axis(c.axis)
		at := fmt.Sprintf("data=%s/shape=%v/axis=%d", c.kind, c.shape, c.axis)
		bytes := int64(4 * x.Len())
		b.Run("op=none/"+at+"/pass=clear2", func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				dx := ogive.Must(ogive.Must(ogive.Zeros(dtype.Float32, c.shape...)).Bytes())
				clear(dx)
				clear(dx)
			}
		})
		for _, op := range ops {
			name := "op=" + op.name + "/" + at
			b.Run(name+"/pass=plain", func(b *testing.B) {
				b.SetBytes(bytes)
				for b.Loop() {
					ogive.Must(op.plain(x, axis))
				}
			})
			b.Run(name+"/pass=forward", func(b *testing.B) {
				b.SetBytes(bytes)
				for b.Loop() {
					if _, _, err := op.run(axis)(x); err != nil {
						b.Fatal(err)
					}
				}
			})
			y, pull, err := op.run(axis)(x)
			if err != nil {
				b.Fatal(err)
			}
			dy := ones(b, y)
			b.Run(name+"/pass=pull", func(b *testing.B) {
				b.SetBytes(bytes)
				var pulls []grad.Pullback
				for b.Loop() {
					if len(pulls) == 0 {
						b.StopTimer()
						_, pull, err := op.run(axis)(x)
						if err != nil {
							b.Fatal(err)
						}
						pulls = append(pulls, pull)
						b.StartTimer()
					}
					ogive.Must(pulls[0](dy))
					pulls = pulls[1:]
				}
			})
			b.Run(name+"/pass=forward+pull", func(b *testing.B) {
				b.SetBytes(bytes)
				for b.Loop() {
					_, pull, err := op.run(axis)(x)
					if err != nil {
						b.Fatal(err)
					}
					ogive.Must(pull(dy))
				}
			})
			b.Run(name+"/pass=again", func(b *testing.B) {
				b.SetBytes(bytes)
				for b.Loop() {
					ogive.Must(pull(dy))
				}
			})
		}
	}
}
