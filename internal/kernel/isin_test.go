package kernel

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/internal/testkit"
)

// emptyBuckets returns a table with a filter and one member.
func emptyBuckets[P Pattern](member P, n int, s0, s1 uint64) *Buckets[P] {
	b := &Buckets[P]{Slots: make([]P, n*BucketSlots), Free: member, Seeds: [2]uint64{s0 | 1, s1 | 1}, Filter: make([]uint64, n)}
	for i := range b.Slots {
		b.Slots[i] = member
	}
	return b
}

// bucketsOf returns a table of the patterns with a filter. The same patterns
// make the same table.
func bucketsOf[P Pattern](patterns []P) *Buckets[P] {
	n := 2
	for BucketSlots*n < 2*len(patterns) {
		n *= 2
	}
	for r := rand.New(rand.NewPCG(uint64(n), 9)); ; {
		b := emptyBuckets(patterns[0], n, r.Uint64(), r.Uint64())
		if done, _ := b.Insert(patterns, math.MaxInt); done == len(patterns) {
			return b
		}
	}
}

// fewOf returns the set of a few patterns. The same patterns make the same set.
func fewOf[P Pattern](patterns []P) *Few[P] {
	for r := rand.New(rand.NewPCG(uint64(len(patterns)), 11)); ; {
		f, taken := &Few[P]{Members: patterns, Seed: r.Uint64() | 1}, map[int]bool{}
		for i := range f.Slots {
			f.Slots[i] = patterns[0]
		}
		for i := range patterns {
			at, second := f.Homes(&patterns[i])
			if taken[at] && f.Slots[at] != patterns[i] {
				at = second
			}
			if taken[at] && f.Slots[at] != patterns[i] {
				f = nil
				break
			}
			f.Slots[at], taken[at] = patterns[i], true
		}
		if f != nil {
			return f
		}
	}
}

// TestBucketsKnownSeeds inserts patterns that were made to collide under the
// table's seeds: it gives up soon, and other seeds take them all.
func TestBucketsKnownSeeds(t *testing.T) {
	const n = 1 << 7
	b := emptyBuckets[uint64](0, n, 3, 0x9E3779B97F4A7C15)
	var patterns []uint64
	for p := uint64(1); len(patterns) < 400; p++ {
		var hash [1]uint64
		if b.hashes(hash[:], []uint64{p}, 0); hash[0]>>57 == 125 {
			patterns = append(patterns, p)
		}
	}
	eachImpl(t, "Buckets", func(t *testing.T) {
		b := emptyBuckets[uint64](0, n, 3, 0x9E3779B97F4A7C15)
		if done, added := b.Insert(patterns, math.MaxInt); done != BucketSlots*maxRun || added != done {
			t.Errorf("%d of 400 patterns of one home were taken, and %d slots, before the table gave up", done, added)
		}
		b = emptyBuckets[uint64](0, n, 3, 0x9E3779B97F4A7C15)
		if done, added := b.Insert(patterns, n-1); done != BucketSlots*2 || added != done {
			t.Errorf("%d patterns are in the two buckets before the end, and %d slots are taken", done, added)
		}
		b = emptyBuckets[uint64](0, n, 0x243F6A8885A308D3, 0x13198A2E03707345)
		if done, _ := b.Insert(patterns, math.MaxInt); done != len(patterns) {
			t.Error("other seeds fail too")
		}
	})
	// A run of full buckets that goes on from the last to the first is searched
	// to its end, by every implementation.
	b = emptyBuckets(patterns[0], n, 3, 0x9E3779B97F4A7C15)
	many := patterns[:BucketSlots*5]
	if done, _ := b.Insert(many, math.MaxInt); done != len(many) {
		t.Fatal("five buckets are lost")
	}
	eachImpl(t, "Buckets", func(t *testing.T) {
		dst := make([]uint8, len(patterns))
		b.Contains(dst, patterns)
		for i, got := range dst {
			if got != bit(i < len(many)) {
				t.Errorf("pattern %d gives %d", i, got)
			}
		}
	})
}

// TestBucketsRuns bounds the work of insertion for regular patterns: tables
// half full have no long runs of full buckets.
func TestBucketsRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, step := range []uint64{1, 3, 1 << 16, 1 << 32, 1<<32 + 1, 1 << 44, 0x9E3779B97F4A7C15, bits.Reverse64(0x9E3779B97F4A7C15)} {
		patterns := make([]uint64, 1<<14)
		for i := range patterns {
			patterns[i] = uint64(i+1) * step
		}
		failed := 0
		for range 20 {
			b := emptyBuckets(patterns[0], 1<<12, r.Uint64(), r.Uint64())
			if done, _ := b.Insert(patterns, math.MaxInt); done < len(patterns) {
				failed++
			}
		}
		if failed > 1 {
			t.Errorf("multiples of %#x: %d of 20 tables failed", step, failed)
		}
	}
}

func TestRangeOfExtremes(t *testing.T) {
	low, high := Range([]uint64{1 << 63, 1<<63 - 1, 0}, true)
	if int64(low) != -1<<63 || int64(high) != 1<<63-1 || high-low != ^uint64(0) {
		t.Errorf("signed: %d … %d", int64(low), int64(high))
	}
	low, high = Range([]uint64{1 << 63, 1<<63 - 1, 0}, false)
	if low != 0 || high != 1<<63 {
		t.Errorf("unsigned: %d … %d", low, high)
	}
}

// TestByteSet looks every byte up in random sets, in every small length.
func TestByteSet(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	eachImpl(t, "ByteSet", func(t *testing.T) {
		for i, n := range lengths() {
			side := testkit.Sides[i%2]
			src, dst := testkit.Fenced[uint8](t, n, side), testkit.Fenced[uint8](t, n, side)
			var set ByteSet
			var members [256]bool
			for range r.IntN(1 << r.IntN(10)) {
				b := uint8(r.Uint32())
				set.Add([]uint8{b})
				members[b] = true
			}
			first := r.IntN(256)
			for i := range src {
				src[i] = uint8(first + i)
			}
			set.Contains(dst, src)
			for i, b := range src {
				if dst[i] != bit(members[b]) {
					t.Fatalf("n=%d: %d gives %d", n, b, dst[i])
				}
			}
		}
	})
}

// TestChangedPatterns: patterns that have changed since their range was found, or since they
// were counted, are written nowhere else.
func TestChangedPatterns(t *testing.T) {
	for _, side := range testkit.Sides {
		patterns := []uint32{5, 14, 16, 200, 1 << 31, 4}
		bitmap := testkit.Fenced[uint64](t, 2, side)
		clear(bitmap)
		MarkBitmap(bitmap, patterns, 5)
		testkit.Same(t, bitmap, []uint64{1 | 1<<9 | 1<<11, 0}, "bits")
		table := testkit.Fenced[uint8](t, 10, side)
		clear(table)
		MarkTable(table, patterns, 5)
		testkit.Same(t, table, []uint8{1, 0, 0, 0, 0, 0, 0, 0, 0, 1}, "table")

		b, dst := emptyBuckets(patterns[0], 4, 1, 1), testkit.Fenced[uint32](t, 3, side)
		clear(dst)
		var at [BucketParts]int
		for part := range at {
			at[part] = len(dst) - 1
		}
		b.Scatter(dst, &at, []uint32{7, 7, 7})
		testkit.Same(t, dst, []uint32{0, 0, 7}, "parts")
	}
}
