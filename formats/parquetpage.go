package formats

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/parquet-go/parquet-go/encoding"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// leafColumn is a column being read. Row groups may be read at the same time.
type leafColumn interface {
	// begin makes it one of some rows, in memory that is used again.
	begin(rows int)
	// page takes a page of row group k, whose rows are those from row at on.
	page(k int, p *page, at int) error
	column() (tensorio.Column, error)
}

// newLeafColumn returns a column in some row groups, without rows, and what its texts may
// take.
func newLeafColumn(l *leaf, groups int, room *textRoom) leafColumn {
	switch l.kind {
	case leafBool:
		return newNumbers(l, groups, false, decodeBools)
	case leafInt32:
		switch l.bits {
		case 8:
			return newNumbers(l, groups, 0, narrow[int32, int8](encoding.Int32, (*encoding.Values).Int32))
		case 16:
			return newNumbers(l, groups, 0, narrow[int32, int16](encoding.Int32, (*encoding.Values).Int32))
		}
		return newNumbers(l, groups, 0, plain(encoding.Int32, (*encoding.Values).Int32))
	case leafUint32:
		switch l.bits {
		case 8:
			return newNumbers(l, groups, 0, narrow[uint32, uint8](encoding.Int32, (*encoding.Values).Uint32))
		case 16:
			return newNumbers(l, groups, 0, narrow[uint32, uint16](encoding.Int32, (*encoding.Values).Uint32))
		}
		return newNumbers(l, groups, 0, plain(encoding.Int32, (*encoding.Values).Uint32))
	case leafInt64:
		return newNumbers(l, groups, 0, plain(encoding.Int64, (*encoding.Values).Int64))
	case leafUint64:
		return newNumbers(l, groups, 0, plain(encoding.Int64, (*encoding.Values).Uint64))
	case leafFloat:
		return newNumbers(l, groups, float32(math.NaN()), plain(encoding.Float, (*encoding.Values).Float))
	case leafDouble:
		return newNumbers(l, groups, math.NaN(), plain(encoding.Double, (*encoding.Values).Double))
	case leafFloat16:
		return newNumbers(l, groups, dtype.F16FromBits(0x7e00), decodeFloat16)
	case leafInt96:
		return newNumbers(l, groups, 0, decodeInt96)
	case leafDecimal32:
		return newNumbers(l, groups, math.NaN(), decimals(l.scale, encoding.Int32, (*encoding.Values).Int32))
	case leafDecimal64:
		return newNumbers(l, groups, math.NaN(), decimals(l.scale, encoding.Int64, (*encoding.Values).Int64))
	case leafDecimalBytes:
		return newNumbers(l, groups, math.NaN(), decimalBytes(l.scale))
	}
	return newTexts(l, groups, room)
}

// decoder writes as many of a page's values as dst has room for.
type decoder[T any] func(dst []T, p *page) error

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
	of     *dictWords
	values []T
}

func newNumbers[T dtype.Element](l *leaf, groups int, gone T, decode decoder[T]) *numbers[T] {
	return &numbers[T]{leaf: l, gone: gone, decode: decode, dicts: make([]dictionary[T], groups)}
}

func (c *numbers[T]) begin(rows int) {
	c.rows.gone.Store(nil)
	c.out = resized(c.out, rows)
}

// resized returns a slice of n elements, of any values, in the memory of s if it has room.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func (c *numbers[T]) page(k int, p *page, at int) (err error) {
	out, there := c.out[at:at+p.rows], p.there(c.defined)
	if p.words != nil {
		err = c.lookUp(&c.dicts[k], p, out[:there])
	} else {
		err = c.decode(out[:there], p)
	}
	if err == nil && there < len(out) {
		spread(out, p.levels, c.defined, there, c.gone)
		c.note(len(c.out), at, p.levels, c.defined)
	}
	return err
}

