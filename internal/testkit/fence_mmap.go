//go:build linux || darwin || freebsd

package testkit

import (
	"syscall"
	"testing"
)

// fencesProtect tells whether an access beyond a fence crashes.
const fencesProtect = true

// fenced maps the bytes between two inaccessible pages, with guard bytes on
// the side that touches none.
func fenced(tb testing.TB, n int, side Side) []byte {
	tb.Helper()
	page := syscall.Getpagesize()
	size := max((n+page-1)/page, 1) * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		tb.Fatalf("testkit: mmap: %v", err)
	}
	for _, fence := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			tb.Fatalf("testkit: mprotect: %v", err)
		}
	}
	inner := mem[page : page+size]
	rest := inner[n:]
	if side == AtEnd {
		rest = inner[:size-n]
	}
	for i := range rest {
		rest[i] = guard
	}
	tb.Cleanup(func() {
		for i, b := range rest {
			if b != guard {
				tb.Errorf("guard byte %d of a buffer of %d bytes, %v, was overwritten", i, n, side)
				break
			}
		}
		if err := syscall.Munmap(mem); err != nil {
			tb.Errorf("testkit: munmap: %v", err)
		}
	})
	if side == AtEnd {
		return inner[size-n : size : size]
	}
	return inner[:n:n]
}
