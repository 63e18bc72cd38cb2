package formats

import (
	"bytes"
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// leafColumn is a column being read. Row groups may be read at the same time.
type leafColumn interface {
	// page takes a page of n rows of row group k, which are those from row at on.
	page(k int, p parquet.Page, at, n int) error
	column() (tensorio.Column, error)
}

// newLeafColumn returns a column for rows in some row groups.
func newLeafColumn(l *leaf, rows, groups int) leafColumn {
	switch l.kind {
	case leafBool:
		return newNumbers(l, rows, groups, false, decodeBools)
	case leafInt32:
		switch l.bits {
		case 8:
			return newNumbers(l, rows, groups, 0, narrow[int32, int8](encoding.Int32, (*encoding.Values).Int32))
		case 16:
			return newNumbers(l, rows, groups, 0, narrow[int32, int16](encoding.Int32, (*encoding.Values).Int32))
		}
		return newNumbers(l, rows, groups, 0, plain(encoding.Int32, (*encoding.Values).Int32))
	case leafUint32:
		switch l.bits {
		case 8:
			return newNumbers(l, rows, groups, 0, narrow[uint32, uint8](encoding.Int32, (*encoding.Values).Uint32))
		case 16:
			return newNumbers(l, rows, groups, 0, narrow[uint32, uint16](encoding.Int32, (*encoding.Values).Uint32))
		}
		return newNumbers(l, rows, groups, 0, plain(encoding.Int32, (*encoding.Values).Uint32))
	case leafInt64:
		return newNumbers(l, rows, groups, 0, plain(encoding.Int64, (*encoding.Values).Int64))
	case leafUint64:
		return newNumbers(l, rows, groups, 0, plain(encoding.Int64, (*encoding.Values).Uint64))
	case leafFloat:
		return newNumbers(l, rows, groups, float32(math.NaN()), plain(encoding.Float, (*encoding.Values).Float))
	case leafDouble:
		return newNumbers(l, rows, groups, math.NaN(), plain(encoding.Double, (*encoding.Values).Double))
	case leafFloat16:
		return newNumbers(l, rows, groups, dtype.F16FromBits(0x7e00), decodeFloat16)
	case leafInt96:
		return newNumbers(l, rows, groups, 0, decodeInt96)
	case leafDecimal32:
		return newNumbers(l, rows, groups, math.NaN(), decimals(l.scale, encoding.Int32, (*encoding.Values).Int32))
	case leafDecimal64:
		return newNumbers(l, rows, groups, math.NaN(), decimals(l.scale, encoding.Int64, (*encoding.Values).Int64))
	case leafDecimalBytes:
		return newNumbers(l, rows, groups, math.NaN(), decimalBytes(l.scale))
	}
	return newTexts(l, rows, groups)
}

// decoder writes as many of a page's values as dst has room for.
type decoder[T any] func(dst []T, v encoding.Values) error

// numbers is a column that is no text.
type numbers[T dtype.Element] struct {
	*leaf
	rows
	out    []T
	gone   T // stands where a value is missing
	decode decoder[T]
	dicts  []dictionary[T] // of each row group
}

// dictionary holds the decoded values of a dictionary.
type dictionary[T any] struct {
	of     parquet.Dictionary
	values []T
}

func newNumbers[T dtype.Element](l *leaf, rows, groups int, gone T, decode decoder[T]) *numbers[T] {
	return &numbers[T]{leaf: l, out: make([]T, rows), gone: gone, decode: decode, dicts: make([]dictionary[T], groups)}
}

func (c *numbers[T]) page(k int, p parquet.Page, at, n int) error {
	levels, there, err := c.levels(p, n)
	if err != nil {
		return err
	}
	out := c.out[at : at+n]
	if d := p.Dictionary(); d != nil {
		if err := c.lookUp(&c.dicts[k], d, p, out[:there]); err != nil {
			return err
		}
	} else if err := c.decode(out[:there], p.Data()); err != nil {
		return err
	}
	if there < n {
		spread(out, levels, c.defined, there, c.gone)
		c.note(len(c.out), at, levels, c.defined)
	}
	return nil
}

// lookUp writes the values that a page names by their places in a dictionary.
func (c *numbers[T]) lookUp(known *dictionary[T], d parquet.Dictionary, p parquet.Page, out []T) error {
	if known.of != d {
		values := make([]T, d.Len())
		if err := c.decode(values, d.Page().Data()); err != nil {
			return err
		}
		*known = dictionary[T]{d, values}
	}
	places, err := indices(p, len(out))
	if err != nil {
		return err
	}
	values := known.values
	for i, place := range places {
		if uint(place) >= uint(len(values)) {
			return malformed("value %d of a dictionary of %d", place, len(values))
		}
		out[i] = values[place]
	}
	return nil
}

func (c *numbers[T]) column() (tensorio.Column, error) {
	t, err := column(c.out, c.missing())
	t.Unit = c.unit
	return t, err
}

// rows knows which rows of a column are missing.
type rows struct {
	gone atomic.Pointer[[]bool]
}

// levels returns the definition levels of a page of n rows, nil if every value is there,
// and how many are.
func (l *leaf) levels(p parquet.Page, n int) ([]byte, int, error) {
	if l.defined == 0 {
		return nil, n, nil
	}
	levels := p.DefinitionLevels()
	if len(levels) != n {
		return nil, 0, malformed("a page of %d rows with %d definition levels", n, len(levels))
	}
	return levels, bytes.Count(levels, []byte{l.defined}), nil
}

// note marks the missing rows of a page.
func (r *rows) note(rows, at int, levels []byte, defined byte) {
	list := r.gone.Load()
	if list == nil {
		fresh := make([]bool, rows)
		if r.gone.CompareAndSwap(nil, &fresh) {
			list = &fresh
		} else {
			list = r.gone.Load()
		}
	}
	for i, v := range levels {
		if v != defined {
			(*list)[at+i] = true
		}
	}
}

func (r *rows) missing() []bool {
	if list := r.gone.Load(); list != nil {
		return *list
	}
	return nil
}

// spread moves the first values of out to the rows where one is there, from the last on.
func spread[T any](out []T, levels []byte, defined byte, there int, gone T) {
	for i := len(out) - 1; i >= 0; i-- {
		if levels[i] == defined {
			there--
			out[i] = out[there]
		} else {
			out[i] = gone
		}
	}
}

// indices returns the n places of a dictionary that a page names.
func indices(p parquet.Page, n int) ([]int32, error) {
	v := p.Data()
	if v.Kind() != encoding.Int32 {
		return nil, malformed("a page of a dictionary holds %v", v.Kind())
	}
	list := v.Int32()
	if len(list) < n {
		return nil, malformed("a page holds %d values of %d", len(list), n)
	}
	return list[:n], nil
}

// stored returns n values of a page of a kind.
func stored[P any](n int, v encoding.Values, kind encoding.Kind, get func(*encoding.Values) []P) ([]P, error) {
	if v.Kind() != kind {
		return nil, malformed("a page holds %v, not %v", v.Kind(), kind)
	}
	list := get(&v)
	if len(list) < n {
		return nil, malformed("a page holds %d values of %d", len(list), n)
	}
	return list[:n], nil
}

// plain decodes values of the type they are stored in.
func plain[T any](kind encoding.Kind, get func(*encoding.Values) []T) decoder[T] {
	return func(dst []T, v encoding.Values) error {
		list, err := stored(len(dst), v, kind, get)
		copy(dst, list)
		return err
	}
}

// narrow decodes integers that are stored in more bits than they have.
func narrow[P int32 | uint32, T int8 | int16 | uint8 | uint16](kind encoding.Kind, get func(*encoding.Values) []P) decoder[T] {
	return func(dst []T, v encoding.Values) error {
		list, err := stored(len(dst), v, kind, get)
		for i, x := range list {
			if dst[i] = T(x); P(dst[i]) != x {
				return malformed("the integer %d in a column of less bits", x)
			}
		}
		return err
	}
}

// decodeBools decodes bits.
func decodeBools(dst []bool, v encoding.Values) error {
	list, err := stored((len(dst)+7)/8, v, encoding.Boolean, (*encoding.Values).Boolean)
	if err != nil {
		return err
	}
	for i := range dst {
		dst[i] = list[i/8]>>(i%8)&1 == 1
	}
	return nil
}

// fixed returns n values of some bytes each.
func fixed(n, size int, v encoding.Values) ([]byte, error) {
	if v.Kind() != encoding.FixedLenByteArray {
		return nil, malformed("a page holds %v, not bytes of fixed length", v.Kind())
	}
	data, length := v.FixedLenByteArray()
	if length != size || len(data) < n*size {
		return nil, malformed("a page of %d bytes, in values of %d, for %d of %d", len(data), length, n, size)
	}
	return data, nil
}

func decodeFloat16(dst []dtype.F16, v encoding.Values) error {
	data, err := fixed(len(dst), 2, v)
	if err != nil {
		return err
	}
	for i := range dst {
		dst[i] = dtype.F16FromBits(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return nil
}

// decodeInt96 decodes times of a day, in nanoseconds, with its Julian number.
func decodeInt96(dst []int64, v encoding.Values) error {
	list, err := stored(len(dst), v, encoding.Int96, (*encoding.Values).Int96)
	const epoch, day = 2440588, 86400_000_000_000
	for i, x := range list {
		days, ns := int64(x[2])-epoch, int64(x[0])|int64(x[1])<<32
		if days < -106751 || days > 106750 || ns < 0 || ns > day {
			return malformed("the time of %d nanoseconds on day %d is beyond int64", ns, days)
		}
		dst[i] = days*day + ns
	}
	return err
}

// tooLong is the error of a decimal.
func tooLong(scale int) error {
	return unsuitable("a decimal with scale %d is more than 2^53 units, which float64 does not hold exactly", scale)
}

func decimals[P int32 | int64](scale int, kind encoding.Kind, get func(*encoding.Values) []P) decoder[float64] {
	return func(dst []float64, v encoding.Values) error {
		list, err := stored(len(dst), v, kind, get)
		for i, x := range list {
			var ok bool
			if dst[i], ok = decimal(int64(x), scale); !ok {
				return tooLong(scale)
			}
		}
		return err
	}
}

func decimalBytes(scale int) decoder[float64] {
	return func(dst []float64, v encoding.Values) error {
		value, err := byteValues(len(dst), v)
		if err != nil {
			return err
		}
		for i := range dst {
			b, err := value(i)
			if err != nil {
				return err
			}
			unscaled, ok := bigEndian(b)
			if ok {
				dst[i], ok = decimal(unscaled, scale)
			}
			if !ok {
				return tooLong(scale)
			}
		}
		return nil
	}
}

// bigEndian returns an integer of any length in two's complement, if int64 holds it.
func bigEndian(b []byte) (v int64, ok bool) {
	if len(b) > 0 {
		v = int64(int8(b[0]))
		b = b[1:]
	}
	for _, x := range b {
		if v<<8>>8 != v {
			return 0, false
		}
		v = v<<8 | int64(x)
	}
	return v, true
}

// byteValues returns what finds each of a page's n texts.
func byteValues(n int, v encoding.Values) (func(i int) ([]byte, error), error) {
	if v.Kind() == encoding.FixedLenByteArray {
		data, size := v.FixedLenByteArray()
		if len(data) < n*size {
			return nil, malformed("a page of %d bytes for %d values of %d", len(data), n, size)
		}
		return func(i int) ([]byte, error) { return data[i*size:][:size], nil }, nil
	}
	if v.Kind() != encoding.ByteArray {
		return nil, malformed("a page holds %v, not bytes", v.Kind())
	}
	data, offsets := v.ByteArray()
	if n > 0 && len(offsets) <= n {
		return nil, malformed("a page holds %d values of %d", len(offsets)-1, n)
	}
	return func(i int) ([]byte, error) {
		from, to := offsets[i], offsets[i+1]
		if from > to || int(to) > len(data) {
			return nil, malformed("a value at bytes %d to %d of %d", from, to, len(data))
		}
		return data[from:to], nil
	}, nil
}

// texts is a column of text. Each row group numbers its own texts.
type texts struct {
	*leaf
	rows
	out    []int64
	groups []textGroup
}

// textGroup are the texts of a row group.
type textGroup struct {
	codes
	from, to int // its rows
	dict     parquet.Dictionary
	known    []int64 // the number of each text in the dictionary, -1 where it has none yet
}

func newTexts(l *leaf, rows, groups int) *texts {
	return &texts{leaf: l, out: make([]int64, rows), groups: make([]textGroup, groups)}
}

func (c *texts) page(k int, p parquet.Page, at, n int) error {
	g := &c.groups[k]
	if g.to == 0 {
		g.from = at
	}
	g.to = at + n
	levels, there, err := c.levels(p, n)
	if err != nil {
		return err
	}
	out := c.out[at : at+n]
	if d := p.Dictionary(); d != nil {
		err = g.lookUp(d, p, out[:there])
	} else {
		err = g.number(p.Data(), out[:there])
	}
	if err != nil {
		return err
	}
	if there < n {
		spread(out, levels, c.defined, there, 0)
		c.note(len(c.out), at, levels, c.defined)
	}
	return nil
}

// number numbers the texts of a page.
func (g *textGroup) number(v encoding.Values, out []int64) error {
	text, err := byteValues(len(out), v)
	if err != nil {
		return err
	}
	for i := range out {
		b, err := text(i)
		if err != nil {
			return err
		}
		out[i] = g.of(b)
	}
	return nil
}

// lookUp numbers the texts that a page names by their places in a dictionary.
func (g *textGroup) lookUp(d parquet.Dictionary, p parquet.Page, out []int64) error {
	if g.dict != d {
		g.dict, g.known = d, make([]int64, d.Len())
		for i := range g.known {
			g.known[i] = -1
		}
	}
	places, err := indices(p, len(out))
	if err != nil {
		return err
	}
	text, err := byteValues(len(g.known), d.Page().Data())
	if err != nil {
		return err
	}
	for i, place := range places {
		if uint(place) >= uint(len(g.known)) {
			return malformed("value %d of a dictionary of %d", place, len(g.known))
		}
		if g.known[place] < 0 {
			b, err := text(int(place))
			if err != nil {
				return err
			}
			g.known[place] = g.of(b)
		}
		out[i] = g.known[place]
	}
	return nil
}

// column joins the row groups' numbers.
func (c *texts) column() (tensorio.Column, error) {
	var all codes
	missing := c.missing()
	for k := range c.groups {
		g := &c.groups[k]
		number := make([]int64, len(g.labels))
		for i, s := range g.labels {
			number[i] = all.of([]byte(s))
		}
		for i := g.from; i < g.to; i++ {
			if missing == nil || !missing[i] {
				c.out[i] = number[c.out[i]]
			}
		}
	}
	t, err := column(c.out, missing)
	t.Labels = all.labels
	return t, err
}
