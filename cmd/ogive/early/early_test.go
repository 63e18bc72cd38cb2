package early

import "testing"

func TestLargest(t *testing.T) {
	for _, want := range []int64{0, 8, 16, 1000, 1024} {
		if got := largest(8, 1024, func(n int64) bool { return n <= want }); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
}
