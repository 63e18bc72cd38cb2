package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
)

// TestHashSetGrowth makes tables of few and many patterns, repeated and not:
// all are found, in a table whose size goes with the different ones.
func TestHashSetGrowth(t *testing.T) {
	before := tuning.Default
	defer func() { tuning.Default = before }()
	for _, least := range []int{before.PartedMembers, 1} {
		tuning.Default.PartedMembers = least
		tuning.Default.SoloWork = min(before.SoloWork, least)
		testHashSetGrowth(t, fmt.Sprintf("parted=%d/", least))
	}
}

func testHashSetGrowth(t *testing.T, prefix string) {
	for _, total := range []int{1, 2, 3, 4, 5, 31, 32, 33, 2047, 2048, 2049, 100_000, 600_000} {
		for _, different := range []int{1, 2, 33, 3000, total} {
			if different > total || testing.Short() && total > 100_000 {
				continue
			}
			for _, unique := range []bool{false, true} {
				t.Run(prefix+fmt.Sprintf("total=%d/different=%d/unique=%v", total, different, unique), func(t *testing.T) {
					testHashSet(t, total, different, unique)
				})
			}
		}
	}
}

func testHashSet(t *testing.T, total, different int, unique bool) {
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
	h := newHashSet(patterns, unique, 2)
	if h.table.Used != different {
		t.Errorf("%d members, want %d", h.table.Used, different)
	}
	if most := 16 * max(different, firstMembers); !unique && len(h.table.Slots) > most {
		t.Errorf("%d slots for %d members, want at most %d", len(h.table.Slots), different, most)
	}
	if want := max(bucketsFor[uint64](total), kernel.Parts); total == different && total > firstMembers && h.table.Buckets() > want {
		t.Errorf("%d buckets for %d members, want %d", h.table.Buckets(), total, want)
	}
	var s crew.Scratch
	dst := make([]uint8, total)
	h.contains(dst, unsafe.Pointer(&patterns[0]), &s)
	if i := slices.Index(dst, 0); i >= 0 {
		t.Fatalf("pattern %d, %#x, is missing", i, patterns[i])
	}
	members := slices.Compact(slices.Sorted(slices.Values(patterns)))
	for i := range patterns {
		patterns[i] ^= 1 << r.IntN(64)
	}
	h.contains(dst, unsafe.Pointer(&patterns[0]), &s)
	for i, p := range patterns {
		if _, want := slices.BinarySearch(members, p); want != (dst[i] == 1) {
			t.Fatalf("%#x gives %d", p, dst[i])
		}
	}
	h.release()
}

// TestHashSetScratch: a lookup gives its scratch memory back.
func TestHashSetScratch(t *testing.T) {
	patterns := make([]kernel.Pair64, 1<<18)
	for i := range patterns {
		patterns[i] = kernel.Pair64{uint64(i), uint64(i) << 32}
	}
	h := newHashSet(patterns, true, 2)
	if h.table.Filter == nil {
		t.Fatal("a large table has no filter")
	}
	var s crew.Scratch
	dst := make([]uint8, 1000)
	for range 3 {
		mark := s.Mark()
		h.contains(dst, unsafe.Pointer(&patterns[0]), &s)
		if s.Mark() != mark || slices.Contains(dst, 0) {
			t.Fatalf("scratch %d, was %d; answers %v", s.Mark(), mark, dst[:10])
		}
	}
}
