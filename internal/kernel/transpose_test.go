package kernel

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/testkit"
)

func testTranspose[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range 1500 {
		side := testkit.Sides[rng.IntN(2)]
		n, lanes, gap, wider := 1+rng.IntN(40), 1+rng.IntN(40), rng.IntN(4), rng.IntN(3)
		src := testkit.FencedCopy(t, keysOf[K]((lanes-1)*(n+gap)+n, rng), side)
		stride := lanes + wider
		room := testkit.Roomy[K](t, (n-1)*stride+lanes, side)
		dst := room[:(n-1)*stride+lanes]
		for i := range dst {
			dst[i] = 77
		}
		if rng.IntN(2) == 0 {
			for i := range src {
				src[i] &= MaxKey[K]()
			}
		}
		most := transpose(room, stride, Tile{Base: unsafe.Pointer(&src[0]), N: n, Stride: 1, Lanes: lanes, LaneStride: n + gap}, 0)
		largest := uint64(0)
		for i, got := range dst {
			want := K(77)
			if row, j := i/stride, i%stride; j < lanes {
				want = src[j*(n+gap)+row]
				largest = max(largest, uint64(want))
			}
			if got != want {
				t.Fatalf("n=%d lanes=%d gap=%d stride=%d: key %d is %d, want %d", n, lanes, gap, stride, i, got, want)
			}
		}
		if most != -1 && uint64(most) != largest {
			t.Fatalf("n=%d lanes=%d gap=%d: the largest is %d, want %d", n, lanes, gap, most, K(largest))
		}
	}
}

// Transpose moves every element to its place and writes nothing else; if it knows
// the largest of them, it is right.
func TestTranspose(t *testing.T) {
	eachImpl(t, "Transpose", func(t *testing.T) {
		forKeys(t, testTranspose[int8], testTranspose[int16], testTranspose[int32], testTranspose[int64])
	})
}
