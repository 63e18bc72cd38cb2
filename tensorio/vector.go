package tensorio

import (
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/ogive-go/ogive"
)

// vectorKind is what the values of a column of text are.
type vectorKind uint8

const (
	noVector    vectorKind = iota // only missing ones yet
	intVector                     // int64
	uintVector                    // uint64, one at least beyond int64, and none negative
	floatVector                   // float64
	boolVector
	dayVector   // days since 1970-01-01
	timeVector  // nanoseconds since then
	labelVector // indices of labels
)

// vector is a column of text being read: 8 bytes for each value, so that integers
// turn into floats where they lie.
type vector struct {
	kind     vectorKind
	bits     []uint64
	missing  []bool // as long as bits, from the first missing value on; nil before
	negative bool   // an integer is
	zoned    bool   // a time has a zone
	invalid  int    // cells that hold something and were taken as missing
	rounded  int    // integers that are not held exactly
	bad      *badCell
	labels   []string
	codes    map[string]uint64 // of labels
}

// reset empties v for other values, of which labels alone are not kept.
func (v *vector) reset() {
	*v = vector{bits: v.bits[:0], missing: v.missing[:0], codes: v.codes}
	clear(v.codes)
}

// addMissing adds a missing value.
func (v *vector) addMissing() {
	v.mark(len(v.bits))
	bits := uint64(0)
	if v.kind == floatVector {
		bits = math.Float64bits(math.NaN())
	}
	v.bits, v.missing = append(v.bits, bits), append(v.missing, true)
}

// mark makes missing as long as n, at least.
func (v *vector) mark(n int) {
	if len(v.missing) < n {
		v.missing = append(v.missing, make([]bool, n-len(v.missing))...)
	}
}

// add adds a value of a kind without order among kinds: neither an integer nor a
// float.
func (v *vector) add(kind vectorKind, bits uint64) {
	v.kind = kind
	v.push(bits)
}

func (v *vector) push(bits uint64) {
	v.bits = append(v.bits, bits)
	if len(v.missing) > 0 {
		v.missing = append(v.missing, false)
	}
}

// addNumber adds what parseNumber has read, no NaN.
func (v *vector) addNumber(f float64, n int64, kind numberKind) {
	switch {
	case kind == wholeNumber && v.kind <= intVector:
		v.kind = intVector
		v.negative = v.negative || n < 0
	case kind == wholeNumber && v.kind == uintVector && n >= 0:
	case kind == largeNumber && v.kind <= uintVector && !v.negative:
		v.kind = uintVector
	default:
		v.float()
		switch kind {
		case wholeNumber:
			v.round(magnitude(n))
		case largeNumber:
			v.round(uint64(n))
		case longNumber:
			v.rounded++
		}
		v.push(math.Float64bits(f))
		return
	}
	v.push(uint64(n))
}

func (v *vector) round(magnitude uint64) {
	if !holds53(magnitude) {
		v.rounded++
	}
}

// float turns integers into floats. Each is rounded once, as its text would be.
func (v *vector) float() {
	if v.kind == floatVector {
		return
	}
	for i, b := range v.bits {
		f := float64(int64(b))
		switch {
		case i < len(v.missing) && v.missing[i]:
			f = math.NaN()
		case v.kind == uintVector:
			f = float64(b)
			v.round(b)
		default:
			v.round(magnitude(int64(b)))
		}
		v.bits[i] = math.Float64bits(f)
	}
	v.kind = floatVector
}

// addLabel adds a text.
func (v *vector) addLabel(text []byte) {
	code, ok := v.codes[string(text)]
	if !ok {
		if v.codes == nil {
			v.codes = map[string]uint64{}
		}
		code = uint64(len(v.labels))
		v.codes[string(text)] = code
		v.labels = append(v.labels, string(text))
	}
	v.add(labelVector, code)
}

// label turns the integers of groups into their texts.
func (v *vector) label() {
	if v.kind == intVector {
		var memory [20]byte
		codes := v.bits
		v.bits = v.bits[:0]
		missing := v.missing
		v.missing = nil
		for i, n := range codes {
			if i < len(missing) && missing[i] {
				v.push(0)
			} else {
				v.addLabel(strconv.AppendInt(memory[:0], int64(n), 10))
			}
		}
		v.missing = missing
	}
	v.kind = labelVector
}

// join appends the values of w, which is lost.
func (v *vector) join(w *vector) {
	switch labelVector {
	case v.kind:
		w.label()
	case w.kind:
		v.label()
	}
	if v.kind != w.kind && v.kind != noVector && w.kind != noVector {
		if v.kind == floatVector || w.kind == floatVector || v.negative || w.negative { // ints and uints otherwise
			v.float()
			w.float()
		}
	}
	if v.kind == floatVector && w.kind == noVector {
		w.float()
	} else if w.kind == floatVector && v.kind == noVector {
		v.float()
	}
	for i, text := range w.labels {
		if _, ok := v.codes[text]; !ok {
			if v.codes == nil {
				v.codes = map[string]uint64{}
			}
			v.codes[text] = uint64(len(v.labels))
			v.labels = append(v.labels, text)
		}
		w.labels[i] = text
	}
	if w.kind == labelVector {
		for i, code := range w.bits {
			if i >= len(w.missing) || !w.missing[i] {
				w.bits[i] = v.codes[w.labels[code]]
			}
		}
	}
	if len(w.missing) > 0 {
		v.mark(len(v.bits))
		v.missing = append(v.missing, w.missing...)
	} else if len(v.missing) > 0 {
		v.missing = append(v.missing, make([]bool, len(w.bits))...)
	}
	v.bits = append(v.bits, w.bits...)
	v.kind = max(v.kind, w.kind)
	v.negative = v.negative || w.negative
	v.zoned = v.zoned || w.zoned
	v.invalid += w.invalid
	v.rounded += w.rounded
	if v.bad == nil {
		v.bad = w.bad
	}
}

// column returns the values, whose memory it shares. Those of nothing but missing
// ones are floats.
func (v *vector) column() (c Column, err error) {
	if v.bad != nil {
		return c, v.bad.unsuitable()
	}
	if v.kind == noVector {
		v.float()
	}
	c.Invalid, c.Rounded, c.Labels = v.invalid, v.rounded, v.labels
	switch v.kind {
	case intVector, labelVector:
		c.Values, err = ogive.FromSlice(as[int64](v.bits))
	case uintVector:
		c.Values, err = ogive.FromSlice(v.bits)
	case floatVector:
		c.Values, err = ogive.FromSlice(as[float64](v.bits))
	case dayVector:
		c.Unit = UnitDay
		c.Values, err = ogive.FromSlice(as[int64](v.bits))
	case timeVector:
		if c.Unit = UnitNanosecond; !v.zoned {
			c.Unit |= UnitLocal
		}
		c.Values, err = ogive.FromSlice(as[int64](v.bits))
	case boolVector:
		bools := make([]bool, len(v.bits))
		for i, b := range v.bits {
			bools[i] = b != 0
		}
		c.Values, err = ogive.FromSlice(bools)
	}
	if err == nil && slices.Contains(v.missing, true) {
		c.Missing, err = ogive.FromSlice(v.missing)
	}
	return c, err
}

// as returns the same bits as other values.
func as[T int64 | float64](bits []uint64) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bits))), len(bits))
}
