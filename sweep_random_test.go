package ogive_test

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
)

// thresholds are the sizes at which the way of working changes, and others at which code
// that is written for whole vectors and blocks meets its end, ascending.
var thresholds = sizesOf(&tuning.Default)

// longestRandom bounds the elements of a random call.
const longestRandom = 1 << 15

func sizesOf(t *tuning.Thresholds) []int {
	sizes := []int{1, 2, 8, 16, 127, 128, 255, 256, 1024, 2048, 4096, 8192, 16384}
	v := reflect.ValueOf(t).Elem()
	for i := range v.NumField() {
		for n := int(v.Field(i).Int()); n > 0; n /= 2 { // of elements, or of bytes of some
			if n <= longestRandom {
				sizes = append(sizes, n)
			}
			if n < 100 {
				break
			}
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// near draws a number that is less than four away from n, and positive.
func (s *sampler) near(n int) int { return max(n+s.rng.IntN(7)-3, 1) }

// side draws a number of lanes side by side: about a multiple of what vectors and blocks hold.
func (s *sampler) side() int { return s.near(32 * s.rng.IntN(8)) }

// aroundThresholds draws a shape of up to so many elements whose lanes are about as long as
// a threshold, and the axes along which they lie: rows, columns, or both sides of those.
func (s *sampler) aroundThresholds(most int) (shape, axes []int) {
	n := s.near(pick(s, thresholds))
	for n > most {
		n = s.near(pick(s, thresholds))
	}
	lanes := min(s.side(), max(most/n, 1))
	switch s.rng.IntN(5) {
	case 0:
		return []int{lanes, n}, []int{1}
	case 1:
		inner := 1 + s.rng.IntN(3)
		return []int{max(lanes/inner, 1), n, inner}, []int{1}
	case 2:
		return []int{n}, nil
	}
	return []int{n, lanes}, []int{0}
}

// manyQuantiles draws how many are asked for: few, or about as many as a threshold.
func (s *sampler) manyQuantiles(n int, dt dtype.DType) int {
	t := &tuning.Default
	switch s.rng.IntN(4) {
	case 0:
		return 1 + s.rng.IntN(4)
	case 1:
		return s.near(t.BlockSortMin(n, dt.Size()))
	case 2:
		return s.near(pick(s, []int{t.BinsMin, 3 * t.BinsMin, t.SortQuantiles, t.HistogramQuantiles, t.HistogramQuantiles / 2}))
	}
	return 1 + s.rng.IntN(30)
}

// withNaNs makes some lanes of an array hold NaNs: one, a few, or nothing else.
func (s *sampler) withNaNs(a *oracle.Array, axes []int) {
	if !a.DType.IsFloat() || s.chance(3) {
		return
	}
	nans := testkit.Fill("nanall", a.DType, 16, s.rng.Uint64N(1000))
	all := oracle.FromBytes(a.DType, nans)
	lanes := laneElements(a.Shape, axes)
	for range 1 + s.rng.IntN(3) {
		lane := lanes[s.rng.IntN(len(lanes))]
		share := pick(s, []int{1, 2, 10, len(lane)})
		for i, at := range lane {
			if s.chance(share) || share == len(lane) && i == 0 {
				a.Bits[at] = pick(s, all.Bits)
			}
		}
	}
}

// laneElements lists the elements of each lane along one axis, or of all of them.
func laneElements(shape, axes []int) [][]int {
	inner, total := 1, 1
	for i, d := range shape {
		total *= d
		if axes != nil && i > axes[0] {
			inner *= d
		}
	}
	n := total
	if axes != nil {
		n = shape[axes[0]]
	}
	lanes := make([][]int, total/n)
	for i := range total {
		lane := i/(n*inner)*inner + i%inner
		lanes[lane] = append(lanes[lane], i)
	}
	return lanes
}

// lanesOf returns how many lanes there are, and their length.
func lanesOf(shape, axes []int) (lanes, n int) {
	lanes, n = 1, 1
	for i, d := range shape {
		if axes == nil || i == axes[0] {
			n *= d
		} else {
			lanes *= d
		}
	}
	return lanes, n
}

// ask gives a call its method or mode, and as many quantiles as lanes of n elements may be
// asked for. It returns how many.
func (s *sampler) ask(c *call, n int, dt dtype.DType) int {
	if c.isMedian() {
		c.mode = pick(s, []string{"", "lower"})
		return 1
	}
	c.method = pick(s, methods)
	if c.isArg() {
		c.method = pick(s, oracle.Discrete)
	}
	count := s.manyQuantiles(n, dt)
	if !c.isPercent() && !c.isArg() && s.chance(3) {
		c.den = pick(s, denominators)
		for range count {
			c.nums = append(c.nums, s.rng.Int64N(c.den)+int64(s.rng.IntN(2)))
		}
		return count
	}
	for range count {
		q := s.rng.Float64()
		if s.chance(3) {
			q = pick(s, specialQs)
		}
		if c.isPercent() {
			q *= 100
		}
		c.qs = append(c.qs, q)
	}
	return count
}

// randomInput draws an array whose lanes are about as long as a threshold, and the axes of
// the call.
func (s *sampler) randomInput(t failer, c *call, dt dtype.DType, most int) *input {
	shape, axes := s.aroundThresholds(most)
	kind, l, seed := pick(s, testkit.Kinds(dt)), layouts[0], s.rng.Uint64N(1000)
	if s.chance(3) {
		l = pick(s, layouts[:7])
	}
	c.axes = axes
	c.note = fmt.Sprintf("of %s%v %s layout=%s seed=%d sampler=%s", dt, shape, kind, l.name, seed, s.name)
	a := fill(kind, dt, seed, shape...)
	s.withNaNs(a, axes)
	return l.lay(t, a)
}

// checkPlain holds a call to the oracle, and returns how many answers it has.
func (s *sampler) checkPlain(t failer, most int) int {
	c, dt := call{op: pick(s, orderStatistics), keep: s.chance(4)}, pick(s, ordered)
	in := s.randomInput(t, &c, dt, most)
	lanes, n := lanesOf(in.ref.Shape, c.axes)
	count := s.ask(&c, n, dt)
	c.indices = c.isMedian() && c.mode != "" && s.chance(2)
	if s.chance(10) {
		s.weighted(t, &c, in.ref.Shape)
	}
	c.check(t, in)
	return lanes * count
}

// checkGroups holds a call for groups whose lengths are about a threshold, and returns how
// many answers each has.
func (s *sampler) checkGroups(t failer, most int) int {
	c, dt := groupCall{call: call{op: pick(s, groupedOps)}}, pick(s, ordered)
	in := s.randomInput(t, &c.call, dt, most)
	lanes, n := lanesOf(in.ref.Shape, c.axes)
	each := min(s.near(pick(s, thresholds)), n)
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = int64(i/each) << pick(s, []int{0, 0, 0, 40})
	}
	s.rng.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	c.keys = keyInput(keys)
	if c.axes == nil {
		c.axes = []int{0}
	}
	count := s.ask(&c.call, each, dt)
	c.check(t, in, byOracle, []ogive.Option{ogive.Workers(s.rng.IntN(3))})
	return lanes * count
}

// checkWindows holds a call for windows that are about as long as a threshold, and returns
// how many answers each has.
func (s *sampler) checkWindows(t failer) int {
	c, dt := rollingCall{call: call{op: pick(s, groupedOps)}}, pick(s, ordered)
	in := s.randomInput(t, &c.call, dt, 1500)
	lanes, n := lanesOf(in.ref.Shape, c.axes)
	c.window = min(s.near(pick(s, thresholds)), n)
	if s.chance(3) && dt.IsFloat() {
		c.least = 1 + s.rng.IntN(c.window)
	}
	if c.axes == nil {
		c.axes = []int{0}
	}
	count := s.ask(&c.call, c.window, dt)
	c.qs, c.nums, count = c.qs[:min(len(c.qs), 4)], c.nums[:min(len(c.nums), 4)], min(count, 4)
	c.check(t, in, byOracle, []ogive.Option{ogive.Workers(s.rng.IntN(3))})
	return lanes * count
}

// TestSweepAroundThresholds holds calls around thresholds to the oracle until so many
// values have been answered as OGIVE_ANSWERS says, a share of 80 000 by default.
func TestSweepAroundThresholds(t *testing.T) {
	count := testkit.Share(80_000)
	if told := os.Getenv("OGIVE_ANSWERS"); told != "" {
		var err error
		if count, err = strconv.Atoi(told); err != nil {
			t.Fatalf("OGIVE_ANSWERS=%s: %v", told, err)
		}
	}
	const parts = 8 // each of other calls, whatever the count
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			s := newSampler(fmt.Sprint("thresholds ", part))
			for left := count / parts; left > 0; {
				most := longestRandom
				if !s.chance(4) {
					most /= 4
				}
				switch s.rng.IntN(12) {
				case 0:
					left -= s.checkGroups(t, most/2)
				case 1:
					left -= s.checkWindows(t)
				default:
					left -= s.checkPlain(t, most)
				}
			}
		})
	}
}

// The lanes of a call are cut as the oracle cuts them.
func TestLaneElements(t *testing.T) {
	for _, c := range []struct {
		shape, axes []int
		want        string
	}{
		{[]int{2, 3}, []int{1}, "[[0 1 2] [3 4 5]]"}, {[]int{2, 3}, []int{0}, "[[0 3] [1 4] [2 5]]"},
		{[]int{2, 2, 2}, []int{1}, "[[0 2] [1 3] [4 6] [5 7]]"}, {[]int{3}, nil, "[[0 1 2]]"},
	} {
		if got := fmt.Sprint(laneElements(c.shape, c.axes)); got != c.want {
			t.Errorf("%v along %v: %s, want %s", c.shape, c.axes, got, c.want)
		}
	}
}
