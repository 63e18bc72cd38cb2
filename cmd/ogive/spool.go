package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/ogive-go/ogive/formats"
	"github.com/ogive-go/ogive/tensorio"
)

// spool reads standard input into a file, unless it is one or small.
func (f *opener) spool() error {
	if f.stdin == nil {
		return usageError("", "standard input can be read once only")
	}
	once, err := await(f.ctx, func() (io.Reader, error) { return spool(f.ctx, f.stdin, stdinTitle, f.budget) })
	f.stdin = once
	switch r := once.(type) {
	case *os.File:
		if info, statErr := r.Stat(); statErr == nil {
			f.spooled = info.Size()
		}
	case *bytes.Reader:
		f.spooled = r.Size()
	}
	return err
}

// spool returns a stream so that it is held once: what is small in memory, all else in
// a temporary file, which nobody else sees and which is gone when the program ends.
func spool(ctx context.Context, r io.Reader, name string, b budget) (io.Reader, error) {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return r, nil
		}
	}
	if _, ok := r.(*bytes.Reader); ok {
		return r, nil
	}
	small := min(b.bytes/64, 16<<20)
	var head bytes.Buffer
	if n, err := io.CopyN(&head, r, small); err == io.EOF {
		return bytes.NewReader(head.Bytes()), nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: byte %d: %w", name, n, bare(err))
	}
	file, err := os.CreateTemp("", "ogive-*")
	if err != nil {
		return nil, fmt.Errorf("%s does not fit in memory, and has no temporary file: %w", name, err)
	}
	os.Remove(file.Name()) // where the system keeps an open file: an interrupt leaves nothing
	_, err = io.Copy(contextWriter{ctx, file}, io.MultiReader(&head, r))
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, fmt.Errorf("%s: in a temporary file in %s: %w", name, os.TempDir(), bare(err))
	}
	return file, nil
}

// pipe returns the content of a FILE that is a pipe, as the shell's <(…) is, by way of spool;
// nil of one that is none.
func (f *opener) pipe(path string) (io.ReadSeeker, error) {
	if once, ok := f.pipes[path]; ok {
		_, err := once.Seek(0, io.SeekStart)
		return once, err
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, nil
	}
	once, err := await(f.ctx, func() (io.Reader, error) {
		r, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return spool(f.ctx, r, path, f.budget)
	})
	if err != nil {
		return nil, err
	}
	if f.pipes == nil {
		f.pipes = map[string]io.ReadSeeker{}
	}
	f.pipes[path] = once.(io.ReadSeeker) // as all that spool returns are
	return f.pipes[path], nil
}

// openPath opens a FILE that is not standard input.
func (f *opener) openPath(path string, o tensorio.Options) (*tensorio.File, error) {
	pipe, err := f.pipe(path)
	if err != nil {
		return nil, err
	}
	if pipe != nil {
		return formats.Read(pipe, path, o)
	}
	return formats.Open(path, o)
}

// size returns how large a regular file is, 0 for all others.
func size(path string) int64 {
	file, _ := splitMember(path)
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// size is the function size, and for standard input and pipes that of what they held.
func (f *opener) size(path string) int64 {
	if path == stdinName {
		return f.spooled
	}
	switch r := f.pipes[path].(type) {
	case *os.File:
		if info, err := r.Stat(); err == nil {
			return info.Size()
		}
	case *bytes.Reader:
		return r.Size()
	}
	return size(path)
}
