package tensorio

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// target is what a path names, to be written.
type target struct {
	path string      // without symbolic links
	info os.FileInfo // nil if there is no such file
	fd   int         // the descriptor that the path names, or -1
}

// maxLinks is how many symbolic links in a row are followed, as Linux does.
const maxLinks = 40

// Descriptor returns the descriptor that a path is another name of, as /dev/stdout
// and /dev/fd/3 are, and links to them. What is written to such a path goes where the
// descriptor stands.
func Descriptor(path string) (fd int, ok bool) {
	t, err := resolve(path)
	return t.fd, err == nil && t.fd >= 0
}

// SameTarget reports whether to write to a is to write to b: they are one file, or
// will be, under two names.
func SameTarget(a, b string) bool {
	s, err := resolve(a)
	if err != nil {
		return false
	}
	t, err := resolve(b)
	return err == nil && s.same(t)
}

// same reports whether two targets are one.
func (t target) same(o target) bool {
	switch {
	case t.fd >= 0 && t.fd == o.fd:
		return true
	case t.info != nil && o.info != nil:
		return os.SameFile(t.info, o.info)
	case t.info != nil || o.info != nil || filepath.Base(t.path) != filepath.Base(o.path):
		return false
	}
	here, err := os.Stat(filepath.Dir(t.path))
	if err != nil {
		return false
	}
	there, err := os.Stat(filepath.Dir(o.path))
	return err == nil && os.SameFile(here, there)
}

// regular reports whether the target is a regular file, or will be one.
func (t target) regular() bool { return t.fd < 0 && (t.info == nil || t.info.Mode().IsRegular()) }

// open opens what is not a regular file.
func (t target) open() (*os.File, error) {
	if t.fd >= 0 {
		return duplicate(t.fd, t.path)
	}
	return os.OpenFile(t.path, os.O_WRONLY, 0)
}

// resolve follows symbolic links to what a path names, which need not exist. A loop
// of links, and a folder, are errors.
func resolve(path string) (target, error) {
	none := target{fd: -1}
	for range maxLinks {
		folder, name := filepath.Split(path)
		if name == "" || name == "." || name == ".." {
			info, err := os.Stat(path)
			if err == nil && !info.IsDir() {
				err = syscall.ENOTDIR
			}
			if err == nil {
				err = malformed("is a folder")
			}
			return none, err
		}
		if folder == "" {
			folder = "."
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folder = real // else what is done with the path tells why
		}
		path = filepath.Join(folder, name)
		if fd, ok := descriptorIn(folder, name); ok {
			info, err := os.Stat(path)
			return target{path, info, fd}, err
		}
		info, err := os.Lstat(path)
		if os.IsNotExist(err) {
			return target{path, nil, -1}, nil
		}
		if err != nil {
			return none, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if info.IsDir() {
				return none, malformed("is a folder")
			}
			return target{path, info, -1}, nil
		}
		// A link of /proc may name what has no path.
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() && strings.HasPrefix(folder, "/proc/") {
			return target{path, info, -1}, nil
		}
		link, err := os.Readlink(path)
		if err != nil {
			return none, err
		}
		if path = link; !filepath.IsAbs(link) {
			path = folder + string(filepath.Separator) + link // as it stands: a folder before ".." may be a link
		}
	}
	return none, syscall.ELOOP
}
