package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		q    float64
		want float64
	}{
		{[]float64{3}, 0.5, 3},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{4, 1, 3, 2}, 0.5, 2.5},
		{[]float64{4, 1, 3, 2}, 1, 4},
		{[]float64{0, 4}, 0.25, 1},
	} {
		v := slices.Clone(c.v)
		if got := quantile(v, c.q); got != c.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.v, c.q, got, c.want)
		}
		if !slices.Equal(v, c.v) {
			t.Errorf("quantile changed its argument to %v", v)
		}
	}
	if got := quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("quantile of nothing is %v, want NaN", got)
	}
	c := contestant{ms: []float64{1, 2, 3, 4, 5}}
	if got := c.spread(); got != 2.0/3 {
		t.Errorf("spread is %v, want 2/3", got)
	}
}

func TestPace(t *testing.T) {
	for _, c := range []struct {
		p    pace
		cost float64
		want int
	}{
		{pace{rounds: 7}, 1e6, 7},
		{pace{budget: time.Second}, 100, 10},
		{pace{budget: time.Second}, 5000, 3},
		{pace{budget: time.Second}, 0.1, 30},
	} {
		if got := c.p.of(c.cost); got != c.want {
			t.Errorf("%v at %v ms a round gives %d rounds, want %d", c.p, c.cost, got, c.want)
		}
	}
}

// scripted returns a contestant whose calls take the given milliseconds, by
// its own word, and that notes its turns of at least one call in log.
func scripted(name string, ms float64, log *[]string) *contestant {
	return &contestant{column: name, turn: func(loops, repeat int) ([]float64, error) {
		*log = append(*log, name)
		return slices.Repeat([]float64{ms}, repeat), nil
	}}
}

func TestMeasure(t *testing.T) {
	var log []string
	a, b, c := scripted("a", 30, &log), scripted("b", 600, &log), scripted("c", 40, &log)
	bad := &contestant{column: "bad", turn: func(int, int) ([]float64, error) { return nil, errors.New("no") }}
	if err := measure(t.Context(), []*contestant{a, b, bad, c}, pace{rounds: 4}); err != nil {
		t.Fatal(err)
	}
	if bad.err == nil || len(bad.ms) != 0 {
		t.Errorf("bad has error %v and times %v", bad.err, bad.ms)
	}
	if len(a.ms) != 4 || len(b.ms) != 4 || len(c.ms) != 4 || a.median() != 30 || b.median() != 600 {
		t.Errorf("times are %v, %v, %v, want four each", a.ms, b.ms, c.ms)
	}
	want := []string{"a", "b", "c", "b", "c", "a", "c", "a", "b", "c", "a", "b"}
	if got := log[len(log)-len(want):]; !slices.Equal(got, want) {
		t.Errorf("the turns went to %v, want %v", got, want)
	}
	if got := fastest([]*contestant{b, bad, c, a}); got != a {
		t.Errorf("the fastest is %v, want a", got)
	}
	if got := fastest([]*contestant{bad}); got != nil {
		t.Errorf("the fastest of none is %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := measure(ctx, []*contestant{a}, pace{rounds: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v", err)
	}
}

func TestCalibrate(t *testing.T) {
	var log []string
	for _, c := range []struct {
		ms            float64
		loops, repeat int
	}{
		{700, 1, 1},
		{70, 1, 1},
		{4, 1, 25},
		{0.01, 16, 625},
	} {
		k := scripted("k", c.ms, &log)
		if k.calibrate(); k.loops != c.loops || k.repeat != c.repeat {
			t.Errorf("calls of %v ms: %d loops, repeated %d times; want %d, %d", c.ms, k.loops, k.repeat, c.loops, c.repeat)
		}
	}
}

func TestGoTurn(t *testing.T) {
	n := 0
	ms, err := goTurn(func() error { n++; time.Sleep(time.Millisecond); return nil })(2, 3)
	if err != nil || n != 6 || len(ms) != 3 || slices.Min(ms) < 0.9 {
		t.Errorf("%d calls in %v ms, %v; want 6 of a millisecond or more", n, ms, err)
	}
	boom := errors.New("boom")
	if _, err := goTurn(func() error { return boom })(1, 1); !errors.Is(err, boom) {
		t.Errorf("error is %v, want boom", err)
	}
}

func TestDiffer(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		want, got []float64
		same      bool
	}{
		{[]float64{1, nan, inf, -inf}, []float64{1, nan, inf, -inf}, true},
		{[]float64{1}, []float64{1 + 1e-7}, true},
		{[]float64{0, 1}, []float64{1e-7, 1}, true},
		{[]float64{1}, []float64{1.1}, false},
		{[]float64{1}, []float64{nan}, false},
		{[]float64{nan}, []float64{1}, false},
		{[]float64{inf}, []float64{-inf}, false},
		{[]float64{1, inf}, []float64{inf, inf}, false},
		{[]float64{inf}, []float64{1}, false},
		{[]float64{1}, []float64{1, 1}, false},
	} {
		if got := differ(c.want, c.got, 1e-6); (got == "") != c.same {
			t.Errorf("differ(%v, %v) = %q", c.want, c.got, got)
		}
	}
	if got, want := differ([]float64{1, 2, 3}, []float64{1, 5, 6}, 1e-6), "2 of 3 values differ; value 1 is 5, ogive has 2"; got != want {
		t.Errorf("differ says %q, want %q", got, want)
	}
}
