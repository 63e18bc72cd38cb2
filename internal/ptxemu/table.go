package ptxemu

import "math"

// warpSize is the number of threads that execute together.
const warpSize = 32

// lanes holds the value that each thread of a warp has in one register. A value
// narrower than 64 bits has zeros above.
type lanes [warpSize]uint64

// vector is an arithmetic instruction on all lanes. It must not fail, whatever the
// values: those of inactive lanes are dropped afterwards. d may be any of the others.
type vector func(d, a, b, c *lanes)

// scalarFunc is an arithmetic instruction on the values of one lane.
type scalarFunc func(a, b, c uint64) uint64

// operation is an arithmetic instruction.
type operation struct {
	sources int
	f       scalarFunc
	v       vector // the same on all lanes
}

// table holds operations by their full opcodes.
type table map[string]operation

// operations are the arithmetic instructions whose opcode says it all: those with
// other operands than registers and numbers, or with many variants, have their own
// decoders.
var operations = func() table {
	t := table{}
	registerIntegers[int16, uint16](t, 16)
	registerIntegers[int32, uint32](t, 32)
	registerIntegers[int64, uint64](t, 64)
	registerWide[int16, uint16, int32, uint32](t, 16)
	registerWide[int32, uint32, int64, uint64](t, 32)
	registerHigh64(t)
	registerBits(t)
	registerFloat32(t)
	registerFloat64(t)
	return t
}()

// scalar adds an operation that is a function of one lane.
func (t table) scalar(sources int, f scalarFunc, names ...string) {
	t.fast(sources, f, func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}, names...)
}

// fast adds an operation that has a loop of its own, which does what f does.
func (t table) fast(sources int, f scalarFunc, v vector, names ...string) {
	for _, n := range names {
		t[n] = operation{sources, f, v}
	}
}

type signed interface {
	~int8 | ~int16 | ~int32 | ~int64
}

type unsigned interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

type integer interface{ signed | unsigned }

// maskOf returns the low bits.
func maskOf(bits int) uint64 { return math.MaxUint64 >> (64 - bits) }
