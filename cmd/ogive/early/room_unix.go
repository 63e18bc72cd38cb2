//go:build unix

package early

import (
	"math"
	"syscall"
)

// spareDescriptors checks that n more descriptors can be had.
func spareDescriptors(n int) (err error) {
	for range n {
		var fd int
		if fd, err = syscall.Dup(2); err != nil {
			return err
		}
		defer syscall.Close(fd)
	}
	return nil
}

// measureRoom asks the system for memory and gives it back, if the process has limits.
func measureRoom() (room int64, limited bool) {
	const granule, most = 1 << 20, 1 << 40
	for _, resource := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		limited = limited || syscall.Getrlimit(resource, &limit) == nil && uint64(limit.Cur) < most
	}
	if !limited {
		return 0, false
	}
	return largest(granule, min(most, math.MaxInt), func(n int64) bool {
		b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		return err == nil && syscall.Munmap(b) == nil
	}), true
}
