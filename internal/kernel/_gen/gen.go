package main

import (
	"fmt"
	"strconv"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gen is a build context with the steps that several kernels share.
type gen struct {
	*build.Context
	sets []isa // of the architecture, the plain one first
}

// plain returns the instruction set that all processors have of which there is code.
func (g *gen) plain() isa { return g.sets[0] }

// isa is an instruction set: its name and the bytes of its vectors.
type isa struct {
	name  string
	bytes int
}

var (
	avx2   = isa{"AVX2", 32}
	avx512 = isa{"AVX512", 64}
	both   = []isa{avx2, avx512}

	// The plain sets of functions that two architectures have, for the same Go code.
	short    = isa{"Short", 32}
	shortARM = isa{"Short", 16}
)

// vec returns a new vector register of the instruction set.
func (g *gen) vec(v isa) reg.VecVirtual {
	switch v.bytes {
	case 64:
		return g.ZMM()
	case 32:
		return g.YMM()
	}
	return g.XMM()
}

// neon writes an instruction that only NEON has, of lanes of a width: d, and what it is
// made from.
func (g *gen) neon(name string, width int, d operand.Op, from ...operand.Op) {
	g.Instruction(&ir.Instruction{
		Opcode: "NEON", Suffixes: []string{name, strconv.Itoa(width)},
		Operands: append([]operand.Op{d}, from...), Inputs: from, Outputs: []operand.Op{d},
	})
}

// neonShift is neon for a shift by a constant, VUSHR or VSHL.
func (g *gen) neonShift(name string, width, by int, d, from operand.Op) {
	g.Instruction(&ir.Instruction{
		Opcode: "NEON", Suffixes: []string{name, strconv.Itoa(width), strconv.Itoa(by)},
		Operands: []operand.Op{d, from}, Inputs: []operand.Op{from}, Outputs: []operand.Op{d},
	})
}

// begin starts a function.
func (g *gen) begin(name, params string) {
	g.Function(name)
	g.Attributes(attr.NOSPLIT)
	g.SignatureExpr("func" + params)
}

// param loads a parameter into a new register.
func (g *gen) param(name string) reg.GPVirtual {
	r := g.GP64()
	g.Load(g.Param(name), r)
	return r
}

// broadcast returns a vector of copies of a parameter of the given width in
// bits.
func (g *gen) broadcast(v isa, name string, width int) reg.VecVirtual {
	param, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	vec := g.vec(v)
	byWidth(width, g.VPBROADCASTB, g.VPBROADCASTW, g.VBROADCASTSS, g.VPBROADCASTQ)(param.Addr, vec)
	return vec
}

// zero returns a vector of zeros.
func (g *gen) zero(v isa) reg.VecVirtual {
	vec := g.vec(v)
	if v.bytes == 64 {
		g.VPXORD(vec, vec, vec)
	} else {
		g.VPXOR(vec, vec, vec)
	}
	return vec
}

// ones returns a vector whose lanes are all -1.
func (g *gen) ones(v isa) reg.VecVirtual {
	vec := g.vec(v)
	if v.bytes == 64 {
		g.VPTERNLOGD(operand.U8(0xFF), vec, vec, vec)
	} else {
		g.VPCMPEQD(vec, vec, vec)
	}
	return vec
}

// sum adds the lanes of acc, of 32 or 64 bits, into a new general register.
func (g *gen) sum(v isa, acc reg.VecVirtual, width int) reg.GPVirtual {
	var y reg.VecVirtual = acc
	if v.bytes == 64 {
		y = g.YMM()
		g.VEXTRACTI64X4(operand.U8(1), acc, y)
		g.add(width, acc.AsY(), y, y)
	}
	x := g.XMM()
	g.VEXTRACTI128(operand.U8(1), y, x)
	g.add(width, y.AsX(), x, x)
	t := g.XMM()
	g.VPSHUFD(operand.U8(0x4E), x, t)
	g.add(width, t, x, x)
	r := g.GP64()
	if width == 64 {
		g.VMOVQ(x, r)
		return r
	}
	g.VPSHUFD(operand.U8(0xB1), x, t)
	g.add(width, t, x, x)
	g.VMOVD(x, r.As32()) // clears the upper half
	return r
}

// add adds lanes.
func (g *gen) add(width int, a, b, dst operand.Op) {
	if width == 64 {
		g.VPADDQ(a, b, dst)
	} else {
		g.VPADDD(a, b, dst)
	}
}

// ret stores a result.
func (g *gen) ret(name string, r reg.Register) { g.Store(r, g.Return(name)) }

// mem returns the memory at base + offset.
func mem(base reg.Register, offset int) operand.Mem {
	return operand.Mem{Base: base, Disp: offset}
}

// name returns the name of a kernel's function for an instruction set.
func name(kernel string, width int, v isa) string {
	return fmt.Sprintf("%s%d%s", kernel, width, v.name)
}
