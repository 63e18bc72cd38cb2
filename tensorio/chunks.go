package tensorio

import (
	"iter"
	"os"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// chunkBytes is the size of a block where none is given: large enough that
// the disk is read at its full speed, small beside the memory of a machine.
const chunkBytes = 64 << 20

// Chunks yields the array of an npy or raw file as consecutive blocks along
// axis 0 of about the given number of bytes, at least one row each; 0 bytes
// means 64 MiB. Each block has memory of its own and may be kept. The sequence
// ends at the first error, which is yielded with a nil tensor.
//
// Special cases are:
//   - a 0-d array, and one without elements, is one block
//   - in Fortran order the rows of a block are spread over the whole file:
//     the file is mapped whole, and the blocks are views of the mapping. Where
//     it cannot be mapped, or lies in the other byte order, it is read whole.
//   - npz and tables have no blocks: ErrOption
//
// The file is a regular one; it is opened when the sequence starts and closed
// when it ends.
func Chunks(path string, o Options, bytes int) iter.Seq2[*ogive.Tensor, error] {
	return func(yield func(*ogive.Tensor, error) bool) {
		if err := chunks(path, o, bytes, yield); err != nil {
			yield(nil, in(path, err))
		}
	}
}

func chunks(path string, o Options, bytes int, yield func(*ogive.Tensor, error) bool) error {
	if bytes < 0 {
		return misused("blocks of %d bytes", bytes)
	}
	if bytes == 0 {
		bytes = chunkBytes
	}
	a, err := openArray(path, o)
	if err != nil {
		return err
	}
	defer a.f.Close()
	if a.Fortran() {
		return a.layout.chunksOfColumns(a.f, bytes, yield)
	}
	return a.chunksOfRows(bytes, yield)
}

// rows returns the number of rows along axis 0 and of those in a block of the
// given size; 1 and 1 where the array cannot be divided.
func (l *layout) rows(bytes int) (all, block int) {
	size := l.size()
	if len(l.shape) == 0 || size == 0 {
		return 1, 1
	}
	all = l.shape[0]
	return all, max(1, bytes/(size/all))
}

// chunksOfRows reads the blocks of an array in C order one after the other.
func (a *Array) chunksOfRows(bytes int, yield func(*ogive.Tensor, error) bool) error {
	all, block := a.layout.rows(bytes)
	lo, hi := make([]int, len(a.layout.shape)), a.Shape()
	for from := 0; from < all; from += block {
		if block < all {
			lo[0], hi[0] = from, min(from+block, all)
		}
		t, err := a.read(nil, lo, hi)
		if err != nil {
			return err
		}
		if !yield(t, nil) {
			return nil
		}
	}
	return nil
}

// chunksOfColumns yields views of an array in Fortran order.
func (l *layout) chunksOfColumns(f *os.File, bytes int, yield func(*ogive.Tensor, error) bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != int64(int(info.Size())) {
		return errs.New(errs.ErrFormat, "%d bytes in Fortran order are more than this platform can address", info.Size())
	}
	s := &source{}
	if s.data, s.owner, err = mapFile(f, f.Name(), int(info.Size())); err != nil {
		return err
	}
	var t *ogive.Tensor
	err = nd.Guard("", func() error {
		t, err = l.flat(s)
		return err
	})
	if err != nil {
		return err
	}
	all, block := l.rows(bytes)
	if l.size() == 0 {
		yield(t, nil)
		return nil
	}
	for from := 0; from < all; from += block {
		part, err := t.Slice(0, from, min(from+block, all), 1)
		if err != nil {
			return err
		}
		if !yield(part, nil) {
			return nil
		}
	}
	return nil
}
