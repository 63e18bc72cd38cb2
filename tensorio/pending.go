package tensorio

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// WriteFile calls write to make the content of a file, and puts it in place
// only when it is complete and on the disk: it is written to a temporary file
// in the same folder, which takes the file's name at the end. If anything
// fails, write too, the old file stays as it was and the temporary one is
// removed. The writer is buffered.
//
// Special cases are:
//   - the file keeps its permissions and its owner; if the process may not give
//     the new one that owner, or may not write the old one, that is an error
//   - a symbolic link keeps pointing: the file that it names is replaced, or made
//   - what is not a regular file, a FIFO or a device, is written where it is
//   - a name of an open descriptor ([Descriptor]), such as /dev/stdout, is
//     written where that stands, and nothing before it is lost
func WriteFile(path string, write func(io.Writer) error) error {
	var p Pending
	defer p.Discard()
	if err := p.Write(context.Background(), path, write); err != nil {
		return err
	}
	return p.Commit(context.Background())
}

// Pending is a set of files that are written as [WriteFile] does, and that take
// their names together: until Commit nothing has changed, and if that fails for
// one of them all old files are as they were. A process that is killed within
// Commit may leave some old and some new. The zero value has no files.
type Pending struct {
	files []*pendingFile
}

// pendingFile is a file of the set.
type pendingFile struct {
	path    string // as the caller names it
	target  target
	tmp     string                // the new content of a regular file; empty once it has its name
	backup  string                // a second name of the old file, which undoes the renaming
	renamed bool                  // the new content has the file's name
	write   func(io.Writer) error // of what is not a regular file, for Commit
}

// Write calls write to make the content of a file. What is not a regular file
// can be written only once, so that write is called by Commit then. The end of
// ctx ends it, with its cause as the error, between two writes. A path that is
// another name of a file of the set is ErrOption.
func (p *Pending) Write(ctx context.Context, path string, write func(io.Writer) error) error {
	return in(path, p.add(ctx, path, write))
}

func (p *Pending) add(ctx context.Context, path string, write func(io.Writer) error) error {
	t, err := resolve(path)
	if err != nil {
		return err
	}
	for _, f := range p.files {
		if f.target.same(t) {
			return misused("is the same file as %s, and would be written twice", f.path)
		}
	}
	f := &pendingFile{path: path, target: t}
	if t.regular() {
		err = f.prepare(ctx, write)
	} else {
		f.write = write
	}
	if err == nil {
		p.files = append(p.files, f)
	}
	return err
}

// Commit writes what is not a regular file, and gives the others their names. The
// end of ctx ends what may block for ever, opening and writing a FIFO or a device:
// the function that writes it may then go on until its next write, which fails. The
// set is empty afterwards, whatever comes of it.
func (p *Pending) Commit(ctx context.Context) error {
	defer p.Discard()
	for _, f := range p.files {
		if f.write != nil {
			if err := f.stream(ctx); err != nil {
				return in(f.path, err)
			}
		}
	}
	for i, f := range p.files {
		if f.tmp == "" {
			continue
		}
		err := f.replace(i < len(p.files)-1)
		if err != nil {
			for _, done := range slices.Backward(p.files[:i]) {
				if undone := done.undo(); undone != nil {
					err = malformed("%v; %s is replaced, and could not be put back: %v", err, done.path, undone)
				}
			}
			return in(f.path, err)
		}
	}
	folders := map[string]bool{}
	for _, f := range p.files {
		if folder := filepath.Dir(f.target.path); f.renamed && !folders[folder] {
			folders[folder] = true
			syncFolder(folder)
		}
	}
	return nil
}

// Discard removes what has been written, and empties the set. After Commit it
// does nothing.
func (p *Pending) Discard() {
	for _, f := range p.files {
		f.remove(&f.tmp)
		f.remove(&f.backup)
	}
	p.files = nil
}

// remove removes a temporary file, if there is one.
func (f *pendingFile) remove(name *string) {
	if *name != "" {
		os.Remove(*name)
		*name = ""
	}
}

