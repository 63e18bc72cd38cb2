package tensorio

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// netcdfMagic begins a netCDF classic file; the version follows: 1, 2 (offsets of 64
// bits) or 5 (counts of 64 bits, too).
const netcdfMagic = "CDF"

// The marks of a header's lists.
const (
	ncDimensions = 10
	ncVariables  = 11
	ncAttributes = 12
)

// ncTypes are the types of values, by their numbers in the file. ncText has no numbers.
var ncTypes = [...]dtype.DType{1: dtype.Int8, 2: ncText, 3: dtype.Int16, 4: dtype.Int32, 5: dtype.Float32, 6: dtype.Float64,
	7: dtype.Uint8, 8: dtype.Uint16, 9: dtype.Uint32, 10: dtype.Int64, 11: dtype.Uint64}

const ncText = dtype.Invalid

// ncSize returns the bytes of a value.
func ncSize(dt dtype.DType) int {
	if dt == ncText {
		return 1
	}
	return dt.Size()
}

// readNetCDF reads the header of a netCDF classic file: CDF-1, CDF-2 and CDF-5. Each
// variable of numbers is an array under its name; those of characters are left out.
//
// Values equal to the attributes _FillValue and missing_value are NaN. Those of a float
// variable stay of its type. With scale_factor or add_offset, or if a value is missing,
// those of integers become float64: the stored value times scale_factor, plus
// add_offset, each rounded once. Integers of 64 bits that float64 does not hold exactly,
// in a variable with missing values, are an error. With _Unsigned = "true" integers
// count from 0.
func readNetCDF(s *source, o Options) (*File, error) {
	data, err := s.all()
	if err != nil {
		return nil, err
	}
	h := &ncHeader{data: data, seen: map[string]bool{}}
	h.read()
	if h.err != nil {
		return nil, h.err
	}
	f := &File{name: s.name}
	var list []*ncVariable
	for _, v := range h.variables {
		if v.dt != ncText {
			f.names = append(f.names, v.name)
			list = append(list, v)
		}
	}
	f.load = func(i int) (t *ogive.Tensor, err error) {
		v := list[i]
		size := int64(v.size)
		if v.record {
			size *= int64(h.records)
		}
		// Of the file, as they are there, and as float64s.
		if err = TooLarge(2*size+size/int64(v.dt.Size())*8, o.Memory); err == nil {
			t, err = h.load(v, s)
		}
		return t, in(Message("variable %q", v.name), err)
	}
	return f, nil
}

// ncHeader is the header of a file.
type ncHeader struct {
	data       []byte
	at         int   // the next byte
	err        error // the first that was wrong; nothing is read behind it
	version    byte
	records    int
	dimensions []ncDimension
	variables  []*ncVariable
	seen       map[string]bool // their names
	stride     int             // bytes from a record to the next
}

type ncDimension struct {
	name   string
	length int // 0 for the one of records
}

// ncVariable is an array of a file.
type ncVariable struct {
	name   string
	dt     dtype.DType
	shape  []int
	record bool // the first dimension is that of records
	begin  int
	size   int // bytes of the array, or of its part in one record

	fills         []ncNumber // of _FillValue and missing_value
	scale, offset float64
	scaled        bool
	unsigned      bool
}

// fail notes an error at a byte of the header.
func (h *ncHeader) fail(at int, format string, args ...any) {
	if h.err == nil {
		e := malformed(format, args...)
		e.Detail = fmt.Sprintf("byte %d: ", at) + e.Detail
		h.err = e
	}
}

// bytes returns the next n bytes; n zeros behind an error.
func (h *ncHeader) bytes(n int) []byte {
	if h.err == nil && n > len(h.data)-h.at {
		h.fail(len(h.data), "the file ends in its header, which needs %d bytes from byte %d", n, h.at)
	}
	if h.err != nil {
		return make([]byte, min(n, 8))
	}
	h.at += n
	return h.data[h.at-n : h.at : h.at]
}

