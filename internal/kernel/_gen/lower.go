package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lower returns the assembly of arm64 of compiled functions for vectors of 16 bytes: what is
// written for AVX2 is written for NEON too. General register i becomes Ri and vector
// register i Vi; R16, R17 and V28 are for what takes more than one instruction.
// Prefetches of what lies further on are left out: processors that fetch ahead alone need
// none, and each would have to be given for a quarter of a line.
func lower(f *ir.File) []byte {
	var l lowering
	l.header()
	for _, fn := range f.Functions() {
		l.function(fn)
	}
	return l.Bytes()
}

// lowering writes functions.
type lowering struct {
	neon
	zero string // the register whose comparison with 0 the next condition is about
}

const (
	scratch       = 16 // general register
	scratchVector = 28
	vectorsMax    = 28 // allocated
)

func (l *lowering) function(fn *ir.Function) {
	fmt.Fprintf(l, "\n// %s\n", fn.Stub())
	fmt.Fprintf(l, "TEXT ·%s(SB), NOSPLIT, $%d-%d\n", fn.Name, fn.LocalSize, fn.ArgumentBytes())
	for at := 0; at < len(fn.Nodes); at++ {
		switch n := fn.Nodes[at].(type) {
		case ir.Label:
			l.label(string(n))
		case *ir.Instruction:
			if at+1 < len(fn.Nodes) {
				if next, ok := fn.Nodes[at+1].(*ir.Instruction); ok && l.pair(n, next) {
					at++
					continue
				}
			}
			l.instruction(n)
		}
	}
}

// pair writes two loads or stores of neighbours as one, if they are such.
func (l *lowering) pair(a, b *ir.Instruction) bool {
	if a.Opcode != "VMOVDQU" || b.Opcode != "VMOVDQU" {
		return false
	}
	for i, op := range []string{"FLDPQ", "FSTPQ"} {
		first, ok := a.Operands[i].(operand.Mem)
		second, also := b.Operands[i].(operand.Mem)
		if !ok || !also || first.Index != nil || first.Symbol.Name != "" || first.Disp%16 != 0 || first.Disp > 1008 || first.Offset(16) != second {
			continue
		}
		regs := fmt.Sprintf("(F%d, F%d)", vector(a.Operands[1-i]), vector(b.Operands[1-i]))
		if i == 0 {
			l.op("%s %s, %s", op, l.address(first, 16), regs)
		} else {
			l.op("%s %s, %s", op, regs, l.address(first, 16))
		}
		return true
	}
	return false
}

// general and vector return the numbers of registers.
func general(op operand.Op) int { return int(op.(reg.Register).ID().Index()) }

func vector(op operand.Op) int {
	n := int(op.(reg.Register).ID().Index())
	if n >= vectorsMax {
		panic("too many vectors")
	}
	return n
}

// address returns memory as an operand of so many bytes, or of 0 for one without an index.
func (l *lowering) address(m operand.Mem, size int) string {
	switch {
	case m.Base == reg.FramePointer:
		return m.Asm()
	case m.Base == reg.StackPointer:
		return fmt.Sprintf("%d(RSP)", 8+m.Disp)
	case m.Index == nil:
		return fmt.Sprintf("%d(R%d)", m.Disp, general(m.Base))
	case m.Disp == 0 && m.Scale == 1 && size > 0:
		return fmt.Sprintf("(R%d)(R%d)", general(m.Base), general(m.Index))
	case m.Disp == 0 && int(m.Scale) == size:
		return fmt.Sprintf("(R%d)(R%d<<%d)", general(m.Base), general(m.Index), shiftOf(size))
	}
	l.addScaled(m, scratch)
	return fmt.Sprintf("%d(R%d)", m.Disp, scratch)
}

// addScaled sets d to the base and the index of memory.
func (l *lowering) addScaled(m operand.Mem, d int) {
	index := fmt.Sprintf("R%d", general(m.Index))
	if m.Scale > 1 {
		index += fmt.Sprintf("<<%d", shiftOf(int(m.Scale)))
	}
	l.op("ADD %s, R%d, R%d", index, general(m.Base), d)
}

// conditions are those of jumps, moves and sets.
var conditions = map[string]string{
	"NE": "NE", "NZ": "NE", "EQ": "EQ", "Z": "EQ", "L": "LT", "LT": "LT", "LE": "LE", "GT": "GT", "GE": "GE",
}

