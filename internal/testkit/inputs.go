// Package testkit holds what tests share: adversarial inputs by name, bit
// comparers, buffers between fence pages and guard words, and a runner over
// every implementation of a kernel. Production code does not import it.
package testkit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

// pattern fills an array with raw bits of one real dtype.
type pattern struct {
	name  string
	needs func(realType) bool // nil means every dtype
	fill  func(g *generator, out []uint64)
}

func isFloat(t realType) bool { return t.dt.IsFloat() }

// patterns has a row for every kind of input.
var patterns = []pattern{
	{"random", nil, func(g *generator, out []uint64) { each(out, g.uniform) }},
	{"normal", nil, func(g *generator, out []uint64) { each(out, g.normal) }},
	{"bits", nil, func(g *generator, out []uint64) { each(out, g.anyFinite) }},
	{"constant", nil, func(g *generator, out []uint64) { v := g.uniform(); each(out, func() uint64 { return v }) }},
	{"two", nil, func(g *generator, out []uint64) { g.fromFew(out, 2) }},
	{"few5", nil, func(g *generator, out []uint64) { g.fromFew(out, 5) }},
	{"few10", nil, func(g *generator, out []uint64) { g.fromFew(out, 10) }},
	{"few1000", nil, func(g *generator, out []uint64) { g.fromFew(out, 1000) }},
	{"zipf", nil, (*generator).zipf},
	{"sorted", nil, func(g *generator, out []uint64) { each(out, g.normal); g.sort(out) }},
	{"reversed", nil, func(g *generator, out []uint64) { each(out, g.normal); g.sort(out); slices.Reverse(out) }},
	{"organpipe", nil, (*generator).organPipe},
	{"maxatend", nil, (*generator).maxAtEnd},
	{"smallrange", nil, func(g *generator, out []uint64) { each(out, g.smallRange) }},
	{"median3killer", nil, (*generator).median3Killer},
	{"extremes", nil, (*generator).extremes},
	{"ulps", nil, (*generator).ulps},
	{"zeros", isFloat, func(g *generator, out []uint64) { each(out, func() uint64 { return g.sign() }) }},
	{"zerosandones", isFloat, (*generator).zerosAndOnes},
	{"denormal", isFloat, (*generator).denormals},
	{"infmix", isFloat, (*generator).infinities},
	{"nanhalf", isFloat, func(g *generator, out []uint64) { each(out, g.normal); g.spread(out, 0.5) }},
	{"nanfew", isFloat, func(g *generator, out []uint64) { each(out, g.normal); g.spread(out, 0.02) }},
	{"nanfirst", isFloat, func(g *generator, out []uint64) { each(out, g.normal); g.nanAt(out, 0) }},
	{"nanlast", isFloat, func(g *generator, out []uint64) { each(out, g.normal); g.nanAt(out, len(out)-1) }},
	{"nanmiddle", isFloat, func(g *generator, out []uint64) { each(out, g.normal); g.nanAt(out, len(out)/2) }},
	{"nanall", isFloat, func(g *generator, out []uint64) { g.spread(out, 1) }},
	{"naninf", isFloat, func(g *generator, out []uint64) { g.infinities(out); g.spread(out, 0.2) }},
}

// Kinds returns the names of the inputs that exist for a dtype; those about
// NaN, infinities and signed zeros need a float or complex one.
func Kinds(dt dtype.DType) []string {
	var names []string
	for _, p := range patterns {
		if p.needs == nil || p.needs(realOf(dt)) {
			names = append(names, p.name)
		}
	}
	return names
}

// Fill returns n elements of the named kind as memory in native byte order,
// aligned for every dtype. The same arguments give the same elements.
// The parts of a complex element are filled independently. It panics on a kind
// that Kinds does not list for dt.
func Fill(kind string, dt dtype.DType, n int, seed uint64) []byte {
	b := Aligned(n * dt.Size())
	t := realOf(dt)
	parts := 1
	if dt.IsComplex() {
		parts = 2
	}
	size := t.dt.Size()
	for p := range parts {
		bits := fillReal(kind, t, n, seed+uint64(p)*0x9E3779B97F4A7C15)
		for i, v := range bits {
			put(b[(i*parts+p)*size:], size, v)
		}
	}
	return b
}

