//go:build unix

package tensorio

import (
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// mapping owns mapped memory: it is unmapped once nothing refers to the
// mapping any more.
type mapping struct{ data []byte }

// pinned holds the mappings that stay for good.
var pinned sync.Map

// Pin keeps the memory mapped for the rest of the program. It is for memory
// that is handed out without its owner.
func (m *mapping) Pin() { pinned.Store(m, nil) }

// mapFile maps the first size bytes of f, copy on write. A file that the system
// does not map, but for want of memory, is read; the owner is nil then.
func mapFile(f *os.File, size int) (data []byte, owner any, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|noReserve)
	if err == unix.ENOMEM {
		return nil, nil, err
	}
	if err != nil {
		data, err = readFile(f, size)
		return data, nil, err
	}
	m := &mapping{data}
	runtime.AddCleanup(m, func(data []byte) {
		_ = unix.Munmap(data) // fails only for memory that is not mapped
	}, data)
	return data, m, nil
}