// condition returns that at the end of an opcode.
func (l *lowering) condition(name string) string {
	if l.zero != "" {
		l.op("CMP $0, %s", l.zero)
		l.zero = ""
	}
	if c, ok := conditions[name]; ok {
		return c
	}
	panic("a condition that is not known: " + name)
}

// instruction writes one instruction.
func (l *lowering) instruction(i *ir.Instruction) {
	name, ops := i.Opcode, i.Operands
	switch {
	case name == "NEON":
		l.own(i)
	case name == "PREFETCHT0" && ops[0].(operand.Mem).Disp == 0 && ops[0].(operand.Mem).Index != nil:
		l.addScaled(ops[0].(operand.Mem), scratch)
		l.op("PRFM (R%d), PLDL1KEEP", scratch)
	case name == "VZEROUPPER" || strings.HasPrefix(name, "PREFETCH"):
	case name == "RET":
		l.op("RET")
	case name == "JMP":
		l.op("JMP %s", ops[0].Asm())
	case i.IsBranch:
		l.op("B%s %s", l.condition(name[1:]), ops[0].Asm())
	case strings.HasPrefix(name, "CMOVQ"):
		d := general(ops[1])
		l.op("CSEL %s, R%d, R%d, R%d", l.condition(name[5:]), general(ops[0]), d, d)
	case strings.HasPrefix(name, "SET"):
		c := l.condition(name[3:])
		if m, ok := ops[0].(operand.Mem); ok {
			to := l.address(m, 1) // before the register is needed
			l.op("CSET %s, R%d", c, scratch+1)
			l.op("MOVB R%d, %s", scratch+1, to)
			return
		}
		l.op("CSET %s, R%d", c, general(ops[0]))
	case name[0] == 'V' || name == "MOVSS" || name == "MOVSD":
		l.vectors(name, ops)
	default:
		l.integers(name, ops)
	}
}

// loads and stores of general registers, by bytes.
var loads, stores = map[int]string{1: "MOVBU", 2: "MOVHU", 4: "MOVWU", 8: "MOVD"}, map[int]string{1: "MOVB", 2: "MOVH", 4: "MOVW", 8: "MOVD"}

// source returns an operand as a register, into which it is loaded, or a constant.
func (l *lowering) source(op operand.Op, size int) string {
	switch op := op.(type) {
	case operand.Mem:
		l.op("%s %s, R%d", loads[size], l.address(op, size), scratch)
		return fmt.Sprintf("R%d", scratch)
	case operand.Constant:
		return "$" + strings.TrimPrefix(op.Asm(), "$")
	default:
		return fmt.Sprintf("R%d", general(op))
	}
}

// Operations of general registers: those with three operands and a name for 32 bits that
// ends in W, and those that set the flags.
var (
	arithmetic = map[string]string{
		"ADD": "ADDS", "SUB": "SUBS", "INC": "ADDS", "DEC": "SUBS", "AND": "ANDS",
		"OR": "ORR", "XOR": "EOR", "SHL": "LSL", "SHR": "LSR", "IMUL": "MUL", "CMP": "CMP", "NEG": "NEG",
	}
	flagged = map[string]bool{"ADDS": true, "SUBS": true, "ANDS": true, "CMP": true}
)

// integers writes an instruction of general registers.
func (l *lowering) integers(name string, ops []operand.Op) {
	base, size, wide := name[:len(name)-1], 8, ""
	if s, ok := map[byte]int{'B': 1, 'W': 2, 'L': 4}[name[len(name)-1]]; ok {
		size, wide = s, "W"
	}
	switch {
	case name == "MOVWLZX" || name == "MOVBLZX":
		size = map[byte]int{'W': 2, 'B': 1}[name[3]]
		l.op("%s %s, R%d", loads[size], l.address(ops[0].(operand.Mem), size), general(ops[1]))
		return
	case base == "MOV":
		l.move(size, ops[0], ops[1])
		return
	case base == "LEA":
		l.lea(ops[0].(operand.Mem), general(ops[1]))
		return
	case base == "TEST":
		l.zero = l.source(ops[0], size)
		return
	case base == "DIV": // of a number below 2^64, for the quotient
		l.op("UDIV %s, R0, R0", l.source(ops[0], size))
		return
	case base == "IMUL3":
		l.op("MOVD %s, R%d", l.source(ops[0], 8), scratch)
		l.op("MUL R%d, R%d, R%d", scratch, general(ops[1]), general(ops[2]))
		return
	case base == "SHRX" || base == "SHLX":
		x := l.source(ops[1], size)
		l.op("%s R%d, %s, R%d", map[string]string{"SHRX": "LSR", "SHLX": "LSL"}[base], general(ops[0]), x, general(ops[2]))
		return
	}
	l.compute(name, base, wide, size, ops)
}

