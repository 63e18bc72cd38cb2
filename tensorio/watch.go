package tensorio

import (
	"io/fs"
	"os"

	"github.com/ogive-go/ogive/internal/nd"
)

// watched is a regular file, and what was known of it before it was read.
type watched struct {
	file   *os.File
	before os.FileInfo
	owned  bool // Close closes it
}

// changed returns an error if the file is not what it was.
func (w *watched) changed() error {
	if w == nil || !w.before.Mode().IsRegular() {
		return nil
	}
	now, err := w.file.Stat()
	switch {
	case err != nil:
		return err
	case now.Size() != w.before.Size():
		return malformed("the file changed while it was in use: it has %d bytes, and had %d", now.Size(), w.before.Size())
	case !now.ModTime().Equal(w.before.ModTime()):
		return malformed("the file changed while it was in use: it was written to")
	}
	return nil
}

// Unchanged returns an error, ErrFormat, if the file was written to or cut since it was
// opened: if its size or its time of modification is another. What has been read of it,
// or of a tensor over its mapping, may then be of neither the old nor the new content.
// Who must not give such an answer asks before it is given, and before Close.
//
// Another file that took the name (as [Save] and most editors put it in place) is no
// change: what is open is the old one. A stream other than a regular file is never
// changed, nor is a change seen that keeps the size within the resolution of the file
// system's clock, mostly some milliseconds.
func (f *File) Unchanged() error {
	if f.closed {
		return in(f.name, fs.ErrClosed)
	}
	return in(f.name, f.on.changed())
}

// Watch makes Unchanged look at a file of which before was known when it was opened,
// and, if it is owned, Close close it. It is for packages that read the file themselves,
// and make the File by [Table.File] or from a stream.
func (f *File) Watch(file *os.File, before os.FileInfo, owned bool) {
	f.on = &watched{file, before, owned}
}

// Unchanged returns an error if the file was written to or cut since it was opened:
// see [File.Unchanged].
func (a *Array) Unchanged() error { return in(a.path, a.on.changed()) }

// Guard calls f and returns its error. If f, in the goroutine that calls, reads memory of
// a mapped file that has been cut short meanwhile, f ends there and the error is
// ErrFormat with the file's name; without Guard it is a fault that ends the program.
//
// The functions of this module guard themselves. Guard is for code that reads the slices
// of [ogive.Values] or of Bytes.
func Guard(f func() error) error { return nd.GuardMapping(f) }
