//go:build linux && !cgo

package stdio

import (
	"os"

	"golang.org/x/sys/unix"
)

func closed(fd int) bool {
	var info unix.Stat_t
	if unix.Fstat(fd, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFCHR || uint64(info.Rdev) != unix.Mkdev(1, 3) {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&(unix.O_ACCMODE|unix.O_APPEND|unix.O_NONBLOCK) != unix.O_RDWR {
		return false
	}
	self, parent := os.Getpid(), os.Getppid()
	for other := range 3 {
		if other != fd && sameOpening(self, fd, self, other) || sameOpening(self, fd, parent, other) {
			return false
		}
	}
	return true
}

// sameOpening reports whether descriptors of two processes come from one opening of a
// file; it takes what the system does not tell for no.
func sameOpening(pid, fd, otherPid, otherFd int) bool {
	const file = 0 // KCMP_FILE
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(pid), uintptr(otherPid), file, uintptr(fd), uintptr(otherFd), 0)
	return errno == 0 && order == 0
}
