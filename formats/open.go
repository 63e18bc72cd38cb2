package formats

import (
	"bufio"
	"bytes"
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
	s := &source{name: path, ending: path, memory: o.Memory}
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
// bytes say one. A regular file, and a bytes.Reader, of which nothing has been read is
// read as Open does it, and stays in use until Close. Errors are those of Open.
func Read(r io.Reader, name string, o tensorio.Options) (*tensorio.File, error) {
	if r == nil {
		return nil, in(name, misused("the reader is nil"))
	}
	s := &source{name: name, ending: name, memory: o.Memory}
	at, info := whole(r)
	if at == nil {
		s.once = bufio.NewReaderSize(r, sniffed)
		return s.read(o, nil)
	}
	s.at, s.size = at, info.size
	f, _ := r.(*os.File)
	file, err := s.read(o, f)
	if err == nil && f != nil {
		file.Watch(f, info.of, false)
		_, err = f.Seek(0, io.SeekEnd)
	}
	return file, err
}

// size is that of a file, and where that is one of the system's, what it says of it.
type size struct {
	size int64
	of   os.FileInfo
}

// whole returns a stream as a file, if it is one that has not been read from: nil if
// not.
func whole(r io.Reader) (io.ReaderAt, size) {
	switch r := r.(type) {
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return nil, size{}
		}
		if at, err := r.Seek(0, io.SeekCurrent); err == nil && at == 0 {
			return r, size{info.Size(), info}
		}
	case *bytes.Reader:
		if r.Len() == int(r.Size()) {
			return r, size{size: r.Size()}
		}
	}
	return nil, size{}
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
	if s.at != nil && len(s.layers) == 0 {
		return tensorio.ReadAt(s.at, s.size, s.name, o)
	}
	// What is found by content alone, without a mark, is text.
	if s.at != nil && (o.Format == "" || o.Format == "csv" || o.Format == "tsv") {
		return s.inflatedTable(o)
	}
	r, err := s.reader()
	if err != nil {
		return nil, in(s.name, err)
	}
	defer r.Close()
	o.Memory = s.memory
	return tensorio.Read(r, s.name, o)
}
