package plot

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the pictures of testdata anew")

// skewed is a sample of n values, e^z for quantiles z of a normal distribution.
func skewed(name string, n int, shift float64) Sample {
	s := Sample{Name: name, Count: n}
	for _, q := range Levels() {
		p := float64(q.Num) / float64(q.Den)
		inside := (p*float64(n-1) + 0.5) / float64(n)
		s.P = append(s.P, p)
		s.Q = append(s.Q, shift+20*math.Exp(0.6*normalQuantile(inside)))
	}
	return s
}

// examples are pictures of every kind.
func examples() map[string]*Picture {
	one := []Sample{skewed("ms", 10000, 0)}
	three := []Sample{skewed("east", 10000, 0), skewed("west", 300, 8), skewed("long name of a third series, 中文", 50, 20)}
	empty := Sample{Name: "empty", P: three[0].P, Q: slices.Repeat([]float64{math.NaN()}, len(three[0].P))}
	bins := func(samples []Sample, log bool) *Bins {
		b := NewBins(samples, 0, log)
		for i := range samples {
			b.Add(i, samples[i].Q)
		}
		return b
	}
	hours := make([]float64, 24)
	fan := make([][]float64, 5)
	for h := range hours {
		hours[h] = float64(h)
		for k := range fan {
			fan[k] = append(fan[k], 10+4*math.Sin(float64(h-8)/24*2*math.Pi)+float64(k-2)*2)
		}
	}
	fan[0][3], fan[4][20] = math.NaN(), math.Inf(1)
	titled := func(p *Picture) *Picture { p.Title = strings.TrimSuffix("a.csv · "+p.Title, " · "); return p }
	many := slices.Repeat(three[:2], 6)
	return map[string]*Picture{
		"box":       titled(Boxes(append(slices.Clone(three), empty), "ms", false)),
		"box-log":   titled(Boxes(one, "ms", true)),
		"box-many":  titled(Boxes(many, "ms", false)),
		"ecdf":      titled(ECDF(three, "ms", false)),
		"ecdf-one":  titled(ECDF(one, "ms", true)),
		"hist":      titled(Histogram([]string{"ms"}, bins(one, false), "ms", false)),
		"hist-log":  titled(Histogram([]string{"ms"}, bins(one, true), "ms", true)),
		"hist-many": titled(Histogram([]string{"east", "west"}, bins(three[:2], false), "ms", false)),
		"quantile":  titled(Quantiles(three, "ms", true)),
		"qq":        titled(QQ(one, 0, "ms")),
		"qq-first":  titled(QQFirst(three, "ms", false)),
		"fan":       titled(Fan([]string{"0.05", "0.25", "0.5", "0.75", "0.95"}, fan, hours, "axis 1", "", false)),
	}
}

// looks are ways of writing text; each is a golden file of every picture.
var looks = map[string]Text{
	"80":       {Width: 80},
	"40":       {Width: 40},
	"120":      {Width: 120, Height: 12},
	"color":    {Width: 60, Color: true},
	"ascii":    {Width: 60, ASCII: true},
	"narrow":   {Width: MinWidth},
	"c-ascii":  {Width: 60, ASCII: true, Color: true},
	"one-line": {Width: 50, Height: 3},
}

func TestText(t *testing.T) {
	pictures := examples()
	for name, look := range looks {
		var b bytes.Buffer
		for _, kind := range slices.Sorted(mapsKeys(pictures)) {
			fmt.Fprintf(&b, "== %s\n", kind)
			var one bytes.Buffer
			if err := look.Write(&one, pictures[kind]); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(one.String()) {
				line = strings.TrimSuffix(line, "\n")
				if w := lipgloss.Width(line); w > look.Width {
					t.Errorf("%s %s: a line of %d cells: %q", name, kind, w, line)
				}
				if !look.Color && strings.Contains(line, "\x1b") {
					t.Errorf("%s %s: an escape sequence: %q", name, kind, line)
				}
				plain := strings.NewReplacer("中", "", "文", "", "·", "").Replace(line) // of names and titles
				if i := strings.IndexFunc(plain, func(r rune) bool { return r > 126 }); look.ASCII && i >= 0 {
					t.Errorf("%s %s: not ASCII: %q", name, kind, line)
				}
			}
			b.Write(one.Bytes())
		}
		golden(t, "text-"+name+".txt", b.Bytes())
	}
}

func mapsKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-update writes it anew):\n%s", path, diff)
	}
}

// TestBoxPlaces reads a box's numbers off its picture.
func TestBoxPlaces(t *testing.T) {
	s := Sample{Name: "x", Count: 101}
	for _, q := range Levels() {
		p := float64(q.Num) / float64(q.Den)
		s.P, s.Q = append(s.P, p), append(s.Q, 100*p)
	}
	p := Boxes([]Sample{s}, "", false)
	if want := []float64{0, 5, 25, 50, 75, 95, 100}; !cmp.Equal(p.Panels[0].Marks[0].X, want) {
		t.Errorf("a box of %v, want %v", p.Panels[0].Marks[0].X, want)
	}
	p.Panels[0].X.Lo, p.Panels[0].X.Hi = 0, 100
	var b bytes.Buffer
	if err := (Text{Width: 104}).Write(&b, p); err != nil { // 1 for the name, 1 for a blank, 1 for the axis
		t.Fatal(err)
	}
	line := []rune(strings.Split(b.String(), "\n")[1])
	for at, want := range map[int]rune{5: '├', 25: '┤', 50: '│', 75: '├', 95: '┤'} {
		if got := line[3+at]; got != want {
			t.Errorf("cell %d is %c, want %c: %s", at, got, want, string(line))
		}
	}
}

