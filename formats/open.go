package formats

import (
	"bufio"
	"io"
	"os"

	"github.com/ogive-go/ogive/tensorio"
)

// Open opens a file of any format, compressed or not. What tensorio reads is opened as
// tensorio.Open does it. Columns of Parquet and Arrow files, and JSON in runs of rows,
// are read from the file when they are asked for; Close closes it.
//
// A file whose format is not known, and one that is malformed, truncated or empty, is
// ErrFormat; an unknown Options.Format, and an unknown column of Options.Columns, is
// ErrOption.
func Open(path string, o tensorio.Options) (*tensorio.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, in(path, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = malformed("is a folder")
	}
	if err != nil {
		f.Close()
		return nil, in(path, err)
	}
	s := &source{name: path, ending: path}
	if !info.Mode().IsRegular() {
		defer f.Close()
		s.once = bufio.NewReaderSize(f, sniffed)
		return s.read(o, nil)
	}
	s.at, s.size = f, info.Size()
	file, err := s.read(o, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	file.Watch(f, info, true)
	return file, nil
}

// Read reads a file of any format, compressed or not, from a stream to its end. The
// name is for messages, and its ending for the format if neither Options nor the first
// bytes say one. Errors are those of Open.
func Read(r io.Reader, name string, o tensorio.Options) (*tensorio.File, error) {
	if r == nil {
		return nil, in(name, misused("the reader is nil"))
	}
	s := &source{name: name, ending: name, once: bufio.NewReaderSize(r, sniffed)}
	f, ok := r.(*os.File)
	if !ok {
		return s.read(o, nil)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return s.read(o, nil)
	}
	if at, err := f.Seek(0, io.SeekCurrent); err == nil && at == 0 {
		head := &source{name: name, ending: name, at: f, size: info.Size()}
		c, err := head.detect(o)
		if err == nil && c.own == nil && len(head.layers) == 0 {
			o.Format = c.name
			return tensorio.Read(r, name, o) // which maps it
		}
	}
	file, err := s.read(o, nil)
	if err == nil {
		file.Watch(f, info, false)
	}
	return file, err
}

// read reads s. direct is the file of s if it is a regular one that has not been read
// from, which tensorio maps if it is not compressed; nil for a stream.
func (s *source) read(o tensorio.Options, direct *os.File) (*tensorio.File, error) {
	c, err := s.detect(o)
	if err != nil {
		return nil, in(s.name, err)
	}
	if c.own != nil {
		file, err := c.own.read(s, o)
		return file, in(s.name, err)
	}
	if o.Format == "" {
		o.Format = c.name
	}
	if direct != nil && len(s.layers) == 0 {
		return tensorio.Read(direct, s.name, o)
	}
	r, err := s.reader()
	if err != nil {
		return nil, in(s.name, err)
	}
	defer r.Close()
	return tensorio.Read(r, s.name, o)
}
