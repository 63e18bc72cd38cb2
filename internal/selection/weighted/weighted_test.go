package weighted

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	_ "github.com/ogive-go/ogive/internal/testkit" // poison in scratch memory
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// weightKinds draw weights: int64 if frequencies, and otherwise the bits of float64.
var weightKinds = []struct {
	name        string
	frequencies bool
	draw        func(r *rand.Rand, n int) uint64
}{
	{"ones", true, func(*rand.Rand, int) uint64 { return 1 }},
	{"counts", true, func(r *rand.Rand, _ int) uint64 { return r.Uint64N(6) }},
	{"huge counts", true, func(r *rand.Rand, n int) uint64 { return r.Uint64N(MaxFrequencies / uint64(n+1)) }},
	{"integral", false, func(r *rand.Rand, _ int) uint64 { return math.Float64bits(float64(r.IntN(4))) }},
	{"uniform", false, func(r *rand.Rand, _ int) uint64 { return math.Float64bits(r.Float64()) }},
	{"tenths", false, func(r *rand.Rand, _ int) uint64 { return math.Float64bits(float64(r.IntN(5)) / 10) }},
	{"wide", false, func(r *rand.Rand, _ int) uint64 {
		return math.Float64bits(math.Ldexp(1+r.Float64(), r.IntN(200)-100))
	}},
	{"subnormal", false, func(r *rand.Rand, _ int) uint64 { return r.Uint64N(9) }},
	{"extreme", false, func(r *rand.Rand, _ int) uint64 {
		return []uint64{0, 1, 1 << 63, math.Float64bits(1e308), math.Float64bits(math.MaxFloat64), r.Uint64N(infBits)}[r.IntN(6)]
	}},
}

var weightedQs = []rank.Q{
	rank.At(0), rank.At(math.Copysign(0, -1)), rank.At(5e-324), rank.At(0x1p-1022), rank.At(1e-300), rank.At(0.1), rank.At(0.25),
	rank.At(1. / 3), rank.At(0.5), rank.At(math.Nextafter(0.5, 0)), rank.At(math.Nextafter(0.5, 1)), rank.At(2. / 3), rank.At(0.9),
	rank.At(math.Nextafter(1, 0)), rank.At(1),
	rank.Ratio(0, 1), rank.Ratio(1, 3), rank.Ratio(2, 3), rank.Ratio(1, 2), rank.Ratio(3, 7), rank.Ratio(1, math.MaxInt64), rank.Ratio(math.MaxInt64-1, math.MaxInt64), rank.Ratio(1, 1),
}

// naiveLane answers for one lane by sorting it: the element that decides.
type naiveLane struct {
	keys  []int64
	order []int      // the elements that count
	upTo  []*big.Int // for each of them the cumulative weight, all scaled alike
	ratio []float64  // and its share of the total, rounded once
	nan   int        // the first NaN, -1 if there is none
}

func newNaiveLane(keys []int64, weights []uint64, frequencies, float bool) naiveLane {
	l := naiveLane{keys: keys, nan: -1}
	scaled := make([]*big.Int, len(keys))
	for i, k := range keys {
		scaled[i] = new(big.Int).SetUint64(weights[i])
		if !frequencies {
			w := new(big.Rat).SetFloat64(math.Float64frombits(weights[i]))
			unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 1074))
			scaled[i] = w.Mul(w, unit).Num()
		}
		switch {
		case float && k == math.MaxInt64:
			if l.nan < 0 {
				l.nan = i
			}
		case scaled[i].Sign() > 0:
			l.order = append(l.order, i)
		}
	}
	slices.SortStableFunc(l.order, func(a, b int) int {
		switch {
		case keys[a] < keys[b]:
			return -1
		case keys[a] > keys[b]:
			return 1
		}
		return 0
	})
	sum := new(big.Int)
	for _, i := range l.order {
		sum = new(big.Int).Add(sum, scaled[i])
		l.upTo = append(l.upTo, sum)
	}
	for _, c := range l.upTo {
		if !frequencies {
			f, _ := new(big.Rat).SetFrac(c, sum).Float64()
			l.ratio = append(l.ratio, f)
		}
	}
	return l
}

