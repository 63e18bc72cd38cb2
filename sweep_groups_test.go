package ogive_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"pgregory.net/rapid"
)

// grouped are the operations on groups, by that on the elements of one.
var grouped = map[ogive.Op]func(x, keys *ogive.Tensor, qs []float64, opts ...ogive.Option) (groups, values *ogive.Tensor, err error){
	ogive.OpQuantile:    ogive.QuantilesBy,
	ogive.OpNaNQuantile: ogive.NaNQuantilesBy,
	ogive.OpMedian: func(x, keys *ogive.Tensor, _ []float64, opts ...ogive.Option) (groups, values *ogive.Tensor, err error) {
		return ogive.MedianBy(x, keys, opts...)
	},
	ogive.OpNaNMedian: func(x, keys *ogive.Tensor, _ []float64, opts ...ogive.Option) (groups, values *ogive.Tensor, err error) {
		return ogive.NaNMedianBy(x, keys, opts...)
	},
}

var groupedOps = []ogive.Op{ogive.OpQuantile, ogive.OpNaNQuantile, ogive.OpMedian, ogive.OpNaNMedian}

// keyDTypes are those that keys may have.
var keyDTypes = slices.DeleteFunc(dtype.All(), func(dt dtype.DType) bool { return !dt.IsInteger() && !dt.IsBool() })

// groupCall is a call of an operation on groups: call is that for the elements of one,
// along a single axis.
type groupCall struct {
	call
	keys *input
}

// keyNumbers returns the keys as numbers that order them: those of signed dtypes less
// the smallest.
func keyNumbers(keys *oracle.Array) []uint64 {
	numbers := make([]uint64, len(keys.Bits))
	for i, b := range keys.Bits {
		numbers[i] = b.Re
		if dt := keys.DType; !dt.IsUnsigned() && !dt.IsBool() {
			numbers[i] = b.Re ^ 1<<(8*dt.Size()-1)
		}
	}
	return numbers
}

// byKey returns the positions of each key, in the order of the keys.
func byKey(keys *oracle.Array) (positions [][]int) {
	numbers := keyNumbers(keys)
	order := make([]int, len(numbers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case numbers[i] < numbers[j]:
			return -1
		case numbers[i] > numbers[j]:
			return 1
		}
		return 0
	})
	for i, at := range order {
		if i == 0 || numbers[at] != numbers[order[i-1]] {
			positions = append(positions, nil)
		}
		last := len(positions) - 1
		positions[last] = append(positions[last], at)
	}
	return positions
}

// taken returns the elements of a at the positions along the axis.
func taken(a *oracle.Array, axis int, positions []int) *oracle.Array {
	shape := slices.Clone(a.Shape)
	shape[axis] = len(positions)
	b := oracle.New(a.DType, shape...)
	inner := 1
	for _, d := range shape[axis+1:] {
		inner *= d
	}
	for i := range b.Bits {
		outer, at := i/(inner*len(positions)), i/inner%len(positions)
		b.Bits[i] = a.Bits[(outer*a.Shape[axis]+positions[at])*inner+i%inner]
	}
	return b
}

// axis is the one of the call for so many dimensions.
func (c groupCall) axis(ndim int) int {
	if c.axes == nil {
		return 0
	}
	return (c.axes[0] + ndim) % ndim
}

// want asks one for the answer of each group and puts these together: the values, and
// the bytes of the groups' keys.
func (c groupCall) want(x *oracle.Array, one func(c call, x *oracle.Array) answer) (keys []byte, a answer) {
	axis := c.axis(len(x.Shape))
	positions, all, size := byKey(c.keys.ref), c.keys.ref.Bytes(), c.keys.ref.DType.Size()
	var parts []answer
	for _, at := range positions {
		own := c.call
		own.axes = []int{axis}
		if w := c.weights; w != nil {
			along := axis
			if len(w.ref.Shape) != len(x.Shape) {
				along = 0
			}
			own.weights = &input{ref: taken(w.ref, along, at)}
		}
		part := one(own, taken(x, axis, at))
		if part.err != nil {
			return nil, part
		}
		parts = append(parts, part)
		keys = append(keys, all[at[0]*size:][:size]...)
	}
	rest := slices.Delete(slices.Clone(x.Shape), axis, axis+1)
	blocks := max(c.asked(), 1)
	if !c.isMedian() {
		a.shape = append(a.shape, blocks)
	}
	a.shape = append(append(a.shape, len(parts)), rest...)
	for q := range blocks {
		for _, p := range parts {
			size := len(p.values) / blocks
			a.dt = p.dt
			a.values = append(a.values, p.values[q*size:][:size]...)
		}
	}
	return keys, a
}

