package tensorio

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// columnsOf formats a table as name=values, one per column: plain int64, u uint64, f
// float64, b bool, day and ns; NA is a missing one.
func columnsOf(f *File) string {
	var s []string
	invalid := 0
	for _, name := range f.Names() {
		c, err := f.Column(name)
		if err != nil {
			return err.Error()
		}
		s = append(s, name+"="+formatColumn(c))
		invalid += c.Invalid
	}
	if len(f.Text()) > 0 {
		s = append(s, fmt.Sprintf("text=%v", f.Text()))
	}
	if invalid > 0 {
		s = append(s, fmt.Sprintf("invalid=%d", invalid))
	}
	if d := f.HeaderDoubt(); d.Line > 0 {
		s = append(s, fmt.Sprintf("doubt=%v", d))
	}
	return strings.Join(s, " ")
}

func formatColumn(c Column) string {
	missing := make([]bool, c.Values.Len())
	if c.Missing != nil {
		missing = ogive.Must(ogive.Values[bool](c.Missing))
	}
	mark := map[dtype.DType]string{dtype.Uint64: "u", dtype.Float64: "f", dtype.Bool: "b"}[c.Values.DType()]
	switch c.Unit {
	case UnitDay:
		mark = "day"
	case UnitNanosecond:
		mark = "ns"
	case UnitNanosecond | UnitLocal:
		mark = "local"
	}
	var cells []string
	for i, gone := range missing {
		v := fmt.Sprint(ogive.Must(c.Values.Slice(0, i, i+1, 1)))
		if v = strings.Trim(v, "[]. "); gone {
			v = "NA"
		}
		if c.Labels != nil && !gone {
			v = c.Labels[ogive.Must(ogive.Values[int64](c.Values))[i]]
		}
		cells = append(cells, v)
	}
	return mark + "[" + strings.Join(cells, " ") + "]"
}

// parseAll returns the first error of reading a table and all its columns.
func parseAll(f *File, err error) error {
	if err != nil {
		return err
	}
	for _, name := range f.Names() {
		if _, err := f.Column(name); err != nil {
			return err
		}
	}
	return nil
}

