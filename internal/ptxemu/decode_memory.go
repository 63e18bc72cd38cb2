package ptxemu

import (
	"math"
	"strings"
)

// access is what the modifiers of a memory instruction say.
type access struct {
	space  space
	typ    scalar
	vector int
	strong bool
	op     string
	wide   string // hi or lo of a type that is not read
}

// strengths are the modifiers of accesses that other threads may make at the same time.
var strengths = map[string]bool{"volatile": true, "relaxed": true, "acquire": true, "release": true, "acq_rel": true, "mmio": true}

// hints are the modifiers that do not change what an access does here.
var hints = map[string]bool{
	"weak": true, "cta": true, "cluster": true, "gpu": true, "sys": true, "nc": true, "unified": true,
	"ca": true, "cg": true, "cs": true, "lu": true, "cv": true, "wb": true, "wt": true,
}

// atomicOps are the operations of atom and red.
var atomicOps = map[string]bool{
	"add": true, "min": true, "max": true, "and": true, "or": true, "xor": true,
	"exch": true, "cas": true, "inc": true, "dec": true,
}

// accessOf reads the modifiers of a memory instruction.
func (a *assembler) accessOf() access {
	t, mods := a.typed()
	acc := access{space: genericSpace, typ: t, vector: 1}
	for _, m := range mods {
		sp, isSpace := spaces[m]
		switch {
		case isSpace && sp != regSpace:
			acc.space = sp
		case strengths[m]:
			acc.strong = true
		case m == "v2":
			acc.vector = 2
		case m == "v4":
			acc.vector = 4
		case hints[m] || strings.HasPrefix(m, "L1::") || strings.HasPrefix(m, "L2::"):
		case atomicOps[m] && acc.op == "" && (a.stmt.opcode == "atom" || a.stmt.opcode == "red"):
			acc.op = m
		default:
			a.unknown()
		}
	}
	if t.class == 'p' || acc.vector*t.bytes() > 16 {
		a.unknown()
	}
	return acc
}

// locate decodes an address: a slot, and what is added to it.
func (a *assembler) locate(o operand, sp space) (slot int32, offset uint64) {
	if o.kind != addressOperand {
		a.fail("an operand that is no address")
	}
	if o.name == "" {
		return a.number(o.value), 0
	}
	if r, ok := a.lookup(o.name); ok {
		return a.slot(r), o.value
	}
	sym, _ := a.stmt.scope.find(o.name)
	switch {
	case sym == nil:
		a.fail("unknown name %q", o.name)
	case sym.space != sp && (sp != genericSpace || sym.space != globalSpace):
		a.fail("%s is in another state space", o.name)
	}
	return a.address(sym, o.value), 0
}

// memory fills in what loads, stores and atomic operations share.
func (a *assembler) memory(k kind, acc access, address operand) instr {
	size := acc.typ.bytes()
	in := instr{kind: k, weight: 1, more: &details{space: acc.space, size: size, strong: acc.strong || k == atomic}}
	in.a, in.more.offset = a.locate(address, acc.space)
	if acc.space == sharedSpace || acc.space == genericSpace {
		a.narrowest = min(a.narrowest, size)
	}
	return in
}

// elements returns the operands of a vector, or the one.
func (a *assembler) elements(o operand, acc access) []operand {
	list := []operand{o}
	if o.kind == tupleOperand {
		list = o.tuple
	}
	if len(list) != acc.vector {
		a.fail("%d elements where %d are expected", len(list), acc.vector)
	}
	return list
}

func (a *assembler) load(s *statement) {
	acc := a.accessOf()
	a.count(2)
	to := a.elements(s.args[0], acc)
	if acc.space == paramSpace {
		a.loadParam(acc, to, s.args[1])
		return
	}
	in := a.memory(load, acc, s.args[1])
	for _, o := range to {
		in.more.regs = append(in.more.regs, a.destination(o))
	}
	in.more.sext, in.more.regMask = a.extension(acc.typ, to[0])
	a.emit(in)
}

// extension returns how an element of memory becomes the value of a register: it is
// shifted up and down again with its sign, and cut to the register.
func (a *assembler) extension(t scalar, to operand) (sext uint, regMask uint64) {
	if t.signed() {
		return uint(64 - t.bits), maskOf(max(t.bits, a.width(to)))
	}
	return 0, math.MaxUint64
}

// loadParam reads a parameter of the kernel, which is a slot, or of a device function,
// which is a move.
func (a *assembler) loadParam(acc access, to []operand, from operand) {
	sym, _ := a.stmt.scope.find(from.name)
	if from.kind != addressOperand || sym == nil || sym.space != paramSpace {
		a.fail("an operand that is no parameter")
	}
	size := uint64(acc.typ.bytes())
	for i, o := range to {
		offset := from.value + uint64(i)*size
		in := instr{kind: arithmetic, v: copyLanes, d: a.destination(o)}
		if i == 0 {
			in.weight = 1
		}
		sext, regMask := a.extension(acc.typ, o)
		if index, ok := a.isKernelParameter(sym); ok {
			if offset+size > uint64(sym.size) {
				a.fail("%d bytes at %d of parameter %s of %d", size, offset, sym.name, sym.size)
			}
			in.a = a.argument(parameter{
				argument: index, shift: 8 * uint(offset), mask: maskOf(acc.typ.bits), sext: sext, regMask: regMask,
			})
		} else {
			in.a = a.part(sym, offset)
			in.v = conversion{to: acc.typ, from: acc.typ, width: a.width(o)}.integerToInteger()
			if acc.typ.float() {
				in.v = copyLanes
			}
		}
		a.emit(in)
	}
}

