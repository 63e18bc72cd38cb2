//go:build !unix

package tensorio

import "os"

// mapFile reads the first size bytes of f: this platform maps no files here.
// The owner is nil.
func mapFile(f *os.File, _ string, size int) (data []byte, owner any, err error) {
	data, err = readFile(f, size)
	return data, nil, err
}

// badAddress reports whether an error is that of a system call that could not read or
// write memory; there is no memory that cannot be read.
func badAddress(error) bool { return false }
