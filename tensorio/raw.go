package tensorio

import (
	"io"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/nd"
)

// rawLayout makes the layout of raw memory of the given size from the options.
func rawLayout(_ io.Reader, size int64, o Options) (layout, error) {
	if !o.DType.Valid() {
		return layout{}, misused("raw memory needs a dtype")
	}
	l := layout{dt: o.DType, swap: o.Order == OrderLittle && !littleEndian || o.Order == OrderBig && littleEndian}
	l.shape = slices.Clone(o.Shape)
	if o.Shape == nil {
		l.shape = []int{-1}
	}
	open := slices.Index(l.shape, -1)
	if open >= 0 {
		l.shape[open] = 1
	}
	if _, err := nd.Count(l.shape, l.dt.Size()); err != nil {
		return l, misused("raw shape %v: %v", o.Shape, err)
	}
	if open >= 0 {
		row := int64(l.size())
		if row == 0 || size%row != 0 || size/row > int64(maxInt) {
			return l, malformed("%d bytes are not a whole number of %v in shape %v", size, l.dt, withOpen(l.shape, open))
		}
		l.shape[open] = int(size / row)
	}
	return l, l.fits(size)
}

// withOpen returns the shape with -1 at the dimension to be computed.
func withOpen(shape []int, open int) []int {
	s := slices.Clone(shape)
	s[open] = -1
	return s
}

// readRaw reads elements alone.
func readRaw(s *source, o Options) (*File, error) {
	data, err := s.all()
	if err != nil {
		return nil, err
	}
	l, err := rawLayout(nil, int64(len(data)), o)
	if err != nil {
		return nil, err
	}
	t, err := l.flat(s)
	if err != nil {
		return nil, err
	}
	return single(s.name, t), nil
}

// writeRaw writes the elements in C order and the machine's byte order.
func writeRaw(w io.Writer, t *ogive.Tensor) error {
	a, err := hostArray(t)
	if err != nil {
		return err
	}
	return writeElements(w, a)
}