// compute writes an instruction that computes, with operands of so many bytes.
func (l *lowering) compute(name, base, wide string, size int, ops []operand.Op) {
	op := arithmetic[base] + wide
	if op == wide {
		panic("an instruction that is not known: " + name)
	}
	l.zero = ""
	if m, ok := ops[len(ops)-1].(operand.Mem); ok && base == "INC" {
		at := l.address(m, size)
		l.op("%s %s, R%d", loads[size], at, scratch+1)
		l.op("ADD $1, R%d", scratch+1)
		l.op("%s R%d, %s", stores[size], scratch+1, at)
		return
	}
	switch base {
	case "INC", "DEC":
		l.op("%s $1, R%d, R%d", op, general(ops[0]), general(ops[0]))
	case "NEG":
		l.op("%s R%d, R%d", op, general(ops[0]), general(ops[0]))
	case "CMP":
		x := l.source(ops[0], size)
		if _, ok := ops[0].(operand.Mem); ok {
			l.op("MOVD %s, R%d", x, scratch+1)
			x = fmt.Sprintf("R%d", scratch+1)
		}
		l.op("%s %s, %s", op, l.source(ops[1], size), x)
	default:
		d := general(ops[1])
		l.op("%s %s, R%d, R%d", op, l.source(ops[0], size), d, d)
		if !flagged[arithmetic[base]] {
			l.zero = fmt.Sprintf("R%d", d)
		}
	}
}

// move moves an integer.
func (l *lowering) move(size int, from, to operand.Op) {
	if m, ok := to.(operand.Mem); ok {
		if c, ok := from.(operand.Constant); ok {
			l.op("MOVD $%s, R%d", strings.TrimPrefix(c.Asm(), "$"), scratch+1)
			l.op("%s R%d, %s", stores[size], scratch+1, l.address(m, size))
			return
		}
		l.op("%s R%d, %s", stores[size], general(from), l.address(m, size))
		return
	}
	switch from := from.(type) {
	case operand.Mem:
		l.op("%s %s, R%d", loads[size], l.address(from, size), general(to))
	case operand.Constant:
		l.op("MOVD %s, R%d", l.source(from, 8), general(to))
	default:
		l.op("%s R%d, R%d", loads[max(size, 4)], general(from), general(to))
	}
}

// lea computes an address.
func (l *lowering) lea(m operand.Mem, d int) {
	switch {
	case m.Base == reg.StackPointer:
		l.op("ADD $%d, RSP, R%d", 8+m.Disp, d)
		return
	case m.Index != nil:
		l.addScaled(m, d)
		m.Base, m.Index = nil, nil
	case m.Disp == 0:
		l.op("MOVD R%d, R%d", general(m.Base), d)
		return
	}
	from := d
	if m.Base != nil {
		from = general(m.Base)
	}
	switch {
	case m.Disp > 0:
		l.op("ADD $%d, R%d, R%d", m.Disp, from, d)
	case m.Disp < 0:
		l.op("SUB $%d, R%d, R%d", -m.Disp, from, d)
	}
}

// own writes an instruction of NEON that an emitter asked for, by name and lanes.
func (l *lowering) own(i *ir.Instruction) {
	width, err := strconv.Atoi(i.Suffixes[1])
	if err != nil {
		panic(err)
	}
	if len(i.Suffixes) > 2 {
		t := lane(width).suffix()
		l.op("%s $%s, V%d.%s, V%d.%s", i.Suffixes[0], i.Suffixes[2], vector(i.Operands[1]), t, vector(i.Operands[0]), t)
		return
	}
	var numbers []int
	for _, op := range i.Operands {
		if operand.IsR64(op) || operand.IsR32(op) {
			numbers = append(numbers, general(op))
		} else {
			numbers = append(numbers, vector(op))
		}
	}
	l.vector(i.Suffixes[0], lane(width), numbers...)
}
