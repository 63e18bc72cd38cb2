//go:build unix

package tensorio

import (
	"errors"
	"os"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ogive-go/ogive/internal/nd"
)

// A process may have some 65 000 mappings, the runtime's own among them, which cannot do
// without: of mostMapped files the next ones are read.
const (
	mostMapped   = 30_000
	collectEvery = 1000
)

// mappings is how many there are, and unmapped how many files were read instead.
var mappings, unmapped atomic.Int64

// mapFile maps the first size bytes of f, copy on write; the name is for messages. A
// file that the system does not map, but for want of memory, is read; the owner is nil
// then.
func mapFile(f *os.File, name string, size int) (data []byte, owner any, err error) {
	if mappings.Load() >= mostMapped {
		if unmapped.Add(1)%collectEvery == 1 {
			runtime.GC() // gives back those of tensors that are gone, soon
		}
		data, err = readFile(f, size)
		return data, nil, err
	}
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|noReserve)
	if err == unix.ENOMEM {
		return nil, nil, err
	}
	if err != nil {
		data, err = readFile(f, size)
		return data, nil, err
	}
	mappings.Add(1)
	m := nd.NewMapping(name, data, func(data []byte) {
		mappings.Add(-1)
		_ = unix.Munmap(data) // fails only for memory that is not mapped
	})
	return data, m, nil
}

// badAddress reports whether an error is that of a system call that could not read or
// write memory.
func badAddress(err error) bool { return errors.Is(err, unix.EFAULT) }
