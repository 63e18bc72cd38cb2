package groups

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	_ "github.com/ogive-go/ogive/internal/testkit" // poison in scratch memory
)

// TestNumbers: equal keys have equal numbers, greater ones greater numbers, and ranks
// count the keys that are there, in narrow ranges and wide ones.
func TestNumbers(t *testing.T) {
	var g Numbers // used again and again, as plans do
	for _, spread := range []int64{1, 700, 1 << 40} {
		for _, n := range []int{1, 100, 5000, 200_000} {
			c := crew.Crew{Config: crew.Config{Workers: 3}}
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			keys := make([]int64, n)
			for i := range keys {
				keys[i] = (rng.Int64N(int64(n)) - int64(n/2)) * spread
			}
			if err := g.Init(&c, dtype.Int64, unsafe.Pointer(&keys[0]), n); err != nil {
				t.Fatal(err)
			}
			distinct := slices.Compact(slices.Sorted(slices.Values(keys)))
			found := make([]int64, g.Count)
			g.Keys(unsafe.Pointer(&found[0]), 8)
			if !slices.Equal(found, distinct) {
				t.Fatalf("spread %d, n %d: %d groups, want %d", spread, n, len(found), len(distinct))
			}
			for i, number := range g.Of {
				if int(number) >= g.Span || found[g.Rank(int(number))] != keys[i] {
					t.Fatalf("spread %d, n %d: element %d has number %d of %d", spread, n, i, number, g.Span)
				}
			}
		}
	}
}

// TestDivide: each part has the elements of its numbers, in the order in which they
// came, and arranging it brings those of a number together.
func TestDivide(t *testing.T) {
	const n, first, span = 150_000, 40, 3000
	rng := rand.New(rand.NewPCG(1, 2))
	numbers, of := make([]uint32, n), make([][]int32, span)
	for i := range numbers {
		number := rng.IntN(span)
		if rng.IntN(2) > 0 {
			number = rng.IntN(20) * 3
		}
		numbers[i] = first + uint32(number)
		of[number] = append(of[number], int32(i))
	}
	c := crew.Crew{Config: crew.Config{Workers: 3}}
	var d Division[int32]
	for _, shift := range []uint{0, 5, 12} {
		err := d.Divide(&c, numbers, first, span, shift, func(dst []int32, from, to int) []int32 {
			for i := range to - from {
				dst[i] = int32(from + i)
			}
			return dst[:to-from]
		})
		if err != nil {
			t.Fatal(err)
		}
		s := crew.Borrow()
		for p := range d.Ends {
			from, to := d.Part(p)
			low := p << shift
			own := of[low:min(low+1<<shift, span)]
			if shift == 0 {
				if !slices.Equal(d.Elements[from:to], own[0]) {
					t.Fatalf("number %d has other elements", low)
				}
				continue
			}
			s.Reset()
			a := Arrange(d.Numbers[from:to], first+uint32(low), len(own), d.Elements[from:to], s)
			own = slices.DeleteFunc(slices.Clone(own), func(e []int32) bool { return len(e) == 0 })
			if len(a.Ranks) != len(own) {
				t.Fatalf("part %d has %d groups, want %d", p, len(a.Ranks), len(own))
			}
			at, last := 0, uint32(0)
			for i, rank := range a.Ranks {
				m := a.Lengths[i]
				if !slices.Equal(a.Elements[at:at+int(m)], own[rank]) {
					t.Fatalf("part %d: group %d has other elements", p, rank)
				}
				if m < last && last < lengths {
					t.Errorf("part %d: length %d after %d", p, m, last)
				}
				at, last = at+int(m), m
			}
		}
		s.Return()
	}
}
