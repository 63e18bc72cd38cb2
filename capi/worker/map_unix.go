//go:build unix

package main

import (
	"os"
	"syscall"
)

// mapFile returns the memory that a file of so many bytes is.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

func unmap(bytes []byte) { _ = syscall.Munmap(bytes) }
