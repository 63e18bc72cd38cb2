package stream

import (
	"errors"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// changingSource is a tensor of which pieces are read; from a given read on its elements are
// others.
type changingSource struct {
	goneSource
	changer *testkit.Changer
}

func (s changingSource) Read(lo, hi []int) (*ogive.Tensor, error) {
	if err := s.changer.Err(); err != nil {
		return nil, err
	}
	return s.goneSource.Read(lo, hi)
}

// TestChangedSource: whenever the elements of a source become others, Reduce ends, in no
// more reads than passes may take.
func TestChangedSource(t *testing.T) {
	many := make([]float64, 60)
	for i := range many {
		many[i] = (float64(i) + 0.5) / float64(len(many))
	}
	quantiles := map[string]ogive.Option{"one": ogive.Q(0.3), "many": ogive.Qs(many), "fractions": ogive.Ratios([]int64{0, 1, 2, 3}, 3)}
	for _, dt := range []dtype.DType{dtype.Int8, dtype.Uint16, dtype.Float32, dtype.Int64, dtype.Float64} {
		for _, shape := range [][]int{{6000}, {3000, 2}} {
			memory := slices.Clone(testkit.Fill("normal", dt, 6000, 7))
			src := changingSource{goneSource{ogive.Must(ogive.FromBytes(dt, memory, shape...))}, nil}
			for name, q := range quantiles {
				reduce := func(c *testkit.Changer) {
					src.changer = c
					_, _ = Reduce(ogive.OpNaNQuantile, src, 4*int(leastBudget), q, ogive.Axis(0), ogive.Workers(1))
				}
				most := func(asked int) int { return 100*asked + 100 }
				testkit.EachChange(memory, dt, most, reduce, func(change string, at, asked int) {
					t.Errorf("%s of %v%v, %s at %d of %d: no end", name, dt, shape, change, at, asked)
				})
			}
		}
	}
}

// TestChangedWeights: weights that became others between being checked and being added are
// an error.
func TestChangedWeights(t *testing.T) {
	for _, valid := range []int64{-1, 4, 1 << 62} {
		s := ogive.Must(New(ogive.OpNaNQuantile, dtype.Float32, 1<<12, ogive.Ratios([]int64{0, 1}, 1)))
		if err := s.Add(ogive.Must(ogive.FromSlice([]float32{1, 2, 3})), nil); err != nil {
			t.Fatal(err)
		}
		s.now.valid = valid
		if _, err := s.Next(); !errors.Is(err, ogive.ErrFormat) {
			t.Errorf("%d values of 3: error %v, want ErrFormat", valid, err)
		}
	}
}