// prepare writes the new content of a regular file to a temporary one beside it.
func (f *pendingFile) prepare(ctx context.Context, write func(io.Writer) error) error {
	if f.target.info != nil {
		// Renaming asks for no permission on the file itself, but who took it away meant it.
		old, err := os.OpenFile(f.target.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		old.Close()
	}
	tmp, err := createBeside(f.target.path)
	if err != nil {
		return err
	}
	f.tmp = tmp.Name()
	done := false
	defer func() { // write may panic
		if !done {
			tmp.Close()
			f.remove(&f.tmp)
		}
	}()
	if f.target.info != nil {
		// Before there is content, which only those may read who could before.
		if err := keepOwner(tmp, f.target.info); err != nil {
			return err
		}
		if err := keepMode(tmp, f.target.info); err != nil {
			return err
		}
	}
	if err := buffered(ctx, tmp, write); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := closed(tmp); err != nil {
		return err
	}
	done = true
	return nil
}

// replace gives the new content the file's name; undo can take that back if asked for.
func (f *pendingFile) replace(undoable bool) error {
	if undoable && f.target.info != nil {
		backup, err := linkBeside(f.target.path)
		if err != nil {
			return err
		}
		f.backup = backup
	}
	if err := os.Rename(f.tmp, f.target.path); err != nil {
		return err
	}
	f.tmp, f.renamed = "", true
	return nil
}

// undo puts the old file back in place of the new one, if that is there. Where it
// cannot, it leaves the old one under the name that the error tells.
func (f *pendingFile) undo() error {
	if !f.renamed {
		return nil
	}
	f.renamed = false
	if f.backup == "" {
		return os.Remove(f.target.path)
	}
	err := os.Rename(f.backup, f.target.path)
	if err != nil {
		err = fmt.Errorf("%w; the old one is %s", err, f.backup)
	}
	f.backup = ""
	return err
}

// stream writes what is not a regular file, until ctx ends.
func (f *pendingFile) stream(ctx context.Context) error {
	run := func() error {
		file, err := f.target.open()
		if err != nil {
			return err
		}
		if err := buffered(ctx, file, f.write); err != nil {
			file.Close()
			return err
		}
		return closed(file)
	}
	if ctx.Done() == nil {
		return run()
	}
	done := make(chan error, 1)
	go func() { done <- run() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// buffered runs write on a file through a buffer, as long as ctx has not ended.
func buffered(ctx context.Context, f *os.File, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(until{ctx, f}, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// until is a writer that fails once its context has ended.
type until struct {
	ctx context.Context
	w   io.Writer
}

func (u until) Write(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.w.Write(p)
}

// keepMode gives f the permissions of the file that it will replace.
func keepMode(f *os.File, old os.FileInfo) error {
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() == old.Mode().Perm() {
		return err
	}
	return f.Chmod(old.Mode().Perm())
}

// beside calls try with names for a temporary file in the folder of path until one is
// free.
func beside(path string, try func(name string) error) error {
	for range 100 {
		err := try(filepath.Join(filepath.Dir(path), fmt.Sprintf(".ogive-%016x.tmp", rand.Uint64())))
		if !os.IsExist(err) {
			return err
		}
	}
	return malformed("no name for a temporary file is free")
}

// createBeside makes a new file in the folder of path, with the permissions
// that new files have (os.CreateTemp makes files that only the owner reads).
func createBeside(path string) (f *os.File, err error) {
	err = beside(path, func(name string) error {
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	return f, err
}

// linkBeside gives a file a second name in its folder. Where the file system has no
// hard links, it takes the first one away.
func linkBeside(path string) (second string, err error) {
	err = beside(path, func(name string) error {
		second = name
		if err := os.Link(path, name); err == nil || os.IsExist(err) {
			return err
		}
		return os.Rename(path, name)
	})
	return second, err
}

// syncFolder makes a new name in a folder last. Systems that cannot do it for
// folders say so; the file itself is on the disk by then.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
