package ptxemu_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/internal/ptxemu"
)

// harness is a kernel that gives an instruction three operands per thread, in registers
// of all types, and keeps its result.
const harness = `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .pred %p<8>;
	.reg .b16 %h<8>;
	.reg .b32 %r<10>;
	.reg .b64 %d<16>;
	.reg .f32 %f<8>;
	.reg .f64 %g<8>;
	ld.param.u64 %d10, [in];
	ld.param.u64 %d11, [out];
	mov.u32 %r7, %ctaid.x;
	mov.u32 %r8, %ntid.x;
	mov.u32 %r9, %tid.x;
	mad.lo.s32 %r7, %r7, %r8, %r9;
	mad.wide.u32 %d12, %r7, 24, %d10;
	ld.global.u64 %d1, [%d12];
	ld.global.u64 %d2, [%d12+8];
	ld.global.u64 %d3, [%d12+16];
	cvt.u32.u64 %r1, %d1;
	cvt.u32.u64 %r2, %d2;
	cvt.u32.u64 %r3, %d3;
	cvt.u16.u64 %h1, %d1;
	cvt.u16.u64 %h2, %d2;
	cvt.u16.u64 %h3, %d3;
	mov.b32 %f1, %r1;
	mov.b32 %f2, %r2;
	mov.b32 %f3, %r3;
	mov.b64 %g1, %d1;
	mov.b64 %g2, %d2;
	mov.b64 %g3, %d3;
	setp.lt.s64 %p1, %d3, 0;
	BODY
	mul.wide.u32 %d12, %r7, 8;
	add.s64 %d12, %d12, %d11;
	st.global.u64 [%d12], %d0;
	ret;
}
`

// widen are how a result gets into the register that is stored.
var widen = map[byte]string{
	'h': "cvt.u64.u16 %d0, %h0;",
	'r': "cvt.u64.u32 %d0, %r0;",
	'd': "",
	'f': "mov.b32 %r0, %f0; cvt.u64.u32 %d0, %r0;",
	'g': "mov.b64 %d0, %g0;",
	'p': "selp.b64 %d0, 1, 0, %p0;",
}

// operands are triples of edge values and random ones.
func operands() [][3]uint64 {
	edges := []uint64{
		0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 0x7F, 0x80, 0x7FFF, 0x8000, 0xFFFF,
		0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64, math.MaxUint64 - 31,
		math.Float64bits(1), math.Float64bits(-2.5), math.Float64bits(0.5), math.Float64bits(1e300), math.Float64bits(math.Inf(-1)),
		math.Float64bits(math.NaN()), math.Float64bits(4e9), math.Float64bits(-1e10), math.Float64bits(1.8446744073709552e19), math.Float64bits(1 << 31), math.Float64bits(-1 << 31), math.Float64bits(1 << 32),
		math.Float64bits(1 << 63), math.Float64bits(-1 << 63), math.Float64bits(1 << 64), 1, 0xFFF << 52,
	}
	for _, x := range []float32{1, -1, 0.5, 1.5, -2.5, 3e9, 1e-42, math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN()), -1e20, 65519, 1 << 31, -1 << 31, 1 << 32, 1 << 63, -1 << 63} {
		edges = append(edges, uint64(math.Float32bits(x)))
	}
	var list [][3]uint64
	r := rand.New(rand.NewPCG(5, 6))
	pick := func() uint64 {
		switch r.IntN(3) {
		case 0:
			return edges[r.IntN(len(edges))]
		case 1:
			return r.Uint64() >> r.IntN(64)
		}
		return r.Uint64()
	}
	for _, a := range edges {
		for _, b := range edges {
			list = append(list, [3]uint64{a, b, pick()})
		}
	}
	for len(list) < 4096 {
		list = append(list, [3]uint64{pick(), pick(), pick()})
	}
	return list
}

