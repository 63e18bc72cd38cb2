package tensorio

import (
	"io"
	"iter"
	"os"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
)

// Array is an npy or raw file that is read piece by piece: a Source for package stream.
// Apart from Close it may be used by several goroutines at once.
type Array struct {
	path   string
	f      *os.File
	layout layout
	on     *watched
}

// OpenArray opens an npy or raw file, which is a regular one, and checks that its size is
// that of its array. Other formats are ErrOption. No elements are read, and none are
// mapped: a file that is shortened later is an error of Read.
func OpenArray(path string, o Options) (*Array, error) {
	a, err := openArray(path, o)
	if err != nil {
		return nil, in(path, err)
	}
	return a, nil
}

func openArray(path string, o Options) (*Array, error) {
	f, info, err := openFile(path)
	if err != nil {
		return nil, err
	}
	l, err := arrayLayout(f, info, path, o)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Array{path, f, l, &watched{f, info, false}}, nil
}

// ArrayOf is OpenArray for a file that is open, with a name for messages. Where it
// fails the file stays open, and where it is read from stays as it is.
func ArrayOf(f *os.File, name string, o Options) (*Array, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, in(name, err)
	}
	l, err := arrayLayout(f, info, name, o)
	if err != nil {
		return nil, in(name, err)
	}
	return &Array{name, f, l, &watched{f, info, false}}, nil
}

// arrayLayout returns the layout of a regular file that holds one array.
func arrayLayout(f *os.File, info os.FileInfo, path string, o Options) (layout, error) {
	if !info.Mode().IsRegular() {
		return layout{}, misused("is not a regular file: it has no blocks")
	}
	head := make([]byte, sniffed)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return layout{}, err
	}
	format, err := choose(path, o, head[:n])
	if err != nil {
		return layout{}, err
	}
	if format.layout == nil {
		return layout{}, misused("%s has no blocks; npy and raw have", format.Name)
	}
	l, err := format.layout(io.NewSectionReader(f, 0, info.Size()), info.Size(), o)
	if err == nil {
		err = l.fits(info.Size())
	}
	return l, err
}

// DType returns the element type.
func (a *Array) DType() dtype.DType { return a.layout.dt }

// Shape returns a copy of the dimensions, empty for a scalar.
func (a *Array) Shape() []int { return append([]int{}, a.layout.shape...) }

// Fortran reports whether the first dimension, and not the last, varies fastest in the
// file: pieces that are whole along the first dimensions are then read in one go.
func (a *Array) Fortran() bool { return a.layout.fortran && len(a.layout.shape) > 1 }

// Close closes the file. Closing twice is an error.
func (a *Array) Close() error { return in(a.path, a.f.Close()) }

// Read returns the elements at the positions lo[i] to hi[i]-1 of each dimension i, in
// memory of their own. Positions outside 0 ≤ lo ≤ hi ≤ length, or of another number
// of dimensions, are ErrShape; a file that has been shortened, and bools other than 0
// and 1, are ErrFormat. Each run of elements that follow each other in the file is one
// read of it.
func (a *Array) Read(lo, hi []int) (*ogive.Tensor, error) { return a.ReadInto(nil, lo, hi) }

// ReadInto is Read into the beginning of memory, which the tensor shares, unless it is too
// small or begins where no element can lie. Reading pieces one after the other is then a
// copy of each from the page cache, without fresh memory to clear.
func (a *Array) ReadInto(memory []byte, lo, hi []int) (*ogive.Tensor, error) {
	t, err := a.read(memory, lo, hi)
	return t, in(a.path, err)
}

func (a *Array) read(memory []byte, lo, hi []int) (*ogive.Tensor, error) {
	l := &a.layout
	if len(lo) != len(l.shape) || len(hi) != len(l.shape) {
		return nil, errs.New(errs.ErrShape, "positions %v to %v of an array with %d dimensions", lo, hi, len(l.shape))
	}
	part := *l
	part.shape = make([]int, len(lo))
	for i := range lo {
		if lo[i] < 0 || hi[i] < lo[i] || hi[i] > l.shape[i] {
			return nil, errs.New(errs.ErrShape, "positions %v to %v are outside shape %v", lo, hi, l.shape)
		}
		part.shape[i] = hi[i] - lo[i]
	}
	n := part.size()
	if len(memory) < n || !l.aligned(memory) {
		memory = alignedBytes(n)
	}
	b := memory[:n]
	if n > 0 {
		if err := a.readRuns(b, lo, part.shape); err != nil {
			return nil, err
		}
	}
	return part.tensor(b, nil, true)
}

// Pieces yields all elements in the order of the file as vectors of about the given number
// of bytes, one element at least, in memory that the next one uses again. Errors are those
// of Read.
func (a *Array) Pieces(bytes int) iter.Seq2[*ogive.Tensor, error] {
	return func(yield func(*ogive.Tensor, error) bool) {
		flat := *a
		size := a.layout.dt.Size()
		n := a.layout.size() / size
		flat.layout.shape, flat.layout.fortran = []int{n}, false
		piece := max(1, bytes/size)
		memory := alignedBytes(min(piece, n) * size)
		for from := 0; from < n; from += piece {
			x, err := flat.ReadInto(memory, []int{from}, []int{min(from+piece, n)})
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// readRuns reads the box of the given shape, which is not empty, that begins at lo.
func (a *Array) readRuns(b []byte, lo, shape []int) error {
	whole := a.layout.shape
	if a.layout.fortran {
		lo, shape, whole = reversed(lo), reversed(shape), reversed(whole)
	}
	// The dimensions from d on are one run in the file.
	d, run := len(shape), a.layout.dt.Size()
	for d > 0 {
		d--
		run *= shape[d]
		if shape[d] < whole[d] {
			break
		}
	}
	at := slices.Clone(lo)
	for len(b) > 0 {
		start := int64(0)
		for i := range at {
			start = start*int64(whole[i]) + int64(at[i])
		}
		start = start*int64(a.layout.dt.Size()) + a.layout.start
		if n, err := a.f.ReadAt(b[:run], start); n < run {
			if err != io.EOF {
				return err
			}
			return a.layout.truncated(start + int64(n) - a.layout.start)
		}
		if a.layout.dt == dtype.Bool {
			if i := notBool(b[:run]); i >= 0 {
				return notABool(start+int64(i), b[i])
			}
		}
		b = b[run:]
		for i := d - 1; i >= 0; i-- {
			if at[i]++; at[i] < lo[i]+shape[i] {
				break
			}
			at[i] = lo[i]
		}
	}
	return nil
}

// reversed returns a copy in reverse order.
func reversed(s []int) []int {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}
