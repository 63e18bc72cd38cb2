package stdio

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// stubborn is a stream of which so many calls do nothing before each that does one byte.
type stubborn struct {
	bytes.Buffer
	idle, left int
}

func (s *stubborn) SetReadDeadline(time.Time) error  { return nil }
func (s *stubborn) SetWriteDeadline(time.Time) error { return nil }

func (s *stubborn) idles() bool {
	if s.left--; s.left >= 0 {
		return true
	}
	s.left = s.idle
	return false
}

func (s *stubborn) Read(b []byte) (int, error) {
	if s.idles() {
		return 0, os.ErrDeadlineExceeded
	}
	return s.Buffer.Read(b[:1])
}

func (s *stubborn) Write(b []byte) (int, error) {
	if s.idles() {
		return 0, os.ErrDeadlineExceeded
	}
	n, _ := s.Buffer.Write(b[:1])
	if n < len(b) {
		return n, os.ErrDeadlineExceeded
	}
	return n, nil
}

func TestPatience(t *testing.T) {
	for _, c := range []struct {
		idle  int
		ready bool
		err   error
	}{
		{0, true, nil}, {mostTries - 1, true, nil}, {mostTries, true, syscall.EAGAIN}, {50 * mostTries, false, nil},
	} {
		ready := func(bool) bool { return c.ready }
		out := &stubborn{idle: c.idle, left: c.idle}
		n, err := (&Patient{out, ready}).Write([]byte("abc"))
		if text := out.String(); !errors.Is(err, c.err) || n != len(text) || err == nil && text != "abc" {
			t.Errorf("%+v: writes %d bytes, %q, %v", c, n, text, err)
		}
		in := &stubborn{idle: c.idle, left: c.idle}
		in.WriteString("abc")
		text, err := io.ReadAll(&Patient{in, ready})
		if !errors.Is(err, c.err) || err == nil && string(text) != "abc" {
			t.Errorf("%+v: reads %q, %v", c, text, err)
		}
	}
}
