package stdio

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// How long a call on a stream waits before the system is asked whether it is ready, and how
// often it may be ready and yet do nothing.
const (
	wait      = 20 * time.Millisecond
	mostTries = 100
)

// waiting is what a stream that can wait has, as [os.File].
type waiting interface {
	io.Reader
	io.Writer
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// Patient is a stream that does not block. Its reader or writer on the other side may take
// as long as it likes; but of a stream that says again and again that it is ready, and
// whose calls do nothing all the same, the error is EAGAIN.
type Patient struct {
	file  waiting
	ready func(write bool) bool
}

// Read reads as [os.File.Read] does.
func (p *Patient) Read(b []byte) (int, error) { return p.try(b, false) }

// Write writes all of b.
func (p *Patient) Write(b []byte) (int, error) { return p.try(b, true) }

func (p *Patient) try(b []byte, write bool) (done int, err error) {
	call, limit := p.file.Read, p.file.SetReadDeadline
	if write {
		call, limit = p.file.Write, p.file.SetWriteDeadline
	}
	for tries := 0; ; {
		if err := limit(time.Now().Add(wait)); err != nil {
			return done, err
		}
		n, err := call(b[done:])
		done += n
		if !errors.Is(err, os.ErrDeadlineExceeded) || done > 0 && !write {
			return done, err
		}
		if n > 0 || !p.ready(write) {
			tries = 0
		} else if tries++; tries == mostTries {
			return done, syscall.EAGAIN
		}
	}
}
