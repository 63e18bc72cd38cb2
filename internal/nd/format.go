package nd

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

// The layout of printed arrays: NumPy's defaults.
const (
	lineWidth = 75
	threshold = 1000 // arrays with more elements are shortened
	edgeItems = 3    // to this many at either end of each dimension
	precision = 8    // most digits after the decimal point
)

// Format returns a's values as NumPy's str prints them: nested brackets,
// columns of one width, lines of at most 75 characters, floats with at most 8
// digits after the point and no more than tell them from their neighbours,
// scientific notation for all where one is at least 1e8 or below 1e-4 or they
// differ by a factor above 1000. Arrays of more than 1000 elements are
// shortened to 3 elements at both ends of each longer dimension, and only
// those are read. A 0-d array is its value in full, an array without elements
// is "[]". bfloat16, which NumPy lacks, follows the rules of float16.
//
// The memory must be the host's.
func (a *Array) Format() string {
	if a.Len() == 0 {
		return "[]"
	}
	p := printer{shape: a.Shape(), summary: a.Len() > threshold}
	raw := p.collect(nil, a, 0, 0)
	keepMapped(a)
	if a.NDim() == 0 {
		return scalar(a.DType, raw)
	}
	p.cells = cells(a.DType, raw)
	p.write(0)
	return string(p.out)
}

// printer lays out the cells of an array.
type printer struct {
	shape   []int
	summary bool
	cells   [][]byte // the printed elements that are left, in order
	out     []byte
}

// edges returns how many elements are printed before the dots of a dimension
// and after them; without dots all are after them.
func (p *printer) edges(axis int) (before, after int) {
	if n := p.shape[axis]; !p.summary || n <= 2*edgeItems {
		return 0, n
	}
	return edgeItems, edgeItems
}

// collect appends the bytes of the elements that are printed, in order.
func (p *printer) collect(raw []byte, a *Array, axis, distance int) []byte {
	if axis == len(p.shape) {
		return append(raw, unsafe.Slice((*byte)(a.Pointer(distance)), a.DType.Size())...)
	}
	before, after := p.edges(axis)
	n, step := p.shape[axis], a.strides[axis]
	for i := range before {
		raw = p.collect(raw, a, axis+1, distance+i*step)
	}
	for i := n - after; i < n; i++ {
		raw = p.collect(raw, a, axis+1, distance+i*step)
	}
	return raw
}

// write prints the next sub-array: the dimensions from axis on.
func (p *printer) write(axis int) {
	p.out = append(p.out, '[')
	if axis == len(p.shape)-1 {
		p.row(axis)
	} else {
		before, after := p.edges(axis)
		for range before {
			p.write(axis + 1)
			p.separate(axis)
		}
		if before > 0 {
			p.out = append(p.out, "..."...)
			p.separate(axis)
		}
		for i := range after {
			if i > 0 {
				p.separate(axis)
			}
			p.write(axis + 1)
		}
	}
	p.out = append(p.out, ']')
}

// separate ends a sub-array of a dimension that is not the last: one line
// break for every dimension below it, and the next one's indentation.
func (p *printer) separate(axis int) {
	for range len(p.shape) - 1 - axis {
		p.out = append(p.out, '\n')
	}
	p.indent(axis)
}

// indent writes as many spaces as brackets are open.
func (p *printer) indent(axis int) {
	for range axis + 1 {
		p.out = append(p.out, ' ')
	}
}

// row prints the last dimension, broken into lines that leave room for the
// brackets that may close there.
func (p *printer) row(axis int) {
	width := lineWidth - axis - 1
	start := len(p.out) - axis - 1 // where the line starts, if brackets stand for the indentation
	put := func(word []byte, last bool) {
		if at := len(p.out) - start; at > axis+1 && at+len(word) > width {
			p.out = append(bytes.TrimRight(p.out, " "), '\n')
			start = len(p.out)
			p.indent(axis)
		}
		p.out = append(p.out, word...)
		if !last {
			p.out = append(p.out, ' ')
		}
	}
	next := func() (word []byte) {
		word, p.cells = p.cells[0], p.cells[1:]
		return word
	}
	before, after := p.edges(axis)
	for range before {
		put(next(), false)
	}
	if before > 0 {
		put([]byte("..."), false)
	}
	for i := range after {
		put(next(), i == after-1)
	}
}

// cells formats the elements in raw, all to one width.
func cells(dt dtype.DType, raw []byte) [][]byte {
	n := len(raw) / dt.Size()
	out := make([][]byte, n)
	switch {
	case dt.IsBool():
		for i, v := range raw {
			out[i] = []byte(" True")
			if v == 0 {
				out[i] = []byte("False")
			}
		}
	case dt.IsInteger():
		width := 0
		for i := range out {
			out[i] = integer(dt, raw[i*dt.Size():][:dt.Size()])
			width = max(width, len(out[i]))
		}
		for i, c := range out {
			out[i] = padLeft(c, width)
		}
	case dt.IsFloat():
		x := convert[float64](dt, dtype.Float64, raw)
		f := newFloats(dt, x, false)
		for i, v := range x {
			out[i] = f.cell(v)
		}
	default:
		re, im := parts(dt, raw)
		part := partOf(dt)
		fr, fi := newFloats(part, re, false), newFloats(part, im, true)
		for i := range out {
			c := fi.cell(im[i])
			end := len(bytes.TrimRight(c, " "))
			out[i] = append(fr.cell(re[i]), c[:end]...)
			out[i] = append(append(out[i], 'j'), c[end:]...)
		}
	}
	return out
}

// scalar formats one element by itself, floats in full.
func scalar(dt dtype.DType, raw []byte) string {
	switch {
	case dt.IsBool():
		return string(bytes.TrimLeft(cells(dt, raw)[0], " "))
	case dt.IsInteger():
		return string(integer(dt, raw))
	case dt.IsFloat():
		return shortest(dt, convert[float64](dt, dtype.Float64, raw)[0], ".0", false)
	}
	re, im := parts(dt, raw)
	part := partOf(dt)
	if re[0] == 0 && !math.Signbit(re[0]) {
		return shortest(part, im[0], "", false) + "j"
	}
	return "(" + shortest(part, re[0], "", false) + shortest(part, im[0], "", true) + "j)"
}

// convert returns raw's elements as T, the Go type of dtype to.
func convert[T any](from, to dtype.DType, raw []byte) []T {
	n := len(raw) / from.Size()
	out, aligned := make([]T, n), make([]uint64, len(raw)/8+1)
	in := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(aligned))), len(raw))
	copy(in, raw)
	dtype.Convert(to, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), n*to.Size()), from, in)
	return out
}

// parts returns the real and imaginary parts of complex elements.
func parts(dt dtype.DType, raw []byte) (re, im []float64) {
	for _, c := range convert[complex128](dt, dtype.Complex128, raw) {
		re, im = append(re, real(c)), append(im, imag(c))
	}
	return re, im
}

// partOf returns the dtype of the parts of a complex dtype.
func partOf(dt dtype.DType) dtype.DType {
	if dt == dtype.Complex64 {
		return dtype.Float32
	}
	return dtype.Float64
}

func integer(dt dtype.DType, raw []byte) []byte {
	if dt.IsSigned() {
		return strconv.AppendInt(nil, convert[int64](dt, dtype.Int64, raw)[0], 10)
	}
	return strconv.AppendUint(nil, convert[uint64](dt, dtype.Uint64, raw)[0], 10)
}

func padLeft(b []byte, width int) []byte {
	if len(b) >= width {
		return b
	}
	return append(bytes.Repeat([]byte{' '}, width-len(b)), b...)
}
