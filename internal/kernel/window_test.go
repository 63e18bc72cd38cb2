package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/internal/testkit"
)

func testInWindow[B Bits](t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	all := ^B(0)
	windows := []Window[B]{
		Everything[B](), Negative[B](), {all, 5, 0}, {all, 5, 10}, {all >> 1, 3, all >> 2},
		{all, all, 0}, {all, all - 3, 7}, {all, 0, all >> 1}, {all >> 1, 1, all>>1 - 1},
	}
	for _, n := range lengths() {
		side := testkit.Sides[rng.IntN(2)]
		src, dst := testkit.Fenced[B](t, n, side), testkit.Fenced[uint8](t, n, side)
		for i := range src {
			src[i] = B(rng.Uint64())
			if rng.IntN(2) == 0 {
				src[i] = B(rng.IntN(24)) - 8
			}
		}
		for _, w := range windows {
			InWindow(dst, src, w)
			check := func(first int) {
				t.Helper()
				for i, b := range src {
					if want := bit(w.Has(b)) * bit(i >= first); dst[i] != want {
						t.Fatalf("n=%d, %+v: %#x gives %d", n, w, b, dst[i])
					}
				}
			}
			check(0)
			first := min(rng.IntN(70), n)
			clear(dst)
			StreamInWindow(dst[first:], src[first:], w)
			check(first)
		}
	}
}

// InWindow tests every element, of every width and length.
func TestInWindow(t *testing.T) {
	eachImpl(t, "InWindow", func(t *testing.T) {
		t.Run("uint8", testInWindow[uint8])
		t.Run("uint16", testInWindow[uint16])
		t.Run("uint32", testInWindow[uint32])
		t.Run("uint64", testInWindow[uint64])
	})
}
