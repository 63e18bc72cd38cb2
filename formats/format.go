package formats

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ogive-go/ogive/tensorio"
)

// Info describes a file format.
type Info struct {
	Name    string   // as tensorio.Options.Format takes it
	Endings []string // of file names, with the dot
	About   string   // one line
	Table   bool     // the tensors are columns
}

// ownFormat is a format that tensorio does not know.
type ownFormat struct {
	Info
	marked func(head []byte) bool // by a mark of its own, nil if it has none
	read   func(*source, tensorio.Options) (*tensorio.File, error)
}

var own = []ownFormat{
	{Info{"json", []string{".json", ".jsonl", ".ndjson"}, "JSON lines, an array of objects or of numbers, or an object of arrays", true},
		nil, readJSON},
	{Info{"parquet", []string{".parquet", ".parq", ".pq"}, "Apache Parquet", true},
		starts("PAR1", "PARE"), readParquet},
	{Info{"arrow", []string{".arrow", ".arrows", ".ipc", ".feather"}, "Apache Arrow file or stream, Feather 2", true},
		isArrow, readArrow},
	{Info{"hlog", []string{".hlog"}, "HdrHistogram log: values and counts", true},
		starts("#[Histogram log format", "#[Logged with jHiccup", "#[Logging for: ", "#[StartTime: ", "#[BaseTime: ", `"StartTimestamp",`), readHlog},
}

// Formats returns the formats that Open and Read know, tensorio's first.
func Formats() []Info {
	var list []Info
	for _, f := range tensorio.Formats() {
		list = append(list, Info{f.Name, f.Endings, f.About, f.Table})
	}
	for _, f := range own {
		f.Endings = slices.Clone(f.Endings)
		list = append(list, f.Info)
	}
	return list
}

// names lists the formats for messages.
func names() string {
	var s []string
	for _, f := range Formats() {
		s = append(s, f.Name)
	}
	return strings.Join(s, ", ")
}

// starts returns a test for the first bytes.
func starts(marks ...string) func([]byte) bool {
	return func(head []byte) bool {
		return slices.ContainsFunc(marks, func(m string) bool { return bytes.HasPrefix(head, []byte(m)) })
	}
}

// choice is the format of a file.
type choice struct {
	own  *ownFormat // nil if it is one of tensorio's
	name string     // of tensorio's, empty for tensorio to find out by the first bytes
}

// choose returns the format of a file, by its name without the endings of compression,
// and its first bytes. A mark decides before the ending, but for raw memory, which may
// begin with anything.
func choose(asked, path string, head []byte) (choice, error) {
	if asked != "" {
		return byName(asked)
	}
	ending := byEnding(path)
	if ending == "raw" {
		return byName(ending)
	}
	for i := range own {
		if own[i].marked != nil && own[i].marked(head) {
			return choice{own: &own[i]}, nil
		}
	}
	switch {
	case starts("\x93NUMPY")(head):
		return byName("npy")
	case starts("PK\x03\x04", "PK\x05\x06")(head):
		return byName("npz")
	case starts("CDF\x01", "CDF\x02", "CDF\x05")(head):
		return byName("netcdf")
	}
	for _, f := range foreign {
		if starts(f.mark)(head) {
			return choice{}, malformed("is %s; %s", f.what, f.out)
		}
	}
	if ending != "" {
		return byName(ending)
	}
	if len(head) == 0 {
		return choice{}, malformed("the file is empty")
	}
	if !isText(head) {
		return choice{}, malformed("begins with % x, which no known format does; known are %s", head[:min(len(head), 8)], names())
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), " \t\r\n")
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return byName("json")
	}
	return choice{}, nil
}

// foreign are formats that are known by sight alone, and what to do about them.
var foreign = []struct{ mark, what, out string }{
	{"\x89HDF\r\n\x1a\n", "HDF5 or netCDF-4", "convert it, as by nccopy -k classic"},
	{"FEA1", "Feather version 1", "write it anew as Feather 2 or Parquet"},
	{"ORC", "Apache ORC", "convert it to Parquet"},
	{"Obj\x01", "Apache Avro", "convert it to Parquet"},
	{"\xFD7zXZ\x00", "compressed with xz", "decompress it first: xz -dc"},
	{"BZh", "compressed with bzip2", "decompress it first: bzip2 -dc"},
	{"SQLite format 3", "an SQLite database", "export a table as CSV"},
}

// byName returns a format by its name.
func byName(name string) (choice, error) {
	for i := range own {
		if own[i].Name == name {
			return choice{own: &own[i]}, nil
		}
	}
	for _, f := range tensorio.Formats() {
		if f.Name == name {
			return choice{name: name}, nil
		}
	}
	return choice{}, misused("unknown format %q; known: %s", name, names())
}

// byEnding returns the name of the format that a file name's ending says, "" if none.
func byEnding(path string) string {
	ending := strings.ToLower(filepath.Ext(path))
	for _, f := range Formats() {
		if slices.Contains(f.Endings, ending) {
			return f.Name
		}
	}
	return ""
}

// isText reports whether head, which may end within a character, is UTF-8 without
// control characters other than white space.
func isText(head []byte) bool {
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n <= 1 && (len(head)-i >= utf8.UTFMax || utf8.FullRune(head[i:])) {
			return false
		}
		if r < ' ' && !strings.ContainsRune("\t\n\r\f", r) {
			return false
		}
		i += n
	}
	return true
}

// repeated is the error of a table that has two columns of one name, nil if it has none.
// Under Options.Apart it is the reason of these not to be taken as numbers instead.
func repeated(t *tensorio.Table, o tensorio.Options) error {
	at := make(map[string]int, len(t.Columns))
	for i, name := range t.Columns {
		j, ok := at[name]
		if !ok {
			at[name] = i
			continue
		}
		err := unsuitable("columns %d and %d have the same name, %q", j+1, i+1, name)
		if !o.Apart {
			return err
		}
		t.Text[i] = err
		if !errors.Is(t.Text[j], tensorio.ErrColumn) {
			t.Text[j] = err
		}
	}
	return nil
}
