package rolling

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// TestBitset holds the set to a slice of bools, sparse and dense, up to four levels.
func TestBitset(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 63, 64, 65, 4095, 4096, 4097, 300_000} {
		for _, share := range []int{1, 3, 100, 5000} {
			var b bitset
			b.init(make([]uint64, words(n)), n)
			has := make([]bool, n)
			for i := range n {
				if rng.IntN(share) == 0 {
					b.add(uint32(i))
					has[i] = true
				}
			}
			for range n / 3 {
				i := rng.IntN(n)
				if has[i] {
					b.remove(uint32(i))
				} else {
					b.add(uint32(i))
				}
				has[i] = !has[i]
			}
			last := -1
			for i := range n {
				if last >= 0 {
					if got := b.before(uint32(i)); int(got) != last {
						t.Fatalf("of %d: before %d comes %d, want %d", n, i, got, last)
					}
				}
				if has[i] {
					last = i
				}
			}
			next := -1
			for i := n - 1; i >= 0; i-- {
				if has[i] {
					next = i
				}
				if next >= 0 {
					if got := b.from(uint32(i)); int(got) != next {
						t.Fatalf("of %d: from %d on comes %d, want %d", n, i, got, next)
					}
				}
			}
		}
	}
}

func TestArrange(t *testing.T) {
	arranges[int8](t)
	arranges[int16](t)
	arranges[int32](t)
	arranges[int64](t)
}

func arranges[K kernel.Key](t *testing.T) {
	s := crew.Borrow()
	defer s.Return()
	for _, n := range []int{0, 1, 2, 60, 128, 1000, 9000} {
		for name, keys := range testkit.Keys[K](n, rand.New(rand.NewPCG(1, uint64(n)))) {
			for _, limited := range []bool{false, true} {
				limit := kernel.MaxKey[K]()
				want := slices.Clone(keys)
				if limited {
					want = slices.DeleteFunc(want, func(k K) bool { return k == limit })
				}
				slices.Sort(want)
				order, ranks := make([]K, n), make([]uint32, n)
				m := arrange(keys, order, ranks, limited, limit, s)
				if !slices.Equal(order[:m], want) {
					t.Fatalf("%s of %d: not in order", name, n)
				}
				seen := make([]int, m) // the place of each rank, plus one
				for i, r := range ranks {
					switch {
					case limited && keys[i] == limit:
						if r != nan {
							t.Fatalf("%s of %d: a NaN has the rank %d", name, n, r)
						}
					case seen[r] > 0 || order[r] != keys[i] || r > 0 && order[r-1] == order[r] && seen[r-1] == 0:
						t.Fatalf("%s of %d: element %d has the rank %d", name, n, i, r)
					default:
						seen[r] = i + 1
					}
				}
			}
		}
	}
}

// TestStretch: keys that send the cursor far, in windows of every width.
func TestStretch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := crew.Borrow()
	defer s.Return()
	const n = 400
	for name, keys := range testkit.Keys[int32](n, rng) {
		for _, q := range [][]rank.Q{{rank.At(0.5)}, {rank.At(0)}, {rank.At(1)}, {rank.At(0.9), rank.At(0.1)}} {
			want := selection.NewWant(rank.NewSet(rank.Lower, q), false, &tuning.Default)
			for width := 1; width <= n; width += 13 {
				w := Windows{Want: &want, Width: width, Least: 1}
				var st Stretch[int32]
				st.Start(&w, keys, width-1, s)
				for at := width; at <= n; {
					r := selection.NewResult[int32](&want, min(1+rng.IntN(50), n-at+1), s)
					st.Next(&r)
					for j := range r.Lanes {
						sorted := slices.Sorted(slices.Values(keys[at-width : at]))
						for i := range q {
							if p := want.Position(i, int64(width)); r.Lo[i*r.Lanes+j] != sorted[p.Lo] {
								t.Fatalf("%s: quantile %v of window %d at %d is %d, want %d", name, q[i], width, at, r.Lo[i*r.Lanes+j], sorted[p.Lo])
							}
						}
						at++
					}
				}
				s.Reset()
			}
		}
	}
}
