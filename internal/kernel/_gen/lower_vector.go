package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// byLanes are the instructions of lanes whose width is the last letter: the names of NEON.
var byLanes = map[string]string{
	"VPADD": "VADD", "VPSUB": "VSUB", "VPCMPEQ": "VCMEQ", "VPCMPGT": "CMGT", "VPMINS": "SMIN", "VPMAXS": "SMAX",
	"VPMINU": "VUMIN", "VPMAXU": "VUMAX", "VPABS": "ABS", "VPSRL": "VUSHR", "VPSLL": "VSHL", "VPSRA": "SSHR",
	"VADDP": "FADD", "VSUBP": "FSUB", "VMULP": "FMUL", "VDIVP": "FDIV", "VMINP": "FMIN", "VMAXP": "FMAX",
}

// vectorNames are the others, with the width of their lanes.
var vectorNames = map[string]struct {
	name  string
	width lane
}{
	"VPAND": {"VAND", 8}, "VPOR": {"VORR", 8}, "VPXOR": {"VEOR", 8}, "VPANDN": {"BIC", 8},
	"VPUNPCKLBW": {"VZIP1", 8}, "VPUNPCKLWD": {"VZIP1", 16}, "VPUNPCKLDQ": {"VZIP1", 32}, "VPUNPCKLQDQ": {"VZIP1", 64},
	"VPUNPCKHBW": {"VZIP2", 8}, "VPUNPCKHWD": {"VZIP2", 16}, "VPUNPCKHDQ": {"VZIP2", 32}, "VPUNPCKHQDQ": {"VZIP2", 64},
	"VCVTDQ2PS": {"SCVTF", 32}, "VCVTTPS2DQ": {"FCVTZS", 32},
}

// encodings are the instructions that Go's assembler does not have: without the width of
// lanes, which floats give by one bit.
var encodings = map[string]uint32{
	"CMGT": 0x4E203400, "CMGE": 0x4E203C00, "CMHI": 0x6E203400, "CMHS": 0x6E203C00, "SMAX": 0x4E206400, "SMIN": 0x4E206C00,
	"USHL": 0x6E204400, "BIC": 0x4E601C00,
	"CMLT0": 0x4E20A800, "ABS": 0x4E20B800, "UMAXV": 0x6E30A800, "UMINV": 0x6E31A800,
	"FADD": 0x4E20D400, "FSUB": 0x4EA0D400, "FMUL": 0x6E20DC00, "FDIV": 0x6E20FC00, "FMIN": 0x4EA0F400, "FMAX": 0x4E20F400,
	"FCMEQ": 0x4E20E400, "FCMGE": 0x6E20E400, "FCMGT": 0x6EA0E400, "SCVTF": 0x4E21D800, "FCVTZS": 0x4EA1B800,
}

// encoded writes one of the encodings: its result, and what it takes.
func (a *neon) encoded(name string, w lane, ops ...int) {
	code, size, text := encodings[name], w.size(), ""
	if name[0] == 'F' || name == "SCVTF" {
		size -= lane(32).size()
	} else if name == "BIC" {
		size = 0
	}
	for i, op := range ops {
		code |= uint32(op) << [3]int{0, 5, 16}[i]
		text = fmt.Sprintf(", V%d.%s", op, w.suffix()) + text
	}
	a.word(code|size, "%s %s", name, text[2:])
}

// vector writes an instruction: its result, and what it takes in the order of NEON.
func (l *lowering) vector(name string, w lane, ops ...int) {
	t := w.suffix()
	switch {
	case encodings[name] != 0:
		l.encoded(name, w, ops...)
	case name == "VMOVR": // the first lane to a general register
		l.op("VMOV V%d.%s[0], R%d", ops[1], t[:1], ops[0])
	case name == "VADDV":
		l.op("VADDV V%d.%s, V%d", ops[1], t, ops[0])
	case name == "VTBL2":
		l.op("VTBL V%d.B16, [V%d.B16, V%d.B16], V%d.B16", ops[2], ops[1], ops[1]+1, ops[0])
	case name == "VUXTL": // the lower half of the lanes, as lanes twice as wide
		l.op("VUXTL V%d.%s, V%d.%s", ops[1], w.half(), ops[0], (2 * w).suffix())
	default:
		l.three(name, w, ops[0], ops[1], ops[2])
	}
}

// shiftRightSigned writes SSHR.
func (l *lowering) shiftRightSigned(w lane, d, n, by int) {
	l.word(0x4F000400|uint32(2*int(w)-by)<<16|uint32(n)<<5|uint32(d), "SSHR $%d, V%d.%s, V%d.%s", by, n, w.suffix(), d, w.suffix())
}

// in returns a vector operand, into which memory is loaded.
func (l *lowering) in(op operand.Op) int {
	m, ok := op.(operand.Mem)
	if !ok {
		return vector(op)
	}
	l.loadOrStore(true, m, scratchVector)
	return scratchVector
}

// loadOrStore moves a vector from or to memory. Go's assembler has no index for that.
func (l *lowering) loadOrStore(load bool, m operand.Mem, v int) {
	if m.Index != nil && m.Disp == 0 && m.Scale == 1 {
		code, name := uint32(0x3CA06800), "STR"
		if load {
			code, name = 0x3CE06800, "LDR"
		}
		base, index := general(m.Base), general(m.Index)
		l.word(code|uint32(index)<<16|uint32(base)<<5|uint32(v), "%s (R%d)(R%d), F%d", name, base, index, v)
		return
	}
	at := l.address(m, 0)
	if load {
		l.op("FMOVQ %s, F%d", at, v)
	} else {
		l.op("FMOVQ F%d, %s", v, at)
	}
}

