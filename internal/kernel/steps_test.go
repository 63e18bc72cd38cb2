package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/testkit"
)

// stepsOf returns up to StepsMax ascending steps at some of the keys or next to
// them, some of which collect nothing.
func stepsOf[K Key](keys []K, rng *rand.Rand) []Step[K] {
	ends := []K{MinKey[K](), -1, 0, 1, MaxKey[K]()}
	for range 1 + rng.IntN(2*StepsMax) {
		if len(keys) > 0 {
			ends = append(ends, keys[rng.IntN(len(keys))]+K(rng.IntN(3)-1))
		}
	}
	rng.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	ends = ends[:1+rng.IntN(min(len(ends), StepsMax))]
	slices.Sort(ends)
	ends = slices.Compact(ends)
	steps := make([]Step[K], len(ends))
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
		steps[i] = Step[K]{from, to}
	}
	return steps
}

// checkSteps narrows src block by block, by steps drawn, and compares with a walk
// over the keys.
func checkSteps[K Key](t *testing.T, src []K, side testkit.Side, rng *rand.Rand) {
	n := len(src)
	keys := make([]K, n)
	dst := testkit.Fenced[K](t, n, side)
	for _, e := range encodings[K]() {
		nan := encodeGeneric(keys, src, e)
		steps := stepsOf(keys, rng)
		float := e.Code == Float
		below := make([]int, len(steps)+1)
		below[len(steps)] = n - nan
		var inside []K
		for _, k := range keys {
			if float && k == MaxKey[K]() {
				continue
			}
			for i, step := range steps {
				if k < step.From {
					below[i]++
				} else if k <= step.To {
					inside = append(inside, k)
				}
			}
		}
		s := &make([]Steps[K], 1)[0]
		s.Set(e, steps)
		var got []K
		for at := 0; at < n; {
			end := min(at+1+rng.IntN(n), n)
			k := s.Narrow(dst[at:end], src[at:end])
			got = append(got, dst[at:at+k]...)
			at = end
		}
		for i, want := range below {
			if s.Below(i) != want || s.NaN() != nan {
				t.Fatalf("n=%d, code %d, steps %v: %d below step %d and %d NaN, want %d and %d", n, e.Code, steps, s.Below(i), i, s.NaN(), want, nan)
			}
		}
		if !slices.Equal(got, inside) {
			t.Fatalf("n=%d, code %d, steps %v: inside %v, want %v", n, e.Code, steps, got, inside)
		}
	}
}

func testSteps[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, n := range lengths() {
		side := testkit.Sides[rng.IntN(2)]
		checkSteps(t, testkit.FencedCopy(t, keysOf[K](n, rng), side), side, rng)
	}
}

// Steps count each key below each step and write exactly those in the intervals.
func TestSteps(t *testing.T) {
	eachImpl(t, "Steps", func(t *testing.T) {
		forKeys(t, testSteps[int8], testSteps[int16], testSteps[int32], testSteps[int64])
	})
}

// No counts lie across cache lines if Steps begin where a line does.
func TestStepsAlignment(t *testing.T) {
	var s Steps[int32]
	if unsafe.Offsetof(s.records)%64 != 0 || unsafe.Sizeof(s.records[0])%64 != 0 || unsafe.Offsetof(s.records[0].lanes)%64 != 0 {
		t.Errorf("records of %d bytes at %d, lanes at %d", unsafe.Sizeof(s.records[0]), unsafe.Offsetof(s.records), unsafe.Offsetof(s.records[0].lanes))
	}
}

func fuzzSteps[K Key](t *testing.T, d drawn) {
	src, side := elements[K](t, d, d.n)
	seed := d.Uint64()
	sameOnAll(t, "Steps", func() []byte {
		checkSteps(t, src, side, rand.New(rand.NewPCG(seed, 1)))
		return nil
	})
}

func FuzzSteps(f *testing.F) {
	fuzz(f, fuzzSteps[int8], fuzzSteps[int16], fuzzSteps[int32], fuzzSteps[int64])
}