// compute runs the instructions of body for all operands; result is the kind of
// register, with number 0, that they leave the result in.
func compute(t *testing.T, body string, result byte, in [][3]uint64) []uint64 {
	t.Helper()
	m := newMachine(t, []byte(strings.Replace(harness, "BODY", body+"\n\t"+widen[result], 1)), ptxemu.Options{})
	out := put(m, make([]uint64, len(in)))
	m.run("k", len(in)/256, 256, 0, put(m, in), out)
	return get[uint64](m, out, len(in))
}

func verify(t *testing.T, body string, result byte, want func(a, b, c uint64) uint64) {
	t.Run(body, func(t *testing.T) {
		in := operands()
		for i, got := range compute(t, body, result, in) {
			if w := want(in[i][0], in[i][1], in[i][2]); got != w {
				t.Fatalf("of %#x: %#x, want %#x", in[i], got, w)
			}
		}
	})
}

// u32 and the others cut an operand down to its type.
func u32(a uint64) uint32  { return uint32(a) }
func s32(a uint64) int32   { return int32(a) }
func w32(a uint32) uint64  { return uint64(a) }
func ws32(a int32) uint64  { return uint64(uint32(a)) }
func ws16(a int16) uint64  { return uint64(uint16(a)) }
func truth(b bool) uint64  { return map[bool]uint64{true: 1}[b] }
func f32(a uint64) float32 { return math.Float32frombits(uint32(a)) }
func f64(a uint64) float64 { return math.Float64frombits(a) }

func TestIntegerArithmetic(t *testing.T) {
	verify(t, "add.s32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 { return w32(u32(a) + u32(b)) })
	verify(t, "sub.s64 %d0, %d1, %d2;", 'd', func(a, b, _ uint64) uint64 { return a - b })
	verify(t, "sub.s16 %h0, %h1, %h2;", 'h', func(a, b, _ uint64) uint64 { return uint64(uint16(a - b)) })
	verify(t, "add.s32 %r0, %r1, -5;", 'r', func(a, _, _ uint64) uint64 { return w32(u32(a) - 5) })
	verify(t, "mul.lo.s32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 { return w32(u32(a) * u32(b)) })
	verify(t, "mul.hi.u32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 { return uint64(u32(a)) * uint64(u32(b)) >> 32 })
	verify(t, "mul.hi.s32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 {
		return w32(uint32(int64(s32(a)) * int64(s32(b)) >> 32))
	})
	verify(t, "mul.hi.u64 %d0, %d1, %d2;", 'd', func(a, b, _ uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi })
	verify(t, "mul.hi.s64 %d0, %d1, %d2;", 'd', func(a, b, _ uint64) uint64 {
		p := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b)))
		return uint64(p.Rsh(p, 64).Int64())
	})
	verify(t, "mul.hi.u16 %h0, %h1, 21846;", 'h', func(a, _, _ uint64) uint64 { return a & 0xFFFF * 21846 >> 16 })
	verify(t, "mul.wide.s32 %d0, %r1, -4;", 'd', func(a, _, _ uint64) uint64 { return uint64(int64(s32(a)) * -4) })
	verify(t, "mul.wide.u32 %d0, %r1, %r2;", 'd', func(a, b, _ uint64) uint64 { return w32(u32(a)) * w32(u32(b)) })
	verify(t, "mul.wide.s16 %r0, %h1, %h2;", 'r', func(a, b, _ uint64) uint64 { return ws32(int32(int16(a)) * int32(int16(b))) })
	verify(t, "mad.lo.s64 %d0, %d1, %d2, %d3;", 'd', func(a, b, c uint64) uint64 { return a*b + c })
	verify(t, "mad.wide.s32 %d0, %r1, %r2, %d3;", 'd', func(a, b, c uint64) uint64 { return uint64(int64(s32(a))*int64(s32(b))) + c })
	verify(t, "mad.hi.u32 %r0, %r1, %r2, %r3;", 'r', func(a, b, c uint64) uint64 {
		return w32(uint32(w32(u32(a))*w32(u32(b))>>32) + u32(c))
	})
	verify(t, "mul24.lo.s32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 {
		return ws32((s32(a) << 8 >> 8) * (s32(b) << 8 >> 8))
	})
	verify(t, "div.u32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 {
		if u32(b) == 0 {
			return 0xFFFFFFFF
		}
		return w32(u32(a) / u32(b))
	})
	verify(t, "div.s64 %d0, %d1, %d2;", 'd', func(a, b, _ uint64) uint64 {
		if b == 0 {
			return math.MaxUint64
		}
		q := new(big.Int).Quo(big.NewInt(int64(a)), big.NewInt(int64(b)))
		return new(big.Int).And(q, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	})
	verify(t, "rem.s32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 {
		if u32(b) == 0 {
			return w32(u32(a))
		}
		return ws32(int32(int64(s32(a)) % int64(s32(b))))
	})
	verify(t, "min.s32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 { return ws32(min(s32(a), s32(b))) })
	verify(t, "max.u64 %d0, %d1, %d2;", 'd', func(a, b, _ uint64) uint64 { return max(a, b) })
	verify(t, "max.s16 %h0, %h1, %h2;", 'h', func(a, b, _ uint64) uint64 { return ws16(max(int16(a), int16(b))) })
	verify(t, "abs.s32 %r0, %r1;", 'r', func(a, _, _ uint64) uint64 {
		if s32(a) < 0 {
			return ws32(-s32(a))
		}
		return ws32(s32(a))
	})
	verify(t, "neg.s16 %h0, %h1;", 'h', func(a, _, _ uint64) uint64 { return ws16(-int16(a)) })
	verify(t, "sad.s32 %r0, %r1, %r2, %r3;", 'r', func(a, b, c uint64) uint64 {
		d := int64(s32(a)) - int64(s32(b))
		return w32(uint32(max(d, -d)) + u32(c))
	})
	verify(t, "add.cc.u32 %r4, %r1, %r2; addc.u32 %r5, %r2, %r3; mov.b64 %d0, {%r4, %r5};", 'd', func(a, b, c uint64) uint64 {
		return (w32(u32(a)) | b<<32) + (w32(u32(b)) | c<<32)
	})
	verify(t, "sub.cc.u64 %d4, %d1, %d2; subc.u64 %d0, %d3, 0;", 'd', func(a, b, c uint64) uint64 { return c - truth(a < b) })
	verify(t, "mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r5, %r1, %r2, 0; mov.b64 %d0, {%r4, %r5};", 'd', func(a, b, c uint64) uint64 {
		return w32(u32(a))*w32(u32(b)) + w32(u32(c))
	})
}

