package tensorio

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
)

// TestGroupIsText reads a column of groups whole and in batches of few rows: its texts are
// those of the cells, whatever stands first.
func TestGroupIsText(t *testing.T) {
	defer func(n int64) { blockBytes = n }(blockBytes)
	pool := []string{"5", "05", "5.0", "hot", "", "NA", "-0", "1e3", "-999", "-999.0", "nan", "true", "9223372036854775807", "9223372036854775808", "-9223372036854775808"}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		blockBytes = 8 << r.IntN(6)
		some := make([]string, 1+r.IntN(4))
		for i := range some {
			some[i] = pool[r.IntN(len(pool))]
		}
		text := "v,g\n"
		var want []string
		for range 1 + r.IntN(50) {
			cell := some[r.IntN(len(some))]
			text += "1," + cell + "\n"
			if cell == "" || strings.HasPrefix(cell, "-999") || cell == "nan" {
				cell = "NA"
			}
			want = append(want, cell)
		}
		o := Options{Format: "csv", Header: HeaderYes, NA: []string{"-999"}}
		if r.IntN(2) == 0 {
			o.Groups = []string{"g"}
		}
		f, err := Read(strings.NewReader(text), "x", o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := groupTexts(f.Group("g"))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: %v %v, want %v", text, got, err, want)
		}
		if o.Groups == nil {
			continue
		}
		if _, err := f.Column("v"); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got = nil
		for list, err := range f.Batches("v", "g") {
			if err != nil {
				t.Fatal(err)
			}
			texts, err := groupTexts(list[1], nil)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, texts...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: batches %v, want %v", text, got, want)
		}
	}
}

// groupTexts returns the texts of a column of groups.
func groupTexts(c Column, err error) (list []string, _ error) {
	if err != nil {
		return nil, err
	}
	cell, err := c.Cells()
	if err != nil {
		return nil, err
	}
	for i := range c.Values.Len() {
		text := cell(i)
		if c.Missing != nil && ogive.Must(ogive.Values[bool](c.Missing))[i] {
			text = "NA"
		}
		list = append(list, text)
	}
	return list, nil
}

// TestGroupsAsked reads a column that is asked for as numbers and makes groups.
func TestGroupsAsked(t *testing.T) {
	f, err := Read(strings.NewReader("g,v\n05,1\n5,2\n"), "x.csv", Options{Columns: []string{"g"}, Groups: []string{"g"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := groupTexts(f.Group("g")); err != nil || !slices.Equal(got, []string{"05", "5"}) {
		t.Errorf("groups %v %v", got, err)
	}
	if got, err := groupTexts(f.Column("g")); err != nil || !slices.Equal(got, []string{"5", "5"}) {
		t.Errorf("numbers %v %v", got, err)
	}
}

// TestPlainInteger takes what FormatInt writes, and nothing else.
func TestPlainInteger(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "7": 7, "-7": -7, "9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64} {
		if n, ok := plainInteger([]byte(text)); !ok || n != want {
			t.Errorf("%s: %d %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "-", "+7", "07", "-0", "00", "7.0", "7e0", "x", "9223372036854775808", "-9223372036854775809", "99999999999999999999", " 7", "7,0"} {
		if n, ok := plainInteger([]byte(text)); ok {
			t.Errorf("%q: %d", text, n)
		}
	}
}

// TestKeyOrder orders texts by number where all are numbers.
func TestKeyOrder(t *testing.T) {
	for _, want := range [][]string{
		{"-inf", "-1e3", "-7", "0", "-0", "05", "5", "5.0", "9007199254740992", "9007199254740993", "9007199254740992.5", "99999999999999999999998", "99999999999999999999999", "1e400"},
		{"", "10", "9", "a", "é"},
		{"10", "9", "nan"},
		{"0x1", "10", "9"},
	} {
		got := slices.Clone(want)
		rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, KeyOrder(want))
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