// check holds the answer to that for each group, once with each of the lists of
// options.
func (c groupCall) check(t failer, in *input, one func(c call, x *oracle.Array) answer, lists ...[]ogive.Option) {
	t.Helper()
	keys, want := c.want(in.ref, one)
	for _, opts := range lists {
		c.compare(t, in, keys, want, opts)
	}
}

func (c groupCall) compare(t failer, in *input, wantKeys []byte, want answer, opts []ogive.Option) {
	t.Helper()
	what := fmt.Sprintf("%v by %s%v", c.call, c.keys.ref.DType, c.keys.ref.Shape)
	groups, values, err := grouped[c.op](in.tensor, c.keys.tensor, c.qs, slices.Concat(c.options(t), c.fractions(), opts)...)
	got := read(t, values, nil, err)
	if len(wantKeys) == 0 && want.err == nil {
		want.dt = got.dt // which no group tells
	}
	compare(t, what, got, want)
	in.unchanged(t, what)
	c.keys.unchanged(t, what+" (keys)")
	if err != nil {
		return
	}
	if dt := c.keys.ref.DType; groups.DType() != dt || groups.NDim() != 1 || !bytes.Equal(content(t, groups), wantKeys) {
		t.Fatalf("%s: groups %s %v", what, groups.DType(), groups)
	}
}

// byOracle answers for a group by the oracle.
func byOracle(c call, x *oracle.Array) answer { return c.want(x) }

// byPlainCall answers for a group by the operation without groups.
func byPlainCall(t failer) func(c call, x *oracle.Array) answer {
	return func(c call, x *oracle.Array) answer {
		memory := testkit.Aligned(len(x.Bits) * x.DType.Size())
		copy(memory, x.Bytes())
		return c.eager(t, tensorOf(t, x.DType, memory, x.Shape))
	}
}

// groupCall draws a call for an operation and the dtype.
func (s *sampler) groupCall(t failer, op ogive.Op, dt dtype.DType) (groupCall, *input) {
	shape := pick(s, [][]int{{0}, {1}, {2}, {7}, {40}, {200}, {700}, {5, 3}, {60, 4}, {3, 50}, {0, 3}, {4, 0}, {6, 2, 3}, {2, 30, 2}})
	kind, seed := pick(s, testkit.Kinds(dt)), s.rng.Uint64N(1000)
	l := pick(s, layouts)
	c := groupCall{call: call{op: op}}
	axis := 0
	if s.chance(2) {
		axis = s.rng.IntN(len(shape))
		c.axes = []int{axis - len(shape)*s.rng.IntN(2)}
	}
	if c.isMedian() {
		c.mode = pick(s, []string{"", "avg", "lower", "upper"})
	} else {
		c.method = pick(s, append(methods, ""))
		s.few(&c.call, pick(s, []int{3, 3, 3, 30}))
	}
	in := l.lay(t, fill(kind, dt, seed, shape...))
	c.keys = s.keys(t, shape[axis])
	c.note = fmt.Sprintf("of %s%v %s layout=%s seed=%d sampler=%s", dt, shape, kind, l.name, seed, s.name)
	if len(in.ref.Bits) > 0 && s.chance(4) {
		s.groupWeights(t, &c, shape, axis)
	}
	return c, in
}

// keys draws so many keys: few different ones or many, near each other or not.
func (s *sampler) keys(t failer, n int) *input {
	dt := pick(s, keyDTypes)
	l := layouts[s.rng.IntN(len(layouts)-2)] // without those that repeat
	k := fill("random", dt, s.rng.Uint64N(1000), n)
	if few := pick(s, []int{0, 1, 2, 5, 30, 300}); few > 0 {
		some := fill("random", dt, s.rng.Uint64N(1000), few)
		near := s.chance(2)
		for i := range k.Bits {
			k.Bits[i] = some.Bits[s.rng.IntN(few)]
			if near && !dt.IsBool() { // small numbers, negative ones too
				mask := uint64(1)<<(8*dt.Size()-1)<<1 - 1
				k.Bits[i].Re = (uint64(s.rng.IntN(few)) - uint64(few/2)) & mask
			}
		}
	}
	return l.lay(t, k)
}

