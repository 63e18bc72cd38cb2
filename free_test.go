package ogive_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// freeLengths are of the first dimension: long, short, none, and the last one again.
var freeLengths = []int{7, 7, 37, 1, 2, 300, 0, 5}

// TestFreeDimension holds plans with a free first dimension to those for each length.
func TestFreeDimension(t *testing.T) {
	weights := vec[int64](1, 0, 2, 3, 1)
	for _, c := range []struct {
		name string
		op   ogive.Op
		dt   dtype.DType
		rest []int
		opts []ogive.Option
		want []int // of Shape
	}{
		{"rows", ogive.OpMedian, dtype.Float32, []int{5}, []ogive.Option{ogive.Axis(1)}, []int{-1}},
		{"long rows", ogive.OpQuantile, dtype.Float64, []int{1000}, []ogive.Option{ogive.Axis(-1), ogive.Q(0.1, 0.9)}, []int{2, -1}},
		{"kept", ogive.OpNaNQuantile, dtype.Float32, []int{5, 3}, []ogive.Option{ogive.Axis(1), ogive.Q(0.3), ogive.KeepDims()}, []int{-1, 1, 3}},
		{"columns", ogive.OpNaNMedian, dtype.Float64, []int{4}, []ogive.Option{ogive.Axis(0)}, []int{4}},
		{"columns kept", ogive.OpMedian, dtype.Int16, []int{4}, []ogive.Option{ogive.Axis(0), ogive.KeepDims()}, []int{1, 4}},
		{"all", ogive.OpQuantile, dtype.Float32, []int{3}, []ogive.Option{ogive.Qs([]float64{0.5})}, []int{1}},
		{"a vector", ogive.OpPercentile, dtype.Uint8, nil, []ogive.Option{ogive.P(30)}, []int{}},
		{"indices", ogive.OpArgQuantile, dtype.Float32, []int{6}, []ogive.Option{ogive.Axis(1), ogive.Q(0.5)}, []int{-1}},
		{"weights", ogive.OpQuantile, dtype.Float32, []int{5}, []ogive.Option{ogive.Axis(1), ogive.Q(0.5), ogive.Weights(weights)}, []int{-1}},
		{"an element test", ogive.OpIsNaN, dtype.Float16, []int{2, 3}, nil, []int{-1, 2, 3}},
		{"isin", ogive.OpIsIn, dtype.Int8, []int{9}, []ogive.Option{ogive.Test(vec[int8](1, 2, 3))}, []int{-1, 9}},
		{"an empty rest", ogive.OpMedian, dtype.Float32, []int{0}, []ogive.Option{ogive.Axis(1)}, []int{-1}},
	} {
		plan, err := ogive.Prepare(c.op, c.dt, append([]int{-1}, c.rest...), c.opts...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(plan.Shape(), c.want) {
			t.Errorf("%s: the result has shape %v, want %v", c.name, plan.Shape(), c.want)
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for _, n := range freeLengths {
					shape := append([]int{n}, c.rest...)
					kind := "random"
					if c.dt.IsFloat() {
						kind = "nanhalf"
					}
					x := plain(t, fill(kind, c.dt, uint64(n), shape...)).tensor
					fixed, wantErr := ogive.Prepare(c.op, c.dt, shape, c.opts...)
					if wantErr != nil {
						if err := plan.Run(x, vec(0.0)); err == nil || err.Error() != wantErr.Error() || !errors.Is(err, ogive.ErrEmpty) {
							t.Errorf("%s of %d: %v, want %v", c.name, n, err, wantErr)
						}
						continue
					}
					want, got := junkTensor(t, fixed.DType(), fixed.Shape()), junkTensor(t, fixed.DType(), fixed.Shape())
					if err := errors.Join(fixed.Run(x, want), plan.Run(x, got)); err != nil {
						t.Errorf("%s of %d: %v", c.name, n, err)
					} else if !bytes.Equal(content(t, got), content(t, want)) {
						t.Errorf("%s of %d: got %v, want %v", c.name, n, got, want)
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestFreeDimensionErrors(t *testing.T) {
	prepare := func(shape []int, opts ...ogive.Option) error {
		_, err := ogive.Prepare(ogive.OpQuantile, dtype.Float64, shape, append(opts, ogive.Q(0.5))...)
		return err
	}
	plan := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{-1, 2}, ogive.Axis(1)))
	weights := ogive.Weights(vec[int64](1, 2))
	out := vec(0.0)
	for _, c := range []struct {
		name     string
		err      error
		sentinel error
		message  string
	}{
		{"another dimension", prepare([]int{2, -1}), ogive.ErrShape, `quantile: dimension 1 of shape [2 -1] is negative`},
		{"less than free", prepare([]int{-2}), ogive.ErrShape, `quantile: dimension 0 of shape [-2] is negative`},
		{"axis", prepare([]int{-1, 2}, ogive.Axis(2)), ogive.ErrAxis, `quantile: axis 2 is out of range for a 2-d tensor (allowed -2..1)`},
		{"weights along it", prepare([]int{-1, 2}, ogive.Axis(0), weights), ogive.ErrWeights, `quantile: weights have shape [2]; where the first dimension is free they are those of the other, reduced axes`},
		{"weights", prepare([]int{-1, 3}, ogive.Axis(1), weights), ogive.ErrWeights, ``},
		{"out", plan.Run(of([]float64{1, 2, 3, 4}, 2, 2), out), ogive.ErrOut, `median: out has shape [1], want [2]`},
		{"columns", plan.Run(of([]float64{1, 2, 3}, 1, 3), out), ogive.ErrShape, `median: x has shape [1 3], the plan takes [-1 2]`},
		{"dimensions", plan.Run(out, out), ogive.ErrShape, `median: x has shape [1], the plan takes [-1 2]`},
		{"dtype", plan.Run(of([]float32{1, 2}, 1, 2), out), ogive.ErrDType, `median: x is float32, the plan takes float64`},
		{"nil", plan.Run(nil, out), ogive.ErrShape, `median: x is nil`},
	} {
		if c.message == "" && c.err != nil {
			c.message = c.err.Error()
		}
		wantError(t, c.name, c.err, c.sentinel, c.message)
	}
}

// A plan for batches of rows, the last of which is shorter.
func ExamplePrepare_batches() {
	plan := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{-1, 3}, ogive.Axis(1), ogive.Q(0.5), ogive.Method(rank.Lower)))
	fmt.Println(plan.Shape())
	for _, batch := range [][][]float64{{{3, 1, 2}, {9, 7, 8}}, {{6, 5, 4}}} {
		x := ogive.Must(ogive.FromRows(batch))
		out := ogive.Must(ogive.Zeros(plan.DType(), len(batch)))
		if err := plan.Run(x, out); err != nil {
			panic(err)
		}
		fmt.Println(out)
	}
	// Output:
	// [-1]
	// [2. 8.]
	// [5.]
}