// statistic returns the element that is order statistic k of the repeated values.
func (l *naiveLane) statistic(k int64) int {
	return l.order[slices.IndexFunc(l.upTo, func(c *big.Int) bool { return c.Cmp(big.NewInt(k)) > 0 })]
}

// reaches returns the element at which RN64(C/W) >= q, or C/W >= q for a
// fraction.
func (l *naiveLane) reaches(q rank.Q) int {
	if q.Den > 0 {
		total := l.upTo[len(l.upTo)-1]
		need := new(big.Int).Mul(total, big.NewInt(q.Num))
		return l.order[slices.IndexFunc(l.upTo, func(c *big.Int) bool {
			return c.Sign() > 0 && new(big.Int).Mul(c, big.NewInt(q.Den)).Cmp(need) >= 0
		})]
	}
	return l.order[slices.IndexFunc(l.ratio, func(f float64) bool { return f >= q.Value })]
}

// check compares the answers of a lane.
func (l *naiveLane) check(t *testing.T, c *Call[int64], a *Answers[int64]) {
	t.Helper()
	for q := range c.Set.Len() {
		lo, hi, g := -1, -1, 0.0
		switch {
		case l.nan >= 0 && !c.Skip:
			lo, hi = l.nan, l.nan
		case len(l.order) == 0:
		case !c.Weighting.float:
			n := l.upTo[len(l.upTo)-1].Int64()
			p := c.Set.Position(q, n)
			lo, hi, g = l.statistic(p.Lo), l.statistic(p.Hi), p.G
		default:
			lo = l.reaches(c.Set.Q(q))
			hi = lo
		}
		wantLo, wantHi := int64(math.MaxInt64), int64(math.MaxInt64)
		if lo >= 0 {
			wantLo, wantHi = l.keys[lo], l.keys[hi]
		}
		if gotLo, gotHi, got := a.Answer(q); gotLo != wantLo || gotHi != wantHi || got.G != g {
			t.Fatalf("q %v: got %d %d %v, want %d %d %v", c.Set.Q(q), gotLo, gotHi, got, wantLo, wantHi, g)
		}
		if c.Index && a.Index(q) != lo {
			t.Fatalf("q %v: got index %d, want %d", c.Set.Q(q), a.Index(q), lo)
		}
	}
}

// weigh returns the weighting of a lane's weights, and them loaded.
func weigh(t *testing.T, set rank.Set, weights []uint64, frequencies bool) (*Weighting, []uint64) {
	t.Helper()
	g := Frequencies()
	loaded := slices.Clone(weights)
	if frequencies {
		if _, bad := AddFrequencies(0, weights); bad >= 0 {
			t.Fatalf("frequency %d is bad", bad)
		}
	} else {
		span := NewSpan()
		if _, bad := span.Add(weights); bad >= 0 {
			t.Fatalf("weight %d is bad", bad)
		}
		g = FloatWeights(set, &span, len(weights))
	}
	g.Load(loaded)
	return &g, loaded
}

// memoryLanes are lanes in memory: an Input.
type memoryLanes struct {
	enc     kernel.Encoding[int64]
	keys    []int64 // lane after lane
	weights []uint64
	n       int // of a lane
}

func (m *memoryLanes) Pointer(lane, element int) unsafe.Pointer {
	decoded := []int64{m.keys[lane*m.n+element]}
	kernel.Decode(decoded, decoded, m.enc, int64(dtype.CanonicalNaN(dtype.Float64)))
	return unsafe.Pointer(&decoded[0])
}

func (m *memoryLanes) Read(keys []int64, weights []uint64, lane, from int, _ *crew.Scratch) (nan int) {
	copy(keys, m.keys[lane*m.n+from:])
	copy(weights, m.weights[lane*m.n+from:])
	if m.enc.Code == kernel.Float {
		_, nan = kernel.CountBelow(keys, math.MaxInt64)
	}
	return nan
}

