package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/ogive-go/ogive/tensorio"
)

// errClosed is the error of a standard stream that was closed when the process began.
var errClosed = errors.New("it is closed")

// closedStream is such a stream.
type closedStream struct{}

func (closedStream) Read([]byte) (int, error)  { return 0, errClosed }
func (closedStream) Write([]byte) (int, error) { return 0, errClosed }

// readerGone says that nobody reads standard output any more, which is no failure once
// something was read: the reader has seen enough.
type readerGone struct{ wrote bool }

func (readerGone) Error() string { return "standard output: broken pipe" }

// status returns the exit status; the one without an answer is the shell's for a
// process that a closed pipe ended.
func (g readerGone) status() int {
	if g.wrote {
		return statusOK
	}
	return statusPipe
}

// output is standard output, and what has become of it.
type output struct {
	w     io.Writer
	wrote bool
	err   error // the first
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.wrote = o.wrote || n > 0
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// trouble returns err, which writing has ended with, as an error of standard output.
func (o *output) trouble(err error) error {
	switch {
	case err == nil, statusOf(err) == statusUsage:
		return err
	case o.err != nil && errors.Is(err, syscall.EPIPE):
		return readerGone{o.wrote}
	}
	return fmt.Errorf("standard output: %w", bare(err))
}

// print has write write to standard output, until ctx ends.
func (s streams) print(ctx context.Context, write func(io.Writer) error) error {
	if s.out == (closedStream{}) {
		return (&output{}).trouble(errClosed) // an empty answer too
	}
	out := &output{w: s.out}
	_, err := await(ctx, func() (struct{}, error) { return struct{}{}, write(out) })
	if ctx.Err() != nil { // and write may go on
		return err
	}
	return out.trouble(err)
}

// The names of standard streams, for paths.
const (
	stdoutFd = 1
	stderrFd = 2
)

// toStdout reports whether an output's path means standard output: it is left out, "-",
// or another name of its descriptor, as /dev/stdout.
func toStdout(path string) bool {
	if isStdout(path) {
		return true
	}
	fd, ok := tensorio.Descriptor(path)
	return ok && fd == stdoutFd
}

// put has write write to an output: standard output at once, a file when files are
// committed.
func (s streams) put(ctx context.Context, files *tensorio.Pending, path string, write func(io.Writer) error) error {
	if toStdout(path) {
		return s.print(ctx, write)
	}
	if fd, ok := tensorio.Descriptor(path); ok && fd == stderrFd && s.errClosed {
		return fmt.Errorf("%s: %w", path, errClosed)
	}
	return files.Write(ctx, path, write)
}

// writeFile writes one output.
func (s streams) writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	return s.writeFiles(ctx, destination{path, write})
}

// destination is an output, and what writes it.
type destination struct {
	path  string
	write func(io.Writer) error
}

// writeFiles writes outputs, all of them or none, as far as what is no regular file
// lets it: standard output comes after all files that can be prepared, and before they
// take their names.
func (s streams) writeFiles(ctx context.Context, list ...destination) error {
	var files tensorio.Pending
	defer files.Discard()
	var last error // that a reader has seen enough is told in the end
	for _, stdout := range []bool{false, true} {
		for _, d := range list {
			if toStdout(d.path) != stdout {
				continue
			}
			if err := s.put(ctx, &files, d.path, d.write); statusOf(err) != statusOK {
				return err
			} else if err != nil {
				last = err
			}
		}
	}
	if err := files.Commit(ctx); err != nil {
		return err
	}
	return last
}
