package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// shrunk returns d with the same dtype and kind of data, and dimensions of at
// most the given length.
func (d dataSpec) shrunk(most int) dataSpec {
	d.shape = slices.Clone(d.shape)
	for i := range d.shape {
		d.shape[i] = min(d.shape[i], most)
	}
	d.test, d.groups = min(d.test, most), min(d.groups, most)
	return d
}

// required are the cases that the table of goals has, in the order of groups.
var required = []string{
	"median float32 10M", "median float64 10M", "quantile 0.9 float32 10M", "quantile 0.9 float64 10M",
	"nanquantile 0.5 float32 10M", "nanquantile 0.5 float32 10M 50% NaN",
	"quantile 0.25,0.5,0.75 float32 10M", "quantile 101 q float32 10M", "quantile 101 q float32 10M normal",
	"median float32 1Mx10 axis 1", "median float32 100kx100 axis 1", "median float32 10kx1000 axis 1", "median float32 1000x10k axis 1",
	"median float32 7x1.4M axis 0", "median float32 20x500k axis 0", "nanmedian float32 20x500k 10% NaN axis 0",
	"median float32 200x50k axis 0", "median float32 1000x10k axis 0",
	"median uint8 10M", "median int16 10M", "median float16 10M normal", "median bfloat16 10M normal",
	"median uint8 20x500k axis 0", "median int16 20x500k axis 0", "median float16 20x500k normal axis 0", "median bfloat16 20x500k normal axis 0",
	"median int32 10M", "median int64 10M",
	"isposinf float32 10M 1% +Inf",
	"isin int64 10M in 16", "isin int64 10M in 10k", "isin int64 10M in 1M",
	"isin float64 10M in 16", "isin float64 10M in 10k", "isin float64 10M in 1M",
	"nanmedian float64 10M by 1000 axis 0", "nanmedian float64 10M by 1M axis 0",
	"median of windows of 101 float64 1M axis 0", "quantile 0.9 of windows of 101 float64 1M axis 0",
	"median float64 5", "median float64 100",
	"median float32 100M", "quantile 0.9 float32 100M",
	"median float32 10M sorted", "median float32 10M reversed", "median float32 10M constant", "median float32 10M two values",
	"median float32 10M ten uniques", "median float32 10M thousand uniques", "median float32 10M organ pipe", "median float32 10M zipf",
	"median float32 10M infinities", "median float32 10M denormals", "nanmedian float32 10M 50% NaN",
	"quantile 101 q float32 10M sorted", "quantile 101 q float32 10M constant", "quantile 101 q float32 10M two values",
	"quantile 101 q float32 10M ten uniques", "quantile 101 q float32 10M thirty uniques", "quantile 101 q float32 10M thousand uniques",
	"quantile 101 q float32 10M organ pipe", "quantile 101 q float32 10M zipf", "nanquantile 101 q float32 10M 50% NaN",
}

func TestCasesComplete(t *testing.T) {
	seen := map[string]bool{}
	perGroup := map[string]int{}
	for _, c := range cases() {
		if seen[c.name()] {
			t.Errorf("two cases are named %q", c.name())
		}
		seen[c.name()] = true
		perGroup[c.group]++
		crafted := c.group == "crafted" // against ogive alone
		if len(c.peers) == 0 && !crafted {
			t.Errorf("%s: no peer", c.name())
		}
		for _, p := range c.peers {
			if !slices.Contains(peerSystems, p.system) || p.expr == "" {
				t.Errorf("%s: peer %q calls %q", c.name(), p.system, p.expr)
			}
		}
		if (crafted || c.group == "worst") != (c.base.shape != nil) {
			t.Errorf("%s: in group %s with base %v", c.name(), c.group, c.base)
		}
	}
	for _, name := range required {
		if !seen[name] {
			t.Errorf("no case %q", name)
		}
	}
	for _, g := range groups {
		if perGroup[g] == 0 {
			t.Errorf("group %s is empty", g)
		}
		delete(perGroup, g)
	}
	for g := range perGroup {
		t.Errorf("group %s is not listed", g)
	}
}

// TestCasesRun makes every ogive call and every Go peer's call on little data,
// and compares the answers.
func TestCasesRun(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name(), func(t *testing.T) {
			c.data = c.data.shrunk(50)
			c.call.window = min(c.call.window, 33)
			if c.base.shape != nil {
				c.base = c.base.shrunk(50)
			}
			s := &session{dir: t.TempDir(), workers: 2}
			if err := s.load(c); err != nil {
				t.Fatal(err)
			}
			if got := s.x.DType(); got != c.data.dt {
				t.Errorf("the data is %v, want %v", got, c.data.dt)
			}
			f, err := c.call.prepared(s.x, s.test, 2)
			if err != nil {
				t.Fatal(err)
			}
			if err := f(); err != nil {
				t.Fatal(err)
			}
			for _, p := range c.peers {
				if _, _, err := s.answer(c.call, p.answer); err != nil {
					t.Errorf("%s: %v", p.expr, err)
				}
				if p.goFunc == nil {
					continue
				}
				k, differs, err := s.peer(c, p)
				if err != nil || differs != "" {
					t.Fatalf("%s: %v %s", p.expr, err, differs)
				}
				if ms, err := k.turn(2, 3); err != nil || len(ms) != 3 {
					t.Errorf("%s: a turn gave %v, %v", p.expr, ms, err)
				}
			}
		})
	}
}