// vectors writes an instruction of vectors.
func (l *lowering) vectors(name string, ops []operand.Op) {
	last := len(ops) - 1
	widths := map[byte]lane{'B': 8, 'W': 16, 'D': 32, 'Q': 64, 'S': 32}
	width := widths[name[len(name)-1]]
	isFloat := strings.HasSuffix(name, "PD") || strings.HasSuffix(name, "PS")
	if strings.HasSuffix(name, "PD") {
		width = 64
	}
	stem := name[:len(name)-1]
	switch {
	case name == "VMOVDQU" || name == "VMOVDQA" || name == "VMOVQ" || name == "VMOVD" || name == "MOVSS" || name == "MOVSD":
		l.moveVector(name, ops[0], ops[1])
	case strings.HasPrefix(name, "VPBROADCAST") || name == "VBROADCASTSS" || name == "VBROADCASTSD":
		if name == "VBROADCASTSD" {
			width = 64
		}
		l.spreadVector(width, ops[0], vector(ops[1]))
	case name == "VPBLENDVB" || strings.HasPrefix(name, "VBLENDVP"):
		l.blend(vector(ops[0]), l.in(ops[1]), l.in(ops[2]), vector(ops[3]))
	case name == "VPTEST":
		l.vector("UMAXV", 32, scratchVector, vector(ops[0]))
		l.op("FMOVS F%d, R%d", scratchVector, scratch)
		l.zero = fmt.Sprintf("R%d", scratch)
	case name == "VPSHUFB": // of indices below 16, or of 128 and more
		l.op("VTBL V%d.B16, [V%d.B16], V%d.B16", vector(ops[0]), vector(ops[1]), vector(ops[2]))
	case byLanes[stem] == "VUSHR" || byLanes[stem] == "VSHL":
		t := width.suffix()
		l.op("%s $%s, V%d.%s, V%d.%s", byLanes[stem], strings.TrimPrefix(ops[0].Asm(), "$"), vector(ops[1]), t, vector(ops[2]), t)
	case byLanes[stem] == "SSHR":
		l.shiftRightSigned(width, vector(ops[2]), vector(ops[1]), int(ops[0].(operand.U8)))
	case vectorNames[name].name != "":
		v := vectorNames[name]
		l.ordered(v.name, v.width, ops)
	case byLanes[stem] != "" && (isFloat == (byLanes[stem][0] == 'F')):
		l.ordered(byLanes[stem], width, ops)
	default:
		panic(fmt.Sprintf("an instruction that is not known: %s %v", name, ops[last].Asm()))
	}
}

// ordered writes an instruction with as many operands as are given.
func (l *lowering) ordered(name string, width lane, ops []operand.Op) {
	numbers := []int{vector(ops[len(ops)-1])}
	for i := len(ops) - 2; i >= 0; i-- {
		numbers = append(numbers, l.in(ops[i]))
	}
	if name == "VEOR" && numbers[1] == numbers[2] {
		l.op("VMOVI $0, V%d.B16", numbers[0])
		return
	}
	l.vector(name, width, numbers...)
}

// moveVector moves a vector, or one lane of it.
func (l *lowering) moveVector(name string, from, to operand.Op) {
	op, size := "FMOVD", 8
	switch name {
	case "VMOVD", "MOVSS":
		op, size = "FMOVS", 4
	case "VMOVDQU", "VMOVDQA":
		if m, ok := from.(operand.Mem); ok {
			l.loadOrStore(true, m, vector(to))
		} else if m, ok := to.(operand.Mem); ok {
			l.loadOrStore(false, m, vector(from))
		} else {
			l.op("VMOV V%d.B16, V%d.B16", vector(from), vector(to))
		}
		return
	}
	text := func(o operand.Op) string {
		switch o := o.(type) {
		case operand.Mem:
			return l.address(o, size)
		case reg.Register:
			if o.Kind() == reg.KindGP {
				return fmt.Sprintf("R%d", general(o))
			}
		}
		return fmt.Sprintf("F%d", vector(o))
	}
	l.op("%s %s, %s", op, text(from), text(to))
}

// spreadVector copies the lowest lane of a vector, or what is in memory, to all lanes.
func (l *lowering) spreadVector(w lane, from operand.Op, d int) {
	m, ok := from.(operand.Mem)
	switch {
	case !ok:
		l.op("VDUP V%d.%s[0], V%d.%s", vector(from), w.suffix()[:1], d, w.suffix())
	case m.Symbol.Name == "" && m.Disp == 0 && m.Index == nil:
		l.op("VLD1R (R%d), [V%d.%s]", general(m.Base), d, w.suffix())
	default:
		l.op("%s %s, R%d", loads[int(w)/8], l.address(m, int(w)/8), scratch)
		l.broadcast(w, d, scratch)
	}
}

// blend writes the choice, by bits, of x where those of mask are set and of y elsewhere.
func (l *lowering) blend(mask, x, y, d int) {
	switch d {
	case y:
		l.bits("VBIT", d, x, mask)
	case x:
		l.bits("VBIF", d, y, mask)
	case mask:
		l.bits("VBSL", d, x, y)
	default:
		l.op("VMOV V%d.B16, V%d.B16", y, d)
		l.bits("VBIT", d, x, mask)
	}
}
