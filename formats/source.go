package formats

import (
	"bufio"
	"bytes"
	"io"
	"math"

	"github.com/ogive-go/ogive/tensorio"
)

// sniffed is how many bytes at most decide on a format, as in tensorio.
const sniffed = 4096

// source is where a format reads from: a file, or a stream that is read once.
type source struct {
	name   string // for messages
	ending string // the name without the endings of compression
	at     io.ReaderAt
	size   int64
	once   *bufio.Reader // decompressed as far as layers say; nil if there is a file
	undo   []io.Closer   // of once
	layers []packing     // in which the content is packed, outermost first
	memory int64         // Options.Memory, without what is taken of it; 0 for no bound
}

// packing is a layer of a file, and what its window may take.
type packing struct {
	*layer
	window int64
}

// reader returns the content from its begin, decompressed.
func (s *source) reader() (io.ReadCloser, error) {
	if s.once != nil {
		return &unpacked{s.once, s.undo}, nil
	}
	r := io.ReadCloser(io.NopCloser(io.NewSectionReader(s.at, 0, s.size)))
	for _, l := range s.layers {
		var err error
		if r, err = l.open(r, l.window); err != nil {
			return nil, err
		}
	}
	if len(s.layers) > 0 {
		r = &bounded{r, freeExpansion + maxExpansion*min(s.size, 1<<40)}
	}
	return r, nil
}

// head returns the first bytes of the content.
func (s *source) head() ([]byte, error) {
	if s.once != nil {
		b, err := s.once.Peek(sniffed)
		if err == io.EOF {
			err = nil
		}
		return b, err
	}
	r, err := s.reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, sniffed))
	return b, err
}

// unpack adds a layer.
func (s *source) unpack(l *layer) error {
	p := packing{layer: l}
	if l.windows {
		p.window = window(s.memory)
		s.take(p.window)
	}
	s.layers = append(s.layers, p)
	s.ending = l.strip(s.ending)
	if s.once == nil {
		return nil
	}
	r, err := l.open(io.NopCloser(s.once), p.window)
	if err != nil {
		return err
	}
	s.once = bufio.NewReaderSize(r, sniffed)
	s.undo = append(s.undo, r)
	return nil
}

// unpacked closes the decompressors of a stream.
type unpacked struct {
	io.Reader
	undo []io.Closer
}

func (u *unpacked) Close() error {
	for _, c := range u.undo {
		c.Close()
	}
	return nil
}

// random returns the content for access at any place: the file itself, held open, or
// memory, of which there is less for all else then.
func (s *source) random() (io.ReaderAt, int64, error) {
	if s.at != nil && len(s.layers) == 0 {
		return s.at, s.size, nil
	}
	b, err := s.all()
	s.take(int64(cap(b)))
	return bytes.NewReader(b), int64(len(b)), err
}

// take takes a part of the memory, if it is bounded.
func (s *source) take(n int64) {
	if s.memory > 0 {
		s.memory = max(s.memory-n, 1)
	}
}

// all returns the whole content, which may take memory up to the bound.
func (s *source) all() ([]byte, error) {
	r, err := s.reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b bytes.Buffer
	if s.at != nil && len(s.layers) == 0 && s.size < math.MaxInt32 {
		b.Grow(int(s.size) + bytes.MinRead)
	}
	if s.memory <= 0 {
		_, err = b.ReadFrom(r)
		return b.Bytes(), err
	}
	n, err := b.ReadFrom(io.LimitReader(r, s.memory/2+1)) // the buffer doubles
	if err == nil {
		err = tensorio.TooLarge(2*n, s.memory+1)
	}
	return b.Bytes(), err
}