func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	float := kernel.EncodingOf[int64](dtype.Float64)
	integer := kernel.EncodingOf[int64](dtype.Int64)
	s := new(crew.Scratch)
	for _, kind := range weightKinds {
		methods := []rank.Method{rank.InvertedCDF}
		if kind.frequencies {
			methods = rank.Methods()
		}
		t.Run(kind.name, func(t *testing.T) {
			for round := range 200 {
				s.Reset()
				n := 1 + r.IntN(40)
				if round%8 == 0 {
					n = 1 + r.IntN(1200)
				}
				spread := []int64{1, 2, 10, 1 << 20, math.MaxInt64}[r.IntN(5)]
				keys, weights := make([]int64, 2*n), make([]uint64, 2*n) // of two lanes
				zeros, nans := r.IntN(3) == 0, r.IntN(3) == 0
				for i := range keys {
					keys[i] = r.Int64N(spread) - r.Int64N(spread)
					weights[i] = kind.draw(r, n)
					if zeros && r.IntN(2) == 0 {
						weights[i] = 0
					}
					if nans && r.IntN(n) < 2 || n < 3 && r.IntN(3) == 0 {
						keys[i] = []int64{math.MaxInt64, math.MinInt64}[r.IntN(2)]
					}
				}
				method, skip, e := methods[r.IntN(len(methods))], r.IntN(2) == 0, float
				if r.IntN(3) == 0 {
					e = integer
				}
				qs := slices.Clone(weightedQs)
				kinds := r.IntN(3) // fractions, float64s, or both
				qs = slices.DeleteFunc(qs, func(q rank.Q) bool { return kinds == 0 && q.Den == 0 || kinds == 1 && q.Den > 0 })
				r.Shuffle(len(qs), func(i, j int) { qs[i], qs[j] = qs[j], qs[i] })
				if qs = qs[:1+r.IntN(len(qs))]; round%50 == 1 && kinds > 0 {
					for range 300 {
						qs = append(qs, rank.At(r.Float64()))
					}
				}
				set := rank.NewSet(method, qs)
				var naive [2]naiveLane
				for j := range naive {
					naive[j] = newNaiveLane(keys[j*n:][:n], weights[j*n:][:n], kind.frequencies, e.Code == kernel.Float)
				}
				g, loaded := weigh(t, set, weights, kind.frequencies)
				limits := tuning.Default
				limits.SoloWork = 0
				c := Call[int64]{Set: set, Skip: skip, Index: method.Discrete(), Encoding: e, Weighting: g, Thresholds: &limits}
				t.Logf("round %d: n=%d %v skip=%v %+v", round, n, method, skip, *g)

				l := NewShort(&c, n, s)
				for j := range naive {
					l.Select(keys[j*n:][:n], loaded[j*n:][:n])
					naive[j].check(t, &c, &l.Answers)
				}
				for _, most := range []int{1, 30, n} {
					limits.CollectBytes, limits.LocateCounts = 2*PairBytes*2*most, most
					in := memoryLanes{e, keys, loaded, n}
					var group Long[int64]
					for workers := range 2 {
						group.Start(&c, &in, 0, 2, n, s)
						group.chunk = 1 + r.IntN(n) // of lanes that are shorter than a block
						group.chunks = (n + group.chunk - 1) / group.chunk
						shared := crew.Crew{Config: crew.Config{Workers: 1 + 2*workers, Tuned: &limits}}
						if err := shared.RunStages(&group); err != nil {
							t.Fatal(err)
						}
						for j := range naive {
							naive[j].check(t, &c, group.Lane(j))
						}
					}
				}
			}
		})
	}
}

