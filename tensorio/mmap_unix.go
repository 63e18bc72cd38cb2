//go:build unix

package tensorio

import (
	"errors"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ogive-go/ogive/internal/nd"
)

// A mapping that there is no room for is tried again after a pause, in which those that
// nothing uses any more are given back.
const (
	mapTries = 3
	mapPause = 20 * time.Millisecond
)

// mapFile maps the first size bytes of f, copy on write; the name is for messages. A
// file that the system does not map, but for want of memory, is read; the owner is nil
// then.
func mapFile(f *os.File, name string, size int) (data []byte, owner any, err error) {
	fd := int(f.Fd())
	for range mapTries {
		data, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|noReserve)
		if err != unix.ENOMEM {
			break
		}
		// A process may have so many mappings: those of tensors that are gone are given back.
		runtime.GC()
		time.Sleep(mapPause)
	}
	if err == unix.ENOMEM {
		return nil, nil, err
	}
	if err != nil {
		data, err = readFile(f, size)
		return data, nil, err
	}
	m := nd.NewMapping(name, data, func(data []byte) {
		_ = unix.Munmap(data) // fails only for memory that is not mapped
	})
	return data, m, nil
}

// badAddress reports whether an error is that of a system call that could not read or
// write memory.
func badAddress(err error) bool { return errors.Is(err, unix.EFAULT) }
