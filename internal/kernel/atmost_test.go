package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/internal/testkit"
)

// atMostBounds are bounds that follow each other, at both ends of the keys too, and
// others.
var atMostBounds = [][Bounds]int8{
	{-128, -20, -1, 0, 0, 19, 126, 127},
	{-128, -127, -126, -125, -124, -123, -122, -121},
	{-24, -23, -22, -21, -20, -19, -18, -17},
	{-4, -3, -2, -1, 0, 1, 2, 3},
	{120, 121, 122, 123, 124, 125, 126, 127},
	{121, 122, 123, 124, 125, 126, 127, -128},
}

// CountAtMost counts each key under every bound that it does not exceed,
// however many are alike.
func TestCountAtMost(t *testing.T) {
	eachImpl(t, "CountAtMost", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 1))
		for _, n := range append(lengths(), atMostBlock-1, atMostBlock, 3*atMostBlock+77) {
			src := testkit.FencedCopy(t, keysOf[int8](n, rng), testkit.Sides[rng.IntN(2)])
			for _, e := range []Encoding[int8]{{}, {Code: Unsigned}} {
				keys := make([]int8, n)
				Encode(keys, src, e)
				for _, bounds := range atMostBounds {
					var got, want [Bounds]int64
					for i, b := range bounds {
						got[i], want[i] = 5, 5
						for _, k := range keys {
							if k <= b {
								want[i]++
							}
						}
					}
					CountAtMost(&got, src, e, &bounds)
					if got != want {
						t.Fatalf("n=%d, code %d, bounds %d: %v, want %v", n, e.Code, bounds, got, want)
					}
				}
			}
		}
		same := make([]int8, 1<<17)
		var got [Bounds]int64
		CountAtMost(&got, same, Encoding[int8]{}, &[Bounds]int8{-1, 0, 1})
		if got != [Bounds]int64{0, 1 << 17, 1 << 17, 1 << 17, 1 << 17, 1 << 17, 1 << 17, 1 << 17} {
			t.Errorf("of equal keys: %v", got)
		}
		got = [Bounds]int64{}
		CountAtMost(&got, same, Encoding[int8]{}, &[Bounds]int8{-3, -2, -1, 0, 1, 2, 3, 4})
		if got != [Bounds]int64{0, 0, 0, 1 << 17, 1 << 17, 1 << 17, 1 << 17, 1 << 17} {
			t.Errorf("of equal keys, bounds that follow each other: %v", got)
		}
	})
}