func (h *ncHeader) word() int { return int(binary.BigEndian.Uint32(h.bytes(4))) }

// count reads a number of things that take some bytes each of the rest of the header.
func (h *ncHeader) count(what string, size int) int {
	at := h.at
	n := h.number()
	if h.err == nil && n > uint64((len(h.data)-h.at)/size) {
		h.fail(at, "%d %s in a file of %d bytes", n, what, len(h.data))
	}
	if h.err != nil {
		return 0
	}
	return int(n)
}

// number reads a count, which is not negative.
func (h *ncHeader) number() uint64 {
	if h.version == 5 {
		return binary.BigEndian.Uint64(h.bytes(8))
	}
	return uint64(binary.BigEndian.Uint32(h.bytes(4)))
}

// length reads a length in memory.
func (h *ncHeader) length(what string) int {
	at := h.at
	n := h.number()
	if n > uint64(maxInt) || h.version != 5 && n > math.MaxInt32 {
		h.fail(at, "%s is %d", what, n)
		return 0
	}
	return int(n)
}

// text reads a name, which is padded to a multiple of four bytes.
func (h *ncHeader) text() string {
	n := h.count("bytes of a name", 1)
	return string(h.padded(n))
}

func (h *ncHeader) padded(n int) []byte {
	b := h.bytes(n)
	h.bytes(-n & 3)
	return b
}

// list reads the mark and the length of a list, and calls each for its elements.
func (h *ncHeader) list(mark int, what string, size int, each func()) {
	at := h.at
	got := h.word()
	n := h.count(what, size)
	if h.err == nil && got != mark && (got != 0 || n != 0) {
		h.fail(at, "%d where a list of %s begins with %d", got, what, mark)
	}
	for ; n > 0 && h.err == nil; n-- {
		each()
	}
}

// read reads the header.
func (h *ncHeader) read() {
	magic := h.bytes(4)
	if h.err == nil && (string(magic[:3]) != netcdfMagic || !slices.Contains([]byte{1, 2, 5}, magic[3])) {
		h.fail(0, "%q is no netCDF classic file, which begins with CDF and 1, 2 or 5", magic)
		return
	}
	h.version = magic[3]
	at := h.at
	streaming := uint64(math.MaxUint32)
	if h.version == 5 {
		streaming = math.MaxUint64
	}
	records := h.number()
	h.list(ncDimensions, "dimensions", 8, func() {
		h.dimensions = append(h.dimensions, ncDimension{h.text(), h.length("a dimension")})
	})
	h.attributes(nil)
	h.list(ncVariables, "variables", 28, h.variable)
	if h.err != nil {
		return
	}
	h.finish(at, records, records == streaming)
}

// attributes reads a list of attributes, those of v if it is not nil.
func (h *ncHeader) attributes(v *ncVariable) {
	h.list(ncAttributes, "attributes", 12, func() {
		name := h.text()
		dt := h.kind()
		n := h.count("values of an attribute", ncSize(dt))
		at := h.at
		b := h.padded(n * ncSize(dt))
		if h.err == nil && v != nil {
			h.attribute(v, name, dt, b, n, at)
		}
	})
}

// kind reads the type of values.
func (h *ncHeader) kind() dtype.DType {
	at := h.at
	k := h.word()
	last := 6
	if h.version == 5 {
		last = len(ncTypes) - 1
	}
	if k < 1 || k > last {
		h.fail(at, "type %d of values", k)
		return dtype.Int8
	}
	return ncTypes[k]
}

// attribute takes what changes the values of v.
func (h *ncHeader) attribute(v *ncVariable, name string, dt dtype.DType, b []byte, n, at int) {
	switch name {
	case "_FillValue", "missing_value":
		for ; dt != ncText && len(b) > 0; b = b[dt.Size():] {
			v.fills = append(v.fills, ncRead(dt, b))
		}
	case "scale_factor", "add_offset":
		if dt == ncText || n != 1 {
			h.fail(at, "attribute %s of %q is not one number", name, v.name)
			return
		}
		v.scaled = true
		if name == "scale_factor" {
			v.scale = ncRead(dt, b).real
		} else {
			v.offset = ncRead(dt, b).real
		}
	case "_Unsigned":
		v.unsigned = dt == ncText && string(b) == "true"
	}
}

