//go:build unix

package stdio

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// PatientFile returns a file as a Patient if it does not block; nil if it does.
func PatientFile(f *os.File) *Patient {
	fd := int(f.Fd())
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_NONBLOCK == 0 || f.SetDeadline(time.Time{}) != nil {
		return nil
	}
	return &Patient{f, func(write bool) bool {
		events := int16(unix.POLLIN)
		if write {
			events = unix.POLLOUT
		}
		list := []unix.PollFd{{Fd: int32(fd), Events: events}}
		n, err := unix.Poll(list, 0)
		return err == nil && n > 0
	}}
}
