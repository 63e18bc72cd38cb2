package formats

import (
	"bytes"
	"io"
	"sync"

	"github.com/ogive-go/ogive/tensorio"
)

// inflated gives a compressed file as if it were not: any part of it, of which those
// that follow one another cost no more than to decompress it once. What lies before
// the last part is decompressed anew, from the begin.
type inflated struct {
	*source
	mu   sync.Mutex
	r    io.ReadCloser // at byte next, nil before the first read
	next int64
	last []byte // the part read last, which ends at next: that a row was cut in is read again
}

// longestLast bounds what is kept of the part read last.
const longestLast = 4 << 20

// A compressed table is decompressed once and held where it takes no more than a wholeShare
// of Options.Memory, for the memory doubles as it is read, and than wholeTimes its size, as
// most tables do: few bytes may be any number decompressed.
const (
	wholeShare = 16
	wholeTimes = 16
	wholeLeast = 1 << 20
)

// inflate returns a compressed file and its size, decompressed: in memory where that is
// little; else it is decompressed once to know the size.
func (s *source) inflate() (io.ReaderAt, int64, error) {
	r, err := s.reader()
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	most := wholeLeast + wholeTimes*min(s.size, 1<<40)
	if s.memory > 0 {
		most = min(most, s.memory/wholeShare)
	}
	var head bytes.Buffer
	n, err := io.Copy(&head, io.LimitReader(r, most))
	if err != nil || n < most {
		return bytes.NewReader(head.Bytes()), n, err
	}
	head = bytes.Buffer{}
	rest, err := io.Copy(io.Discard, r)
	return &inflated{source: s}, n + rest, err
}

func (f *inflated) ReadAt(p []byte, at int64) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if from := f.next - int64(len(f.last)); from <= at && at < f.next {
		n = copy(p, f.last[at-from:])
	}
	if n < len(p) {
		if err := f.seek(at + int64(n)); err != nil {
			return n, err
		}
		var k int
		k, err = io.ReadFull(f.r, p[n:])
		n, f.next = n+k, f.next+int64(k)
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		f.last = append(f.last[:0], p[max(0, n-longestLast):n]...)
	}
	return n, err
}

// seek decompresses up to a byte.
func (f *inflated) seek(at int64) error {
	if f.r == nil || at < f.next {
		if f.r != nil {
			f.r.Close()
		}
		f.next, f.last = 0, f.last[:0]
		var err error
		if f.r, err = f.reader(); err != nil {
			return err
		}
	}
	n, err := io.CopyN(io.Discard, f.r, at-f.next)
	f.next += n
	return err
}

// inflatedTable reads a compressed text table from its file, run by run.
func (s *source) inflatedTable(o tensorio.Options) (*tensorio.File, error) {
	f, size, err := s.inflate()
	if err != nil {
		return nil, in(s.name, err)
	}
	o.Memory = s.memory
	return tensorio.ReadAt(f, size, s.name, o)
}