func TestLevels(t *testing.T) {
	last := -1.0
	for _, q := range Levels() {
		p := float64(q.Num) / float64(q.Den)
		if p <= last {
			t.Errorf("%d/%d does not ascend", q.Num, q.Den)
		}
		last = p
	}
	s := skewed("", 10, 0)
	for _, p := range []float64{0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999999, 1} {
		if math.IsNaN(s.At(p)) {
			t.Errorf("%v is no level", p)
		}
	}
	if n := len(s.P); n != 527 {
		t.Errorf("%d levels; the help names their number", n)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		s    Scale
		n    int
		want string
	}{
		{Scale{0, 1, false}, 6, "0 0.2 0.4 0.6 0.8 1.0"},
		{Scale{0, 1, false}, 2, "0 1"},
		{Scale{-3.1, 34, false}, 5, "0 10 20 30"},
		{Scale{0.0011, 0.0019, false}, 5, "0.0012 0.0014 0.0016 0.0018"},
		{Scale{999999, 1000001, false}, 5, "999999.0 999999.5 1000000.0 1000000.5 1000001.0"},
		{Scale{0, 3e9, false}, 4, "0 1e9 2e9 3e9"},
		{Scale{1e-9, 4e-9, false}, 4, "1e-9 2e-9 3e-9 4e-9"},
		{Scale{1, 1000, true}, 4, "1 10 100 1000"},
		{Scale{1, 1000, true}, 12, "1 2 5 10 20 50 100 200 500 1000"},
		{Scale{0.5, 60, true}, 6, "1 3 10 30"},
		{Scale{20, 40, true}, 5, "20 25 30 35 40"},
		{Scale{1e-20, 1e20, true}, 5, "1e-18 1e-9 1 1e9 1e18"},
	} {
		var got []string
		for _, tick := range c.s.Ticks(c.n) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v, %d: %s, want %s", c.s, c.n, strings.Join(got, " "), c.want)
		}
	}
	for _, s := range []Scale{around(-math.MaxFloat64, math.MaxFloat64, false), around(5, 5, false), around(0, 0, false), around(3, 3, true), around(math.SmallestNonzeroFloat64, math.MaxFloat64, true), around(1e300, math.Nextafter(1e300, 2e300), false)} {
		if n := len(s.Ticks(8)); n > 8 || !(s.Lo < s.Hi) {
			t.Errorf("%v: %d ticks", s, n)
		}
	}
}

// TestBins counts beside the obvious way.
func TestBins(t *testing.T) {
	sample := func(integer bool, values ...float64) Sample {
		slices.Sort(values)
		s := Sample{Count: len(values), Integer: integer}
		for _, q := range Levels() {
			p := float64(q.Num) / float64(q.Den)
			s.P, s.Q = append(s.P, p), append(s.Q, values[int(p*float64(len(values)-1))])
		}
		return s
	}
	var tenths, whole []float64
	for i := range 301 {
		tenths = append(tenths, float64(i)/10)
		whole = append(whole, float64(i%7))
	}
	for _, c := range []struct {
		name   string
		values []float64
		whole  bool
		n      int
		log    bool
		bins   int // wanted, if not 0
	}{
		{"tenths", tenths, false, 0, false, 0},
		{"tenths, 7 bins", tenths, false, 7, false, 7},
		{"integers", whole, true, 0, false, 7},
		{"one value", []float64{3, 3, 3}, false, 0, false, 1},
		{"log", tenths[1:], false, 0, true, 0},
		{"log, 9 bins", tenths[1:], false, 9, true, 9},
		{"with infinities", []float64{math.Inf(-1), 1, 2, 3, 4, math.Inf(1)}, false, 0, false, 0},
		{"far out", append([]float64{1e12}, tenths...), false, 0, false, 0},
	} {
		b := NewBins([]Sample{sample(c.whole, slices.Clone(c.values)...)}, c.n, c.log)
		b.Add(0, c.values)
		n := len(b.Counts[0])
		if c.bins > 0 && n != c.bins || n > 2*maxBins {
			t.Errorf("%s: %d bins: %v", c.name, n, b.Edges)
		}
		want := make([]float64, n)
		for _, v := range c.values {
			for i := range n {
				if v >= b.Edges[i] && (v < b.Edges[i+1] || i == n-1 && v == b.Edges[n]) {
					want[i]++
				}
			}
		}
		total := 0.0
		for _, v := range b.Counts[0] {
			total += v
		}
		finite := float64(len(c.values))
		if c.name == "with infinities" {
			finite -= 2
		}
		if !slices.Equal(want, b.Counts[0]) || total != finite {
			t.Errorf("%s: counts %v in %v, want %v; all are %v", c.name, b.Counts[0], b.Edges, want, finite)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{"a\x1b[31m": "a [31m", "a\nb\tc": "a b c", "a\xff": "a\ufffd", "a\u202eb": "a b", "a\u2028\u0085": "a  ", "\ufffe\U0010ffff": "\ufffd\ufffd", "中": "中"} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