// lookUp writes the values that a page names by their places in a dictionary.
func (c *numbers[T]) lookUp(known *dictionary[T], p *page, out []T) error {
	if known.of != p.words {
		values := make([]T, p.words.count)
		if err := c.decode(values, &page{values: p.words.Values}); err != nil {
			return err
		}
		*known = dictionary[T]{p.words, values}
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
func indices(p *page, n int) ([]int32, error) {
	if n == 0 {
		return nil, nil
	}
	return stored(n, p, encoding.Int32, (*encoding.Values).Int32)
}

// stored returns n values of a page of a kind.
func stored[P any](n int, p *page, kind encoding.Kind, get func(*encoding.Values) []P) ([]P, error) {
	if p.values.Kind() != kind {
		return nil, malformed("a page holds %v, not %v", p.values.Kind(), kind)
	}
	list := get(&p.values)
	if len(list)-p.past < n {
		return nil, malformed("a page holds %d values of %d", len(list), p.past+n)
	}
	return list[p.past:][:n], nil
}

// plain decodes values of the type they are stored in.
func plain[T any](kind encoding.Kind, get func(*encoding.Values) []T) decoder[T] {
	return func(dst []T, p *page) error {
		list, err := stored(len(dst), p, kind, get)
		copy(dst, list)
		return err
	}
}

// narrow decodes integers that are stored in more bits than they have.
func narrow[P int32 | uint32, T int8 | int16 | uint8 | uint16](kind encoding.Kind, get func(*encoding.Values) []P) decoder[T] {
	return func(dst []T, p *page) error {
		list, err := stored(len(dst), p, kind, get)
		for i, x := range list {
			if dst[i] = T(x); P(dst[i]) != x {
				return malformed("the integer %d in a column of less bits", x)
			}
		}
		return err
	}
}

// decodeBools decodes bits.
func decodeBools(dst []bool, p *page) error {
	whole := page{values: p.values}
	list, err := stored((p.past+len(dst)+7)/8, &whole, encoding.Boolean, (*encoding.Values).Boolean)
	if err != nil {
		return err
	}
	for i := range dst {
		at := p.past + i
		dst[i] = list[at/8]>>(at%8)&1 == 1
	}
	return nil
}

// fixed returns n values of some bytes each.
func fixed(n, size int, p *page) ([]byte, error) {
	if p.values.Kind() != encoding.FixedLenByteArray {
		return nil, malformed("a page holds %v, not bytes of fixed length", p.values.Kind())
	}
	data, length := p.values.FixedLenByteArray()
	if length != size || len(data)/max(size, 1)-p.past < n {
		return nil, malformed("a page of %d bytes, in values of %d, for %d of %d", len(data), length, p.past+n, size)
	}
	return data[p.past*size:], nil
}

func decodeFloat16(dst []dtype.F16, p *page) error {
	data, err := fixed(len(dst), 2, p)
	if err != nil {
		return err
	}
	for i := range dst {
		dst[i] = dtype.F16FromBits(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return nil
}

// decodeInt96 decodes times of a day, in nanoseconds, with its Julian number.
func decodeInt96(dst []int64, p *page) error {
	list, err := stored(len(dst), p, encoding.Int96, (*encoding.Values).Int96)
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
	return func(dst []float64, p *page) error {
		list, err := stored(len(dst), p, kind, get)
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
	return func(dst []float64, p *page) error {
		value, err := byteValues(len(dst), p)
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
func byteValues(n int, p *page) (func(i int) ([]byte, error), error) {
	if p.values.Kind() == encoding.FixedLenByteArray {
		_, size := p.values.FixedLenByteArray()
		data, err := fixed(n, size, p)
		return func(i int) ([]byte, error) { return data[i*size:][:size], nil }, err
	}
	if p.values.Kind() != encoding.ByteArray {
		return nil, malformed("a page holds %v, not bytes", p.values.Kind())
	}
	data, offsets := p.values.ByteArray()
	if n > 0 && len(offsets)-p.past <= n {
		return nil, malformed("a page holds %d values of %d", len(offsets)-1, p.past+n)
	}
	return func(i int) ([]byte, error) {
		from, to := offsets[p.past+i], offsets[p.past+i+1]
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
	room   *textRoom
}

// textGroup are the texts of a row group.
type textGroup struct {
	codes
	from, to int // its rows
	dict     *dictWords
	known    []int64 // the number of each text in the dictionary, -1 where it has none yet
}

func newTexts(l *leaf, groups int, room *textRoom) *texts {
	return &texts{leaf: l, groups: make([]textGroup, groups), room: room}
}

func (c *texts) begin(rows int) {
	c.rows.gone.Store(nil)
	c.out = resized(c.out, rows)
	if c.room != nil {
		c.room.used.Store(0)
	}
	for k := range c.groups {
		g := &c.groups[k]
		g.codes, g.from, g.to = codes{room: c.room}, 0, 0
		for i := range g.known {
			g.known[i] = -1
		}
	}
}

func (c *texts) page(k int, p *page, at int) (err error) {
	g := &c.groups[k]
	if g.to == 0 {
		g.from = at
	}
	g.to = at + p.rows
	out, there := c.out[at:at+p.rows], p.there(c.defined)
	if p.words != nil {
		err = g.lookUp(p, out[:there])
	} else {
		err = g.number(p, out[:there])
	}
	if err == nil && there < len(out) {
		spread(out, p.levels, c.defined, there, 0)
		c.note(len(c.out), at, p.levels, c.defined)
	}
	return err
}

// number numbers the texts of a page.
func (g *textGroup) number(p *page, out []int64) error {
	text, err := byteValues(len(out), p)
	if err != nil {
		return err
	}
	for i := range out {
		b, err := text(i)
		if err != nil {
			return err
		}
		if out[i], err = g.of(b); err != nil {
			return err
		}
	}
	return nil
}

// lookUp numbers the texts that a page names by their places in a dictionary.
func (g *textGroup) lookUp(p *page, out []int64) error {
	if g.dict != p.words {
		g.dict, g.known = p.words, make([]int64, p.words.count)
		for i := range g.known {
			g.known[i] = -1
		}
	}
	places, err := indices(p, len(out))
	if err != nil {
		return err
	}
	text, err := byteValues(len(g.known), &page{values: g.dict.Values})
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
			if g.known[place], err = g.of(b); err != nil {
				return err
			}
		}
		out[i] = g.known[place]
	}
	return nil
}

// column joins the row groups' numbers.
func (c *texts) column() (tensorio.Column, error) {
	all := codes{room: c.room}
	missing := c.missing()
	for k := range c.groups {
		g := &c.groups[k]
		number := make([]int64, len(g.labels))
		for i, s := range g.labels {
			var err error
			if number[i], err = all.of([]byte(s)); err != nil {
				return tensorio.Column{}, err
			}
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
