package tensorio

import (
	"io"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/nd"
)

// Write writes t in the named format: npy as [WriteNPY], an npz with the one
// array arr_0, as numpy.savez names it, a csv or tsv table without a header
// (a vector is a column; at most two dimensions, no complex numbers; floats in
// the shortest form that reads back as the same value, a float16 or bfloat16
// as the float32 that it equals), or raw memory. An unknown format, and one that is
// read only, is ErrOption.
func Write(w io.Writer, format string, t *ogive.Tensor) error {
	f, err := named(format)
	if err != nil {
		return err
	}
	if f.write == nil {
		return notWritten(f)
	}
	return f.writeGuarded(w, t)
}

// writeGuarded writes t, whose memory may be that of a mapped file.
func (f *Format) writeGuarded(w io.Writer, t *ogive.Tensor) error {
	return nd.Guard("", func() error { return f.write(w, t) })
}

// notWritten is the error of a format that is read only.
func notWritten(f *Format) error {
	var names []string
	for _, f := range formats {
		if f.write != nil {
			names = append(names, f.Name)
		}
	}
	return misused("format %q is read, not written; written: %s", f.Name, strings.Join(names, ", "))
}

// Save writes t to a file in the format of the name's ending (see [Write] and
// [Formats]), as [WriteFile] does: the old file stays if anything fails.
func Save(path string, t *ogive.Tensor) error {
	f := byEnding(path)
	if f == nil {
		var endings []string
		for _, f := range formats {
			if f.write != nil {
				endings = append(endings, f.Endings...)
			}
		}
		return in(path, misused("the ending names no format; known: %s", strings.Join(endings, ", ")))
	}
	if f.write == nil {
		return in(path, notWritten(f))
	}
	return WriteFile(path, func(w io.Writer) error { return f.writeGuarded(w, t) })
}
