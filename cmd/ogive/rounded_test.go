package main

import (
	"testing"

	"github.com/ogive-go/ogive"
)

// TestRoundedAnswers looks at medians of two integers, exact and rounded ones.
func TestRoundedAnswers(t *testing.T) {
	median := func(x *ogive.Tensor) (*ogive.Tensor, error) { return x.Median() }
	for _, c := range []struct {
		x       *ogive.Tensor
		rounded bool
	}{
		{ogive.Must(ogive.FromSlice([]int64{1<<53 + 1, 1<<53 + 3})), false},
		{ogive.Must(ogive.FromSlice([]int64{1<<53 + 1, 1<<53 + 1})), true},
		{ogive.Must(ogive.FromSlice([]int64{1<<53 + 2, 1<<53 + 3})), true},
		{ogive.Must(ogive.FromSlice([]int64{1<<53 - 1, 1<<53 - 2})), false},
		{ogive.Must(ogive.FromSlice([]int64{-1<<53 - 1, -1<<53 - 1})), true},
		{ogive.Must(ogive.FromSlice([]int64{-1 << 63, -1 << 63})), false},
		{ogive.Must(ogive.FromSlice([]int64{-1 << 63, -1<<63 + 1})), true},
		{ogive.Must(ogive.FromSlice([]int64{1<<63 - 1, 1<<63 - 1})), true},
		{ogive.Must(ogive.FromSlice([]uint64{1<<63 + 2048, 1 << 63})), true},
		{ogive.Must(ogive.FromSlice([]uint64{1<<63 + 4096, 1 << 63})), false},
		{ogive.Must(ogive.FromSlice([]uint64{1<<64 - 1, 1<<64 - 1})), true},
		{ogive.Must(ogive.FromSlice([]float64{1 << 60, 1 << 60})), false},
	} {
		got, err := roundedAnswers(c.x, ogive.Must(median(c.x)), median)
		if err != nil || got != c.rounded {
			t.Errorf("%v: %v, %v; want %v", c.x, got, err, c.rounded)
		}
	}
}