func TestBits(t *testing.T) {
	shift := func(x, n uint64) uint64 { // clamped
		if n >= 64 {
			return 0
		}
		return x << n
	}
	verify(t, "shl.b32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 { return w32(uint32(shift(w32(u32(a)), w32(u32(b))))) })
	verify(t, "shl.b64 %d0, %d1, %r2;", 'd', func(a, b, _ uint64) uint64 { return shift(a, w32(u32(b))) })
	verify(t, "shl.b16 %h0, %h1, %r2;", 'h', func(a, b, _ uint64) uint64 { return uint64(uint16(shift(a, w32(u32(b))))) })
	verify(t, "shr.u32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 {
		if u32(b) > 31 {
			return 0
		}
		return w32(u32(a) >> (b & 31))
	})
	verify(t, "shr.s32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 { return ws32(s32(a) >> min(u32(b), 31)) })
	verify(t, "shr.s64 %d0, %d1, %r2;", 'd', func(a, b, _ uint64) uint64 { return uint64(int64(a) >> min(u32(b), 63)) })
	verify(t, "shr.s16 %h0, %h1, %r2;", 'h', func(a, b, _ uint64) uint64 { return ws16(int16(a) >> min(u32(b), 15)) })
	verify(t, "and.b32 %r0, %r1, -16;", 'r', func(a, _, _ uint64) uint64 { return a & 0xFFFFFFF0 })
	verify(t, "or.b64 %d0, %d1, %d2;", 'd', func(a, b, _ uint64) uint64 { return a | b })
	verify(t, "xor.b16 %h0, %h1, -1;", 'h', func(a, _, _ uint64) uint64 { return ^a & 0xFFFF })
	verify(t, "not.b32 %r0, %r1;", 'r', func(a, _, _ uint64) uint64 { return ^a & 0xFFFFFFFF })
	verify(t, "cnot.b64 %d0, %d1;", 'd', func(a, _, _ uint64) uint64 { return truth(a == 0) })
	verify(t, "shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 'r', func(a, b, c uint64) uint64 {
		return ((b<<32 | w32(u32(a))) << (c & 31)) >> 32
	})
	verify(t, "shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 'r', func(a, b, c uint64) uint64 {
		return w32(uint32((b<<32 | w32(u32(a))) >> min(u32(c), 32)))
	})
	verify(t, "prmt.b32 %r0, %r1, %r2, %r3;", 'r', func(a, b, c uint64) (r uint64) {
		for i := range 4 {
			n := c >> (4 * i) & 15
			v := byte(append(le(a), le(b)...)[n&7])
			if n > 7 {
				v = byte(int8(v) >> 7)
			}
			r |= uint64(v) << (8 * i)
		}
		return r
	})
	verify(t, "prmt.b32 %r0, %r1, 0, 291;", 'r', func(a, _, _ uint64) uint64 { return w32(bits.ReverseBytes32(u32(a))) })
	verify(t, "bfe.u32 %r0, %r1, %r2, %r3;", 'r', func(a, b, c uint64) uint64 { return field(a, b, c, 32, false) })
	verify(t, "bfe.s32 %r0, %r1, %r2, %r3;", 'r', func(a, b, c uint64) uint64 { return field(a, b, c, 32, true) })
	verify(t, "bfe.s64 %d0, %d1, %r2, %r3;", 'd', func(a, b, c uint64) uint64 { return field(a, b, c, 64, true) })
	verify(t, "bfi.b32 %r0, %r1, %r2, %r3, 7;", 'r', func(a, b, c uint64) uint64 {
		r := b & 0xFFFFFFFF
		for i := range uint64(7) {
			if at := c&0xFF + i; at < 32 {
				r = r&^(1<<at) | a>>i&1<<at
			}
		}
		return r
	})
	verify(t, "popc.b64 %r0, %d1;", 'r', func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) })
	verify(t, "clz.b32 %r0, %r1;", 'r', func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros32(u32(a))) })
	verify(t, "brev.b32 %r0, %r1;", 'r', func(a, _, _ uint64) uint64 { return w32(bits.Reverse32(u32(a))) })
	verify(t, "bfind.u32 %r0, %r1;", 'r', func(a, _, _ uint64) uint64 { return ws32(int32(bits.Len32(u32(a)) - 1)) })
	verify(t, "bfind.shiftamt.s64 %r0, %d1;", 'r', func(a, _, _ uint64) uint64 {
		if int64(a) < 0 {
			a = ^a
		}
		if a == 0 {
			return 0xFFFFFFFF
		}
		return uint64(bits.LeadingZeros64(a))
	})
	verify(t, "lop3.b32 %r0, %r1, %r2, %r3, 0xE2;", 'r', func(a, b, c uint64) uint64 {
		// The truth table of b ? a : c, whose columns are 0xF0, 0xCC and 0xAA.
		return w32(u32(b)&u32(a) | ^u32(b)&u32(c))
	})
	verify(t, "mov.b64 {%r4, %r5}, %d1; mov.b64 %d0, {%r5, %r4};", 'd', func(a, _, _ uint64) uint64 { return bits.RotateLeft64(a, 32) })
	verify(t, "mov.b32 {%h4, %h5}, %r1; mov.b64 %d0, {%h5, %h4, %h4, %h5};", 'd', func(a, _, _ uint64) uint64 {
		lo, hi := a&0xFFFF, a>>16&0xFFFF
		return hi | lo<<16 | lo<<32 | hi<<48
	})
}

