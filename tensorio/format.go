package tensorio

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ogive-go/ogive"
)

// Format describes a file format.
type Format struct {
	Name    string   // as Options.Format takes it
	Endings []string // of file names, with the dot
	About   string   // one line
	Many    bool     // a file holds several tensors, by name
	Table   bool     // the tensors are columns
	Chunked bool     // Chunks reads it
	Written bool     // Write and Save write it

	starts string // the first bytes of every such file, empty if any will do
	read   func(*source, Options) (*File, error)
	layout func(io.Reader, int64, Options) (layout, error) // of a file that holds one array; its size
	write  func(io.Writer, *ogive.Tensor) error
}

// formats is the table of formats; each has a file of its own.
var formats = []Format{
	{Name: "npy", Endings: []string{".npy"}, About: "one NumPy array", starts: npyMagic,
		read: readNPYFile, layout: npyLayout, write: WriteNPY},
	{Name: "npz", Endings: []string{".npz"}, About: "NumPy arrays by name in a zip archive", starts: "PK", Many: true,
		read: readNPZ, write: writeNPZ},
	{Name: "csv", Endings: []string{".csv"}, About: "columns separated by commas", Many: true, Table: true,
		read: readTable(0), write: writeTable(',')},
	{Name: "tsv", Endings: []string{".tsv", ".tab"}, About: "columns separated by tabs", Many: true, Table: true,
		read: readTable('\t'), write: writeTable('\t')},
	{Name: "raw", Endings: []string{".raw", ".bin"}, About: "elements alone; the dtype and the shape are given",
		read: readRaw, layout: rawLayout, write: writeRaw},
	{Name: "netcdf", Endings: []string{".nc", ".cdf", ".nc3"}, About: "netCDF classic: arrays by name", starts: netcdfMagic, Many: true,
		read: readNetCDF},
}

// Formats returns the formats that tensorio knows.
func Formats() []Format {
	all := slices.Clone(formats)
	for i, f := range all {
		all[i].Endings = slices.Clone(f.Endings)
		all[i].Chunked = f.layout != nil
		all[i].Written = f.write != nil
	}
	return all
}

// open reads a file of the format.
func (f *Format) open(s *source, o Options) (*File, error) {
	file, err := f.read(s, o)
	if err == nil {
		file.format = f.Name
	}
	return file, err
}

// named returns the format with the given name.
func named(name string) (*Format, error) {
	names := make([]string, len(formats))
	for i := range formats {
		if formats[i].Name == name {
			return &formats[i], nil
		}
		names[i] = formats[i].Name
	}
	return nil, misused("unknown format %q; known: %s", name, strings.Join(names, ", "))
}

// byEnding returns the format of a file name, nil if its ending says nothing.
func byEnding(path string) *Format {
	ending := strings.ToLower(filepath.Ext(path))
	for i := range formats {
		if slices.Contains(formats[i].Endings, ending) {
			return &formats[i]
		}
	}
	return nil
}

// sniffed is how many bytes at most decide on a format.
const sniffed = 4096

// byContent returns the format that a file's first bytes show: what begins
// with a format's own mark, and a table for other text: tabs if the first
// line has one, commas otherwise.
func byContent(head []byte) (*Format, error) {
	for i := range formats {
		if s := formats[i].starts; s != "" && bytes.HasPrefix(head, []byte(s)) {
			return &formats[i], nil
		}
	}
	if !isText(head) {
		return nil, malformed("the format is not known, neither by the name's ending nor by the first bytes; name one")
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.ContainsRune(line, '\t') {
		return named("tsv")
	}
	return named("csv")
}

// isText reports whether head, which may end within a character, is UTF-8
// without control characters other than white space.
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
