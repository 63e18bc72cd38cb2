package main

import (
	"math"
	"slices"
	"strings"
	"testing"
)

var nan = math.NaN()

var sampleResults = []result{
	{name: "first", ogive: 2, spread: 0.031, peers: map[string]float64{sysNumPy: 100, sysTorch: 50}, read: 1, base: nan},
	{name: "second one", ogive: 0.00009, spread: 0.5, peers: map[string]float64{}, read: nan, base: nan},
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		1234.5: "1234", 100: "100", 99.94: "99.9", 10: "10.0", 9.994: "9.99", 1: "1.00",
		0.68: "0.680", 0.0123: "0.0123", 0.00009: "0.0000900", 0: "0.00",
		math.Inf(1): "-",
	} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
	if got := number(nan); got != "-" {
		t.Errorf("number(NaN) = %s", got)
	}
	for _, c := range []struct {
		a, b float64
		want string
	}{{2, 1, "2.00"}, {50, 2, "25.0"}, {300, 2, "150"}, {1, 0, "-"}, {nan, 1, "-"}} {
		if got := ratio(c.a, c.b); got != c.want {
			t.Errorf("ratio(%v, %v) = %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

func TestBest(t *testing.T) {
	if s, ms := sampleResults[0].best(); s != sysTorch || ms != 50 {
		t.Errorf("the best is %s with %v", s, ms)
	}
	if s, ms := sampleResults[1].best(); s != "" || !math.IsNaN(ms) {
		t.Errorf("the best of none is %q with %v", s, ms)
	}
}

func TestFormats(t *testing.T) {
	want := map[string]string{
		"table": "" +
			"case         ogive ms  ±%  numpy  torch  bottleneck  pandas  gonum  times faster   than  read ms  times read\n" +
			"first            2.00   3    100   50.0           -       -      -          25.0  torch     1.00        2.00\n" +
			"second one  0.0000900  50      -      -           -       -      -             -      -        -           -\n",
		"markdown": "" +
			"| case       |  ogive ms | ±% | numpy | torch | bottleneck | pandas | gonum | times faster |  than | read ms | times read |\n" +
			"|------------|----------:|---:|------:|------:|-----------:|-------:|------:|-------------:|------:|--------:|-----------:|\n" +
			"| first      |      2.00 |  3 |   100 |  50.0 |          - |      - |     - |         25.0 | torch |    1.00 |       2.00 |\n" +
			"| second one | 0.0000900 | 50 |     - |     - |          - |      - |     - |            - |     - |       - |          - |\n",
		"tsv": "" +
			"case\togive ms\t±%\tnumpy\ttorch\tbottleneck\tpandas\tgonum\ttimes faster\tthan\tread ms\ttimes read\n" +
			"first\t2.00\t3\t100\t50.0\t-\t-\t-\t25.0\ttorch\t1.00\t2.00\n" +
			"second one\t0.0000900\t50\t-\t-\t-\t-\t-\t-\t-\t-\t-\n",
	}
	for name, write := range formats {
		var b strings.Builder
		if err := write(&b, cells(sampleResults)); err != nil {
			t.Fatal(err)
		}
		if b.String() != want[name] {
			t.Errorf("%s is\n%s\nwant\n%s", name, b.String(), want[name])
		}
	}
}

func TestBaseColumns(t *testing.T) {
	r := sampleResults[0]
	r.base = 1.6
	rows := cells([]result{r, sampleResults[1]})
	if got := rows[0][len(rows[0])-2:]; !slices.Equal(got, []string{"random ms", "times random"}) {
		t.Errorf("the last heads are %v", got)
	}
	if got := rows[1][len(rows[1])-2:]; !slices.Equal(got, []string{"1.60", "1.25"}) {
		t.Errorf("the last cells are %v", got)
	}
	if got := rows[2][len(rows[2])-2:]; !slices.Equal(got, []string{"-", "-"}) {
		t.Errorf("the last cells without a base are %v", got)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{5: "5", 1000: "1000", 10_000: "10k", 1_400_000: "1.4M", 100_000_000: "100M", 1_234_567: "1234567"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %s, want %s", n, got, want)
		}
	}
}