// TestManyIntervals: a long lane has the answers of a short one where more intervals are
// divided, and collected, at a time than there are bins in which keys are counted by vectors.
func TestManyIntervals(t *testing.T) {
	const n, quantiles = 20_000, 3000
	r := rand.New(rand.NewPCG(15, 16))
	keys, weights := make([]int64, n), make([]uint64, n)
	for i := range keys {
		keys[i], weights[i] = r.Int64()>>(r.IntN(4)*12), r.Uint64N(4)
	}
	qs := make([]rank.Q, quantiles)
	for i := range qs {
		qs[i] = rank.At(float64(i) / (quantiles - 1))
	}
	g, limits, s := Frequencies(), tuning.Default, new(crew.Scratch)
	c := Call[int64]{Set: rank.NewSet(rank.Linear, qs), Weighting: &g, Thresholds: &limits}
	short := NewShort(&c, n, s)
	short.Select(slices.Clone(keys), slices.Clone(weights))
	for _, most := range []int{n / 4, n} {
		limits.CollectBytes = 2 * PairBytes * most
		var long Long[int64]
		long.Start(&c, &memoryLanes{kernel.Encoding[int64]{}, keys, weights, n}, 0, 1, n, s)
		crew.Alone(&long, new(crew.Scratch))
		for q := range qs {
			lo, hi, _ := long.Lane(0).Answer(q)
			if wantLo, wantHi, _ := short.Answer(q); lo != wantLo || hi != wantHi {
				t.Fatalf("at most %d collected: q %v lies between %d and %d, want %d and %d", most, qs[q], lo, hi, wantLo, wantHi)
			}
		}
	}
}

// TestSelectWorstCase counts on the bound of the work: keys whose
// sampled pivots are as bad as can be are found by halving their range.
func TestSelectWorstCase(t *testing.T) {
	const n = 3000
	g := Frequencies()
	s := new(crew.Scratch)
	r := rand.New(rand.NewPCG(3, 4))
	for _, spread := range []int64{1, 3, 1000, math.MaxInt64} {
		keys, weights := make([]int64, n), make([]uint64, n)
		for i := range keys {
			keys[i], weights[i] = r.Int64N(spread)-spread/2, 1+r.Uint64N(3)
		}
		naive := newNaiveLane(keys, weights, true, false)
		a := newAnswers(&Call[int64]{Set: rank.NewSet(rank.Lower, make([]rank.Q, 50)), Weighting: &g}, s)
		a.keys = a.keys[:50]
		targets := make([]uint64, 50)
		total := naive.upTo[len(naive.upTo)-1].Uint64()
		for i := range targets {
			targets[i] = 1 + (total-1)*uint64(i)/49
		}
		copy(a.rest.all, targets)
		sel := selector[int64]{of: &a, s: s} // with nothing left to spend on pivots
		sel.run(slices.Clone(keys), slices.Clone(weights), 0, len(targets))
		for i, target := range targets {
			at := naive.statistic(int64(target) - 1)
			if a.keys[i] != keys[at] || reach(&g, sum{0}, a.rest.at(i), a.keys[i], keys, weights) != at {
				t.Fatalf("spread %d: target %d is reached by %d, want %d at %d", spread, target, a.keys[i], keys[at], at)
			}
		}
	}
}

// TestOrder is that the order of elements does not matter, where
// float64 sums would depend on it.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	qs := []rank.Q{rank.At(0.1), rank.At(0.3), rank.At(0.5), rank.At(0.6), rank.At(1)}
	set := rank.NewSet(rank.InvertedCDF, qs)
	n := 10
	keys, weights := make([]int64, n), make([]uint64, n)
	for i := range keys {
		keys[i], weights[i] = int64(i), math.Float64bits(0.1)
	}
	for range 50 {
		r.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		g, loaded := weigh(t, set, weights, false)
		l := NewShort(&Call[int64]{Set: set, Weighting: g}, n, new(crew.Scratch))
		l.Select(keys, loaded)
		for q, want := range []int64{0, 2, 4, 5, 9} {
			if got, _, _ := l.Answer(q); got != want {
				t.Fatalf("q %v: got %v, want %v", qs[q], got, want)
			}
		}
	}
}