// groupWeights gives the call weights, of keys' length or of x's shape.
func (s *sampler) groupWeights(t failer, c *groupCall, shape []int, axis int) {
	one := call{op: c.op, method: c.method}
	if s.chance(2) {
		s.weighted(t, &one, shape[axis:axis+1])
	} else {
		s.weighted(t, &one, shape)
	}
	if s.chance(2) { // no group has zeros only
		for i := range one.weights.ref.Bits {
			if one.weights.ref.Bits[i].Re == 0 {
				one.weights.ref.Bits[i].Re = 1
			}
		}
		one.weights = plain(t, one.weights.ref)
	}
	c.weights = one.weights
}

// TestSweepGroups holds the operations on groups to the oracle, group by group.
func TestSweepGroups(t *testing.T) {
	tuned := tuning.Default
	tuned.SoloWork, tuned.BigBytes, tuned.TaskElements = 0, 0, 8
	for _, op := range groupedOps {
		for _, dt := range ordered {
			t.Run(fmt.Sprintf("%v/%v", op, dt), func(t *testing.T) {
				t.Parallel()
				s := newSampler("groups " + op.String() + dt.String())
				for range 60 {
					c, in := s.groupCall(t, op, dt)
					opts := []ogive.Option{ogive.Workers(s.rng.IntN(4))}
					if s.chance(2) {
						opts = append(opts, ogive.Tuned(&tuned))
					}
					c.check(t, in, byOracle, opts)
				}
			})
		}
	}
}

// keyPatterns are keys of many elements: of groups short and long, in ranges that are
// narrow, wide, or narrow but for a few.
var keyPatterns = map[string]func(rng *rand.Rand, i, n int) int64{
	"one":          func(*rand.Rand, int, int) int64 { return -5 },
	"two":          func(rng *rand.Rand, _, _ int) int64 { return int64(rng.IntN(2)) },
	"hundred":      func(rng *rand.Rand, _, _ int) int64 { return int64(rng.IntN(100)) - 50 },
	"short":        func(rng *rand.Rand, _, n int) int64 { return int64(rng.IntN(n / 8)) },
	"short, wide":  func(rng *rand.Rand, _, n int) int64 { return int64(rng.IntN(n/8)) << 40 },
	"even":         func(_ *rand.Rand, i, n int) int64 { return int64(i % (n / 100)) },
	"sorted":       func(_ *rand.Rand, i, _ int) int64 { return int64(i / 40) },
	"all distinct": func(_ *rand.Rand, i, n int) int64 { return int64(i*7919%n) - int64(n)/2 },
	"all distinct, wide": func(_ *rand.Rand, i, _ int) int64 {
		return int64(uint64(i) * 0x9E3779B97F4A7C15)
	},
	"one long": func(rng *rand.Rand, _, n int) int64 {
		if rng.IntN(20) > 0 {
			return 77
		}
		return int64(rng.IntN(n))
	},
	"crowded": func(rng *rand.Rand, i, n int) int64 {
		if rng.IntN(20) > 0 {
			return int64(rng.IntN(60))
		}
		return int64(rng.IntN(2 * n))
	},
	"crowded, wide": func(rng *rand.Rand, i, n int) int64 {
		if rng.IntN(20) > 0 {
			return int64(rng.IntN(3)) << 50
		}
		return rng.Int64()
	},
}

