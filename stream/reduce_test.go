package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// inMemory is a Source over a tensor.
type inMemory struct {
	x       *ogive.Tensor
	fortran bool
	most    int // the elements of the largest piece that may be read
	fail    func(lo, hi []int) (*ogive.Tensor, error)
}

func (s inMemory) DType() dtype.DType { return s.x.DType() }
func (s inMemory) Shape() []int       { return s.x.Shape() }
func (s inMemory) Fortran() bool      { return s.fortran }
func (s inMemory) Read(lo, hi []int) (*ogive.Tensor, error) {
	if s.fail != nil {
		return s.fail(lo, hi)
	}
	x := s.x
	for d := range lo {
		x = ogive.Must(x.Slice(d, lo[d], hi[d], 1))
	}
	if s.most > 0 && x.Len() > s.most {
		return nil, fmt.Errorf("a piece of %d elements, more than %d", x.Len(), s.most)
	}
	return x, nil
}

// reading is a Source that reads into the memory it is given.
type reading struct{ inMemory }

func (s reading) ReadInto(memory []byte, lo, hi []int) (*ogive.Tensor, error) {
	x, err := s.Read(lo, hi)
	if err != nil || memory == nil {
		return x, err
	}
	piece := ogive.Must(ogive.Must(x.Contiguous()).Bytes())
	if len(memory) < len(piece) {
		return nil, fmt.Errorf("memory of %d bytes for a piece of %d", len(memory), len(piece))
	}
	return ogive.FromBytes(x.DType(), memory[:copy(memory, piece)], x.Shape()...)
}

// TestReduce: any axes of any shape have the bits of the answer in memory, whether lanes
// fit into the budget or not.
func TestReduce(t *testing.T) {
	number := 0
	for _, shape := range [][]int{{}, {0}, {5000}, {3, 0, 4}, {40, 50}, {7, 11, 13, 5}, {2, 3000}, {3000, 3}, {1, 1, 900, 1}} {
		axes := [][]int{nil}
		for d := range shape {
			axes = append(axes, []int{d}, []int{-1 - d, (d + 1) % len(shape)})
		}
		for _, dt := range []dtype.DType{dtype.Int16, dtype.Float32, dtype.Float64, dtype.Bool} {
			for _, ax := range axes {
				if len(ax) == 2 && (ax[0]+len(shape))%len(shape) == ax[1] {
					continue
				}
				for _, budget := range []int{1 << 10, 1 << 13, 1 << 20} {
					number++
					kinds := testkit.Kinds(dt)
					n := 1
					for _, d := range shape {
						n *= d
					}
					data := testkit.Fill(kinds[number%len(kinds)], dt, n, uint64(number))
					x := ogive.Must(ogive.FromBytes(dt, data, append([]int{}, shape...)...))
					if len(shape) == 0 {
						x = ogive.Must(ogive.Must(ogive.FromBytes(dt, data, 1)).Reshape())
					}
					c := callOf(ops[number%len(ops)], dt, number)
					if ax != nil {
						c.opts = append(c.opts, ogive.Axis(ax...))
					}
					if number%2 == 0 {
						c.opts = append(c.opts, ogive.KeepDims())
					}
					want, wantErr := c.memory(x, nil)
					memory := inMemory{x: x, fortran: number%3 == 0, most: max(budget/2/dt.Size(), 1)}
					src := Source(memory)
					if number%5 < 2 {
						src = reading{memory}
					}
					got, err := Reduce(c.op, src, budget, append(c.opts, ogive.Workers(1+number%3))...)
					same(fatalf{t, fmt.Sprintf("%v %v %v axes %v budget %d options %v", c.op, dt, shape, ax, budget, c.opts)}, got, err, want, wantErr)
				}
			}
		}
	}
}

// TestReduceErrors: what is asked wrongly, and sources that fail.
func TestReduceErrors(t *testing.T) {
	x := ogive.Must(tensor("normal", dtype.Float32, 6000, 1).Reshape(2, 3000))
	q := ogive.Q(0.5)
	for i, c := range []struct {
		op     ogive.Op
		src    Source
		budget int
		opts   []ogive.Option
		kind   error
	}{
		{ogive.OpIsNaN, inMemory{x: x}, 1 << 20, nil, ogive.ErrOption},
		{ogive.OpQuantile, nil, 1 << 20, []ogive.Option{q}, ogive.ErrShape},
		{ogive.OpQuantile, inMemory{x: x}, 1 << 20, []ogive.Option{q, ogive.Axis(2)}, ogive.ErrAxis},
		{ogive.OpQuantile, inMemory{x: x}, 1 << 20, []ogive.Option{q, ogive.Weights(x)}, ogive.ErrOption},
		{ogive.OpQuantile, inMemory{x: x}, 1 << 20, nil, ogive.ErrQ},
		{ogive.OpQuantile, inMemory{x: x}, 1<<10 - 1, []ogive.Option{q}, ogive.ErrOption},
	} {
		if _, err := Reduce(c.op, c.src, c.budget, c.opts...); !errors.Is(err, c.kind) {
			t.Errorf("Reduce %d: error %v, want %v", i, err, c.kind)
		}
	}
	broken := errors.New("broken")
	for _, axis := range []ogive.Option{ogive.Axis(0), ogive.Axis(1), ogive.Axis(0, 1)} {
		for _, workers := range []int{1, 3} {
			opts := []ogive.Option{q, axis, ogive.Workers(workers)}
			fails := inMemory{x: x, fail: func(lo, hi []int) (*ogive.Tensor, error) { return nil, broken }}
			if _, err := Reduce(ogive.OpQuantile, fails, 1<<12, opts...); !errors.Is(err, broken) {
				t.Errorf("a source that fails: error %v", err)
			}
			lies := inMemory{x: x, fail: func(lo, hi []int) (*ogive.Tensor, error) { return ogive.Scalar(float32(1)), nil }}
			if _, err := Reduce(ogive.OpQuantile, lies, 1<<12, opts...); !errors.Is(err, ogive.ErrFormat) {
				t.Errorf("a source of other shapes: error %v", err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := Reduce(ogive.OpQuantile, inMemory{x: x}, 1<<12, append(slices.Clone(opts), ogive.Context(ctx))...); !errors.Is(err, context.Canceled) {
				t.Errorf("a context that has ended: error %v", err)
			}
		}
	}
}