// variable reads a variable.
func (h *ncHeader) variable() {
	at := h.at
	v := &ncVariable{name: h.text(), scale: 1}
	rank := h.count("dimensions of a variable", 4)
	v.size = 1
	for i := range rank {
		at := h.at
		id := h.number()
		if h.err == nil && id >= uint64(len(h.dimensions)) {
			h.fail(at, "dimension %d of %d", id, len(h.dimensions))
		}
		if h.err != nil {
			return
		}
		n := h.dimensions[id].length
		switch {
		case n > 0:
			if v.size > maxInt/n {
				h.fail(at, "variable %q is larger than this platform can address", v.name)
				return
			}
			v.size *= n
		case i == 0:
			v.record = true
		default:
			h.fail(at, "variable %q has the dimension of records as number %d", v.name, i)
			return
		}
		v.shape = append(v.shape, n)
	}
	h.attributes(v)
	v.dt = h.kind()
	h.number() // the size, which is too small a number for large variables
	begin := uint64(0)
	if h.version == 1 {
		begin = uint64(h.word())
	} else {
		begin = binary.BigEndian.Uint64(h.bytes(8))
	}
	if h.err != nil {
		return
	}
	if begin > uint64(len(h.data)) || v.size > maxInt/ncSize(v.dt) {
		h.fail(at, "variable %q begins at byte %d of %d", v.name, begin, len(h.data))
		return
	}
	v.begin, v.size = int(begin), v.size*ncSize(v.dt)
	if v.unsigned {
		v.dt = ncUnsigned(v.dt)
	}
	if h.seen[v.name] {
		h.fail(at, "variable %q is in the file twice", v.name)
	}
	h.seen[v.name] = true
	h.variables = append(h.variables, v)
}

// ncUnsigned returns the type of as many bits that counts from 0.
func ncUnsigned(dt dtype.DType) dtype.DType {
	switch dt {
	case dtype.Int8:
		return dtype.Uint8
	case dtype.Int16:
		return dtype.Uint16
	case dtype.Int32:
		return dtype.Uint32
	case dtype.Int64:
		return dtype.Uint64
	}
	return dt
}

// finish lays the records out and checks that the file holds every variable.
func (h *ncHeader) finish(at int, records uint64, streaming bool) {
	count, last := 0, len(h.data)
	for _, v := range h.variables {
		if v.record {
			h.stride += v.size
			count++
			last = min(last, v.begin)
			if h.stride < 0 || h.stride > maxInt-8*len(h.variables) {
				h.fail(at, "records are larger than this platform can address")
				return
			}
		}
	}
	if count > 1 { // a lone variable's records are not padded
		h.stride = 0
		for _, v := range h.variables {
			if v.record {
				h.stride += (v.size + 3) &^ 3
			}
		}
	}
	if streaming && h.stride > 0 {
		records = uint64((len(h.data) - last) / h.stride)
	}
	if h.stride > 0 && !streaming && records > uint64(len(h.data)/h.stride) {
		h.fail(at, "%d records of %d bytes in a file of %d: it is truncated", records, h.stride, len(h.data))
		return
	}
	if count > 0 {
		h.records = int(records)
	}
	for _, v := range h.variables {
		end := v.begin + v.size
		if v.record {
			v.shape[0] = h.records
			end = v.begin
			if h.records > 0 {
				end += (h.records-1)*h.stride + v.size
			}
		}
		if end < v.begin || end > len(h.data) {
			h.fail(len(h.data), "the file ends; variable %q needs the bytes from %d to %d", v.name, v.begin, end)
			return
		}
	}
}
