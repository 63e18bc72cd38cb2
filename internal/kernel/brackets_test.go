package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/testkit"
)

// bracketsOf returns up to BracketsMax ascending brackets at some of the keys or next to
// them, some of which collect nothing.
func bracketsOf[K Key](keys []K, rng *rand.Rand) []Bracket[K] {
	ends := []K{MinKey[K](), -1, 0, 1, MaxKey[K]()}
	for range 1 + rng.IntN(2*BracketsMax) {
		if len(keys) > 0 {
			ends = append(ends, keys[rng.IntN(len(keys))]+K(rng.IntN(3)-1))
		}
	}
	rng.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	ends = ends[:1+rng.IntN(min(len(ends), BracketsMax))]
	slices.Sort(ends)
	ends = slices.Compact(ends)
	brackets := make([]Bracket[K], len(ends))
	for i, from := range ends {
		to := MaxKey[K]()
		if i+1 < len(ends) {
			to = ends[i+1] - 1
		}
		switch rng.IntN(4) {
		case 0:
			to = from
		case 1:
			if from > MinKey[K]() {
				to = from - 1
			}
		}
		brackets[i] = Bracket[K]{from, to}
	}
	return brackets
}

// checkBrackets collects src block by block, by brackets drawn, and compares with a walk
// over the keys.
func checkBrackets[K Key](t *testing.T, src []K, side testkit.Side, rng *rand.Rand) {
	n := len(src)
	keys := make([]K, n)
	dst := testkit.Roomy[K](t, n, side)
	for _, e := range encodings[K]() {
		nan := encodeGeneric(keys, src, e)
		brackets := bracketsOf(keys, rng)
		float := e.Code == Float
		below := make([]int, len(brackets)+1)
		below[len(brackets)] = n - nan
		var inside []K
		for _, k := range keys {
			if float && k == MaxKey[K]() {
				continue
			}
			for i, bracket := range brackets {
				if k < bracket.From {
					below[i]++
				} else if k <= bracket.To {
					inside = append(inside, k)
				}
			}
		}
		s := &make([]Brackets[K], 1)[0]
		s.Set(e, brackets)
		var got []K
		for at := 0; at < n; {
			end := min(at+1+rng.IntN(n), n)
			k := s.Collect(dst[at:end], src[at:end])
			got = append(got, dst[at:at+k]...)
			at = end
		}
		for i, want := range below {
			if s.Below(i) != want || s.NaN() != nan {
				t.Fatalf("n=%d, code %d, brackets %v: %d below bracket %d and %d NaN, want %d and %d", n, e.Code, brackets, s.Below(i), i, s.NaN(), want, nan)
			}
		}
		if !slices.Equal(got, inside) {
			t.Fatalf("n=%d, code %d, brackets %v: inside %v, want %v", n, e.Code, brackets, got, inside)
		}
	}
}

func testBrackets[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, n := range lengths() {
		side := testkit.Sides[rng.IntN(2)]
		checkBrackets(t, testkit.FencedCopy(t, keysOf[K](n, rng), side), side, rng)
	}
}

// Brackets count each key below each bracket and write exactly those in the intervals.
func TestBrackets(t *testing.T) {
	eachImpl(t, "Brackets", func(t *testing.T) {
		forKeys(t, testBrackets[int8], testBrackets[int16], testBrackets[int32], testBrackets[int64])
	})
}

// No counts lie across cache lines if Brackets begin where a line does.
func TestBracketsAlignment(t *testing.T) {
	var s Brackets[int32]
	if unsafe.Offsetof(s.records)%64 != 0 || unsafe.Sizeof(s.records[0])%64 != 0 || unsafe.Offsetof(s.records[0].lanes)%64 != 0 {
		t.Errorf("records of %d bytes at %d, lanes at %d", unsafe.Sizeof(s.records[0]), unsafe.Offsetof(s.records), unsafe.Offsetof(s.records[0].lanes))
	}
}

func fuzzBrackets[K Key](t *testing.T, d drawn) {
	src, side := elements[K](t, d, d.n)
	seed := d.Uint64()
	sameOnAll(t, "Brackets", func() []byte {
		checkBrackets(t, src, side, rand.New(rand.NewPCG(seed, 1)))
		return nil
	})
}

func FuzzBrackets(f *testing.F) {
	fuzz(f, fuzzBrackets[int8], fuzzBrackets[int16], fuzzBrackets[int32], fuzzBrackets[int64])
}
