// Package lane sees an N-dimensional view as lanes: the elements that a
// reduction takes together. Lanes are numbered in the C order of the kept
// dimensions, the elements of a lane in the C order of the reduced ones.
package lane

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
)

// Lanes are the lanes of an array.
type Lanes struct {
	N     int // elements of a lane
	Count int // lanes

	first   unsafe.Pointer
	size    int  // of an element
	kept    Dims // numbering the lanes
	reduced Dims // numbering the elements of a lane
}

// Dims are evenly spaced dimensions, slowest first, merged where they can be;
// strides in elements.
type Dims struct {
	NDim   int
	N      [nd.MaxDims]int
	Stride [nd.MaxDims]int
}

// Split returns the dimensions of a that number the lanes along the reduced axes, and
// those that number the elements of a lane.
func Split(a *nd.Array, reduced nd.Axes) (kept, within Dims) {
	for i, n := range a.Shape() {
		if reduced.Has(i) {
			within.push(n, a.Strides()[i])
		} else {
			kept.push(n, a.Strides()[i])
		}
	}
	return kept, within
}

// Init sets l to the lanes of a along the reduced axes. If ordered is false,
// the elements of a lane may be numbered in another order, that of memory.
func (l *Lanes) Init(a *nd.Array, reduced nd.Axes, ordered bool) {
	*l = Lanes{N: 1, Count: 1, size: a.DType.Size()}
	offset := 0
	shape, strides := a.Shape(), a.Strides()
	for i, n := range shape {
		if !reduced.Has(i) {
			l.Count *= n
			l.kept.push(n, strides[i])
			continue
		}
		l.N *= n
		stride := strides[i]
		if !ordered && stride < 0 {
			offset += stride * (n - 1)
			stride = -stride
		}
		if ordered {
			l.reduced.push(n, stride)
		} else {
			l.reduced.insert(n, stride)
		}
	}
	if !ordered {
		l.reduced.merge()
	}
	if l.N > 0 && l.Count > 0 {
		l.first = a.Pointer(offset)
	}
}

// push appends a faster dimension, or merges it with the last one.
func (d *Dims) push(n, stride int) {
	if n == 1 {
		return
	}
	if k := d.NDim - 1; k >= 0 && d.Stride[k] == stride*n {
		d.N[k], d.Stride[k] = d.N[k]*n, stride
		return
	}
	d.N[d.NDim], d.Stride[d.NDim] = n, stride
	d.NDim++
}

// insert adds a dimension before those of smaller stride.
func (d *Dims) insert(n, stride int) {
	if n == 1 {
		return
	}
	k := d.NDim
	for ; k > 0 && d.Stride[k-1] < stride; k-- {
		d.N[k], d.Stride[k] = d.N[k-1], d.Stride[k-1]
	}
	d.N[k], d.Stride[k] = n, stride
	d.NDim++
}

// merge merges the dimensions that walk evenly.
func (d *Dims) merge() {
	all := *d
	d.NDim = 0
	for i := range all.NDim {
		d.push(all.N[i], all.Stride[i])
	}
}

// at returns the distance of the element with the given number, in elements.
func (d *Dims) at(number int) int {
	distance := 0
	for i := d.NDim - 1; i > 0; i-- {
		rest := number % d.N[i]
		number /= d.N[i]
		distance += rest * d.Stride[i]
	}
	if d.NDim > 0 {
		distance += number * d.Stride[0]
	}
	return distance
}

// last returns the length and the stride of the fastest dimension.
func (d *Dims) last() (n, stride int) {
	if d.NDim == 0 {
		return 1, 1
	}
	return d.N[d.NDim-1], d.Stride[d.NDim-1]
}

// Even reports whether the elements of a lane are evenly spaced.
func (l *Lanes) Even() bool { return l.reduced.NDim <= 1 }

// Adjacent reports whether the elements of a lane follow each other in memory.
func (l *Lanes) Adjacent() bool {
	_, stride := l.reduced.last()
	return l.Even() && stride == 1
}

// Neighbours returns how many lanes, from the first on and at most limit, are
// evenly spaced.
func (l *Lanes) Neighbours(first, limit int) int {
	n, _ := l.kept.last()
	return min(limit, n-first%n)
}

// SideBySide reports whether neighbouring lanes lie closer together than the
// elements of one: they are the columns of a stack.
func (l *Lanes) SideBySide() bool {
	_, element := l.reduced.last()
	_, lane := l.kept.last()
	return max(lane, -lane) < max(element, -element)
}

// groupMax is the most lanes that are walked together.
const groupMax = 128

