package cuda

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/ptxemu"
	"github.com/ogive-go/ogive/rank"
)

// trial is calls on one input under some limits, whose results the host knows.
type trial struct {
	name   string
	limits func(*limits)
	x      *ogive.Tensor
	calls  []operation
	want   [][]byte
}

// operation is a call, of the host or of a device, as x is.
type operation func(x *ogive.Tensor) (*ogive.Tensor, error)

// on runs a trial on a device and says what is wrong with the results, nil if nothing is.
func (c *trial) on(d *Device) error {
	d.limits = defaults
	if c.limits != nil {
		c.limits(&d.limits)
	}
	far, err := c.x.To(d)
	if err != nil {
		return err
	}
	for i, call := range c.calls {
		r, err := call(far)
		if err == nil {
			r, err = r.ToHost()
		}
		if err != nil {
			return fmt.Errorf("%s, call %d: %w", c.name, i, err)
		}
		if got := ogive.Must(r.Bytes()); !bytes.Equal(got, c.want[i]) {
			return fmt.Errorf("%s, call %d: another answer", c.name, i)
		}
		if err := Free(r); err != nil {
			return err
		}
	}
	return Free(far)
}

// table collects trials.
type table struct {
	t    testing.TB
	list []*trial
}

// add adds a trial; the host makes the answers.
func (b *table) add(name string, l func(*limits), x *ogive.Tensor, calls ...operation) {
	b.t.Helper()
	c := &trial{name: name, limits: l, x: x, calls: calls}
	for i, call := range calls {
		r, err := call(x)
		if err != nil {
			b.t.Fatalf("%s, call %d: %v", name, i, err)
		}
		c.want = append(c.want, ogive.Must(ogive.Must(r.Contiguous()).Bytes()))
	}
	b.list = append(b.list, c)
}

// cut makes an operation work on the beginning of the last axis.
func (f operation) cut(n int) operation {
	return func(x *ogive.Tensor) (*ogive.Tensor, error) {
		part, err := x.Slice(x.NDim()-1, 0, n, 1)
		if err != nil {
			return nil, err
		}
		return f(part)
	}
}

// copied returns a copy in C order, where x lies.
func copied(x *ogive.Tensor) *ogive.Tensor {
	if x.Device() == nil {
		return ogive.Must(x.Contiguous())
	}
	return ogive.Must(ogive.Must(x.ToHost()).To(x.Device()))
}

// turned makes an operation work on columns.
func (f operation) turned() operation {
	return func(x *ogive.Tensor) (*ogive.Tensor, error) {
		return f(ogive.Must(copied(ogive.Must(x.Transpose())).Transpose()))
	}
}

// quantilesBy are quantiles of rows, of all values or of those that are not NaN.
func quantilesBy(skip bool, m rank.Method, qs ...float64) operation {
	return func(x *ogive.Tensor) (*ogive.Tensor, error) {
		if skip {
			return ogive.NaNQuantiles(x, qs, ogive.Axis(-1), ogive.Method(m))
		}
		return ogive.Quantiles(x, qs, ogive.Axis(-1), ogive.Method(m))
	}
}

func indicesBy(skip bool, qs ...float64) operation {
	return func(x *ogive.Tensor) (*ogive.Tensor, error) {
		if skip {
			return ogive.NaNArgQuantiles(x, qs, ogive.Axis(-1), ogive.Method(rank.Lower))
		}
		return ogive.ArgQuantiles(x, qs, ogive.Axis(-1), ogive.Method(rank.Lower))
	}
}

// everyRank are the quantiles of all ranks of n.
func everyRank(n int) []float64 {
	qs := make([]float64, n)
	for i := range qs {
		qs[i] = (float64(i) + 0.5) / float64(n)
	}
	qs[0], qs[n-1] = 0, 1
	return qs
}

// trialsOf returns the trials of the kernels for a dtype.
func trialsOf(t testing.TB, dt dtype.DType) []*trial {
	b := &table{t: t}
	b.networks(dt)
	b.rows(dt)
	b.long(dt)
	b.brackets(dt)
	b.located(dt)
	b.between(dt)
	return b.list
}

