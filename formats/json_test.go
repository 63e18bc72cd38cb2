package formats

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// TestJSON reads documents; want says dtype, values and missing ones of each column.
func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"lines", "{\"a\":1,\"b\":2.5}\n{\"b\":3,\"a\":-4}\n", "a:int64[1 -4] b:float64[2.5 3]"},
		{"one line", `{"a":1}{"a":2}`, "a:int64[1 2]"},
		{"a lone row", `{"a":1,"b":2}`, "a:int64[1] b:int64[2]"},
		{"array", `[{"a":1},{"a":2}]`, "a:int64[1 2]"},
		{"columns", `{"a":[1,2],"b":[null,"NaN"]}`, "a:int64[1 2] b:float64[NaN? NaN]"},
		{"numbers", "[1, 2.5, null]", "value:float64[1 2.5 NaN?]"},
		{"numbers on lines", "1\n2\n", "value:int64[1 2]"},
		{"nothing", "[]", ""},
		{"empty rows", "{}\n{}\n", ""},
		{"absent", "{\"a\":1}\n{\"b\":2}\n{\"a\":3}\n", "a:int64[1 0? 3] b:int64[0? 2 0?]"},
		{"null", "{\"a\":null}\n{\"a\":2}\n", "a:int64[0? 2]"},
		{"only null", "{\"a\":null}\n{}\n", "a:float64[NaN? NaN?]"},
		{"nested", `{"a":{"b":1,"c":{"d":2}},"e":3}{"a":{"c":{"d":5},"b":4},"e":6}`, "a.b:int64[1 4] a.c.d:int64[2 5] e:int64[3 6]"},
		{"truth", `{"a":true}{"a":null}{"a":false}`, "a:bool[true false? false]"},
		{"words", `{"a":"NaN"}{"a":"Infinity"}{"a":"-Infinity"}{"a":1}`, "a:float64[NaN +Inf -Inf 1]"},
		{"exact", `{"a":9007199254740993}{"a":-9223372036854775808}`, "a:int64[9007199254740993 -9223372036854775808]"},
		{"unsigned", `{"a":1}{"a":18446744073709551615}{}`, "a:uint64[1 18446744073709551615 0?]"},
		{"beyond", `{"a":18446744073709551616}`, "a:float64[1.8446744073709552e+19]"},
		{"both signs", `{"a":-1}{"a":18446744073709551615}`, "a:float64[-1 1.8446744073709552e+19]"},
		{"both signs again", `{"a":18446744073709551615}{"a":-1}`, "a:float64[1.8446744073709552e+19 -1]"},
		{"minus zero", `{"a":-0}`, "a:float64[-0]"},
		{"a fraction later", `{"a":1}{"a":null}{"a":1e3}`, "a:float64[1 NaN? 1000]"},
		{"text", `{"a":"x","b":1}{"a":"x\u0041","b":2}{"a":7,"b":3}`, `b:int64[1 2 3] a:text[x xA 7]`},
		{"lists", `{"a":[1],"b":1}{"a":2,"b":2}`, "b:int64[1 2]"},
		{"a mark", "\uFEFF{\"a\":1}", "a:int64[1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := opened(t, "x.json", []byte(c.text), tensorio.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := described(t, f); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// described says what a table holds.
func described(t *testing.T, f *tensorio.File) string {
	t.Helper()
	var s []string
	for _, name := range append(f.Names(), f.Text()...) {
		c, err := f.Key(name)
		if err != nil {
			continue // lists
		}
		gone := make([]bool, c.Values.Len())
		if c.Missing != nil {
			gone = ogive.Must(ogive.Values[bool](c.Missing))
		}
		var list []string
		for i := range gone {
			x := fmt.Sprint(value(c, i))
			if gone[i] {
				x += "?"
			}
			list = append(list, x)
		}
		kind := c.Values.DType().String()
		if c.Labels != nil {
			kind = "text"
		}
		s = append(s, fmt.Sprintf("%s:%s%v", name, kind, list))
	}
	return strings.Join(s, " ")
}

// value returns an element.
func value(c tensorio.Column, i int) any {
	if v, err := ogive.Values[int64](c.Values); err == nil {
		if c.Labels != nil {
			return c.Labels[v[i]]
		}
		return v[i]
	}
	if v, err := ogive.Values[uint64](c.Values); err == nil {
		return v[i]
	}
	if v, err := ogive.Values[bool](c.Values); err == nil {
		return v[i]
	}
	return ogive.Must(ogive.Values[float64](c.Values))[i]
}

// TestJSONErrors names the line and what is wrong.
func TestJSONErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "the file holds no values"},
		{" \n", "the file holds no values"},
		{"{\"a\":1}\n{\"a\":\"x\"}\n", `line 2: column "a": "x" is not a number`},
		{"{\"a\":1}\n\n{\"a\":true}\n", `line 3: column "a": true is not a number`},
		{"{\"a\":true}\n{\"a\":1}\n", `line 2: column "a": 1 is not true or false`},
		{"{\"a\":1}\n{\"a\":[2]}\n", `line 2: column "a": [2] is not a number`},
		{"{\"a\":1}\n{\"a\":", "line 2: the JSON ends too early"},
		{"{\"a\":1", "line 1: the JSON ends too early"},
		{"[{\"a\":1},\n{\"a\":2}", "line 2: the JSON ends too early"},
		{"[1] [2]", "line 1: there is more behind the array"},
		{"{\"a\":1}\n{\"a\":}\n", "line 2: "},
		{"{\"a\":1,\"a\":2}", `line 1: key "a" is given twice`},
		{"{\"a.b\":1,\"a\":{\"b\":2}}", `line 1: key "a.b" is given twice`},
		{"{\"a\":[1],\"b\":[1,2]}", `key "b" has 2 values, "a" has 1`},
		{"[[1,2]]", "line 1: an array in an array"},
		{"{\"a\":1}\n5\n", "line 2: a number after objects"},
	} {
		_, err := opened(t, "x.json", []byte(c.text), tensorio.Options{})
		if !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	f, err := opened(t, "x.json", []byte("{\"a\":1}\n{\"a\":\"x\"}\n{\"a\":3}"), tensorio.Options{SkipInvalid: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Column("a")
	if got := described(t, f); err != nil || got != "a:int64[1 0? 3]" || c.Invalid != 1 {
		t.Errorf("%s, %d invalid, %v", got, c.Invalid, err)
	}
	for _, columns := range [][]string{{"b"}, {"a", "a"}} {
		_, err := opened(t, "x.json", []byte(`{"a":1}`), tensorio.Options{Columns: columns})
		if !errors.Is(err, ogive.ErrOption) {
			t.Errorf("columns %q: %v", columns, err)
		}
	}
	if _, err := opened(t, "x.json", []byte(`{"a":"x"}`), tensorio.Options{Columns: []string{"a"}}); !errors.Is(err, ogive.ErrFormat) {
		t.Errorf("text asked for as numbers: %v", err)
	}
}

// TestJSONTwice reads a file of more values than are kept at first: once more for Load,
// and in runs for Batches, with the same values.
func TestJSONTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("4M values")
	}
	const rows = maxKept/3 + 1000
	var b strings.Builder
	want := make([]float64, rows)
	for i := range want {
		want[i] = float64(i) / 4
		fmt.Fprintf(&b, "{\"a\":%v,\"b\":%d,\"c\":\"%c\"}\n", want[i], i, 'a'+i%3)
	}
	f, err := opened(t, "x.jsonl", []byte(b.String()), tensorio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for list, err := range f.Batches("b", "a", "c") {
		if err != nil {
			t.Fatal(err)
		}
		a := ogive.Must(ogive.Values[float64](list[1].Values))
		if !slices.Equal(a, want[at:at+len(a)]) || ogive.Must(ogive.Values[int64](list[0].Values))[0] != int64(at) {
			t.Fatalf("a run from row %d is wrong", at)
		}
		if got := list[2].Labels[ogive.Must(ogive.Values[int64](list[2].Values))[1]]; got != string(rune('a'+(at+1)%3)) {
			t.Fatalf("row %d is %q", at+1, got)
		}
		if len(a) > batchRows {
			t.Fatalf("a run of %d rows", len(a))
		}
		at += len(a)
	}
	if at != rows {
		t.Errorf("runs of %d rows, want %d", at, rows)
	}
	same(t, f, "a", want, nil)
	if c, err := f.Key("c"); err != nil || c.Values.Len() != rows || len(c.Labels) != 3 {
		t.Error(c, err)
	}
	for range f.Batches("a") {
		break // ends the walk
	}
}

// TestJSONGroups reads keys of groups: strings as they are, numbers by value, in any
// order, whole and in batches.
func TestJSONGroups(t *testing.T) {
	values := []string{`5`, `"5"`, `"05"`, `5.0`, `5e0`, `-0`, `-0.0`, `"-0"`, `null`, `"NaN"`, `"-"`, `"Infinity"`, `""`, `" 5"`, `true`, `"true"`, `[1, 2]`,
		`123456789012345678901234567890`, `1e400`, `0.1`}
	texts := []string{"5", "5", "05", "5", "5", "0", "0", "-0", "NA", "NA", "NA", "Infinity", "", " 5", "true", "true", "[1, 2]",
		"123456789012345678901234567890", "Inf", "0.1"}
	for first := range values {
		var text string
		var want []string
		for i := range values {
			at := (first + i) % len(values)
			text += fmt.Sprintf(`{"v":%d,"g":%s}`+"\n", i, values[at])
			want = append(want, texts[at])
		}
		f, err := Read(strings.NewReader(text), "x.json", tensorio.Options{Groups: []string{"g"}, NA: []string{"-"}})
		if err != nil {
			t.Fatal(err)
		}
		if names := f.Names(); !slices.Equal(names, []string{"v"}) {
			t.Errorf("columns of numbers %q", names)
		}
		c, err := f.Group("g")
		if err != nil {
			t.Fatal(err)
		}
		cell := ogive.Must(c.Cells())
		var got []string
		for i := range c.Values.Len() {
			if c.Missing != nil && ogive.Must(ogive.Values[bool](c.Missing))[i] {
				got = append(got, "NA")
			} else {
				got = append(got, cell(i))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n%q, want\n%q", text, got, want)
		}
	}
}
