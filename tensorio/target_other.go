//go:build !unix

package tensorio

import (
	"errors"
	"os"
)

// descriptorIn reports that no path names a descriptor.
func descriptorIn(folder, name string) (fd int, ok bool) { return -1, false }

// duplicate is not called: no path names a descriptor.
func duplicate(fd int, name string) (*os.File, error) { return nil, errors.ErrUnsupported }

// keepOwner does nothing: a new file belongs to whom the system says.
func keepOwner(f *os.File, old os.FileInfo) error { return nil }

// closed closes a file.
func closed(f *os.File) error { return f.Close() }
