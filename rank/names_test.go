package rank

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/internal/errs"
)

func TestMethodTable(t *testing.T) {
	if len(Methods()) != 14 {
		t.Fatalf("%d methods", len(Methods()))
	}
	discrete := map[Method]bool{Lower: true, Higher: true, Nearest: true, NearestDown: true, InvertedCDF: true, ClosestObservation: true}
	types := map[int]Method{}
	for i, m := range Methods() {
		if m != Method(i) || !m.Valid() || m.String() == "" || m.Citation() == "" {
			t.Errorf("method %d is incomplete: %v", i, m)
		}
		if m.Discrete() != discrete[m] {
			t.Errorf("%v.Discrete() = %v", m, m.Discrete())
		}
		if n := m.Type(); n != 0 {
			types[n] = m
		}
	}
	for n := 1; n <= 9; n++ {
		m, ok := types[n]
		if got, err := Parse("type" + strconv.Itoa(n)); !ok || err != nil || got != m {
			t.Errorf("type%d: %v, %v", n, got, err)
		}
	}
	if bad := Method(200); bad.Valid() || bad.String() != "method(200)" {
		t.Errorf("%v is valid", bad)
	}
}

func TestParseRoundTrip(t *testing.T) {
	for _, m := range Methods() {
		if got, err := Parse(m.String()); got != m || err != nil {
			t.Errorf("Parse(%q) = %v, %v", m.String(), got, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const known = "known: linear, lower, higher, nearest, nearest_down, midpoint, inverted_cdf, averaged_inverted_cdf, " +
		"closest_observation, interpolated_inverted_cdf, hazen, weibull, median_unbiased, normal_unbiased"
	for _, c := range []struct{ name, suggestion string }{
		{"liner", "linear"}, {"lniear", "linear"}, {"Linear", "linear"}, {"closest-observation", "closest_observation"},
		{"Median Unbiased", "median_unbiased"}, {"type10", "type1"}, {"Type7", "type7"}, {"nearest_dwn", "nearest_down"},
		{"weibul", "weibull"}, {"", ""}, {"cubic", ""}, {"x", ""}, {strings.Repeat("linear", 1000), ""},
	} {
		_, err := Parse(c.name)
		want := "unknown method " + strconv.Quote(c.name) + "; " + known
		if c.suggestion != "" {
			want = "unknown method " + strconv.Quote(c.name) + "; did you mean " + strconv.Quote(c.suggestion) + "? " + known
		}
		if err == nil || err.Error() != want {
			t.Errorf("Parse(%.20q): %v\nwant %s", c.name, err, want)
		}
		if !errors.Is(err, errs.ErrMethod) {
			t.Errorf("Parse(%.20q): not ErrMethod", c.name)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		s, t string
		want int
	}{{"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"linear", "liner", 1}} {
		if got := editDistance(c.s, c.t); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.s, c.t, got, c.want)
		}
	}
}

// TestRules compares the rules with the table of the package comment.
func TestRules(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Methods() {
		row := regexp.MustCompile(`(?m)^//\t` + m.String() + ` +(type (\d) +)?` + regexp.QuoteMeta(m.Rule()) + `$`).FindSubmatch(doc)
		if row == nil || m.Type() > 0 && string(row[2]) != strconv.Itoa(m.Type()) {
			t.Errorf("%v: no row of the package comment has %q", m, m.Rule())
		}
	}
}
