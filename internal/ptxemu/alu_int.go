package ptxemu

import (
	"math/bits"
	"strconv"
)

// registerIntegers adds the operations of one width.
func registerIntegers[S signed, U unsigned](t table, width int) {
	n := strconv.Itoa(width)
	u, s, b := ".u"+n, ".s"+n, ".b"+n
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(a) + U(b)) }, addLanes[U], "add"+u, "add"+s)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(a) - U(b)) }, subLanes[U], "sub"+u, "sub"+s)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(a) * U(b)) }, mulLanes[U], "mul.lo"+u, "mul.lo"+s)
	t.fast(3, func(a, b, c uint64) uint64 { return uint64(U(a)*U(b) + U(c)) }, madLanes[U], "mad.lo"+u, "mad.lo"+s)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(a) & U(b)) }, andLanes[U], "and"+b)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(a) | U(b)) }, orLanes[U], "or"+b)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(a) ^ U(b)) }, xorLanes[U], "xor"+b)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(a) << uint32(b)) }, shlLanes[U], "shl"+b)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(a) >> uint32(b)) }, shrLanes[U, U], "shr"+b, "shr"+u)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(S(a) >> uint32(b))) }, shrLanes[S, U], "shr"+s)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(min(U(a), U(b))) }, minLanes[U, U], "min"+u)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(max(U(a), U(b))) }, maxLanes[U, U], "max"+u)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(min(S(a), S(b)))) }, minLanes[S, U], "min"+s)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(U(max(S(a), S(b)))) }, maxLanes[S, U], "max"+s)
	t.scalar(1, func(a, _, _ uint64) uint64 { return uint64(^U(a)) }, "not"+b)
	t.scalar(1, func(a, _, _ uint64) uint64 { return uint64(-U(a)) }, "neg"+s)
	t.scalar(1, func(a, _, _ uint64) uint64 { return uint64(U(max(S(a), -S(a)))) }, "abs"+s)
	t.scalar(1, func(a, _, _ uint64) uint64 { return oneIf(U(a) == 0) }, "cnot"+b)
	t.scalar(2, divide[U, U], "div"+u)
	t.scalar(2, divide[S, U], "div"+s)
	t.scalar(2, remainder[U, U], "rem"+u)
	t.scalar(2, remainder[S, U], "rem"+s)
	t.scalar(3, func(a, b, c uint64) uint64 { return uint64(U(c) + max(U(a), U(b)) - min(U(a), U(b))) }, "sad"+u)
	t.scalar(3, func(a, b, c uint64) uint64 {
		return uint64(U(c) + U(max(S(a), S(b))) - U(min(S(a), S(b))))
	}, "sad"+s)
	t.scalar(3, func(a, b, c uint64) uint64 {
		if int32(c) >= 0 {
			return uint64(U(a))
		}
		return uint64(U(b))
	}, "slct"+u+".s32", "slct"+s+".s32", "slct"+b+".s32")
}

// registerWide adds the operations whose products have twice the width.
func registerWide[S signed, U unsigned, WS signed, WU unsigned](t table, width int) {
	n := strconv.Itoa(width)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(WU(U(a)) * WU(U(b))) }, wideLanes[U, WU, WU], "mul.wide.u"+n)
	t.fast(2, func(a, b, _ uint64) uint64 { return uint64(WU(WS(S(a)) * WS(S(b)))) }, wideLanes[S, WS, WU], "mul.wide.s"+n)
	t.scalar(3, func(a, b, c uint64) uint64 { return uint64(WU(U(a))*WU(U(b)) + WU(c)) }, "mad.wide.u"+n)
	t.scalar(3, func(a, b, c uint64) uint64 { return uint64(WU(WS(S(a))*WS(S(b))) + WU(c)) }, "mad.wide.s"+n)
	highU := func(a, b uint64) U { return U(WU(U(a)) * WU(U(b)) >> width) }
	highS := func(a, b uint64) U { return U(WS(S(a)) * WS(S(b)) >> width) }
	t.scalar(2, func(a, b, _ uint64) uint64 { return uint64(highU(a, b)) }, "mul.hi.u"+n)
	t.scalar(2, func(a, b, _ uint64) uint64 { return uint64(highS(a, b)) }, "mul.hi.s"+n)
	t.scalar(3, func(a, b, c uint64) uint64 { return uint64(highU(a, b) + U(c)) }, "mad.hi.u"+n)
	t.scalar(3, func(a, b, c uint64) uint64 { return uint64(highS(a, b) + U(c)) }, "mad.hi.s"+n)
}

func registerHigh64(t table) {
	highU := func(a, b, _ uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi }
	highS := func(a, b, _ uint64) uint64 {
		hi, _ := bits.Mul64(a, b)
		return hi - b&uint64(int64(a)>>63) - a&uint64(int64(b)>>63)
	}
	t.scalar(2, highU, "mul.hi.u64")
	t.scalar(2, highS, "mul.hi.s64")
	t.scalar(3, func(a, b, c uint64) uint64 { return highU(a, b, 0) + c }, "mad.hi.u64")
	t.scalar(3, func(a, b, c uint64) uint64 { return highS(a, b, 0) + c }, "mad.hi.s64")
}

// divide returns all ones for a zero divisor, as the hardware does.
func divide[T integer, U unsigned](a, b, _ uint64) uint64 {
	if T(b) == 0 {
		return uint64(^U(0))
	}
	return uint64(U(T(a) / T(b)))
}

// remainder returns the dividend for a zero divisor, as the hardware does.
func remainder[T integer, U unsigned](a, b, _ uint64) uint64 {
	if T(b) == 0 {
		return uint64(U(a))
	}
	return uint64(U(T(a) % T(b)))
}

func oneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// The loops of the commonest operations. T is how the operands are read, U how the
// result is written.

func addLanes[U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(a[i]) + U(b[i]))
	}
}

func subLanes[U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(a[i]) - U(b[i]))
	}
}

func mulLanes[U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(a[i]) * U(b[i]))
	}
}

func madLanes[U unsigned](d, a, b, c *lanes) {
	for i := range d {
		d[i] = uint64(U(a[i])*U(b[i]) + U(c[i]))
	}
}

func andLanes[U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(a[i] & b[i]))
	}
}

func orLanes[U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(a[i] | b[i]))
	}
}

func xorLanes[U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(a[i] ^ b[i]))
	}
}

func shlLanes[U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(a[i]) << uint32(b[i]))
	}
}

func shrLanes[T integer, U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(T(a[i]) >> uint32(b[i])))
	}
}

func minLanes[T integer, U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(min(T(a[i]), T(b[i]))))
	}
}

func maxLanes[T integer, U unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(U(max(T(a[i]), T(b[i]))))
	}
}

func wideLanes[T, W integer, WU unsigned](d, a, b, _ *lanes) {
	for i := range d {
		d[i] = uint64(WU(W(T(a[i])) * W(T(b[i]))))
	}
}

func copyLanes(d, a, _, _ *lanes) { *d = *a }