// TestGroupsOfManyElements holds the operations on groups of many elements to the
// operation on each group, with one worker and with several.
func TestGroupsOfManyElements(t *testing.T) {
	for name, pattern := range keyPatterns {
		for _, dt := range []dtype.DType{dtype.Int8, dtype.Float32} {
			t.Run(name+"/"+dt.String(), func(t *testing.T) {
				t.Parallel()
				const n = 150_000
				rng := rand.New(rand.NewPCG(1, 2))
				keys := make([]int64, n)
				for i := range keys {
					keys[i] = pattern(rng, i, n)
				}
				tuned := tuning.Default
				tuned.BigBytes = 64 << 10
				alone := []ogive.Option{ogive.Workers(1)}
				together := []ogive.Option{ogive.Workers(3), ogive.Tuned(&tuned)}

				in := plain(t, fill(pick(newSampler(name), testkit.Kinds(dt)), dt, 7, n))
				c := groupCall{call: call{op: ogive.OpQuantile, qs: []float64{0.9, 0.1}, method: "hazen", note: name}, keys: keyInput(keys)}
				c.check(t, in, byPlainCall(t), alone, together)
				rows := plain(t, &oracle.Array{DType: dt, Shape: []int{n / 2, 2}, Bits: in.ref.Bits})
				c = groupCall{call: call{op: ogive.OpNaNMedian, note: name}, keys: keyInput(keys[:n/2])}
				c.check(t, rows, byPlainCall(t), alone, together)
			})
		}
	}
}

// keyInput returns keys as an input.
func keyInput(keys []int64) *input {
	in := &input{tensor: vec(keys...), ref: oracle.New(dtype.Int64, len(keys))}
	for i, key := range keys {
		in.ref.Bits[i].Re = uint64(key)
	}
	return in
}

func TestPropGroupsPermuted(t *testing.T)    { rapid.Check(t, propGroupsPermuted) }
func FuzzPropGroupsPermuted(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(propGroupsPermuted)) }
func TestPropGroupsOfGroupKeys(t *testing.T) { rapid.Check(t, propGroupsOfGroupKeys) }
func FuzzPropGroupsOfGroupKeys(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propGroupsOfGroupKeys)) }

func drawKeys(t *rapid.T, n int) []int64 {
	key := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64())
	return rapid.SliceOfN(key, n, n).Draw(t, "keys")
}

// propGroupsPermuted: the order of elements and their keys changes nothing.
func propGroupsPermuted(t *rapid.T) {
	a := drawVector(t, ordered)
	keys := drawKeys(t, len(a.Bits))
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	order = rapid.Permutation(order).Draw(t, "order")
	moved := make([]int64, len(keys))
	for i, at := range order {
		moved[i] = keys[at]
	}
	m := ogive.Method(methodOf(t, drawMethod(t)))
	qs := []float64{drawQ(t, "q")}
	g1, v1, err1 := ogive.NaNQuantilesBy(plain(t, a).tensor, vec(keys...), qs, m)
	g2, v2, err2 := ogive.NaNQuantilesBy(plain(t, taken(a, 0, order)).tensor, vec(moved...), qs, m)
	compareGroups(t, g1, g2, v1, v2, errors.Join(err1, err2))
}

// propGroupsOfGroupKeys: keys that are moved apart, in their order, make the same
// groups: a wide range is told from a narrow one in nothing but speed.
func propGroupsOfGroupKeys(t *rapid.T) {
	a := drawVector(t, ordered)
	small := rapid.SliceOfN(rapid.Int64Range(-1000, 1000), len(a.Bits), len(a.Bits)).Draw(t, "keys")
	wide := make([]int64, len(small))
	by := rapid.Int64Range(1, 1<<52).Draw(t, "by")
	for i, k := range small {
		wide[i] = k * by
	}
	g1, v1, err1 := ogive.MedianBy(plain(t, a).tensor, vec(small...))
	g2, v2, err2 := ogive.MedianBy(plain(t, a).tensor, vec(wide...))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for i, k := range ogive.Must(ogive.Values[int64](g1)) {
		if w := ogive.Must(ogive.Values[int64](g2))[i]; w != k*by {
			t.Fatalf("group %d is %d, want %d times %d", i, w, k, by)
		}
	}
	compareGroups(t, g1, g1, v1, v2, nil)
}

func compareGroups(t failer, g1, g2, v1, v2 *ogive.Tensor, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if d := testkit.Diff(dtype.Int64, content(t, g1), content(t, g2)); d != "" {
		t.Fatalf("groups: %s", d)
	}
	if d := testkit.Diff(v1.DType(), content(t, v1), content(t, v2)); d != "" {
		t.Fatalf("values: %s", d)
	}
}
