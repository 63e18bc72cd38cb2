package bracket

import (
	"math"
	"testing"

	"github.com/ogive-go/ogive/internal/kernel"
)

// Around is symmetric, holds the place that it is around, and says where the sample
// does not reach.
func TestAround(t *testing.T) {
	for _, c := range []struct {
		first, last, n int64
		m              int
		sigma          float64
		lo, hi         int
	}{
		{500, 500, 1001, 100, 2, 39, 60},
		{500, 501, 1002, 100, 2, 39, 60},
		{0, 0, 1000, 100, 3, -2, 1},
		{999, 999, 1000, 100, 3, 98, 101},
		{0, 0, 1, 1, 3, -2, 2},
		{7, 7, 15, 0, 3, -1, 0},
		{1 << 52, 1 << 52, 1 << 53, 32, 1.5, 11, 20},
	} {
		if lo, hi := Around(c.first, c.last, c.n, c.m, c.sigma); lo != c.lo || hi != c.hi {
			t.Errorf("order statistics %d … %d of %d in a sample of %d, %v sigma: %d … %d, want %d … %d",
				c.first, c.last, c.n, c.m, c.sigma, lo, hi, c.lo, c.hi)
		}
	}
}

// Beyond keeps bounds that hold what is wanted, and otherwise opens the side where
// it is: what was outside before is inside then.
func TestBeyond(t *testing.T) {
	const low, high = math.MinInt16, math.MaxInt16
	for _, c := range []struct {
		first, last int64
		from, to    int16
	}{
		{20, 25, -5, 7}, {10, 29, -5, 7}, // of 10 below and 20 inside -5 … 7
		{3, 4, low, -6}, {9, 9, low, -6},
		{30, 30, 8, high}, {40, 41, 8, high},
		{9, 10, low, 7}, {29, 30, -5, high}, {9, 30, low, high},
	} {
		if from, to := Beyond[int16](-5, 7, 10, 20, c.first, c.last); from != c.from || to != c.to {
			t.Errorf("order statistics %d … %d: %d … %d, want %d … %d", c.first, c.last, from, to, c.from, c.to)
		}
	}
	if got, want := AppendEven[int8](nil, kernel.MinKey[int8](), kernel.MaxKey[int8](), 3), []int8{-128, -43, 42, 127}; got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("three parts of all bytes end at %v, want %v", got, want)
	}
}