func TestChosen(t *testing.T) {
	table := cases()
	all := func(string) bool { return true }
	for _, c := range chosen(table, nil, all) {
		if slices.Contains(optIn, c.group) {
			t.Errorf("%s is in an opt-in group", c.name())
		}
	}
	for _, c := range chosen(table, []string{"worst", "small"}, all) {
		if c.group != "worst" && c.group != "small" {
			t.Errorf("%s is in group %s", c.name(), c.group)
		}
	}
	got := chosen(table, nil, func(name string) bool { return strings.HasPrefix(name, "isin") })
	if len(got) != 6 {
		t.Errorf("%d cases of isin, want 6", len(got))
	}
}

func TestFills(t *testing.T) {
	const n = 4000
	for f := range fills {
		x, _, err := of(dtype.Float32, n).as(f).generate()
		if err != nil {
			t.Fatal(err)
		}
		v := ogive.Must(ogive.Values[float32](x))
		distinct := map[float32]bool{}
		infinite, subnormal := 0, 0
		for _, e := range v {
			distinct[e] = true
			if math.IsInf(float64(e), 0) {
				infinite++
			}
			if a := math.Abs(float64(e)); a > 0 && a < 0x1p-126 {
				subnormal++
			}
		}
		switch k := len(distinct); {
		case f == constant && k != 1,
			f == twoValues && k != 2,
			f == tenUniques && k != 10,
			f == thirtyUniques && k != 30,
			f == kiloUniques && (k > 1000 || k < 900),
			f == organPipe && k != n/2,
			f == sorted && !slices.IsSorted(v),
			f == reversed && slices.IsSorted(v),
			f == infinities && (infinite < n/3 || infinite > 2*n/3),
			f == denormals && subnormal < n-10:
			t.Errorf("%s: %d distinct values, %d infinite, %d subnormal", f, k, infinite, subnormal)
		}
		again, _, _ := of(dtype.Float32, n).as(f).generate()
		if !slices.Equal(v, ogive.Must(ogive.Values[float32](again))) {
			t.Errorf("%s: two generations differ", f)
		}
	}
	if _, _, err := of(dtype.Float32, n).as("odd").generate(); err == nil {
		t.Error("an unknown kind of data gave no error")
	}
	if _, _, err := of(dtype.Complex64, n).generate(); err == nil {
		t.Error("complex data gave no error")
	}
}

func TestShares(t *testing.T) {
	const n = 20000
	count := func(x *ogive.Tensor, is func(*ogive.Tensor) *ogive.Tensor) (k int) {
		for _, b := range ogive.Must(ogive.Values[bool](is(x))) {
			if b {
				k++
			}
		}
		return k
	}
	x, _, _ := of(dtype.Float64, n).withNaN(0.5).generate()
	if k := count(x, func(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(x.IsNaN()) }); k < n*4/10 || k > n*6/10 {
		t.Errorf("%d of %d are NaN, want half", k, n)
	}
	x, _, _ = of(dtype.Float32, n).withInf(0.01).generate()
	if k := count(x, func(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(x.IsPosInf()) }); k < n/200 || k > n/50 {
		t.Errorf("%d of %d are +Inf, want a hundredth", k, n)
	}
	x, test, _ := of(dtype.Int64, n).testedAgainst(16).generate()
	if test.Len() != 16 {
		t.Errorf("%d test values, want 16", test.Len())
	}
	if k := count(x, func(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(x.IsIn(test)) }); k < n/20 || k > n/5 {
		t.Errorf("%d of %d are among the test values, want a tenth", k, n)
	}
}

func TestGoRead(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 1000, 300_001} {
		for _, workers := range []int{1, 3} {
			v := make([]uint64, n)
			want := uint64(0)
			for i := range v {
				v[i] = uint64(i) * 0x9E3779B97F4A7C15
				want += v[i]
			}
			if got := sumWords(v); got != want {
				t.Errorf("sumWords of %d words = %d, want %d", n, got, want)
			}
			f, err := goRead(ogive.Must(ogive.FromSlice(v)), workers)
			if err != nil || f() != nil {
				t.Errorf("goRead of %d words: %v", n, err)
			}
		}
	}
}
