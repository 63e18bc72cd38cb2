package rank

import (
	"slices"
	"testing"
)

func TestSetPositions(t *testing.T) {
	s := NewSet(Linear, []Q{At(0.9), At(0.5), Ratio(1, 3), At(0.5)})
	if s.Len() != 4 || s.Method() != Linear {
		t.Fatalf("set of %d by %v", s.Len(), s.Method())
	}
	mark := Position{7, 7, 0, 0}
	got := s.Positions([]Position{mark}, 4)
	want := []Position{mark, {2, 3, Linear.Position(4, At(0.9)).G, 0}, {1, 2, 0.5, 0}, {1, 1, 0, 0}, {1, 2, 0.5, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("positions %v, want %v", got, want)
	}
}

func TestWanted(t *testing.T) {
	for _, c := range []struct {
		pos  []Position
		want []int64
	}{
		{nil, nil},
		{[]Position{{3, 3, 0, 0}}, []int64{3}},
		{[]Position{{3, 4, 0.5, 0}, {4, 5, 0.5, 0}}, []int64{3, 4, 5}},
		{[]Position{{8, 9, 0.1, 0}, {0, 1, 0.2, 0}, {8, 8, 0, 0}, {1, 2, 0.5, 0}}, []int64{0, 1, 2, 8, 9}},
	} {
		if got := Wanted(nil, c.pos); !slices.Equal(got, c.want) {
			t.Errorf("Wanted(%v) = %v, want %v", c.pos, got, c.want)
		}
		kept := []int64{99, 0}
		if got := Wanted(kept, c.pos); !slices.Equal(got, append([]int64{99, 0}, c.want...)) {
			t.Errorf("Wanted does not append: %v", got)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	s := NewSet(MedianUnbiased, []Q{At(0.9), Ratio(2, 7), At(0.1)})
	pos, want := make([]Position, 0, 3), make([]int64, 0, 6)
	if n := testing.AllocsPerRun(100, func() {
		pos = s.Positions(pos[:0], 1000)
		want = Wanted(want[:0], pos)
	}); n != 0 {
		t.Errorf("%v allocations for positions", n)
	}
	a, b := []float64{-1, 5e-324, 1}, []float64{-0x1p-60, 1.5e-323, 0x1p1000}
	g, dst := []float64{3 * 0x1p-54}, make([]float64, 3)
	if n := testing.AllocsPerRun(100, func() { Interpolate64(dst, a, b, g) }); n != 0 {
		t.Errorf("%v allocations for interpolation", n)
	}
}