// Group returns how many lanes, from the first on, are best walked together,
// so that memory is read in its order.
func (l *Lanes) Group(first int) int {
	if l.SideBySide() {
		return l.Neighbours(first, groupMax)
	}
	return 1
}

// Pitch returns the distances between elements of a lane, and between
// neighbouring lanes, in elements: those of the fastest dimensions.
func (l *Lanes) Pitch() (element, lane int) {
	_, element = l.reduced.last()
	_, lane = l.kept.last()
	return element, lane
}

// Tile returns the elements from … to-1 of count neighbouring lanes, which
// must be even.
func (l *Lanes) Tile(first, count, from, to int) kernel.Tile {
	element, lane := l.Pitch()
	return kernel.Tile{
		Base: l.Pointer(first, from),
		N:    to - from, Stride: element,
		Lanes: count, LaneStride: lane,
	}
}

// Pointer returns the address of an element.
func (l *Lanes) Pointer(lane, element int) unsafe.Pointer {
	return unsafe.Add(l.first, (l.kept.at(lane)+l.reduced.at(element))*l.size)
}

// Run returns the address of element from of a lane, and how many of those from
// it on, up to to-1, are evenly spaced how far apart, in elements.
func (l *Lanes) Run(lane, from, to int) (first unsafe.Pointer, stride, n int) {
	length, stride := l.reduced.last()
	return l.Pointer(lane, from), stride, min(to-from, length-from%length)
}

// Runs calls fn for the evenly spaced pieces of the elements from … to-1 of a
// lane, in order: the address of the first element, the distance between
// elements in elements, and their number.
func (l *Lanes) Runs(lane, from, to int, fn func(p unsafe.Pointer, stride, n int)) {
	n, stride := l.reduced.last()
	for from < to {
		count := min(to-from, n-from%n)
		fn(l.Pointer(lane, from), stride, count)
		from += count
	}
}

// Gather copies the elements from … to-1 of count lanes to dst, lane after
// lane, and returns them as a tile.
func (l *Lanes) Gather(dst unsafe.Pointer, first, count, from, to int) kernel.Tile {
	n := to - from
	for j := range count {
		done := j * n
		l.Runs(first+j, from, to, func(p unsafe.Pointer, stride, n int) {
			nd.CopyRun(unsafe.Add(dst, done*l.size), 1, p, stride, n, l.size)
			done += n // not an address: after the last run it would be that of nobody's memory
		})
	}
	return kernel.Tile{Base: dst, N: n, Stride: 1, Lanes: count, LaneStride: n}
}

// Pick copies the elements of a lane at the positions to dst. Lanes must be even, and T as
// wide as an element.
func Pick[T any](dst []T, l *Lanes, lane int, positions []uint32) {
	base, stride := l.Pointer(lane, 0), uintptr(0)
	if element, _ := l.Pitch(); l.N > 1 {
		stride = uintptr(element) * unsafe.Sizeof(*new(T))
	}
	for i, at := range positions {
		dst[i] = *(*T)(unsafe.Add(base, uintptr(at)*stride))
	}
}

// Encode writes the keys of the elements from … to-1 of lanes to dst, lane after
// lane, and returns how many are NaN.
func Encode[K kernel.Key](dst []K, l *Lanes, first, from, to int, e kernel.Encoding[K]) (nan int) {
	n := to - from
	if n == 0 {
		return 0
	}
	for len(dst) > 0 {
		count := l.Neighbours(first, len(dst)/n)
		keys := dst[:count*n]
		switch {
		case !l.Even():
			l.Gather(unsafe.Pointer(unsafe.SliceData(keys)), first, count, from, to)
			nan += kernel.Encode(keys, keys, e)
		case count == 1:
			element, _ := l.Pitch()
			nan += kernel.EncodeStrided(unsafe.Pointer(unsafe.SliceData(keys)), 1, l.Pointer(first, from), element, n, e)
		default:
			nan += kernel.EncodeTile(keys, 1, n, l.Tile(first, count, from, to), e)
		}
		dst, first = dst[count*n:], first+count
	}
	return nan
}

// EncodeRows writes the keys of the elements from … to-1 of neighbouring lanes to
// dst, an element of all lanes after the other.
func EncodeRows[K kernel.Key](dst []K, l *Lanes, first, from, to int, e kernel.Encoding[K]) {
	count := len(dst) / (to - from)
	if l.Even() {
		kernel.EncodeTile(dst, count, 1, l.Tile(first, count, from, to), e)
		return
	}
	_, step := l.Pitch()
	for i := from; i < to; i++ {
		kernel.EncodeStrided(unsafe.Pointer(unsafe.SliceData(dst)), 1, l.Pointer(first, i), step, count, e)
		dst = dst[count:]
	}
}
