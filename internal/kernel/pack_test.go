package kernel

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/testkit"
)

func testPack[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	lengths := []int{127, 128, 129, 256} // 128 rows are done at a time
	for n := range 70 {
		lengths = append(lengths, n+1)
	}
	for _, n := range lengths {
		if int(K(n)) != n {
			continue // more than a count of this width holds
		}
		for _, e := range encodings[K]() {
			side, lanes := testkit.Sides[rng.IntN(2)], blockLanes[K](rng)
			count, gap := lanes, rng.IntN(3)
			if rng.IntN(4) == 0 {
				count = 1 + rng.IntN(lanes)
			}
			tile := Tile{N: n, Lanes: count}
			switch rng.IntN(3) {
			case 0:
				tile.Stride, tile.LaneStride = 1, n+gap
			case 1:
				tile.Stride, tile.LaneStride = count+gap, 1
			default:
				tile.Stride, tile.LaneStride = 2, 2*n+gap
			}
			elements := keysOf[K]((n-1)*tile.Stride+(count-1)*tile.LaneStride+1, rng)
			if rng.IntN(2) == 0 {
				for i := range elements {
					elements[i] &= 0x3F // no NaN
				}
				if rng.IntN(2) == 0 { // but for one, or one with its sign set
					elements[rng.IntN(len(elements))] = []K{MinKey[K](), -1, e.Inf, e.Inf + 1}[rng.IntN(4)]
				}
			}
			src := testkit.FencedCopy(t, elements, side)
			tile.Base = unsafe.Pointer(&src[0])
			block, nans := testkit.Roomy[K](t, n*lanes, side), testkit.Fenced[K](t, lanes, side)
			for j := range nans {
				nans[j] = 77
			}
			nan := Pack(block, tile, e, 1<<20, nans)
			some := false
			for j := range count {
				want := K(0)
				for i := range n {
					x := []K{src[i*tile.Stride+j*tile.LaneStride]}
					want += K(encodeGeneric(x, x, e))
					if got := block[i*lanes+j]; got != x[0] {
						t.Fatalf("%+v, %v: key %d of lane %d is %d, want %d", tile, e, i, j, got, x[0])
					}
				}
				some = some || want > 0
				if nan && nans[j] != want || !nan && want > 0 {
					t.Fatalf("%+v, %v: lane %d has %d NaNs (%t), want %d", tile, e, j, nans[j], nan, want)
				}
			}
			if nan != some {
				t.Fatalf("%+v, %v: there are NaNs: %t, want %t", tile, e, nan, some)
			}
		}
	}
}

// Pack puts the key of every element in its place and counts those of NaN,
// reading and writing nothing else.
func TestPack(t *testing.T) {
	eachImpl(t, "Pack", func(t *testing.T) {
		for range 5 {
			forKeys(t, testPack[int8], testPack[int16], testPack[int32], testPack[int64])
		}
	})
}
