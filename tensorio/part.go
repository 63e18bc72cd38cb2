package tensorio

import (
	"bytes"
	"io/fs"

	"github.com/ogive-go/ogive/dtype"
)

// Part is a run of a table's rows, which can be read without the others: see File.Parts.
type Part struct {
	From, To int64 // bytes of a text, row groups of Parquet
	Line     int64 // of a text, that the first row lies in, counted from 1
}

// Parts divides a table into consecutive parts of about so many bytes of the file, for
// Options.Part. A text is read for it, to where its rows end, if it is larger; a format
// that cannot be divided is one Part, the zero value. A File that is none of a table is
// ErrOption.
func (f *File) Parts(bytes int64) ([]Part, error) {
	switch {
	case f.closed:
		return nil, in(f.name, fs.ErrClosed)
	case f.table == nil:
		return nil, in(f.name, misused("is not a table"))
	case f.table.Parts == nil:
		return []Part{{}}, nil
	}
	parts, err := f.table.Parts(max(bytes, 1))
	return parts, in(f.name, err)
}

// Type returns the dtype and the unit of a column that Names lists, if the file says so
// without its values being read; ok reports whether it does. A text and JSON do not.
func (f *File) Type(name string) (dt dtype.DType, unit Unit, ok bool, err error) {
	i, err := f.index(name)
	if err != nil || f.table == nil || f.table.Type == nil {
		return 0, 0, false, in(f.name, err)
	}
	dt, unit, err = f.table.Type(f.columns[i])
	return dt, unit, err == nil, in(f.name, err)
}

// parts divides the rows into parts of at least so many bytes.
func (t *textTable) parts(size int64) ([]Part, error) {
	part := Part{From: t.start, To: t.size, Line: int64(t.line)}
	if t.size-t.start <= size {
		return []Part{part}, nil
	}
	var list []Part
	line := part.Line
	source := t.blocks(nil)
	for b := (block{}); ; {
		ok, err := source.next(&b)
		if err == nil && ok {
			err = b.err
		}
		if err != nil {
			return nil, err
		}
		if ok {
			line += int64(bytes.Count(b.data, []byte{t.eol}))
		}
		if part.To = source.at; part.From < part.To && (!ok || part.To-part.From >= size) {
			list = append(list, part)
			part.From, part.Line = part.To, line
		}
		if !ok {
			return list, nil
		}
	}
}
