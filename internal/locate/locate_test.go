package locate

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// searched is a search and what it is to find.
type searched[K kernel.Key] struct {
	Search[K]
	want [2][]int64
}

// newSearched returns a search in an array of few distinct elements along the axes.
func newSearched[K kernel.Key](t *testing.T, dt dtype.DType, shape []int, axes nd.Axes, ends int, rng *rand.Rand) *searched[K] {
	n := 1
	for _, d := range shape {
		n *= d
	}
	elements, distinct := make([]K, n), K(1+rng.IntN(100))
	for i := range elements {
		elements[i] = K(rng.Int64()) % distinct
		if dt.IsFloat() && rng.IntN(3) == 0 {
			elements[i] = K(dtype.CanonicalNaN(dt)) + K(rng.IntN(2)) // NaNs of several kinds
		}
	}
	x, err := nd.FromBytes(dt, unsafe.Slice((*byte)(unsafe.Pointer(&elements[0])), n*dt.Size()), nil, shape...)
	if err != nil {
		t.Fatal(err)
	}
	qs := []rank.Q{rank.At(0.3), rank.At(0), rank.At(1)}
	set := rank.NewSet(rank.Linear, qs[:1+2*rng.IntN(2)])
	f := new(searched[K])
	f.Lanes.Init(&x, axes, true)
	f.Encoding, f.NaN, f.SkipNaN = kernel.EncodingOf[K](dt), Place(rng.IntN(3)), dt.IsFloat() && rng.IntN(2) == 0
	want := selection.NewWant(set, f.SkipNaN, &tuning.Default)
	f.Want = &want
	total := f.Lanes.Count * want.Len()
	for end := range ends {
		f.Values[end], f.Positions[end], f.want[end] = make([]K, total), make([]int64, total), make([]int64, total)
	}
	f.Weights = make([]float64, total)
	for i := range total {
		f.model(i, ends, rng)
	}
	return f
}

// model sets the ends numbered i and finds their positions.
func (f *searched[K]) model(i, ends int, rng *rand.Rand) {
	n := f.Lanes.N
	keys, order, nans := make([]K, n), []int(nil), []int(nil)
	lane.Encode(keys, &f.Lanes, i%f.Lanes.Count, 0, n, f.Encoding)
	for at, k := range keys {
		if k == kernel.MaxKey[K]() && f.Encoding.Code == kernel.Float {
			nans = append(nans, at)
		} else {
			order = append(order, at)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	if f.Weights[i] = float64(rng.IntN(2)); len(order) == 0 || len(nans) > 0 && !f.SkipNaN {
		at := map[Place]int{FirstNaN: nans[0], LastNaN: nans[len(nans)-1], Nowhere: -1}[f.NaN]
		for end := range ends {
			f.Values[end][i], f.want[end][i] = f.element(keys[nans[0]]), int64(at)
		}
		return
	}
	p := f.Want.Position(i/f.Lanes.Count, int64(len(order)))
	gone, away := rng.IntN(20) == 0, K(101-203*rng.IntN(2)) // the lane was changed
	for end, k := range []int64{p.Lo, p.Hi}[:ends] {
		f.Values[end][i], f.want[end][i] = f.element(keys[order[k]]), int64(order[k])
		if end == 1 && f.Weights[i] == 0 {
			f.want[1][i] = f.want[0][i]
		}
		if gone {
			f.Values[end][i], f.want[end][i] = f.element(away), -1
		}
	}
}

// element returns the element with a key.
func (f *searched[K]) element(k K) K {
	one := [1]K{k}
	kernel.Decode(one[:], one[:], f.Encoding, f.Encoding.Inf+1)
	return one[0]
}

func testLocate[K kernel.Key](t *testing.T, dt dtype.DType) {
	rng := rand.New(rand.NewPCG(uint64(dt), 1))
	for range 40 {
		for _, c := range []struct {
			shape []int
			axes  nd.Axes
		}{{[]int{1}, 1}, {[]int{300}, 1}, {[]int{40, 70}, 1}, {[]int{12, 900}, 1}, {[]int{40, 70}, 2}, {[]int{5, 9, 30}, 2}, {[]int{5, 9, 30}, 5}, {[]int{5, 9, 30}, 3}} {
			tuned := tuning.Default
			tuned.ChunkBytes >>= rng.IntN(18)
			tuned.TaskElements >>= rng.IntN(14)
			tuned.LocateCounts >>= rng.IntN(21)
			tuned.SoloWork >>= 16 * rng.IntN(2)
			ends := 1 + rng.IntN(2)
			f := newSearched[K](t, dt, c.shape, c.axes, ends, rng)
			if err := f.Run(&crew.Crew{Config: crew.Config{Workers: 1 + rng.IntN(3), Tuned: &tuned}}); err != nil {
				t.Fatal(err)
			}
			for end := range ends {
				if !slices.Equal(f.Positions[end], f.want[end]) {
					t.Fatalf("%v%v, axes %b, end %d, skip %v, NaN %d: %v\nwant %v", dt, c.shape, c.axes, end, f.SkipNaN, f.NaN, f.Positions[end], f.want[end])
				}
			}
		}
	}
}

// TestLocate compares with sorting, for every width of keys, in lanes of all kinds
// and under all thresholds.
func TestLocate(t *testing.T) {
	testkit.EachImpl(t, "Match", func(t *testing.T) {
		t.Run("int8", func(t *testing.T) { testLocate[int8](t, dtype.Int8) })
		t.Run("float16", func(t *testing.T) { testLocate[int16](t, dtype.Float16) })
		t.Run("float32", func(t *testing.T) { testLocate[int32](t, dtype.Float32) })
		t.Run("int64", func(t *testing.T) { testLocate[int64](t, dtype.Int64) })
		t.Run("float64", func(t *testing.T) { testLocate[int64](t, dtype.Float64) })
	})
}