func fillReal(kind string, t realType, n int, seed uint64) []uint64 {
	for i, p := range patterns {
		if p.name != kind || p.needs != nil && !p.needs(t) {
			continue
		}
		g := &generator{t, rand.New(rand.NewPCG(seed, uint64(i)<<8|uint64(t.dt)))}
		out := make([]uint64, n)
		if n > 0 {
			p.fill(g, out)
		}
		return out
	}
	panic(fmt.Sprintf("testkit: no input %q for %s", kind, t.dt))
}

// Slice returns n elements of the named kind, see [Fill].
func Slice[T dtype.Element](kind string, n int, seed uint64) []T {
	return View[T](Fill(kind, dtype.Of[T](), n, seed))
}

// View returns b as a slice of T; b is aligned and a whole number of elements.
func View[T dtype.Element](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// Raw returns the memory of s.
func Raw[T dtype.Element](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

// Aligned returns n zero bytes aligned for every dtype.
func Aligned(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

func put(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(v))
	default:
		binary.NativeEndian.PutUint64(b, v)
	}
}

// each sets every element from next.
func each(out []uint64, next func() uint64) {
	for i := range out {
		out[i] = next()
	}
}

// realType is a real dtype with the layout of its bits.
type realType struct {
	dt    dtype.DType
	width int // bits
	mant  int // bits of mantissa, floats only
}

// realOf returns the type of the parts of dt.
func realOf(dt dtype.DType) realType {
	switch dt {
	case dtype.Complex64:
		dt = dtype.Float32
	case dtype.Complex128:
		dt = dtype.Float64
	}
	t := realType{dt: dt, width: 8 * dt.Size()}
	switch dt {
	case dtype.Float16:
		t.mant = 10
	case dtype.BFloat16:
		t.mant = 7
	case dtype.Float32:
		t.mant = 23
	case dtype.Float64:
		t.mant = 52
	case dtype.Bool:
		t.width = 1
	}
	return t
}

func (t realType) mask() uint64 { return ^uint64(0) >> (64 - t.width) }

func (t realType) signBit() uint64 { return 1 << (t.width - 1) }

// inf is the bit pattern of +Inf.
func (t realType) inf() uint64 { return t.signBit() - 1<<t.mant }

// narrow returns the bits of the element nearest to v, integers clamped.
func (t realType) narrow(v float64) uint64 {
	switch t.dt {
	case dtype.Float16:
		return uint64(dtype.ToF16(v).Bits())
	case dtype.BFloat16:
		return uint64(dtype.ToBF16(v).Bits())
	case dtype.Float32:
		return uint64(math.Float32bits(float32(v)))
	case dtype.Float64:
		return math.Float64bits(v)
	case dtype.Bool:
		if v > 0 {
			return 1
		}
		return 0
	}
	v = math.RoundToEven(v)
	lo, hi := 0.0, math.Ldexp(1, t.width)
	if t.dt.IsSigned() {
		lo, hi = -hi/2, hi/2
	}
	switch {
	case v >= hi && t.dt.IsSigned():
		return t.mask() >> 1
	case v >= hi:
		return t.mask()
	case v < 0:
		return uint64(int64(max(v, lo))) & t.mask()
	default:
		return uint64(v)
	}
}

// key maps bits to an integer that orders as the values do; a NaN lies beyond
// the infinity of its sign.
func (t realType) key(b uint64) uint64 {
	switch {
	case t.dt.IsFloat() && b&t.signBit() != 0:
		return ^b & t.mask()
	case t.dt.IsFloat(), t.dt.IsSigned():
		return b ^ t.signBit()
	default:
		return b
	}
}