func le(a uint64) []byte { return []byte{byte(a), byte(a >> 8), byte(a >> 16), byte(a >> 24)} }

// field is bfe as the manual words it.
func field(a, b, c, width uint64, signed bool) uint64 {
	pos, length := b&0xFF, c&0xFF
	msb := width - 1
	sign := uint64(0)
	if signed && length != 0 {
		sign = a >> min(pos+length-1, msb) & 1
	}
	var d uint64
	for i := range width {
		bit := sign
		if i < length && pos+i <= msb {
			bit = a >> (pos + i) & 1
		}
		d |= bit << i
	}
	return d
}

func TestComparisons(t *testing.T) {
	verify(t, "setp.lt.s32 %p0, %r1, %r2;", 'p', func(a, b, _ uint64) uint64 { return truth(s32(a) < s32(b)) })
	verify(t, "setp.ge.u32 %p0, %r1, %r2;", 'p', func(a, b, _ uint64) uint64 { return truth(u32(a) >= u32(b)) })
	verify(t, "setp.le.s64 %p0, %d1, %d2;", 'p', func(a, b, _ uint64) uint64 { return truth(int64(a) <= int64(b)) })
	verify(t, "setp.gt.s16 %p0, %h1, -1;", 'p', func(a, _, _ uint64) uint64 { return truth(int16(a) > -1) })
	verify(t, "setp.eq.b32 %p0, %r1, -1;", 'p', func(a, _, _ uint64) uint64 { return truth(u32(a) == 0xFFFFFFFF) })
	verify(t, "setp.hi.u64 %p0, %d1, %d2;", 'p', func(a, b, _ uint64) uint64 { return truth(a > b) })
	verify(t, "setp.ne.and.s32 %p0|%p2, %r1, %r2, !%p1; selp.b64 %d4, 2, 0, %p2; selp.b64 %d5, 1, 0, %p0; or.b64 %d0, %d4, %d5;", 'd',
		func(a, b, c uint64) uint64 {
			if int64(c) < 0 {
				return 0
			}
			return 2 - truth(u32(a) != u32(b))
		})
	floats := map[string]func(x, y float64) bool{
		"eq": func(x, y float64) bool { return x == y }, "neu": func(x, y float64) bool { return x != y },
		"ne": func(x, y float64) bool { return x < y || x > y }, "lt": func(x, y float64) bool { return x < y },
		"leu": func(x, y float64) bool { return !(x > y) }, "num": func(x, y float64) bool { return x == x && y == y },
		"nan": func(x, y float64) bool { return x != x || y != y }, "geu": func(x, y float64) bool { return !(x < y) },
	}
	for cmp, f := range floats {
		verify(t, "setp."+cmp+".f32 %p0, %f1, %f2;", 'p', func(a, b, _ uint64) uint64 { return truth(f(float64(f32(a)), float64(f32(b)))) })
		verify(t, "setp."+cmp+".f64 %p0, %g1, %g2;", 'p', func(a, b, _ uint64) uint64 { return truth(f(f64(a), f64(b))) })
	}
	verify(t, "testp.subnormal.f32 %p0, %f1;", 'p', func(a, _, _ uint64) uint64 {
		return truth(a&0x7F800000 == 0 && a&0x7FFFFF != 0)
	})
	verify(t, "testp.finite.f64 %p0, %g1;", 'p', func(a, _, _ uint64) uint64 { return truth(a>>52&0x7FF != 0x7FF) })
	verify(t, "xor.pred %p2, %p1, 1; not.pred %p3, %p2; and.pred %p0, %p3, %p1;", 'p', func(_, _, c uint64) uint64 { return c >> 63 })
	verify(t, "slct.s32.s32 %r0, %r1, %r2, %r3;", 'r', func(a, b, c uint64) uint64 {
		if s32(c) >= 0 {
			return w32(u32(a))
		}
		return w32(u32(b))
	})
	verify(t, "set.lt.u32.s32 %r0, %r1, %r2;", 'r', func(a, b, _ uint64) uint64 { return 0xFFFFFFFF * truth(s32(a) < s32(b)) })
	verify(t, "mov.u32 %r0, 9;\n@%p1 add.s32 %r0, %r1, 1;", 'r', func(a, _, c uint64) uint64 {
		if int64(c) < 0 {
			return w32(u32(a) + 1)
		}
		return 9
	})
}

