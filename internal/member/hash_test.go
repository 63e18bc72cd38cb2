package member

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
)

// options returns options of two workers, with other thresholds than the tuned
// ones.
func options(unique bool, set func(th *tuning.Thresholds)) *Options {
	th := tuning.Default
	set(&th)
	return &Options{Config: crew.Config{Workers: 2, Tuned: &th}, Unique: unique}
}

// small leads few patterns where many go: tables are made in parts, by several
// workers, and have filters.
func small(th *tuning.Thresholds) {
	th.PartedMembers, th.SoloWork = 1, 1
	th.FilterBytes, th.SlowFilterBytes = 0, 0
}

// TestTableGrowth makes tables of few and many patterns, repeated and not: all
// are found, in a table whose size goes with the different ones.
func TestTableGrowth(t *testing.T) {
	for _, total := range []int{1, 2, 3, 4, 5, 31, 32, 33, 2047, 2048, 2049, 100_000, 600_000} {
		for _, different := range []int{1, 2, 33, 3000, total} {
			if different > total || testing.Short() && total > 100_000 {
				continue
			}
			for _, unique := range []bool{false, true} {
				name := fmt.Sprintf("total=%d/different=%d/unique=%v", total, different, unique)
				t.Run("tuned/"+name, func(t *testing.T) {
					testTable(t, total, different, options(unique, func(*tuning.Thresholds) {}))
				})
				t.Run("parted/"+name, func(t *testing.T) { testTable(t, total, different, options(unique, small)) })
				t.Run("full/"+name, func(t *testing.T) {
					testTable(t, total, different, options(unique, func(th *tuning.Thresholds) { th.RoomyBytes, th.PartedMembers = 0, total+1 }))
				})
			}
		}
	}
}

func testTable(t *testing.T, total, different int, o *Options) {
	r := rand.New(rand.NewPCG(uint64(total), uint64(different)))
	patterns := make([]uint64, total)
	for i := range patterns {
		if patterns[i] = r.Uint64(); i == 1 {
			patterns[i] = 0
		}
		if i >= different {
			patterns[i] = patterns[r.IntN(different)]
		}
	}
	h, room := newTable(patterns, o)
	if h.taken != different-1 {
		t.Errorf("%d slots are taken, want %d", h.taken, different-1)
	}
	if most := 16 * max(different, firstMembers); !o.Unique && len(h.Slots) > most {
		t.Errorf("%d slots for %d members, want at most %d", len(h.Slots), different, most)
	}
	if want := max(bucketsFor[uint64](total, o.Tuned), kernel.BucketParts); total == different && h.Count() > want {
		t.Errorf("%d buckets for %d members, want at most %d", h.Count(), total, want)
	}
	dst := make([]uint8, total)
	h.find(dst, patterns)
	if i := slices.Index(dst, 0); i >= 0 {
		t.Fatalf("pattern %d, %#x, is missing", i, patterns[i])
	}
	members := slices.Compact(slices.Sorted(slices.Values(patterns)))
	for i := range patterns {
		patterns[i] ^= 1 << r.IntN(64)
	}
	h.find(dst, patterns)
	for i, p := range patterns {
		if _, want := slices.BinarySearch(members, p); want != (dst[i] == 1) {
			t.Fatalf("%#x gives %d", p, dst[i])
		}
	}
	s := Set{room: room}
	s.Release()
}

// TestTableFilter: large tables have a filter, also those made in parts, and one
// without answers alike.
func TestTableFilter(t *testing.T) {
	patterns := make([]kernel.Pair64, 1<<18+1<<10)
	for i := range patterns {
		patterns[i] = kernel.Pair64{uint64(i), uint64(i) << 32}
	}
	for _, c := range []struct {
		members, least int
		want           bool
	}{
		{1 << 12, tuning.Default.FilterBytes, true},
		{1 << 12, math.MaxInt, false},
		{1 << 18, tuning.Default.FilterBytes, true},
	} {
		h, _ := newTable(patterns[:c.members], options(true, func(th *tuning.Thresholds) { th.FilterBytes = c.least }))
		if got := h.Filter != nil; got != c.want {
			t.Errorf("%d members: filter is %v, want %v", c.members, got, c.want)
		}
		dst := make([]uint8, c.members+1<<10)
		h.find(dst, patterns[:len(dst)])
		if slices.Contains(dst[:c.members], 0) || slices.Contains(dst[c.members:], 1) {
			t.Errorf("%d members, filter=%v: wrong answers", c.members, c.want)
		}
	}
}

// BenchmarkTable is the making of hash tables.
func BenchmarkTable(b *testing.B) {
	for _, c := range []struct{ total, different int }{{100, 100}, {10_000, 10_000}, {1_000_000, 1_000_000}, {1_000_000, 3000}} {
		r := rand.New(rand.NewPCG(1, 2))
		patterns := make([]uint64, c.total)
		for i := range patterns {
			if patterns[i] = r.Uint64(); i >= c.different {
				patterns[i] = patterns[r.IntN(c.different)]
			}
		}
		for _, unique := range []bool{false, true} {
			o := options(unique, func(*tuning.Thresholds) {})
			b.Run(fmt.Sprintf("m=%d/different=%d/unique=%v", c.total, c.different, unique), func(b *testing.B) {
				for b.Loop() {
					_, room := newTable(patterns, o)
					s := Set{room: room}
					s.Release()
				}
			})
		}
	}
}