// TestMixedOrder is that fractions among float64 quantiles stand where their targets do:
// a float64 is reached at the midpoint of it and the one before.
func TestMixedOrder(t *testing.T) {
	half := math.Nextafter(0.5, 0)
	for _, c := range []struct {
		less, more rank.Q
	}{
		{rank.At(0), rank.Ratio(1, 3)},
		{rank.At(0.5), rank.Ratio(1, 2)},
		{rank.Ratio(1<<52-1, 1<<53), rank.At(half)},
		{rank.At(1), rank.Ratio(1, 1)},
		{rank.At(5e-324), rank.Ratio(1, math.MaxInt64)},
		{rank.Ratio(1, 10), rank.At(0.11)},
	} {
		if compareQ(c.less, c.more) != -1 || compareQ(c.more, c.less) != 1 {
			t.Errorf("%v and %v: %d, %d, want -1, 1", c.less, c.more, compareQ(c.less, c.more), compareQ(c.more, c.less))
		}
	}
	if compareQ(rank.At(0), rank.Ratio(0, 7)) != 0 {
		t.Error("0 and 0/7 differ")
	}
}

// TestSetTarget is that a target is the smallest sum that reaches a quantile,
// by the rounded quotient of big.Rat: totals of one to three words, quotients
// that fall on the midpoint of two float64 included.
func TestSetTarget(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	number := func(words []uint64) *big.Int {
		n := new(big.Int)
		for i := len(words) - 1; i >= 0; i-- {
			n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(words[i]))
		}
		return n
	}
	for range 20_000 {
		total := make(sum, 1+r.IntN(3))
		for i := range total {
			switch r.IntN(3) {
			case 0:
				total[i] = r.Uint64() >> r.IntN(64)
			case 1:
				total[i] = 1 << r.IntN(64) // midpoints are sums
			}
		}
		if total.isZero() {
			total[0] = 1
		}
		q := r.Float64()
		switch r.IntN(4) {
		case 0:
			q = math.Ldexp(q, -r.IntN(1100))
		case 1:
			q = math.Ldexp(1, -r.IntN(1075))
		case 2:
			q = weightedQs[r.IntN(15)].Value
		}
		if q == 0 {
			continue
		}
		got := make(sum, len(total))
		setTarget(got, total, rank.At(q))
		c, w := number(got), number(total)
		ratio, _ := new(big.Rat).SetFrac(c, w).Float64()
		before, _ := new(big.Rat).SetFrac(new(big.Int).Sub(c, big.NewInt(1)), w).Float64()
		if c.Sign() <= 0 || c.Cmp(w) > 0 || ratio < q || c.Cmp(big.NewInt(1)) > 0 && before >= q {
			t.Fatalf("q = %x of %v: got %v, whose share is %x, and of the one before %x", q, w, c, ratio, before)
		}
	}
}

// The target of a fraction is the ceiling of its share of the total.
func TestSetFractionTarget(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20_000 {
		total := []uint64{r.Uint64() >> r.IntN(64), r.Uint64() >> r.IntN(64)}
		den := 1 + r.Int64N(math.MaxInt64)>>r.IntN(63)
		num := r.Int64N(den + 1)
		w := new(big.Int).Lsh(new(big.Int).SetUint64(total[1]), 64)
		w.Or(w, new(big.Int).SetUint64(total[0]))
		want, rest := new(big.Int).QuoRem(new(big.Int).Mul(w, big.NewInt(num)), big.NewInt(den), new(big.Int))
		if rest.Sign() > 0 || want.Sign() == 0 {
			want.Add(want, big.NewInt(1))
		}
		dst := make([]uint64, 2)
		setTarget(dst, total, rank.Ratio(num, den))
		got := new(big.Int).Lsh(new(big.Int).SetUint64(dst[1]), 64)
		if got.Or(got, new(big.Int).SetUint64(dst[0])); got.Cmp(want) != 0 {
			t.Fatalf("%d/%d of %v: got %v, want %v", num, den, w, got, want)
		}
	}
}