// fused returns the bits of x·y+z, computed without rounding and rounded once.
func fused(x, y, z float32) uint64 {
	// The product is exact, and the sum is NaN, infinite or zero only if it is so exactly.
	rough := float64(x)*float64(y) + float64(z)
	switch {
	case rough != rough:
		return 0x7FFFFFFF
	case rough == 0 || math.IsInf(rough, 0):
		return uint64(math.Float32bits(float32(rough)))
	}
	p := new(big.Float).SetPrec(2000).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
	v, _ := p.Add(p, big.NewFloat(float64(z))).Float32()
	return uint64(math.Float32bits(v))
}

func TestFloatArithmetic(t *testing.T) {
	nan := func(x float32) uint64 {
		if x != x {
			return 0x7FFFFFFF
		}
		return uint64(math.Float32bits(x))
	}
	verify(t, "add.rn.f32 %f0, %f1, %f2;", 'f', func(a, b, _ uint64) uint64 { return nan(f32(a) + f32(b)) })
	verify(t, "sub.f32 %f0, %f1, %f2;", 'f', func(a, b, _ uint64) uint64 { return nan(f32(a) - f32(b)) })
	verify(t, "mul.rn.f32 %f0, %f1, %f2;", 'f', func(a, b, _ uint64) uint64 { return nan(float32(f32(a) * f32(b))) })
	verify(t, "div.rn.f32 %f0, %f1, %f2;", 'f', func(a, b, _ uint64) uint64 { return nan(f32(a) / f32(b)) })
	verify(t, "fma.rn.f32 %f0, %f1, %f2, %f3;", 'f', func(a, b, c uint64) uint64 { return fused(f32(a), f32(b), f32(c)) })
	verify(t, "fma.rn.f64 %g0, %g1, %g2, %g3;", 'g', func(a, b, c uint64) uint64 {
		if r := math.FMA(f64(a), f64(b), f64(c)); r == r {
			return math.Float64bits(r)
		}
		for _, x := range []uint64{a, b, c} {
			if f64(x) != f64(x) {
				return x | 1<<51
			}
		}
		return 0xFFF8 << 48
	})
	verify(t, "sqrt.rn.f32 %f0, %f1;", 'f', func(a, _, _ uint64) uint64 { return nan(float32(math.Sqrt(float64(f32(a))))) })
	verify(t, "neg.f64 %g0, %g1;", 'g', func(a, _, _ uint64) uint64 { return a ^ 1<<63 })
	verify(t, "abs.f64 %g0, %g1;", 'g', func(a, _, _ uint64) uint64 { return a &^ (1 << 63) })
	verify(t, "copysign.f64 %g0, %g1, %g2;", 'g', func(a, b, _ uint64) uint64 { return b&^(1<<63) | a&(1<<63) })
	verify(t, "min.f32 %f0, %f1, %f2;", 'f', func(a, b, _ uint64) uint64 {
		x, y := f32(a), f32(b)
		switch {
		case x != x:
			return nan(y)
		case y != y:
			return nan(x)
		}
		return nan(min(x, y))
	})
	verify(t, "max.NaN.f32 %f0, %f1, %f2;", 'f', func(a, b, _ uint64) uint64 { return nan(max(f32(a), f32(b))) })
	verify(t, "max.f64 %g0, %g1, %g2;", 'g', func(a, b, _ uint64) uint64 {
		x, y := f64(a), f64(b)
		switch {
		case x != x && y != y:
			return a | 1<<51
		case x != x:
			return b
		case y != y:
			return a
		}
		return math.Float64bits(max(x, y))
	})
	verify(t, "add.ftz.f32 %f0, %f1, %f2;", 'f', func(a, b, _ uint64) uint64 {
		flush := func(x float32) float32 {
			if math.Abs(float64(x)) < 0x1p-126 {
				return float32(math.Copysign(0, float64(x)))
			}
			return x
		}
		return nan(flush(flush(f32(a)) + flush(f32(b))))
	})
}

