package testkit

import (
	"bytes"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

func TestFillIsDeterministic(t *testing.T) {
	for _, dt := range dtype.All() {
		for _, kind := range Kinds(dt) {
			for _, n := range []int{0, 1, 2, 3, 100} {
				a, b := Fill(kind, dt, n, 7), Fill(kind, dt, n, 7)
				if !bytes.Equal(a, b) || len(a) != n*dt.Size() {
					t.Errorf("%s of %s: %d bytes, not repeatable", kind, dt, len(a))
				}
				if n > 0 && uintptr(unsafe.Pointer(&a[0]))%8 != 0 {
					t.Errorf("%s of %s is misaligned", kind, dt)
				}
			}
		}
	}
	if bytes.Equal(Fill("random", dtype.Float64, 9, 1), Fill("random", dtype.Float64, 9, 2)) {
		t.Error("the seed changes nothing")
	}
}

func TestFillOfBoolIsBool(t *testing.T) {
	for _, kind := range Kinds(dtype.Bool) {
		for i, b := range Fill(kind, dtype.Bool, 1000, 3) {
			if b > 1 {
				t.Fatalf("%s[%d] = %d", kind, i, b)
			}
		}
	}
}

func TestKindsAreWhatTheySay(t *testing.T) {
	count := func(kind string, is func(float64) bool) int {
		n := 0
		for _, v := range Slice[float64](kind, 1001, 11) {
			if is(v) {
				n++
			}
		}
		return n
	}
	isInf := func(v float64) bool { return math.IsInf(v, 0) }
	negative := func(v float64) bool { return math.Signbit(v) }
	within := func(name string, got, lo, hi int) {
		t.Helper()
		if got < lo || got > hi {
			t.Errorf("%s: %d of 1001, want %d to %d", name, got, lo, hi)
		}
	}
	within("nanhalf", count("nanhalf", math.IsNaN), 400, 600)
	within("nanall", count("nanall", math.IsNaN), 1001, 1001)
	within("nanall, negative", count("nanall", negative), 200, 800)
	within("nanfirst", count("nanfirst", math.IsNaN), 1, 1)
	within("nanlast", count("nanlast", math.IsNaN), 1, 1)
	within("infmix", count("infmix", isInf), 200, 500)
	within("zeros, negative", count("zeros", negative), 400, 600)
	within("bits", count("bits", func(v float64) bool { return math.IsNaN(v) || isInf(v) }), 0, 0)
	within("denormal", count("denormal", func(v float64) bool { return math.Abs(v) <= 0x1p-1022 }), 1001, 1001)
	within("ulps", count("ulps", func(v float64) bool { return math.Abs(v-1) < 1e-14 }), 1001, 1001)
	if v := Slice[int32]("sorted", 500, 1); !slices.IsSorted(v) {
		t.Error("sorted int32 is not")
	}
	if v := Slice[float32]("sorted", 500, 1); !slices.IsSorted(v) {
		t.Error("sorted float32 is not")
	}
	if v := Slice[int16]("reversed", 500, 1); !slices.IsSortedFunc(v, func(a, b int16) int { return int(b) - int(a) }) {
		t.Error("reversed int16 is not")
	}
	if v := Slice[float64]("maxatend", 500, 1); slices.Max(v) != v[499] {
		t.Error("the maximum is not last")
	}
	for kind, limit := range map[string]int{"constant": 1, "two": 2, "few5": 5, "smallrange": 10} {
		v := Slice[uint16](kind, 1000, 5)
		slices.Sort(v)
		if u := slices.Compact(v); len(u) > limit {
			t.Errorf("%s has %d values", kind, len(u))
		}
	}
	killer := Slice[float64]("median3killer", 1003, 1)
	slices.Sort(killer)
	if slices.ContainsFunc(killer, math.IsNaN) || len(slices.Compact(killer)) < 990 {
		t.Error("median3killer is not a permutation of distinct values")
	}
	ext := Slice[int8]("extremes", 300, 1)
	if slices.Min(ext) != math.MinInt8 || slices.Max(ext) != math.MaxInt8 {
		t.Error("extremes of int8 are missing")
	}
	if u := Slice[uint64]("extremes", 300, 1); slices.Max(u) != math.MaxUint64 || slices.Min(u) != 0 {
		t.Error("extremes of uint64 are missing")
	}
}

func TestDiff(t *testing.T) {
	a, b := []float64{1, 0, math.NaN()}, []float64{1, math.Copysign(0, -1), math.NaN()}
	if d := Diff(dtype.Float64, Raw(a), Raw(a)); d != "" {
		t.Errorf("equal slices differ: %s", d)
	}
	d := Diff(dtype.Float64, Raw(a), Raw(b))
	if !strings.Contains(d, "1 of 3") || !strings.Contains(d, "[1] got 0") || !strings.Contains(d, "0x8000000000000000") {
		t.Errorf("signed zeros: %q", d)
	}
	if d := Diff(dtype.Int8, Raw([]int8{-1}), Raw([]int8{-2})); !strings.Contains(d, "got -1, want -2") {
		t.Errorf("int8: %q", d)
	}
	if d := Diff(dtype.Int8, make([]byte, 2), make([]byte, 3)); !strings.Contains(d, "got 2 elements") {
		t.Errorf("lengths: %q", d)
	}
}

func TestFencedFaults(t *testing.T) {
	if !fencesProtect {
		t.Skip("no page protection on this platform")
	}
	for _, side := range Sides {
		for _, n := range []int{1, 33, 5000} {
			s := FencedCopy(t, Slice[float32]("random", n, 1), side)
			Same(t, s, Slice[float32]("random", n, 1), "%v n=%d", side, n)
			beyond := unsafe.Add(unsafe.Pointer(&s[0]), -4)
			if side == AtEnd {
				beyond = unsafe.Add(unsafe.Pointer(&s[0]), 4*n)
			}
			if !faults(func() float32 { return *(*float32)(beyond) }) {
				t.Errorf("%v n=%d: reading beyond the fence does not fault", side, n)
			}
		}
	}
}

func TestFencedGuards(t *testing.T) {
	if !fencesProtect {
		t.Skip("no page protection on this platform")
	}
	for _, side := range Sides {
		for _, n := range []int{1, 33, 5000} {
			write := func(beyond bool) func(testing.TB) {
				return func(tb testing.TB) {
					s := Fenced[uint8](tb, n, side)
					at := unsafe.Pointer(&s[0])
					switch {
					case beyond && side == AtStart:
						at = unsafe.Add(at, n)
					case beyond:
						at = unsafe.Add(at, -1)
					}
					*(*uint8)(at) = 1
				}
			}
			if fails(write(false)) || !fails(write(true)) {
				t.Errorf("%v n=%d: a write beyond the other side goes unnoticed", side, n)
			}
		}
	}
}

// faults reports whether reading crashes.
func faults(read func() float32) (crashed bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { crashed = recover() != nil }()
	sink = read()
	return false
}

var sink float32

func TestGuarded(t *testing.T) {
	for _, stride := range []int{1, 2, 5} {
		g := NewGuarded[int16](7, stride)
		for i := range 7 {
			g.Set(i, int16(i))
		}
		if d := g.Data(); len(d) != 6*stride+1 || d[6*stride] != 6 || g.Get(3) != 3 {
			t.Errorf("stride %d: %v", stride, d)
		}
		g.Check(t)
		g.all[margin+6*stride+1] = 9
		if !fails(func(tb testing.TB) { g.Check(tb) }) {
			t.Errorf("stride %d: a write after the last element goes unnoticed", stride)
		}
	}
}

// recorder stands in for a test that may fail.
type recorder struct {
	testing.TB
	failed   bool
	cleanups []func()
}

func (r *recorder) Helper() {}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Errorf(string, ...any) { r.failed = true }

func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

// fails reports whether f fails its test.
func fails(f func(testing.TB)) (failed bool) {
	r := &recorder{}
	defer func() {
		recover()
		for _, cleanup := range r.cleanups {
			cleanup()
		}
		failed = r.failed
	}()
	f(r)
	return
}
