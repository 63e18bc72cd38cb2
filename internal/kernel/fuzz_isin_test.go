package kernel

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/testkit"
)

// fuzzBuckets reads elements of type K as patterns, some of which are members.
func fuzzBuckets[K Key, P Pattern](t *testing.T, d drawn) {
	parts := int(unsafe.Sizeof(*new(P)) / unsafe.Sizeof(K(0)))
	memory, side := elements[K](t, d, d.n*parts)
	src := unsafe.Slice((*P)(unsafe.Pointer(unsafe.SliceData(memory))), d.n)
	members := append(make([]P, d.IntN(2)), src[:d.IntN(d.n+1)]...)
	if len(members) == 0 {
		return
	}
	dst, screened := testkit.Fenced[uint8](t, d.n, side), testkit.Fenced[uint8](t, d.n, side)
	sameOnAll(t, "Buckets", func() []byte {
		b := bucketsOf(members)
		b.Contains(dst, src)
		b.ContainsScreened(screened, src)
		return append(dst, screened...)
	})
}

func testBuckets[K Key, P Pattern](t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, n := range lengths() {
		fuzzBuckets[K, P](t, drawn{testkit.Raw(keysOf[K](n, rng)), n, rng})
	}
}

// Sets answer the same on all, for every length, and touch nothing else.
func TestBucketsLengths(t *testing.T) {
	t.Run("uint8", testBuckets[int8, uint8])
	t.Run("uint16", testBuckets[int16, uint16])
	t.Run("uint32", testBuckets[int32, uint32])
	t.Run("uint64", testBuckets[int64, uint64])
	t.Run("pair32", testBuckets[int32, Pair32])
	t.Run("pair64", testBuckets[int64, Pair64])
}

func FuzzBuckets(f *testing.F) {
	fuzz(f, fuzzBuckets[int8, uint8], fuzzBuckets[int16, uint16],
		func(t *testing.T, d drawn) { fuzzBuckets[int32, uint32](t, d); fuzzBuckets[int32, Pair32](t, d) },
		func(t *testing.T, d drawn) { fuzzBuckets[int64, uint64](t, d); fuzzBuckets[int64, Pair64](t, d) })
}

// fuzzFew looks patterns up in small sets, of which some are members.
func fuzzFew[K Key, P Bits](t *testing.T, d drawn) {
	memory, side := elements[K](t, d, 1+d.n)
	src := unsafe.Slice((*P)(unsafe.Pointer(unsafe.SliceData(memory))), 1+d.n)
	dst := testkit.Fenced[uint8](t, len(src), side)
	size := int(unsafe.Sizeof(K(0)))
	members := src[:1+d.IntN(min(len(src), FewMost(size)))]
	if low, high := Range(members, false); uint64(high-low) < 1<<20 {
		words := make([]uint64, BitmapWords(uint64(high-low)))
		MarkBitmap(words, members, low)
		sameOnAll(t, "InBitmap", func() []byte {
			InBitmap(dst, src, words, low, high-low)
			return dst
		})
	}
	if size == 1 {
		var set ByteSet
		set.Add(testkit.Raw(memory[:len(members)]))
		sameOnAll(t, "ByteSet", func() []byte {
			set.Contains(dst, testkit.Raw(memory))
			return dst
		})
	}
	if size >= 4 {
		few := fewOf(members)
		sameOnAll(t, "Few", func() []byte {
			few.Contains(dst, src)
			return dst
		})
	}
}

func testFew[K Key, P Bits](t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for _, n := range lengths() {
		fuzzFew[K, P](t, drawn{testkit.Raw(keysOf[K](n+1, rng)), n, rng})
	}
}

// Small sets and bitmaps answer the same on all, for every length.
func TestFewLengths(t *testing.T) {
	forKeys(t, testFew[int8, uint8], testFew[int16, uint16], testFew[int32, uint32], testFew[int64, uint64])
}

func FuzzFew(f *testing.F) {
	fuzz(f, fuzzFew[int8, uint8], fuzzFew[int16, uint16], fuzzFew[int32, uint32], fuzzFew[int64, uint64])
}
