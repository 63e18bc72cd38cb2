package grad_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
)

// differentiated are calls of which gradients are taken, by options.
var differentiated = map[string]func(x *ogive.Tensor, opts ...ogive.Option) (*ogive.Tensor, grad.Pullback, error){
	"quantile": func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) {
		return grad.Quantile(x, 0.3, o...)
	},
	"quantiles": func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) {
		return grad.NaNQuantiles(x, []float64{0.2, 0.7}, o...)
	},
	"fractions": func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) {
		return grad.Quantiles(x, nil, append(o, ogive.Ratios([]int64{1, 2, 4}, 4))...)
	},
	"middle": func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) {
		return grad.NaNQuantile(x, 0.5, o...)
	},
	"median": grad.NaNMedian,
}

// TestChangedInput: gradients end, with an error or whatever, if somebody else writes to x or
// to weights meanwhile, and write nothing but the gradient.
func TestChangedInput(t *testing.T) {
	small := func(h *tuning.Thresholds) {
		h.SoloWork, h.TaskElements, h.BigBytes, h.ChunkBytes, h.LocateCounts = 0, 64, 0, 512, 1
	}
	regimes := []regime{force("small", small), force("bins", func(h *tuning.Thresholds) {
		small(h)
		h.BinsMin, h.GuessMin, h.CollectWhole = 2, 0, 64
	})}
	frequencies := testkit.Raw(slices.Concat([]int64{4}, slices.Repeat([]int64{1, 2, 3}, 30)[1:]))
	counts := ogive.Must(ogive.FromBytes(dtype.Int64, frequencies, 90))
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		for _, shape := range [][]int{{90, 10}, {10, 90}, {2500}} {
			memory := slices.Clone(testkit.Fill("normal", dt, 2500, 3))
			n := shape[0] * shape[len(shape)-1]
			if len(shape) == 1 {
				n = shape[0]
			}
			x := ogive.Must(ogive.FromBytes(dt, memory[:n*dt.Size()], shape...))
			for name, call := range differentiated {
				for _, r := range regimes {
					for axis := range shape {
						opts := append([]ogive.Option{ogive.Axis(axis)}, r.opts...)
						what := fmt.Sprintf("%s%s of %v%v along axis %d", r.name, name, dt, shape, axis)
						pulledChanging(t, what, x, memory, dt, call, opts)
						if shape[axis] == 90 {
							opts = append(opts, ogive.Weights(counts))
							pulledChanging(t, what+" with frequencies", x, memory, dt, call, opts)
							pulledChanging(t, what+" with frequencies that change", x, frequencies, dtype.Int64, call, opts)
						}
					}
				}
			}
		}
	}
}

// pulledChanging takes gradients of a call in which x changes at some of the times it can.
func pulledChanging(t *testing.T, what string, x *ogive.Tensor, memory []byte, dt dtype.DType,
	call func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, grad.Pullback, error), opts []ogive.Option) {
	run := func(c *testkit.Changer) {
		y, pull, err := call(x, append(opts, ogive.Workers(1), ogive.Context(c))...)
		if err == nil {
			_, _ = pull(ogive.Must(ogive.Zeros(y.DType(), y.Shape()...)))
		}
	}
	most := func(asked int) int { return 20*asked + 1000 }
	testkit.EachChange(memory, dt, most, run, func(change string, at, _ int) {
		t.Errorf("%s, %s at %d: no end", what, change, at)
	})
}

// TestChangedMiddles: the gradient of the middles of a lane without equals is whole, or an
// error says that they are no longer there.
func TestChangedMiddles(t *testing.T) {
	tasks := force("tasks", func(h *tuning.Thresholds) { h.SoloWork, h.BigBytes, h.ChunkBytes = 0, 0, 512 })
	values := make([]float64, 2000)
	x := ogive.Must(ogive.FromSlice(values))
	one := ogive.Scalar(1.0)
	missed := 0
	for at := 1; ; at++ {
		for i := range values {
			values[i] = float64(i * 7919 % len(values))
		}
		c := &testkit.Changer{Context: context.Background(), At: at}
		c.Change = func() {
			for i := range values {
				values[i] = float64(i) + 0.5
			}
		}
		_, pull, err := grad.Median(x, append(tasks.opts, ogive.Workers(1), ogive.Context(c))...)
		if err != nil {
			t.Fatal(err)
		}
		dx, err := pull(one)
		switch {
		case err != nil:
			missed++
		default:
			sum := 0.0
			for _, v := range ogive.Must(ogive.Values[float64](dx)) {
				sum += v
			}
			if sum != 1 {
				t.Errorf("changed at %d: the gradient adds up to %v", at, sum)
			}
		}
		if c.Asked < at {
			break
		}
	}
	if missed < 3 {
		t.Errorf("only %d changes were met", missed)
	}
}