// networks has each network with every length that it is for.
func (b *table) networks(dt dtype.DType) {
	x := rowsOfAll(b.t, dt, 36, 64, 1)
	spread := func(f operation) operation { // lanes that lie in two dimensions
		return func(x *ogive.Tensor) (*ogive.Tensor, error) {
			columns := copied(ogive.Must(x.Transpose()))
			both := ogive.Must(columns.Reshape(x.Shape()[1], 4, 9))
			both = copied(ogive.Must(both.Transpose(1, 0, 2)))
			return f(ogive.Must(both.Transpose(0, 2, 1)))
		}
	}
	from := map[int]int{0: 1, 1: 1}
	for _, size := range middles {
		var calls []operation
		for n := from[size%2]; n <= size; n++ {
			if n%2 == size%2 {
				f := quantilesBy(false, rank.Linear, 0.5)
				calls = append(calls, f.turned().cut(n), spread(f).cut(n))
				if n <= defaults.network {
					calls = append(calls, f.cut(n), quantilesBy(false, rank.Higher, 0.5).cut(n))
				}
			}
		}
		from[size%2] = size + 1
		b.add("middle"+strconv.Itoa(size), nil, x, calls...)
		b.add("middle"+strconv.Itoa(size)+", a special each", nil, diagonal(b.t, dt, size), quantilesBy(false, rank.Linear, 0.5).turned())
	}
	first := 1
	for _, size := range quantiles {
		var calls []operation
		for n := first; n <= size; n++ {
			calls = append(calls, quantilesBy(true, rank.Lower, everyRank(n)...).turned().cut(n), quantilesBy(false, rank.Linear, 0.001, 0.2, 0.7).turned().cut(n))
		}
		calls = append(calls, spread(quantilesBy(true, rank.Linear, 0.3)).cut(size))
		first = size + 1
		b.add("quantiles"+strconv.Itoa(size), nil, x, calls...)
		b.add("quantiles"+strconv.Itoa(size)+", a special each", nil, diagonal(b.t, dt, size), quantilesBy(true, rank.Lower, 0, 0.5, 1).turned(), quantilesBy(false, rank.Lower, 0.2, 1).turned())
	}
}

// The quantiles that rows are asked for: one, several, and so many that rows are sorted.
var quantileSets = [][]float64{{0.5}, {0, 0.3, 1}, {0.01, 0.1, 0.2, 0.4, 0.5, 0.8, 0.9, 0.99}}

func (b *table) rows(dt dtype.DType) {
	for _, team := range []struct {
		name   string
		limits func(*limits)
	}{{"warps", regimes["warps"]}, {"blocks", regimes["blocks"]}} {
		for _, n := range []int{1, 2, 31, 32, 33, 100, 129, 300} {
			x := rowsOfAll(b.t, dt, 13, n, uint64(n))
			for _, qs := range quantileSets {
				b.add(fmt.Sprintf("%s of %d, %d quantiles", team.name, n, len(qs)), team.limits, x,
					quantilesBy(false, rank.Linear, qs...), quantilesBy(true, rank.Linear, qs...), quantilesBy(true, rank.Lower, qs...))
			}
		}
	}
	x := rowsOfAll(b.t, dt, 7, 1500, 9)
	b.add("blocks of 1500", regimes["blocks"], x, quantilesBy(false, rank.Linear, 0.3, 0.6), quantilesBy(true, rank.Linear, 0.01))
	b.add("warps of 1500", regimes["warps"], x, quantilesBy(false, rank.Linear, 0.3, 0.6), quantilesBy(true, rank.Linear, 0.01))
	b.add("blocks of 800", regimes["blocks"], rowsOfAll(b.t, dt, 4, 800, 9), quantilesBy(false, rank.Linear, 0.3))
	if dt.Size() <= 4 {
		x := rowsOfAll(b.t, dt, 2, 8200, 9)
		b.add("blocks of 8200", regimes["blocks"], x, quantilesBy(true, rank.Linear, 0.3))
	}
}

// every returns the view of every third element, so that neighbours do not lie together.
func (f operation) every(step int) operation {
	return func(x *ogive.Tensor) (*ogive.Tensor, error) {
		part, err := x.Slice(x.NDim()-1, 1, x.Shape()[x.NDim()-1], step)
		if err != nil {
			return nil, err
		}
		return f(part)
	}
}

func (b *table) long(dt dtype.DType) {
	for _, n := range []int{1, 33, 300} {
		x := rowsOfAll(b.t, dt, 13, n, uint64(n))
		for _, qs := range quantileSets {
			b.add(fmt.Sprintf("digits of %d, %d quantiles", n, len(qs)), regimes["digits"], x,
				quantilesBy(false, rank.Linear, qs...), quantilesBy(true, rank.Linear, qs...), quantilesBy(true, rank.Lower, qs...))
		}
	}
	x := rowsOfAll(b.t, dt, 7, 100, 5)
	b.add("digits, two lanes at a time", regimes["digits, two lanes at a time"], x, quantilesBy(true, rank.Linear, 0.2, 0.7), quantilesBy(true, rank.Linear, quantileSets[2]...))
	b.add("digits, group by group", regimes["digits, group by group"], x, quantilesBy(true, rank.Linear, 0.2, 0.7))
	b.add("digits, no table", regimes["digits, no table"], x, quantilesBy(true, rank.Linear, 0.2, 0.7))
	for i, kind := range []string{"special", "coarse", "smallrange", "special without NaN"} {
		x := valuesOf(b.t, kind, dt, 5003, uint64(i))
		var ends []operation
		for _, q := range []float64{0, 0.01, 0.45, 0.55, 0.99, 1} {
			ends = append(ends, quantilesBy(true, rank.Lower, q))
		}
		b.add("digits of 5003 "+kind, regimes["digits"], x, ends...)
		b.add("digits of 5003 "+kind+", several", regimes["digits"], x, quantilesBy(true, rank.Lower, quantileSets[2]...), quantilesBy(true, rank.Linear, 0, 0.5, 1).every(3))
	}
}

