//go:build unix

package tensorio

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// descriptorIn returns the descriptor that is named so in a folder of descriptors.
// The folder is one without symbolic links.
func descriptorIn(folder, name string) (fd int, ok bool) {
	fd, err := strconv.Atoi(name)
	if err != nil || fd < 0 {
		return -1, false
	}
	if folder == "/dev/fd" {
		return fd, true
	}
	own, err := filepath.EvalSymlinks("/proc/self/fd")
	return fd, err == nil && folder == own
}

// duplicate returns a file that shares the place of a descriptor.
func duplicate(fd int, name string) (*os.File, error) {
	for {
		dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		return os.NewFile(uintptr(dup), name), nil
	}
}

// keepOwner gives f the owner and the group of the file that it will replace.
func keepOwner(f *os.File, old os.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	want, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if have, ok := info.Sys().(*syscall.Stat_t); ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	if f.Chown(int(want.Uid), int(want.Gid)) != nil {
		return malformed("belongs to user %d and group %d, and a new file in its place would not", want.Uid, want.Gid)
	}
	return nil
}

// closed closes a file. A close that a signal interrupts has closed it all the same.
func closed(f *os.File) error {
	err := f.Close()
	if pathError, ok := err.(*os.PathError); ok && pathError.Err == syscall.EINTR {
		return nil
	}
	return err
}
