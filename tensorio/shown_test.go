package tensorio

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

func TestShown(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 3, ""},
		{"temp °C", 40, "temp °C"},
		{"a b", 40, "a b"},
		{"\x1b[31mred", 40, `\x1b[31mred`},
		{"a\nb\x00\x7f\u009b", 40, `a\nb\x00\x7f\u009b`},
		{"\u202eabc", 40, `\u202eabc`},
		{"\xff\xfe", 40, `\xff\xfe`},
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcdef…"},
		{"°°°°", 5, "°°…"},
		{"\x1b\x1b", 5, `\x1b…`},
	} {
		if got := Shown(c.text, c.most); got != c.want {
			t.Errorf("Shown(%q, %d) = %q, want %q", c.text, c.most, got, c.want)
		}
	}
	long := strings.Repeat("x", 1000)
	many := make([]string, 5000)
	for i := range many {
		many[i] = long
	}
	if s := ShownList(many); len(s) > 700 || !strings.HasSuffix(s, "… (5000 in all)") {
		t.Errorf("a list of long names is %d bytes: %s", len(s), s)
	}
	if s := ShownList([]string{"a", "\x1b"}); s != `a, \x1b` {
		t.Error(s)
	}
}

// harmless reports whether a message can be shown and is short.
func harmless(s string) bool {
	return len(s) < 2000 && utf8.ValidString(s) && !strings.ContainsFunc(s, hurts)
}

func FuzzShown(f *testing.F) {
	f.Add("a\x1b[0m°", 5)
	f.Add(strings.Repeat("\xff", 50), 100)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = most & 1023
		if s := Shown(text, most); len(s) > most+len("…") || !harmless(s) {
			t.Errorf("%q", s)
		}
		if s := Message("%q, %s and %v of %d", text, text, []byte(text), most); !harmless(s) {
			t.Errorf("%q", s)
		}
	})
}

// FuzzMessages reads files of hostile names in every format and looks at the messages.
func FuzzMessages(f *testing.F) {
	for _, name := range []string{"a", "\x1b]0;owned\a", strings.Repeat("n", 3000), strings.Repeat("\x1b", 700), "\xff\u202e", "a\r\nb\"'"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		message := func(what string, err error) {
			if err != nil && !harmless(err.Error()) {
				t.Errorf("%s: %d bytes: %.300q", what, len(err.Error()), err)
			}
		}
		quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		var npz bytes.Buffer
		one := ogive.Must(ogive.FromSlice([]int64{1}))
		if err := WriteNPZ(&npz, []string{name[:min(len(name), 60_000)] + "a", name[:min(len(name), 60_000)] + "b"}, []*ogive.Tensor{one, one}); err != nil {
			t.Fatal(err)
		}
		header := "{'descr': '" + name + "', 'fortran_order': False, 'shape': (1,), }"
		for what, c := range map[string]struct {
			raw []byte
			o   Options
		}{
			"x.csv":           {[]byte("a," + quoted + "\n1,x\n2,y\n"), Options{}},
			"twice.csv":       {[]byte(quoted + "," + quoted + "\n1,1\n2,3\n"), Options{}},
			"missing.csv":     {[]byte("a," + quoted + "\n1,2\n2,3\n"), Options{Columns: []string{"none"}}},
			"asked.csv":       {[]byte("a,b\n1,2\n2,3\n"), Options{Columns: []string{name}}},
			"x.npz":           {npz.Bytes(), Options{}},
			"descr.npy":       {append([]byte(npyMagic+"\x03\x00"), append([]byte{byte(len(header)), byte(len(header) >> 8), byte(len(header) >> 16), 0}, header...)...), Options{}},
			"format.npy":      {nil, Options{Format: name, DType: dtype.Bool}},
			"key\x1b.netcdf3": {[]byte("CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x00\x04" + name), Options{}},
		} {
			file, err := Read(bytes.NewReader(c.raw), "x"+what[strings.LastIndexByte(what, '.'):], c.o)
			message(what, err)
			if err != nil {
				continue
			}
			for _, column := range append(append(file.Names(), file.Text()...), "", "not there", name) {
				_, err = file.Tensor(column)
				message(what, err)
				_, err = file.Key(column)
				message(what, err)
				for _, err := range file.Batches(column) {
					message(what, err)
				}
			}
		}
	})
}
