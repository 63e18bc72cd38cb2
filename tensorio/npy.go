package tensorio

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// ReadNPY reads one array in NumPy's npy format, versions 1 to 3, and leaves r
// after its last element: arrays written one after the other can be read so.
//
// Special cases are:
//   - Fortran order gives a view with the dimensions reversed, not a copy
//   - either byte order is read
//   - a void of two bytes is a bfloat16, as NumPy writes an ml_dtypes array
//     (it writes nothing else to know it by)
//   - bool bytes other than 0 and 1, and structured, object, text, date and
//     other dtypes, are ErrFormat
//
// See https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
func ReadNPY(r io.Reader) (*ogive.Tensor, error) { return readNPY(r, remaining(r), 0) }

// readNPY is ReadNPY of a stream with left bytes, -1 if that is not known, in memory that
// has a bound, or 0.
func readNPY(r io.Reader, left, most int64) (*ogive.Tensor, error) {
	l, err := npyLayout(r, left, Options{})
	if err != nil {
		return nil, err
	}
	n := l.size()
	if left >= 0 {
		if left = max(0, left-l.start); left < int64(n) {
			return nil, l.truncated(left)
		}
	}
	if err := TooLarge(int64(n), most); err != nil {
		return nil, err
	}
	b, err := readAligned(r, n, left)
	if err != nil {
		return nil, in(fmt.Sprintf("byte %d", l.start+int64(len(b))), err)
	}
	if len(b) < n {
		return nil, l.truncated(int64(len(b)))
	}
	return l.tensor(b, nil, true)
}

// readNPYFile reads a file that is one npy array and nothing else.
func readNPYFile(s *source, o Options) (*File, error) {
	var t *ogive.Tensor
	if s.data == nil {
		var err error
		if t, err = readNPY(s.stream, s.left, s.most); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(s.stream, make([]byte, 1)); err == nil {
			return nil, malformed("the file goes on after the %d bytes of %v of %v", t.Len()*t.DType().Size(), t.Shape(), t.DType())
		} else if err != io.EOF {
			return nil, err
		}
		return single(s.name, t), nil
	}
	l, err := npyLayout(&sliceReader{s.data}, int64(len(s.data)), o)
	if err == nil {
		t, err = l.flat(s)
	}
	if err != nil {
		return nil, err
	}
	return single(s.name, t), nil
}

// sliceReader reads a slice.
type sliceReader struct{ b []byte }

func (r *sliceReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, nil
}

// WriteNPY writes t in NumPy's npy format, byte for byte as numpy.save does:
// version 1.0, the machine's byte order, the first element at a multiple of 64
// bytes, Fortran order if that and not C order is how t lies in memory. A
// bfloat16 is written as ml_dtypes has it, a void of two bytes. A nil tensor
// is ErrShape, one on a device ErrDevice; an error of w is returned as it is.
func WriteNPY(w io.Writer, t *ogive.Tensor) error {
	return nd.Guard("", func() error { return writeNPY(w, t) })
}

func writeNPY(w io.Writer, t *ogive.Tensor) error {
	a, err := hostArray(t)
	if err != nil {
		return err
	}
	if !a.DType.Valid() {
		return errs.New(errs.ErrDType, "an empty Tensor value, of no dtype")
	}
	fortran := false
	if !a.IsContiguous() {
		if reversed, err := a.Transpose(); err == nil && reversed.IsContiguous() {
			fortran = true
			a = &reversed
		}
	}
	if _, err := io.WriteString(w, npyHeader(t.DType(), fortran, t.Shape())); err != nil {
		return err
	}
	return writeElements(w, a)
}

// hostArray returns the array of a tensor in host memory.
func hostArray(t *ogive.Tensor) (*nd.Array, error) {
	if t == nil {
		return nil, errs.New(errs.ErrShape, "the tensor is nil")
	}
	a := tensors.Array(t)
	if a.Buf.Device != nil {
		return nil, errs.New(errs.ErrDevice, "the tensor is on a device; take it to the host first")
	}
	return a, nil
}

// growth is the width to which NumPy pads the dimension along which a file
// could grow, so that the header can be changed in place.
const growth = 21

// npyHeader returns everything before the first element.
func npyHeader(dt dtype.DType, fortran bool, shape []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{'descr': '%s', 'fortran_order': ", descrOf(dt))
	if fortran {
		b.WriteString("True")
	} else {
		b.WriteString("False")
	}
	b.WriteString(", 'shape': (")
	for i, d := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, d)
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteString("), }")
	if len(shape) > 0 {
		grows := shape[0]
		if fortran {
			grows = shape[len(shape)-1]
		}
		b.WriteString(strings.Repeat(" ", growth-len(fmt.Sprint(grows))))
	}
	const before = len(npyMagic) + 2 + 2
	pad := 64 - (before+b.Len()+1)%64 // NumPy pads by 64 where 0 would do
	length := b.Len() + pad + 1       // 16 dimensions of 20 digits: below 2^16
	prefix := npyMagic + "\x01\x00" + string([]byte{byte(length), byte(length >> 8)})
	return prefix + b.String() + strings.Repeat(" ", pad) + "\n"
}

// descrOf returns NumPy's type string of a dtype in the machine's byte order.
func descrOf(dt dtype.DType) string {
	order := "|"
	if dt.Size() > 1 {
		order = "<"
		if !littleEndian {
			order = ">"
		}
	}
	for s, d := range descrs {
		if d == dt {
			return order + s
		}
	}
	panic("tensorio: no type string for " + dt.String())
}

// touch reads a byte of each page.
//
//go:noinline
func touch(b []byte) (sum byte) {
	for i := 0; i < len(b); i += 512 {
		sum += b[i]
	}
	return sum
}

// writeElements writes the elements in C order. What does not lie so in memory
// is gathered in pieces.
func writeElements(w io.Writer, a *nd.Array) error {
	if a.IsContiguous() {
		_, err := w.Write(a.Bytes())
		if badAddress(err) { // the system could not read them: let the fault say so
			touch(a.Bytes())
		}
		runtime.KeepAlive(a) // bytes of mapped memory do not keep it mapped
		return err
	}
	size := a.DType.Size()
	buf := alignedBytes(1 << 16)
	used := 0
	var err error
	nd.Runs(a, nil, func(r nd.Run) {
		for i := 0; i < r.N && err == nil; {
			n := min(r.N-i, (len(buf)-used)/size)
			nd.CopyRun(unsafe.Pointer(&buf[used]), 1, a.Pointer(r.A+i*r.StepA), r.StepA, n, size)
			i, used = i+n, used+n*size
			if used == len(buf) {
				_, err = w.Write(buf)
				used = 0
			}
		}
	})
	runtime.KeepAlive(a)
	if err == nil && used > 0 {
		_, err = w.Write(buf[:used])
	}
	return err
}