// valuesOf returns n elements of a kind of data, or specials, or coarse ones: with zeros
// below their upper bits, so that digits are zeros and prefixes neighbours.
func valuesOf(t testing.TB, kind string, dt dtype.DType, n int, seed uint64) *ogive.Tensor {
	t.Helper()
	nans := kind != "special without NaN"
	switch kind {
	case "special", "special without NaN":
	case "coarse":
		x := filled(t, "bits", dt, seed, n)
		b := ogive.Must(x.Bytes())
		for i := 0; i < len(b) && dt.Size() > 1; i += dt.Size() {
			clear(b[i : i+dt.Size()-2])
			b[i+dt.Size()-2] &= 0xF0
			b[i+dt.Size()-1] = b[i+dt.Size()-1]&0x83 | 0x3C
		}
		return x
	default:
		return filled(t, kind, dt, seed, n)
	}
	x, err := ogive.FromBytes(dt, special(dt, n, nans, seed), n)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (b *table) brackets(dt dtype.DType) {
	kinds := []string{"special", "bits", "few5", "few1000", "smallrange"}
	if dt.IsFloat() {
		kinds = append(kinds, "nanfew", "special without NaN")
	}
	for i, kind := range kinds {
		x := valuesOf(b.t, kind, dt, 18_000, uint64(i))
		skip := quantilesBy(true, rank.Linear, 0.5)
		b.add("bracket of "+kind, regimes["brackets"], x, skip, quantilesBy(true, rank.Linear, 0.001), quantilesBy(false, rank.Linear, 0.7), skip.cut(8197), skip.every(2))
	}
	x := filled(b.t, "random", dt, 3, 66_000)
	b.add("bracket of 66000", regimes["brackets"], x, quantilesBy(false, rank.Linear, 0.4))
}

func (b *table) located(dt dtype.DType) {
	for name, l := range map[string]func(*limits){
		"short": nil, "chunks": regimes["elements located by blocks"],
		"chunks, two at a time": func(l *limits) { l.locateShort, l.gridRows = 0, 2 },
	} {
		for _, n := range []int{1, 33, 200} {
			x := rowsOfAll(b.t, dt, 13, n, uint64(n))
			b.add(fmt.Sprintf("index of %d, %s", n, name), l, x, indicesBy(true, 0, 0.3, 1), indicesBy(false, 0.5, 0.9), indicesBy(true, 0.6).turned())
		}
	}
	for i, kind := range []string{"few5", "special", "bits", "special without NaN"} {
		x := valuesOf(b.t, kind, dt, 17_000, uint64(i))
		b.add("index among 17000 "+kind, nil, x, indicesBy(true, 0, 0.5, 0.999), indicesBy(true, 0.7).every(2))
	}
}

// between has values between all specials.
func (b *table) between(dt dtype.DType) {
	x := pairsOfAll(b.t, dt, 150)
	qs := []float64{0, 5e-324, 1e-300, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 0.999999, math.Nextafter(1, 0), 1}
	b.add("between pairs", nil, x, quantilesBy(false, rank.Linear, qs...), quantilesBy(true, rank.Linear, 0.25, 0.5), quantilesBy(true, rank.Lower, 0.5))
	if !dt.IsFloat() {
		return
	}
	for _, to := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.Float16, dtype.BFloat16} {
		b.add("between pairs as "+to.String(), nil, x, func(x *ogive.Tensor) (*ogive.Tensor, error) {
			out := ogive.Must(ogive.Zeros(to, x.Shape()[0]))
			if x.Device() != nil {
				var err error
				if out, err = out.To(x.Device()); err != nil {
					return nil, err
				}
			}
			return ogive.Quantile(x, 0.25, ogive.Axis(-1), ogive.Out(out))
		})
	}
}

// TestTrials: every kernel is right where elements are at the ends of their order, beside
// NaN of all kinds, and at each length where it does something else.
func TestTrials(t *testing.T) {
	d := opened(t, ptxemu.Options{Seed: 3})
	for i, c := range allTrials(t) {
		if !onGPU() && os.Getenv("OGIVE_SWEEP") != "all" && i%12 != 0 {
			continue // TestMutants has those of float32
		}
		if err := c.on(d); err != nil {
			t.Fatal(err)
		}
	}
}