func TestRandomFMA(t *testing.T) {
	// Products and sums that lie close to the middle between two floats.
	r := rand.New(rand.NewPCG(9, 9))
	in := make([][3]uint64, 1<<15)
	for i := range in {
		x, y := float32(r.NormFloat64()), float32(r.NormFloat64())
		z := float32(math.Ldexp(r.NormFloat64(), r.IntN(100)-50))
		in[i] = [3]uint64{uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), uint64(math.Float32bits(z))}
	}
	for i, got := range compute(t, "fma.rn.f32 %f0, %f1, %f2, %f3;", 'f', in) {
		if want := fused(f32(in[i][0]), f32(in[i][1]), f32(in[i][2])); got != want {
			t.Fatalf("%d: %v, want %v", i, f32(got), f32(want))
		}
	}
}

// saturated is a float to integer conversion, by the limits of the type.
func saturated(x float64, lo, hi *big.Int, nan uint64) uint64 {
	switch {
	case x != x:
		return nan
	case math.IsInf(x, 1):
		return hi.Uint64()
	case math.IsInf(x, -1):
		return new(big.Int).And(lo, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	}
	v, _ := big.NewFloat(x).Int(nil)
	if v.Cmp(lo) < 0 {
		v = lo
	}
	if v.Cmp(hi) > 0 {
		v = hi
	}
	return new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

func TestConversions(t *testing.T) {
	limits := map[string][2]*big.Int{}
	for _, n := range []uint{8, 16, 32, 64} {
		one := big.NewInt(1)
		half, full := new(big.Int).Lsh(one, n-1), new(big.Int).Lsh(one, n)
		limits[fmt.Sprint("s", n)] = [2]*big.Int{new(big.Int).Neg(half), new(big.Int).Sub(half, one)}
		limits[fmt.Sprint("u", n)] = [2]*big.Int{new(big.Int), new(big.Int).Sub(full, one)}
	}
	rounds := map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil}
	for mode, round := range rounds {
		for _, to := range []string{"s32", "u32"} {
			l := limits[to]
			verify(t, "cvt."+mode+"."+to+".f32 %r0, %f1;", 'r', func(a, _, _ uint64) uint64 {
				return saturated(round(float64(f32(a))), l[0], l[1], 0) & 0xFFFFFFFF
			})
			verify(t, "cvt."+mode+"."+to+".f64 %r0, %g1;", 'r', func(a, _, _ uint64) uint64 {
				return saturated(round(f64(a)), l[0], l[1], 1<<31) & 0xFFFFFFFF
			})
		}
		for _, to := range []string{"s64", "u64"} {
			l := limits[to]
			verify(t, "cvt."+mode+"."+to+".f64 %d0, %g1;", 'd', func(a, _, _ uint64) uint64 { return saturated(round(f64(a)), l[0], l[1], 1<<63) })
			verify(t, "cvt."+mode+"."+to+".f32 %d0, %f1;", 'd', func(a, _, _ uint64) uint64 {
				return saturated(round(float64(f32(a))), l[0], l[1], 1<<63)
			})
		}
		verify(t, "cvt."+mode+".f64.f64 %g0, %g1;", 'g', func(a, _, _ uint64) uint64 {
			if f64(a) != f64(a) {
				return a | 1<<51
			}
			return math.Float64bits(round(f64(a)))
		})
	}
	verify(t, "cvt.u64.u32 %d0, %r1;", 'd', func(a, _, _ uint64) uint64 { return w32(u32(a)) })
	verify(t, "cvt.s64.s32 %d0, %r1;", 'd', func(a, _, _ uint64) uint64 { return uint64(int64(s32(a))) })
	verify(t, "cvt.s32.s8 %r0, %r1;", 'r', func(a, _, _ uint64) uint64 { return ws32(int32(int8(a))) })
	verify(t, "cvt.s16.s8 %h0, %h1;", 'h', func(a, _, _ uint64) uint64 { return ws16(int16(int8(a))) })
	verify(t, "cvt.s8.s64 %r0, %d1;", 'r', func(a, _, _ uint64) uint64 { return ws32(int32(int8(a))) })
	verify(t, "cvt.u8.u32 %r0, %r1;", 'r', func(a, _, _ uint64) uint64 { return a & 0xFF })
	verify(t, "cvt.s64.u16 %d0, %h1;", 'd', func(a, _, _ uint64) uint64 { return a & 0xFFFF })
	verify(t, "cvt.sat.u8.s32 %r0, %r1;", 'r', func(a, _, _ uint64) uint64 { return uint64(max(0, min(s32(a), 255))) })
	verify(t, "cvt.sat.s16.u64 %h0, %d1;", 'h', func(a, _, _ uint64) uint64 { return min(a, 0x7FFF) })
	verify(t, "cvt.rn.f32.s64 %f0, %d1;", 'f', func(a, _, _ uint64) uint64 {
		v, _ := new(big.Float).SetInt64(int64(a)).Float32()
		return uint64(math.Float32bits(v))
	})
	verify(t, "cvt.rn.f32.u64 %f0, %d1;", 'f', func(a, _, _ uint64) uint64 {
		v, _ := new(big.Float).SetUint64(a).Float32()
		return uint64(math.Float32bits(v))
	})
	verify(t, "cvt.rn.f64.u64 %g0, %d1;", 'g', func(a, _, _ uint64) uint64 {
		v, _ := new(big.Float).SetUint64(a).Float64()
		return math.Float64bits(v)
	})
	directed := map[string]big.RoundingMode{"rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf}
	for mode, m := range directed {
		verify(t, "cvt."+mode+".f64.s64 %g0, %d1;", 'g', func(a, _, _ uint64) uint64 {
			v, _ := new(big.Float).SetMode(m).SetPrec(53).SetInt64(int64(a)).Float64()
			return math.Float64bits(v)
		})
		verify(t, "cvt."+mode+".f32.u32 %f0, %r1;", 'f', func(a, _, _ uint64) uint64 {
			v, _ := new(big.Float).SetMode(m).SetPrec(24).SetUint64(w32(u32(a))).Float32()
			return uint64(math.Float32bits(v))
		})
	}
	verify(t, "cvt.rz.f32.f64 %f0, %g1;", 'f', func(a, _, _ uint64) uint64 {
		x := f64(a)
		y := float32(x)
		switch {
		case x != x:
			return 0x7FFFFFFF
		case math.Abs(float64(y)) > math.Abs(x):
			y = math.Nextafter32(y, 0)
		}
		return uint64(math.Float32bits(y))
	})
	verify(t, "cvt.rn.f32.f64 %f0, %g1;", 'f', func(a, _, _ uint64) uint64 {
		if f64(a) != f64(a) {
			return 0x7FFFFFFF
		}
		return uint64(math.Float32bits(float32(f64(a))))
	})
	verify(t, "cvt.f64.f32 %g4, %f1; cvt.rn.f32.f64 %f0, %g4;", 'f', func(a, _, _ uint64) uint64 {
		if f32(a) != f32(a) {
			return 0x7FFFFFFF
		}
		return w32(u32(a))
	})
	verify(t, "cvt.sat.f32.f32 %f0, %f1;", 'f', func(a, _, _ uint64) uint64 {
		if x := f32(a); x > 0 {
			return uint64(math.Float32bits(min(x, 1)))
		}
		return 0
	})
	verify(t, "cvt.f32.f16 %f4, %h1; cvt.rn.f16.f32 %h0, %f4;", 'h', func(a, _, _ uint64) uint64 {
		if a&0x7FFF > 0x7C00 {
			return 0x7FFF
		}
		return a & 0xFFFF
	})
	verify(t, "cvt.rz.f16.f32 %h0, %f1;", 'h', func(a, _, _ uint64) uint64 {
		x := f32(a)
		sign := a >> 16 & 0x8000
		switch {
		case x != x:
			return 0x7FFF
		case math.IsInf(float64(x), 0):
			return sign | 0x7C00
		case math.Abs(float64(x)) >= 65504:
			return sign | 0x7BFF
		case math.Abs(float64(x)) < 0x1p-14:
			return sign | uint64(math.Abs(float64(x))*0x1p24)
		}
		return sign | (a&0x7FFFFFFF-112<<23)>>13
	})
}
