package main

import (
	"os"
	"syscall"
	"unsafe"
)

// mapFile returns the memory that a file of so many bytes is.
func mapFile(f *os.File, size int) ([]byte, error) {
	mapping, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil, syscall.PAGE_READWRITE, 0, 0, nil)
	if err != nil {
		return nil, err
	}
	defer syscall.CloseHandle(mapping)
	p, err := syscall.MapViewOfFile(mapping, syscall.FILE_MAP_WRITE, 0, 0, 0)
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), p)), size), err
}

func unmap(bytes []byte) {
	_ = syscall.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(bytes))))
}
