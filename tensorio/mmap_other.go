//go:build !unix

package tensorio

import "os"

// mapFile reads the first size bytes of f: this platform maps no files here.
// The owner is nil.
func mapFile(f *os.File, size int) (data []byte, owner any, err error) {
	data, err = readFile(f, size)
	return data, nil, err
}
