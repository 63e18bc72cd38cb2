package stream

import (
	"errors"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// TestGone: a chunk that is gone is an error, after which the State gives no answer.
func TestGone(t *testing.T) {
	x := tensors.Wrap(testkit.GoneArray(t, 300_000))
	whole := ogive.Must(ogive.Zeros(dtype.Float32, 300_000))
	counts := ogive.Must(ogive.Zeros(dtype.Uint8, 300_000))
	for _, weights := range []*ogive.Tensor{nil, counts} {
		s, err := New(ogive.OpMedian, dtype.Float32, MinBudget)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Lost(t, "Add", s.Add(x, weights))
		if err := s.Add(whole, weights); !errors.Is(err, ogive.ErrOption) {
			t.Error("Add after a chunk that was lost:", err)
		}
		if _, err := s.Next(); err == nil {
			t.Error("Next after a chunk that was lost has no error")
		}
	}
	for _, workers := range []int{1, 4} {
		_, err := Reduce(ogive.OpMedian, goneSource{x}, 8*MinBudget, ogive.Workers(workers))
		testkit.Lost(t, "Reduce", err)
		_, err = Reduce(ogive.OpMedian, goneSource{ogive.Must(x.Reshape(300, 1000))}, 8*MinBudget, ogive.Workers(workers), ogive.Axis(0))
		testkit.Lost(t, "Reduce along an axis", err)
	}
}

// goneSource hands over pieces of a tensor.
type goneSource struct{ x *ogive.Tensor }

func (s goneSource) DType() dtype.DType { return s.x.DType() }
func (s goneSource) Shape() []int       { return s.x.Shape() }

func (s goneSource) Read(lo, hi []int) (*ogive.Tensor, error) {
	piece := s.x
	for i := range lo {
		var err error
		if piece, err = piece.Slice(i, lo[i], hi[i], 1); err != nil {
			return nil, err
		}
	}
	return piece, nil
}