// argument returns the slot of a part of an argument.
func (a *assembler) argument(key parameter) int32 {
	s, ok := a.params[key]
	if !ok {
		s = a.newSlot()
		a.params[key] = s
		key.slot = s
		a.prog.parameters = append(a.prog.parameters, key)
	}
	return s
}

func (a *assembler) store(s *statement) {
	acc := a.accessOf()
	a.count(2)
	from := a.elements(s.args[1], acc)
	if acc.space == paramSpace {
		a.storeParam(acc, s.args[0], from)
		return
	}
	in := a.memory(store, acc, s.args[0])
	for _, o := range from {
		in.more.regs = append(in.more.regs, a.source(o, acc.typ.bits))
	}
	a.emit(in)
}

// storeParam passes a value into or out of a device function.
func (a *assembler) storeParam(acc access, to operand, from []operand) {
	sym, _ := a.stmt.scope.find(to.name)
	if to.kind != addressOperand || sym == nil || sym.space != paramSpace {
		a.fail("an operand that is no parameter")
	}
	for i, o := range from {
		in := instr{kind: arithmetic, v: copyLanes, a: a.source(o, acc.typ.bits)}
		in.d = a.part(sym, to.value+uint64(i*acc.typ.bytes()))
		if i == 0 {
			in.weight = 1
		}
		a.emit(in)
	}
}

func (a *assembler) atom(s *statement) {
	acc := a.accessOf()
	a.count(3, 4)
	a.atomically(acc, s.args[1], s.args[2:], a.destination(s.args[0]))
}

func (a *assembler) red(s *statement) {
	acc := a.accessOf()
	a.count(2)
	a.atomically(acc, s.args[0], s.args[1:], noValue)
}

// atomically decodes an operation on one word of memory whose old value goes to d.
func (a *assembler) atomically(acc access, address operand, args []operand, d int32) {
	in := a.memory(atomic, acc, address)
	in.more.update = updateOf(acc.op, acc.typ)
	if in.more.update == nil || acc.vector != 1 || (len(args) == 2) != (acc.op == "cas") {
		a.unknown()
	}
	in.b = a.source(args[0], acc.typ.bits)
	if len(args) == 2 {
		in.c = a.source(args[1], acc.typ.bits)
	}
	in.d = d
	a.emit(in)
}

// updateOf returns what an atomic operation makes of the old value and its operands,
// nil if there is no such one.
func updateOf(op string, t scalar) func(old, b, c uint64) uint64 {
	if t.bits < 32 && !(op == "cas" && t.bits == 16) {
		return nil
	}
	suffix := "." + t.String()
	switch op {
	case "exch":
		return func(_, b, _ uint64) uint64 { return b }
	case "cas":
		mask := maskOf(t.bits)
		return func(old, b, c uint64) uint64 {
			if old == b&mask {
				return c
			}
			return old
		}
	case "inc":
		if t.String() == "u32" {
			return func(old, b, _ uint64) uint64 {
				if old >= uint64(uint32(b)) {
					return 0
				}
				return old + 1
			}
		}
	case "dec":
		if t.String() == "u32" {
			return func(old, b, _ uint64) uint64 {
				if old == 0 || old > uint64(uint32(b)) {
					return b
				}
				return old - 1
			}
		}
	case "add", "and", "or", "xor":
		return operations[op+suffix].f
	case "min", "max":
		if !t.float() {
			return operations[op+suffix].f
		}
	}
	return nil
}

// cvta converts between generic addresses and those of a state space.
func (a *assembler) cvta(s *statement) {
	t, mods := a.typed()
	a.count(2)
	to := len(mods) == 2 && mods[0] == "to"
	if t.String() != "u64" || len(mods) == 0 || len(mods) > 2 || len(mods) == 2 && !to {
		a.unknown()
	}
	window := windowOf(spaces[mods[len(mods)-1]])
	if to {
		window = -window
	}
	op := operations["add.u64"]
	in := instr{kind: arithmetic, weight: 1, v: op.v, a: a.source(s.args[1], 64), b: a.number(window)}
	in.d = a.destination(s.args[0])
	a.emit(in)
}

// isspacep asks which state space a generic address lies in.
func (a *assembler) isspacep(s *statement) {
	a.count(2)
	if len(s.mods) != 1 || spaces[s.mods[0]] < localSpace {
		a.unknown()
	}
	in := instr{kind: genericSpaceTest, weight: 1, more: &details{space: spaces[s.mods[0]]}, a: a.source(s.args[1], 64)}
	in.d = a.predSlot(s.args[0].name)
	a.emit(in)
}