var median = rank.NewSet(rank.InvertedCDF, []rank.Q{rank.At(0.5)})

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		words   int
		bad     int
	}{
		{[]float64{1, 2, 3}, 1, -1},
		{[]float64{0.5, 1024}, 1, -1},
		{[]float64{0, math.Copysign(0, -1)}, 1, -1},
		{[]float64{0.1, 0.2, 1e6}, 2, -1},
		{[]float64{5e-324, math.MaxFloat64}, 33, -1},
		{[]float64{1, -5e-324}, 0, 1},
		{[]float64{1, 2, math.NaN()}, 0, 2},
		{[]float64{math.Inf(1)}, 0, 0},
	} {
		var b []uint64
		for _, v := range c.weights {
			b = append(b, math.Float64bits(v))
		}
		span := NewSpan()
		positive, bad := span.Add(b)
		if bad != c.bad {
			t.Errorf("%v: bad %d, want %d", c.weights, bad, c.bad)
		}
		if bad >= 0 {
			continue
		}
		if want := c.weights[len(c.weights)-1] > 0; positive != want {
			t.Errorf("%v: positive %v", c.weights, positive)
		}
		if g := FloatWeights(median, &span, len(b)); g.words != c.words {
			t.Errorf("%v: %d words, want %d", c.weights, g.words, c.words)
		}
	}
}

func TestAddFrequencies(t *testing.T) {
	big := int64(MaxFrequencies)
	for _, c := range []struct {
		weights []int64
		sum     int64
		bad     int
	}{
		{nil, 0, -1},
		{[]int64{1, 2, 0, 4}, 7, -1},
		{[]int64{big - 1}, big - 1, -1},
		{[]int64{big - 1, 1, 5}, big, -1},
		{[]int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}, big, -1},
		{[]int64{3, math.MinInt64}, 3, 1},
	} {
		var b []uint64
		for _, v := range c.weights {
			b = append(b, uint64(v))
		}
		if sum, bad := AddFrequencies(0, b); sum != c.sum && bad < 0 || bad != c.bad {
			t.Errorf("%v: sum %d, bad %d", c.weights, sum, bad)
		}
	}
}

// TestLoadChanged is that weights that are no longer what they were when they
// were checked count as 0, and do no harm.
func TestLoadChanged(t *testing.T) {
	for _, checked := range [][]float64{{1, 2}, {0.1, 1e30}, {1e-300, 1}} {
		var b []uint64
		for _, v := range checked {
			b = append(b, math.Float64bits(v))
		}
		g, _ := weigh(t, median, b, false)
		now := []uint64{math.Float64bits(-1), math.Float64bits(math.NaN()), math.Float64bits(1e300), 1, math.Float64bits(math.Inf(1))}
		g.Load(now)
		total := make(sum, g.words)
		g.add(total, now)
		if !total.isZero() {
			t.Errorf("%v: changed weights sum to %v", checked, total)
		}
	}
	g := Frequencies()
	now := []uint64{math.MaxUint64, MaxFrequencies + 1, 7}
	if g.Load(now); fmt.Sprint(now) != "[0 0 7]" {
		t.Errorf("changed frequencies are %v", now)
	}
}

// TestAimChanged is that frequencies which have become more than was checked name order
// statistics all the same.
func TestAimChanged(t *testing.T) {
	g := Frequencies()
	set := rank.NewSet(rank.Linear, []rank.Q{rank.Ratio(3, 3), rank.At(0.5)})
	c := Call[int64]{Set: set, Weighting: &g, Thresholds: &tuning.Default}
	a := newAnswers(&c, new(crew.Scratch))
	for _, total := range []uint64{math.MaxUint64, 1 << 63, MaxFrequencies} {
		a.aim(sum{total}, false)
		if got, want := a.wants.Ranks[len(a.wants.Ranks)-1], int64(MaxFrequencies-2); got != want {
			t.Errorf("the largest of %d values is number %d, want %d", total, got, want)
		}
	}
}
