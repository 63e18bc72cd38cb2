package ptxemu

import (
	"math/bits"
)

// registerBits adds the operations on single bits, fields of bits and bytes.
func registerBits(t table) {
	t.scalar(1, func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount32(uint32(a))) }, "popc.b32")
	t.scalar(1, func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }, "popc.b64")
	t.scalar(1, func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) }, "clz.b32")
	t.scalar(1, func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(a)) }, "clz.b64")
	t.scalar(1, func(a, _, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }, "brev.b32")
	t.scalar(1, func(a, _, _ uint64) uint64 { return bits.Reverse64(a) }, "brev.b64")
	for _, ty := range []scalar{{'u', 32}, {'s', 32}, {'u', 64}, {'s', 64}} {
		top := uint64(ty.bits - 1)
		t.scalar(1, func(a, _, _ uint64) uint64 { return uint64(uint32(leading(a, ty))) }, "bfind."+ty.String())
		t.scalar(1, func(a, _, _ uint64) uint64 {
			if i := leading(a, ty); i >= 0 {
				return top - uint64(i)
			}
			return 0xFFFFFFFF
		}, "bfind.shiftamt."+ty.String())
		t.scalar(3, func(a, b, c uint64) uint64 { return extractField(a, b, c, ty) }, "bfe."+ty.String())
	}
	for name, f := range permutations {
		t.scalar(3, func(a, b, c uint64) uint64 { return permute(a, b, f(uint32(c))) }, "prmt.b32"+name)
	}
	registerFunnel(t)
	registerMul24(t)
}

// leading returns the place of the highest bit that is not the sign, -1 if there is none.
func leading(a uint64, t scalar) int {
	if t.signed() && a>>(t.bits-1)&1 != 0 {
		a = ^a
	}
	return bits.Len64(a&maskOf(t.bits)) - 1
}

// extractField returns the length bits of a from pos on, and above them zeros or copies
// of the highest of them, or of a's highest where they reach beyond it.
func extractField(a, pos, length uint64, t scalar) uint64 {
	pos, length = pos&0xFF, length&0xFF
	width := uint64(t.bits)
	a &= maskOf(t.bits)
	if length == 0 {
		return 0
	}
	field := a >> pos
	if length < 64 {
		field &= 1<<length - 1
	}
	if t.signed() && a>>min(pos+length-1, width-1)&1 != 0 {
		if valid := min(length, width-min(pos, width)); valid < 64 {
			field |= ^uint64(0) << valid
		}
	}
	return field & maskOf(t.bits)
}

// insertField returns b with length of its bits from pos on replaced by the low ones
// of a.
func insertField(width int) func(a, b, pos, length uint64) uint64 {
	return func(a, b, pos, length uint64) uint64 {
		pos, length = pos&0xFF, length&0xFF
		field := ^uint64(0)
		if length < 64 {
			field = 1<<length - 1
		}
		field <<= pos
		return (b&^field | a<<pos&field) & maskOf(width)
	}
}

// permute returns four of the eight bytes of b:a, chosen by the nibbles of selector; with
// its high bit set, a nibble means eight copies of the byte's sign.
func permute(a, b uint64, selector uint32) uint64 {
	all := a&0xFFFFFFFF | b<<32
	var r uint64
	for i := range 4 {
		n := selector >> (4 * i) & 0xF
		v := all >> (8 * (n & 7)) & 0xFF
		if n&8 != 0 {
			v = 0xFF * (v >> 7)
		}
		r |= v << (8 * i)
	}
	return r
}

// permutations are the modes of prmt: what selector each makes of its operand.
var permutations = map[string]func(c uint32) uint32{
	"":      func(c uint32) uint32 { return c },
	".f4e":  func(c uint32) uint32 { return 0x3210 + 0x1111*(c&3) },
	".b4e":  func(c uint32) uint32 { return [4]uint32{0x5670, 0x6701, 0x7012, 0x0123}[c&3] },
	".rc8":  func(c uint32) uint32 { return 0x1111 * (c & 3) },
	".ecl":  func(c uint32) uint32 { return [4]uint32{0x3210, 0x3211, 0x3222, 0x3333}[c&3] },
	".ecr":  func(c uint32) uint32 { return [4]uint32{0x0000, 0x1110, 0x2210, 0x3210}[c&3] },
	".rc16": func(c uint32) uint32 { return [2]uint32{0x1010, 0x3232}[c&1] },
}

