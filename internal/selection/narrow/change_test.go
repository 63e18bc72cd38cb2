package narrow

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// changing is an Input whose elements become others when a run of them is asked for the
// given time.
type changing[K kernel.Key] struct {
	elements, others []K
	asked, at        int
}

func (c *changing[K]) Run(_, from, to int) (first unsafe.Pointer, stride, n int) {
	if c.asked++; c.asked == c.at {
		copy(c.elements, c.others)
	}
	return c.Pointer(0, from), 1, to - from
}

func (c *changing[K]) Pointer(_, element int) unsafe.Pointer {
	return unsafe.Pointer(&c.elements[element])
}

// TestChanged: a lane whose elements change once is narrowed to some answer, whenever that
// is, in hardly more passes than another one.
func TestChanged(t *testing.T) {
	t.Run("int8", testChanged[int8])
	t.Run("int16", testChanged[int16])
	t.Run("int32", testChanged[int32])
	t.Run("int64", testChanged[int64])
}

func testChanged[K kernel.Key](t *testing.T) {
	t.Parallel()
	few := tuning.Default
	few.CollectWhole, few.CloseMin = 8, 0
	bins := few
	bins.BinsMin, bins.GuessMin, bins.HeavyShare = 2, 0, 4
	sets := map[string]rank.Set{"one": rank.NewSet(rank.Lower, []rank.Q{rank.At(0.3)})}
	for _, count := range []int{4, 30, 242} {
		var qs []rank.Q
		for i := range count {
			qs = append(qs, rank.At((float64(i)+0.5)/float64(count)))
		}
		sets[fmt.Sprint(count)] = rank.NewSet(rank.Linear, qs)
	}
	encodings := map[string]kernel.Encoding[K]{"keys": {}}
	switch unsafe.Sizeof(K(0)) {
	case 2:
		encodings["floats"] = kernel.EncodingOf[K](dtype.Float16)
	case 4:
		encodings["floats"] = kernel.EncodingOf[K](dtype.Float32)
	}
	const n = 1200
	kinds := testkit.Keys[K](n, rand.New(rand.NewPCG(3, 4)))
	kinds["cluster"], kinds["largest"] = slices.Clone(kinds["sorted"]), slices.Repeat([]K{kernel.MaxKey[K]()}, n)
	kinds["cluster"][0], kinds["cluster"][1] = kernel.MinKey[K]()+1, kernel.MaxKey[K]()-1
	kinds["half largest"] = slices.Concat(kinds["largest"][:n/2], kinds["random"][:n/2])
	names := slices.Sorted(maps.Keys(kinds))
	for i, from := range names {
		for j, to := range names {
			if i*j%7 != 1 && !testkit.Whole() && from != "killer" {
				continue
			}
			for name, set := range sets {
				for coded, e := range encodings {
					for _, tuned := range []*tuning.Thresholds{&few, &bins} {
						for _, capacity := range []int{n, 64} {
							what := fmt.Sprintf("%s to %s, %s q of %s, capacity %d, bins from %d", from, to, name, coded, capacity, tuned.BinsMin)
							changesOf(t, what, kinds[from], kinds[to], func(in *changing[K]) Call[K] {
								return Call[K]{Set: set, Skip: true, Encoding: e, Thresholds: tuned, Input: in, Lanes: 1, N: n, Chunk: n / 2, Capacity: capacity}
							})
						}
					}
				}
			}
		}
	}
}

// changesOf narrows a lane that changes at each of the times it can.
func changesOf[K kernel.Key](t *testing.T, what string, elements, others []K, callOf func(*changing[K]) Call[K]) {
	for at := 1; ; at++ {
		in := &changing[K]{elements: slices.Clone(elements), others: others, at: at}
		call := callOf(in)
		var g Lanes[K]
		var s crew.Scratch
		g.Start(call)
		for phases := 0; ; phases++ {
			tasks, _ := g.Next()
			if tasks == 0 {
				break
			}
			if phases > 1000 {
				t.Fatalf("%s, at %d: no end", what, at)
			}
			for i := range tasks {
				s.Reset()
				g.Task(i, &s)
			}
		}
		l := &g.lanes[0].lane
		if most := sampledPasses + vainMost + 8*int(unsafe.Sizeof(K(0))); l.passes > most {
			t.Errorf("%s, at %d: %d passes", what, at, l.passes)
		}
		if in.asked < at {
			return
		}
	}
}
