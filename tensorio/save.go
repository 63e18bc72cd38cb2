package tensorio

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/ogive-go/ogive"
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
	return guarded(func() error { return f.write(w, t) })
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

// WriteFile calls write to make the content of a file, and puts it in place
// only when it is complete and on the disk: it is written to a temporary file
// in the same folder, which takes the file's name at the end. If anything
// fails, write too, the old file stays as it was and the temporary one is
// removed. The file keeps its permissions; a symbolic link keeps pointing to
// it. What is not a regular file, such as /dev/stdout, is written directly.
// The writer is buffered.
func WriteFile(path string, write func(io.Writer) error) error {
	return in(path, writeFile(path, write))
}

func writeFile(path string, write func(io.Writer) error) error {
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return malformed("is a folder")
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return buffered(f, write, func() error { return nil })
	}
	tmp, err := createBeside(target)
	if err != nil {
		return err
	}
	done := false
	defer func() { // write may panic
		if !done {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if info != nil {
		if err := setMode(tmp, info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := buffered(tmp, write, tmp.Sync); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), target); err != nil {
		return err
	}
	done = true
	syncFolder(filepath.Dir(target))
	return nil
}

// buffered runs write on f through a buffer, then end.
func buffered(f *os.File, write func(io.Writer) error, end func() error) error {
	b := bufio.NewWriterSize(f, 1<<16)
	err := write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = end()
	}
	return err
}

// setMode sets the permissions of f where they differ.
func setMode(f *os.File, mode os.FileMode) error {
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() == mode {
		return err
	}
	return f.Chmod(mode)
}

// createBeside makes a new file in the folder of path, with the permissions
// that new files have (os.CreateTemp makes files that only the owner reads).
func createBeside(path string) (*os.File, error) {
	for range 100 {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".ogive-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !os.IsExist(err) {
			return f, err
		}
	}
	return nil, malformed("no name for a temporary file is free")
}

// syncFolder makes a new name in a folder last. Systems that cannot do it for
// folders say so; the file itself is on the disk by then.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
