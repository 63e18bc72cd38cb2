//go:build linux || darwin || freebsd

package testkit

import (
	"syscall"
	"testing"
)

// fencesProtect tells whether an access beyond a fence crashes.
const fencesProtect = true

// fenced maps the bytes between two inaccessible pages.
func fenced(tb testing.TB, n int, side Side) []byte {
	tb.Helper()
	page := syscall.Getpagesize()
	size := max((n+page-1)/page, 1) * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		tb.Fatalf("testkit: mmap: %v", err)
	}
	tb.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			tb.Errorf("testkit: munmap: %v", err)
		}
	})
	for _, fence := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			tb.Fatalf("testkit: mprotect: %v", err)
		}
	}
	inner := mem[page : page+size]
	if side == AtEnd {
		return inner[size-n : size : size]
	}
	return inner[:n:n]
}