// registerFunnel adds the shifts of two words.
func registerFunnel(t table) {
	wrap := func(c uint64) uint64 { return c & 31 }
	clamp := func(c uint64) uint64 { return min(c&0xFFFFFFFF, 32) }
	for name, amount := range map[string]func(uint64) uint64{"wrap": wrap, "clamp": clamp} {
		t.scalar(3, func(a, b, c uint64) uint64 {
			return (b<<32 | a&0xFFFFFFFF) << amount(c) >> 32
		}, "shf.l."+name+".b32")
		t.scalar(3, func(a, b, c uint64) uint64 {
			return (b<<32 | a&0xFFFFFFFF) >> amount(c) & 0xFFFFFFFF
		}, "shf.r."+name+".b32")
	}
}

func registerMul24(t table) {
	signed := func(a uint64) int64 { return int64(a<<40) >> 40 }
	product := map[string]func(a, b uint64) uint64{
		"u32": func(a, b uint64) uint64 { return (a & 0xFFFFFF) * (b & 0xFFFFFF) },
		"s32": func(a, b uint64) uint64 { return uint64(signed(a) * signed(b)) },
	}
	for name, mul := range product {
		t.scalar(3, func(a, b, c uint64) uint64 { return uint64(uint32(mul(a, b) + c)) }, "mad24.lo."+name)
		t.scalar(3, func(a, b, c uint64) uint64 { return uint64(uint32(mul(a, b)>>16 + c)) }, "mad24.hi."+name)
		t.scalar(2, func(a, b, _ uint64) uint64 { return uint64(uint32(mul(a, b))) }, "mul24.lo."+name)
		t.scalar(2, func(a, b, _ uint64) uint64 { return uint64(uint32(mul(a, b) >> 16)) }, "mul24.hi."+name)
	}
}

// logic3 returns the operation of lop3: for each bit, the truth table's entry that the
// bits of a, b and c number.
func logic3(truth uint64) vector {
	return func(d, a, b, c *lanes) {
		for i := range d {
			x, y, z := a[i], b[i], c[i]
			var r uint64
			for k := range uint64(8) {
				if truth>>k&1 != 0 {
					r |= flipUnless(x, k>>2) & flipUnless(y, k>>1&1) & flipUnless(z, k&1)
				}
			}
			d[i] = r & 0xFFFFFFFF
		}
	}
}

func flipUnless(x, one uint64) uint64 { return x ^ (one - 1) }

// carryFunc is an operation that takes and gives a carry.
type carryFunc func(a, b, c, carry uint64) (r, out uint64)

// carries are the operations with a carry, by opcode and type without .cc. Those of
// multiplication add one half of the product to c.
func carries(opcode string, t scalar) (f carryFunc, sources int) {
	mask, width := maskOf(t.bits), t.bits
	sum := func(a, b, carry uint64) (uint64, uint64) {
		r, out := bits.Add64(a&mask, b&mask, carry)
		if width < 64 {
			out = r >> width
		}
		return r & mask, out & 1
	}
	difference := func(a, b, borrow uint64) (uint64, uint64) {
		r, out := bits.Sub64(a&mask, b&mask, borrow)
		return r & mask, out
	}
	half := func(part string) scalarFunc {
		return operations["mul."+part+"."+t.String()].f
	}
	switch opcode {
	case "add":
		return func(a, b, _, _ uint64) (uint64, uint64) { return sum(a, b, 0) }, 2
	case "addc":
		return func(a, b, _, in uint64) (uint64, uint64) { return sum(a, b, in) }, 2
	case "sub":
		return func(a, b, _, _ uint64) (uint64, uint64) { return difference(a, b, 0) }, 2
	case "subc":
		return func(a, b, _, in uint64) (uint64, uint64) { return difference(a, b, in) }, 2
	case "mad.lo", "mad.hi":
		mul := half(opcode[4:])
		return func(a, b, c, _ uint64) (uint64, uint64) { return sum(mul(a, b, 0), c, 0) }, 3
	case "madc.lo", "madc.hi":
		mul := half(opcode[5:])
		return func(a, b, c, in uint64) (uint64, uint64) { return sum(mul(a, b, 0), c, in) }, 3
	}
	return nil, 0
}
