package bracket

import "testing"

// Workers that skip to their part of a sample draw what one alone does.
func TestPositionsSkip(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {7, 7}, {7, 100}, {128, 1000}, {509, 123_457}} {
		all := NewPositions(size[0], size[1])
		for i := range size[0] {
			part := NewPositions(size[0], size[1])
			part.Skip(i)
			if got, want := part.Next(), all.Next(); got != want {
				t.Fatalf("position %d of %v is %d after Skip, want %d", i, size, got, want)
			}
		}
	}
}