func TestTable(t *testing.T) {
	skip := Options{SkipInvalid: true}
	for _, c := range []struct {
		name, in string
		o        Options
		want     string
	}{
		{"header", "a,b\n1,2\n3,4\n", Options{}, "a=[1 3] b=[2 4]"},
		{"no header", "1,2\n3,4\n", Options{}, "1=[1 3] 2=[2 4]"},
		{"no line break at the end", "1,2\n3,4", Options{}, "1=[1 3] 2=[2 4]"},
		{"CRLF", "a,b\r\n1,2\r\n3,4\r\n", Options{}, "a=[1 3] b=[2 4]"},
		{"a carriage return in quotes", "\"1\r2\",3\r", Options{Header: HeaderNo}, "2=[3] text=[1]"},
		{"a last carriage return", "a\r\n1\r\n2\r", Options{}, "a=[1 2]"},
		{"BOM", "\uFEFFa,b\n1,2\n", Options{}, "a=[1] b=[2]"},
		{"BOM and a number", "\uFEFF1,2\n", Options{}, "1=[1] 2=[2]"},
		{"empty lines", "\n\na\n\n1\n\r\n2\n\n", Options{}, "a=[1 2]"},
		{"blanks", " a , b\n 1 ,\t2\n", Options{}, "a=[1] b=[2]"},
		{"missing", "a,b\n1,\nNA,2\nnull,N/A\n", Options{}, "a=[1 NA NA] b=[NA 2 NA]"},
		{"NaN spelled", "a\nNaN\n-nan\n1\n", Options{}, "a=[NA NA 1]"},
		{"only missing", "a,b\n,1\nNA,2\n", Options{}, "a=f[NA NA] b=[1 2]"},
		{"only a header", "a,b\n", Options{}, "a=f[] b=f[]"},
		{"text left out", "d,a,w\n2012-01-01,1,rain\n2012-01-02,2,sun\n", Options{}, "a=[1 2] text=[d w]"},
		{"text behind missing cells", "d,a\n,1\nNaN,2\nx,3\n5,4\n", Options{}, "a=[1 2 3 4] text=[d]"},
		{"a text row with a number is data", "x,1\ny,2\n", Options{}, "2=[1 2] text=[1] doubt={1 false}"},
		{"missing first row is data", "NA\n1\n", Options{}, "1=[NA 1]"},
		{"a header with a missing name", ",a\n1,2\n", Options{}, "1=[1] a=[2]"},
		{"years as names", "2010,2011\n1,2\n", Options{Header: HeaderYes}, "2010=[1] 2011=[2]"},
		{"names as data", "a,b\n1,2\n", Options{Header: HeaderNo}, "text=[1 2]"},
		{"quotes", "\"a\"\"b\",\"c,d\",\"e\nf\"\n\"1\",2,\"3\"\n", Options{}, "a\"b=[1] c,d=[2] e\nf=[3]"},
		{"a quoted line break", "a,b\n1,\"x\r\ny\"\n2,z\n", Options{}, "a=[1 2] text=[b]"},
		{"own NA", "a,b\n-999,1\n3,-\n", Options{NA: []string{"-999", "-"}}, "a=[NA 3] b=[1 NA]"},
		{"delimiter", "a;b\n1;2\n", Options{Delimiter: ';'}, "a=[1] b=[2]"},
		{"wide delimiter", "a→b\n1→2\n", Options{Delimiter: '→'}, "a=[1] b=[2]"},
		{"columns", "a,b,c\n1,x,3\n", Options{Columns: []string{"c", "a"}}, "c=[3] a=[1]"},
		{"skip", "a\n1\nfoo\n3\n", skip, "a=[1 NA 3] invalid=1"},
		{"skip an asked column's first", "a,b\nfoo,1\n3,2\n", Options{SkipInvalid: true, Columns: []string{"a"}}, "a=[NA 3] invalid=1"},
		{"skip leaves text out", "a,b\nfoo,1\n3,x\n", skip, "b=[1 NA] text=[a] invalid=1"},
		{"forms", "a\n+1\n.5\n2.\n1e3\n-0\nInf\n-infinity\n1e999\n", Options{}, "a=f[1 0.5 2 1000 -0 inf -inf inf]"},
		{"large integers", "a\n1\n9007199254740993\n-9223372036854775808\n", Options{}, "a=[1 9007199254740993 -9223372036854775808]"},
		{"large even integers", "a\n9007199254740994\n1\n", Options{}, "a=[9007199254740994 1]"},
		{"large integers and a fraction", "a\n9007199254740993\n1.5\n", Options{}, "a=f[9.00719925e+15 1.5]"},
		{"large integers and a missing cell", "a\n9007199254740993\nNA\n7\n", Options{}, "a=[9007199254740993 NA 7]"},
		{"a missing cell and large integers", "a\nNA\n9007199254740993\n", Options{}, "a=[NA 9007199254740993]"},
		{"beyond int64", "a\n9007199254740993\n9223372036854775808\n", Options{}, "a=u[9007199254740993 9223372036854775808]"},
		{"negative zero is no integer", "a\n-0\n9007199254740993\n", Options{}, "a=f[-0 9.00719925e+15]"},
		{"carriage returns alone", "a,b\r1,2\r3,4\r", Options{}, "a=[1 3] b=[2 4]"},
		{"beyond int64 and a missing cell", "a\n18446744073709551615\n\n1\nNA\n", Options{}, "a=u[18446744073709551615 1 NA]"},
		{"beyond int64 and a negative", "a\n-1\n18446744073709551615\n", Options{}, "a=f[-1 1.84467441e+19]"},
		{"NA by value", "a\n-999\n-999.0\n-9.99e2\n1.5\n", Options{NA: []string{"-999"}}, "a=f[NA NA NA 1.5]"},
		{"NA by value of an integer beyond float64", "a\n9007199254740993\n9007199254740992\n", Options{NA: []string{"9007199254740993"}}, "a=[NA 9007199254740992]"},
		{"a missing code that is a decimal", "a\n9007199254740993\n5\n", Options{NA: []string{"5.0", "9007199254740992.0"}}, "a=[9007199254740993 NA]"},
		{"years above words and numbers", "country,1990,1991\nFrance,58,59\nSpain,39,40\n", Options{}, "1990=[58 39] 1991=[59 40] text=[country] doubt={1 true}"},
		{"words that come again are data", "setosa,5.1\nsetosa,4.9\nvirginica,6\n", Options{}, "2=f[5.1 4.9 6] text=[1]"},
		{"words that do not, and numbers among others", "x,5\ny,4\nz,6\n", Options{}, "2=[5 4 6] text=[1] doubt={1 false}"},
		{"own quantiles of columns", "column,0.25,0.5\ntemp,0.2,0.3\nwind,1,2\n", Options{}, "0.25=f[0.2 1] 0.5=f[0.3 2] text=[column]"},
		{"own quantiles along an axis", "axis0,0.25,0.5\n0,0.2,0.3\n1,1,2\n", Options{}, "axis0=[0 1] 0.25=f[0.2 1] 0.5=f[0.3 2]"},
		{"bools", "true,false\nfalse,NA\n", Options{}, "1=b[True False] 2=b[False NA]"},
		{"numbers as names of bools", "1,2\nfalse,true\n", Options{}, "1=b[False] 2=b[True]"},
		{"semicolons", "a;b\n1;2\n", Options{}, "a=[1] b=[2]"},
		{"semicolons and decimal commas", "1,5;2,5\n3,5;4,5\n", Options{Decimal: ','}, "1=f[1.5 3.5] 2=f[2.5 4.5]"},
		{"bars", "a|b\n1|2\n", Options{}, "a=[1] b=[2]"},
		{"tabs in a csv", "a\tb\n1\t2\n", Options{}, "a=[1] b=[2]"},
		{"runs of blanks", "  a   b\n 1     2 \n\n  3 \t 4\n", Options{}, "a=[1 3] b=[2 4]"},
		{"a name with blanks", "air temp\n1\n2\n", Options{}, "air temp=[1 2]"},
		{"thousands", "a;b\n1,234,567.5;-1,000\n12;1,234e3\n", Options{Thousands: ','}, "a=f[1234567.5 12] b=f[-1000 1234000]"},
		{"decimal commas and points between thousands", "a;b\n1.234,5;7\n", Options{Decimal: ',', Thousands: '.'}, "a=f[1234.5] b=[7]"},
		{"comments", "# made by \"x\na,b\n#1,2\n3,4\n", Options{Comment: "#"}, "a=[3] b=[4]"},
		{"tabs in quotes", "a\tb\n1\t\"x\ty\"\n2\t\"say \"\"z\"\"\"\n3\t\"u\nv\"\n4\tw\n", Options{Format: "tsv"}, "a=[1 2 3 4] text=[b]"},
		{"a line of quotes between tabs", "a\n1.5\n\"\"\n2\n", Options{Format: "tsv"}, "a=f[1.5 NA 2]"},
		{"tabs in quotes, found", "a\tb\n1\t\"x\ty\"\n2\tz\n", Options{}, "a=[1 2] text=[b]"},
		{"quotes between tabs that need none", "\"a\"\tb\n\"x\"\t1\n\"y\t2\n", Options{Format: "tsv"}, "b=[1 2] text=[\"a\"]"},
		{"quotes that are part of cells", "a,b\n1,5\" pipe\n2,\"x\n", Options{Quote: QuoteNone}, "a=[1 2] text=[b]"},
		{"dates that are asked for", "d,t\n2012-01-31,1970-01-01T00:00:01.5Z\nNA,1969-12-31 23:59\n", Options{Columns: []string{"d", "t"}}, "d=day[15370 NA] t=ns[1500000000 -60000000000]"},
		{"times without a zone", "t\n1970-01-01T00:00:01\n", Options{Columns: []string{"t"}, Header: HeaderYes}, "t=local[1000000000]"},
		{"dates that are not", "d,a\n2012-01-31,1\n", Options{}, "a=[1] text=[d]"},
		{"dates as data", "2012-01-31,1\n2012-02-01,2\n", Options{}, "2=[1 2] text=[1]"},
		{"columns by number and pattern", "x1,x2,y,n\n1,2,3,k\n", Options{Columns: []string{"3", "x*"}}, "y=[3] x1=[1] x2=[2]"},
		{"same names of text", "a,a,b\nx,y,1\n", Options{}, "b=[1] text=[a a]"},
	} {
		f, err := Read(strings.NewReader(c.in), "x.csv", c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := columnsOf(f); got != c.want || !f.IsTable() {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestQuotesBetweenTabs looks for quotes further than for delimiters, and reads cells as
// they were written.
func TestQuotesBetweenTabs(t *testing.T) {
	const rows = 4000
	text := "a\tb\n" + strings.Repeat("1\tx\n", rows) + "2\t\"x\ny\tz\"\"\"\n"
	f, err := Read(strings.NewReader(text), "x.tsv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x, err := f.Tensor("a"); err != nil || x.Len() != rows+1 {
		t.Errorf("%v, %v", x, err)
	}
	if c, err := f.Key("b"); err != nil || !slices.Equal(c.Labels, []string{"x", "x\ny\tz\""}) {
		t.Errorf("%q, %v", c.Labels, err)
	}
}

// TestApart is that a column which is not what it seems is an error of its own, with the
// line in the whole of a text of many blocks, and others of the file are read.
func TestApart(t *testing.T) {
	rows := int(3 * blockBytes / 4)
	long := "a,b\n" + strings.Repeat("1,2\n", rows)
	for _, c := range []struct{ name, in, want, message string }{
		{"a cell", "a,b\n1,2\n3,x\n5,6\n", "[1 3 5]", `x.csv:3:3: column "b": "x" is not a number`},
		{"the first of some", "a,b\n1,2\n3,x\n5,y\n", "[1 3 5]", `x.csv:3:3: column "b": "x" is not a number`},
		{"truth", "a,b\n1,true\n3,no\n5,false\n", "[1 3 5]", `x.csv:3:3: column "b": "no" is not true or false`},
		{"names", "b,a,b\n1,2,3\n", "[2]", `x.csv: columns 1 and 3 have the same name, "b"`},
		{"late", long + "3,x\n" + long[4:] + "5,y\n", "", fmt.Sprintf(`x.csv:%d:3: column "b": "x" is not a number`, rows+2)},
	} {
		f, err := Read(strings.NewReader(c.in), "x.csv", Options{Apart: true})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if a, err := f.Column("a"); err != nil || c.want != "" && formatColumn(a) != c.want || slices.Contains(f.Names(), "b") == (c.name == "names") {
			t.Errorf("%s: %v, %v, names %q", c.name, a, err, f.Names())
		}
		if _, err := f.Column("b"); !errors.Is(err, ErrColumn) || !errors.Is(err, ogive.ErrFormat) || err.Error() != c.message {
			t.Errorf("%s: %v, want %s", c.name, err, c.message)
		}
	}
	f, err := Read(strings.NewReader("a,b\n1,2\n3,x,4\n"), "x.csv", Options{Apart: true})
	if err == nil {
		_, err = f.Column("a")
	}
	if err == nil || errors.Is(err, ErrColumn) {
		t.Errorf("an uneven row: %v", err)
	}
}

func TestTableErrors(t *testing.T) {
	for _, c := range []struct {
		name, in string
		o        Options
		want     string
		kind     error
	}{
		{"empty", "", Options{}, "x.csv: the file is empty", ogive.ErrFormat},
		{"no rows", "\n\r\n\n", Options{}, "x.csv: the file holds no rows", ogive.ErrFormat},
		{"text", "d,temp\nmon,1\ntue,foo\n", Options{}, `x.csv:3:5: column "temp": "foo" is not a number`, ogive.ErrFormat},
		{"text behind a quoted line break", "d,temp\n\"a\nb\",1\n\"c\r\nd\",\"x\"\n", Options{}, `x.csv:5:4: column "temp": "x" is not a number`, ogive.ErrFormat},
		{"text after empty lines", "1\n\n\r\n x\n", Options{}, `x.csv:4:1: column "1": "x" is not a number`, ogive.ErrFormat},
		{"asked text", "d,a\nmon,1\n", Options{Columns: []string{"a", "d"}}, `x.csv:2:1: column "d": "mon" is not a number`, ogive.ErrFormat},
		{"hexadecimal", "a\n1\n0x1p-2\n", Options{}, `x.csv:3:1: column "a": "0x1p-2" is not a number`, ogive.ErrFormat},
		{"underscore", "a\n1\n1_000\n", Options{}, `x.csv:3:1: column "a": "1_000" is not a number`, ogive.ErrFormat},
		{"few cells", "a,b\n1,2\n3\n", Options{}, "x.csv:3: 1 cells, the first row has 2", ogive.ErrFormat},
		{"many cells", "a,b\n1,2,\n", Options{}, "x.csv:2: 3 cells, the first row has 2", ogive.ErrFormat},
		{"bare quote", "a,b\n1,2\"\n", Options{}, "x.csv:2:4: a quote within a cell that does not begin with one", ogive.ErrFormat},
		{"text after a quote", "a,b\n1,\"2\"3\n", Options{}, "x.csv:2:5: text after the quote that ends the cell", ogive.ErrFormat},
		{"open quote", "a,b\n1,\"2\n\n3,4\n", Options{}, "x.csv:2:3: the quoted cell that begins here has no end", ogive.ErrFormat},
		{"same names", "a,a\n1,2\n", Options{}, `x.csv: columns 1 and 2 have the same name, "a"`, ogive.ErrFormat},
		{"same names asked", "a,b,a\n1,2,3\n", Options{Columns: []string{"a"}}, `x.csv: columns 1 and 3 have the same name, "a"`, ogive.ErrFormat},
		{"unknown column", "a,b\n1,2\n", Options{Columns: []string{"c"}}, `x.csv: has no column "c"; it has a, b`, ogive.ErrOption},
		{"column twice", "a,b\n1,2\n", Options{Columns: []string{"a", "a"}}, `x.csv: column "a" is asked for twice`, ogive.ErrOption},
		{"delimiter", "a\n", Options{Delimiter: '"'}, `x.csv: '"' cannot separate cells or digits`, ogive.ErrOption},
		{"UTF-16", "\xFF\xFEa\x00", Options{}, "x.csv: UTF-16 is not supported; convert the file to UTF-8", ogive.ErrFormat},
	} {
		err := parseAll(Read(strings.NewReader(c.in), "x.csv", c.o))
		if !errors.Is(err, c.kind) || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	if _, err := Read(nil, "x.csv", Options{}); !errors.Is(err, ogive.ErrOption) || err.Error() != "x.csv: the reader is nil" {
		t.Errorf("no reader: %v", err)
	}
	f, err := Read(strings.NewReader("d,a,b\nmon,1,2\n"), "x.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"d": `x.csv:2:1: column "d": "mon" is not a number`,
		"z": `x.csv: has no column "z"; it has a, b`,
		"":  "x.csv: holds 2 columns; name one of a, b",
	} {
		if _, err := f.Tensor(name); err == nil || err.Error() != want {
			t.Errorf("Tensor(%q): %v, want %s", name, err, want)
		}
	}
}

// compareCSV checks that the scanner and encoding/csv agree on a text, places
// of cells included, where some cells of each row are wanted, or all.
func compareCSV(t testing.TB, data []byte, delim rune, wanted []int) {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord = delim, -1
	s := newScanner(data, &dialect{delim: []byte(string(delim)), quotes: true, eol: '\n'})
	s.wanted = wanted
	for n := 0; ; n++ {
		want, wantErr := r.Read()
		ok, err := s.next()
		if (wantErr != nil && wantErr != io.EOF) != (err != nil) || (wantErr == nil) != ok {
			t.Fatalf("%q, row %d: %v, encoding/csv says %v", data, n, err, wantErr)
		}
		if !ok {
			return
		}
		if s.count != len(want) {
			t.Fatalf("%q, row %d: %d cells, want %q", data, n, s.count, want)
		}
		rest := s.cells
		for i, text := range want {
			if wanted != nil && !slices.Contains(wanted, i) {
				continue
			}
			line, column := r.FieldPos(i)
			if len(rest) == 0 || string(rest[0].text) != text || rest[0].line != line || rest[0].column != column {
				t.Fatalf("%q, row %d: cells %v, want %q at %d:%d", data, n, rest, text, line, column)
			}
			rest = rest[1:]
		}
		if len(rest) > 0 {
			t.Fatalf("%q, row %d: %d cells more than are wanted", data, n, len(rest))
		}
	}
}

func TestScannerAgainstCSV(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const letters = "a1,\"\n\r;\"\n,→"
	for range 200_000 {
		b := make([]byte, r.IntN(14))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		compareCSV(t, b, []rune{',', ';', '→'}[r.IntN(3)], nil)
	}
}

// Rows, cells and texts may be longer than what is looked at at once.
func TestScannerOfLongTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	testkit.EachImpl(t, "MarkText", func(t *testing.T) {
		for range 300 {
			var b []byte
			columns, longest, quotes := 1+r.IntN(90), 1+r.IntN(100), r.IntN(3)*8
			for size := r.IntN(40_000); len(b) < size; {
				for c := range 1 + r.IntN(columns) {
					if c > 0 {
						b = append(b, ',')
					}
					cell := bytes.Repeat([]byte("7"), r.IntN(longest))
					if quotes > 0 && r.IntN(quotes*columns) == 0 {
						cell = slices.Concat([]byte("\"\n"), cell, []byte(",\"\"\""))
					}
					b = append(b, cell...)
				}
				b = append(b, []string{"\n", "\r\n"}[r.IntN(2)]...)
			}
			var wanted []int
			for c := range columns {
				if r.IntN(columns) < 3 {
					wanted = append(wanted, c)
				}
			}
			compareCSV(t, b[:max(len(b)-r.IntN(3), 0)], ',', wanted)
		}
	})
}

func TestParseNumber(t *testing.T) {
	words := map[string]bool{"nan": true, "inf": true, "infinity": true}
	check := func(s string) {
		t.Helper()
		v, n, kind := parseNumber([]byte(s))
		want, err := strconv.ParseFloat(s, 64)
		ok := err == nil || errors.Is(err, strconv.ErrRange)
		if strings.ContainsAny(s, "xX_pP") {
			ok = false
		}
		if !ok && words[strings.ToLower(strings.TrimLeft(s, "+-"))] && len(s) > 0 && len(strings.TrimLeft(s, "+-")) >= len(s)-1 {
			ok, want = true, math.NaN() // a NaN with a sign
		}
		if ok != (kind != notNumber) {
			t.Fatalf("%q: kind %d, strconv says %v", s, kind, err)
		}
		if ok && math.Float64bits(v) != math.Float64bits(want) && want == want {
			t.Fatalf("%q: %v, want %v", s, v, want)
		}
		i, err := strconv.ParseInt(s, 10, 64)
		if whole := err == nil && !(i == 0 && s[0] == '-'); whole != (kind == wholeNumber) || whole && n != i {
			t.Fatalf("%q: kind %d, %d, want %d", s, kind, n, i)
		}
	}
	for _, s := range []string{"", "+", "-", ".", "+.", "e", "1e", "1e+", "1e-", ".e1", "1.e1", "0", "-0", "+0", "00", "-00", "007",
		"999999999999999999", "9999999999999999999", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"9007199254740991.", "9007199254740993.0", "1e22", "1e23", "1e-22", "1e-23", "5e-324", "2e-324", "1e308", "1.8e308", "-1e999", "1e-999",
		"1e99999999999999999999", "0e99999999999999999999", "0x10", "0x1p-2", "1_0", "1e1_0", "١", "1,5", "1 ", " 1", "--1", "+-1", "1.2.3", "1e5.0",
		"inf", "+INF", "-Infinity", "infinit", "nan", "NaN", "-NAN", "+nan", "nan1", "infinity ", "i", "n",
		strings.Repeat("9", 400), "0." + strings.Repeat("0", 400) + "1", strings.Repeat("0", 30) + "1", "1" + strings.Repeat("0", 400) + "e-400"} {
		check(s)
	}
	r := rand.New(rand.NewPCG(3, 4))
	const letters = "0123456789012345678901234567890123456789.eE+-xinfa_"
	for range 300_000 {
		b := make([]byte, 1+r.IntN(24))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		check(string(b))
		x := math.Float64frombits(r.Uint64())
		check(strconv.FormatFloat(x, "eg"[r.IntN(2)], -1, 64))
		check(strconv.FormatFloat(float64(r.IntN(1e9))/1e4, 'f', -1, 64))
		check(strconv.FormatInt(r.Int64()>>r.IntN(64), 10))
	}
}

func TestHolds53(t *testing.T) {
	for n, want := range map[int64]bool{
		0: true, 1 << 53: true, 1<<53 + 1: false, -1<<53 - 1: false, 1<<53 + 2: true, 1<<54 + 2: false,
		1<<62 + 1: false, 1 << 62: true, math.MinInt64: true, math.MinInt64 + 1: false, math.MaxInt64: false,
	} {
		if holds53(magnitude(n)) != want {
			t.Errorf("holds53(%d) = %v", n, !want)
		}
	}
}

func TestTableRoundTrip(t *testing.T) {
	for _, dt := range dtype.All() {
		for i, x := range layouts(t, dt) {
			var b bytes.Buffer
			err := Write(&b, "tsv", x)
			switch {
			case dt.IsComplex():
				if !errors.Is(err, ogive.ErrDType) {
					t.Errorf("%v: %v", dt, err)
				}
				continue
			case x.NDim() > 2:
				if !errors.Is(err, ogive.ErrShape) {
					t.Errorf("%v %v: %v", dt, x.Shape(), err)
				}
				continue
			case err != nil:
				t.Fatalf("%v, layout %d: %v", dt, i, err)
			case x.Len() == 0:
				if b.Len() > 0 {
					t.Errorf("%v %v: %q", dt, x.Shape(), b.Bytes())
				}
				continue
			}
			f, err := Read(&b, "x.tsv", Options{Header: HeaderNo})
			if err != nil {
				t.Fatal(err)
			}
			y, err := f.Tensor("1")
			if err != nil {
				t.Fatal(err)
			}
			if dt == dtype.Uint64 { // beyond int64 it is float64
				x = ogive.Must(x.Cast(dtype.Float64))
			}
			compareNumbers(t, ogive.Must(x.Reshape(-1)), ogive.Must(y.Cast(x.DType())))
		}
	}
}

// compareNumbers compares bit for bit, but any NaN with any.
func compareNumbers(t *testing.T, x, y *ogive.Tensor) {
	t.Helper()
	size := x.DType().Size()
	a, b := littleEndianBytes(t, x), littleEndianBytes(t, y)
	if len(a) != len(b) {
		t.Fatalf("%v: %d elements, want %d", x.DType(), len(b)/size, len(a)/size)
	}
	wide := ogive.Must(ogive.Values[float64](ogive.Must(x.Cast(dtype.Float64))))
	back := ogive.Must(ogive.Values[float64](ogive.Must(y.Cast(dtype.Float64))))
	for i := range wide {
		if !bytes.Equal(a[i*size:][:size], b[i*size:][:size]) && !(wide[i] != wide[i] && back[i] != back[i]) {
			t.Fatalf("%v: element %d is %v, want %v", x.DType(), i, back[i], wide[i])
		}
	}
}

func TestWriteTable(t *testing.T) {
	x := ogive.Must(ogive.FromSlice([]float64{1, -0.5, math.NaN(), math.Inf(-1), 1e6, 1e16, 1e-5, 9e-6}, 2, 4))
	var b bytes.Buffer
	if err := Write(&b, "csv", x); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "1,-0.5,nan,-inf\n1000000,1e+16,0.00001,9e-06\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSniffing(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"1\n2\n", "1=[1 2]"},
		{"a\tb\n1\t2\n", "a=[1] b=[2]"},
		{"a,b\n1,2\n", "a=[1] b=[2]"},
		{"a,b\n1,\"é" + strings.Repeat("x", sniffed) + "\"\n", "a=[1] text=[b]"},
		{strings.Repeat("x", sniffed-1) + "é\n1\n", strings.Repeat("x", sniffed-1) + "é=[1]"},
		{"\x00\x01\x02", "format is not known"},
		{"", "empty"},
	} {
		f, err := Read(strings.NewReader(c.in), "standard input", Options{})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) || !errors.Is(err, ogive.ErrFormat) {
				t.Errorf("%q: %v", c.in, err)
			}
			continue
		}
		if got := columnsOf(f); got != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
	}
	var npy, npz bytes.Buffer
	x := ogive.Scalar(2.5)
	if err := errors.Join(Write(&npy, "npy", x), Write(&npz, "npz", x)); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*bytes.Buffer{&npy, &npz} {
		y, err := only(Read(b, "standard input", Options{}))
		same(t, x, y, err)
	}
}

func TestFormats(t *testing.T) {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
		if f.About == "" || len(f.Endings) == 0 || f.read == nil || f.Written != (f.write != nil) {
			t.Errorf("the row of %s is not complete", f.Name)
		}
		for _, ending := range f.Endings {
			if by := byEnding("a" + strings.ToUpper(ending)); by == nil || by.Name != f.Name {
				t.Errorf("ending %s of %s belongs to %v", ending, f.Name, by)
			}
		}
	}
	if want := []string{"npy", "npz", "csv", "tsv", "raw", "netcdf"}; !slices.Equal(names, want) {
		t.Errorf("formats %q, want %q", names, want)
	}
}

func BenchmarkTable(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var one, four []byte
	for i := range 200_000 {
		one = append(strconv.AppendFloat(one, r.NormFloat64()*100, 'f', 4, 64), '\n')
		four = append(four, fmt.Sprintf("2012-01-%02d,%.1f,\"%d\",rain\n", i%28+1, r.Float64()*30, r.IntN(1000))...)
	}
	for name, data := range map[string][]byte{"columns=1": one, "columns=4": four} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := parseAll(Read(bytes.NewReader(data), name, Options{Format: "csv"})); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
