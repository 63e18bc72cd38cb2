package ptxemu

import (
	"slices"
	"strings"
)

// decoders decode the instructions that are not in [operations].
var decoders map[string]func(*assembler, *statement)

func init() {
	decoders = map[string]func(*assembler, *statement){
		"mov": (*assembler).mov, "cvt": (*assembler).cvt, "cvta": (*assembler).cvta,
		"setp": (*assembler).setp, "set": (*assembler).set, "testp": (*assembler).testp, "selp": (*assembler).selp,
		"and": (*assembler).logic, "or": (*assembler).logic, "xor": (*assembler).logic, "not": (*assembler).logic,
		"bfi": (*assembler).bfi, "lop3": (*assembler).lop3, "isspacep": (*assembler).isspacep,
		"add": (*assembler).carrying, "addc": (*assembler).carrying,
		"sub": (*assembler).carrying, "subc": (*assembler).carrying,
		"mad": (*assembler).carrying, "madc": (*assembler).carrying,
		"ld": (*assembler).load, "ldu": (*assembler).load, "st": (*assembler).store,
		"atom": (*assembler).atom, "red": (*assembler).red,
		"bra": (*assembler).bra, "brx": (*assembler).brx, "call": (*assembler).call,
		"ret": (*assembler).ret, "exit": (*assembler).exit, "trap": (*assembler).trap,
		"bar": (*assembler).bar, "barrier": (*assembler).bar,
		"shfl": (*assembler).shfl, "vote": (*assembler).vote, "redux": (*assembler).redux,
		"match": (*assembler).match, "activemask": (*assembler).activemask,
		"membar": (*assembler).nothing, "fence": (*assembler).nothing, "prefetch": (*assembler).nothing,
		"prefetchu": (*assembler).nothing, "nanosleep": (*assembler).nanosleep, implicitDef: (*assembler).implicitDef,
	}
}

// decode emits what a statement does.
func (a *assembler) decode(s *statement) {
	if op, ok := operations[s.text()]; ok {
		a.count(op.sources + 1)
		in := instr{kind: arithmetic, weight: 1, v: op.v}
		in.a = a.source(s.args[1], 64)
		if op.sources > 1 {
			in.b = a.source(s.args[2], 64)
		}
		if op.sources > 2 {
			in.c = a.source(s.args[3], 64)
		}
		in.d = a.destination(s.args[0])
		a.emit(in)
		return
	}
	f, ok := decoders[s.opcode]
	if !ok {
		a.unknown()
	}
	f(a, s)
}

// unknown fails for an instruction that is not supported.
func (a *assembler) unknown() { failAt(a.stmt.line, "unsupported instruction %s", a.stmt.text()) }

// count checks the number of operands.
func (a *assembler) count(least int, most ...int) {
	n := len(a.stmt.args)
	if n != least && !slices.Contains(most, n) {
		a.fail("%d operands", n)
	}
}

// typed returns the type at the end of the modifiers, and the others.
func (a *assembler) typed() (scalar, []string) {
	mods := a.stmt.mods
	if len(mods) > 0 {
		if t, ok := scalarOf(mods[len(mods)-1]); ok {
			return t, mods[:len(mods)-1]
		}
	}
	a.unknown()
	return scalar{}, nil
}

// mov copies, packs or unpacks.
func (a *assembler) mov(s *statement) {
	t, mods := a.typed()
	a.count(2)
	to, from := s.args[0], s.args[1]
	switch {
	case len(mods) != 0:
		a.unknown()
	case t.class == 'p':
		p, flip := a.predicate(from)
		a.emitLogic(a.predSlot(to.name), p, flip, always, 0, func(x, _ uint32) uint32 { return x })
	case to.kind == tupleOperand:
		a.unpack(t, to.tuple, from)
	case from.kind == tupleOperand:
		a.pack(t, to, from.tuple)
	default:
		src := a.source(from, t.bits)
		a.emit(instr{kind: arithmetic, weight: 1, v: copyLanes, d: a.destination(to), a: src})
	}
}

// unpack writes the parts of a value to registers.
func (a *assembler) unpack(t scalar, to []operand, from operand) {
	src := a.source(from, t.bits)
	if len(to) == 0 || t.bits%len(to) != 0 {
		a.fail("%d parts of %d bits", len(to), t.bits)
	}
	if slices.ContainsFunc(to, func(o operand) bool { return a.destination(o) == src }) {
		// The value is kept, as a part is written where it is.
		held := a.newSlot()
		a.emit(instr{kind: arithmetic, v: copyLanes, d: held, a: src})
		src = held
	}
	width := t.bits / len(to)
	for i, o := range to {
		in := instr{kind: arithmetic, d: a.destination(o), a: src, v: partOf(uint(i*width), maskOf(width))}
		if i == 0 {
			in.weight = 1
		}
		a.emit(in)
	}
}

// partOf returns the operation that takes some bits out of a value.
func partOf(shift uint, mask uint64) vector {
	return func(d, a, _, _ *lanes) {
		for i := range d {
			d[i] = a[i] >> (shift & 63) & mask
		}
	}
}

// joined returns the operation that puts two values together, the second above shift.
func joined(shift uint, mask uint64) vector {
	return func(d, a, b, _ *lanes) {
		for i := range d {
			d[i] = a[i]&mask | b[i]&mask<<(shift&63)
		}
	}
}

// pack makes a value of the parts in registers.
func (a *assembler) pack(t scalar, to operand, from []operand) {
	if len(from) == 0 || t.bits%len(from) != 0 {
		a.fail("%d parts of %d bits", len(from), t.bits)
	}
	width := t.bits / len(from)
	if len(from) == 2 {
		in := instr{kind: arithmetic, weight: 1, v: joined(uint(width), maskOf(width))}
		in.a, in.b = a.source(from[0], width), a.source(from[1], width)
		in.d = a.destination(to)
		a.emit(in)
		return
	}
	sum := a.newSlot()
	for i, o := range from {
		shift, mask := uint(i*width), maskOf(width)
		in := instr{kind: arithmetic, d: sum, a: a.source(o, width), b: sum, v: func(d, a, b, _ *lanes) {
			for k := range d {
				d[k] = b[k] | a[k]&mask<<shift
			}
		}}
		if i == 0 {
			in.b, in.weight = noValue, 1
		}
		a.emit(in)
	}
	a.emit(instr{kind: arithmetic, v: copyLanes, d: a.destination(to), a: sum})
}

// cvt converts between types.
func (a *assembler) cvt(s *statement) {
	from, mods := a.typed()
	a.count(2)
	c := conversion{from: from, width: a.width(s.args[0])}
	for i, m := range mods {
		mode, isMode := roundings[m]
		t, isType := scalarOf(m)
		switch {
		case isMode:
			c.mode, c.integral = mode, strings.HasSuffix(m, "i")
		case m == "ftz":
			c.ftz = true
		case m == "sat":
			c.sat = true
		case isType && i == len(mods)-1 && t.class != 'p':
			c.to = t
		default:
			a.unknown()
		}
	}
	if c.to.bits == 0 || from.class == 'p' {
		a.unknown()
	}
	src := a.source(s.args[1], from.bits)
	a.emit(instr{kind: arithmetic, weight: 1, v: c.vector(), d: a.destination(s.args[0]), a: src})
}

// setp compares; its result may be combined with a predicate, and a second predicate
// get the opposite's.
func (a *assembler) setp(s *statement) {
	t, mods := a.typed()
	in, args := a.compare(t, mods)
	in.d = a.predSlot(args[0].name)
	if second := args[0].second; second != "" && second != "_" {
		in.more.other = a.predSlot(second)
	}
	a.emit(in)
}

// compare decodes the comparison of a setp or set and returns the operands.
func (a *assembler) compare(t scalar, mods []string) (instr, []operand) {
	args := a.stmt.args
	in := instr{kind: comparison, weight: 1, more: &details{}}
	if len(mods) > 0 {
		in.t = testOf(mods[0], t)
	}
	mods = slices.DeleteFunc(slices.Clone(mods), func(m string) bool { return m == "ftz" })
	want := 3
	if len(mods) == 2 {
		want = 4
		in.more.combine = connective(mods[1])
	}
	if in.t == nil || len(mods) > 2 || len(mods) == 2 && in.more.combine == nil || slices.Contains(a.stmt.mods, "ftz") {
		a.unknown()
	}
	a.count(want)
	in.a, in.b = a.source(args[1], 64), a.source(args[2], 64)
	if want == 4 {
		in.p, in.pFlip = a.predicate(args[3])
	}
	return in, args
}

// set is setp with the result in a register: all ones, or 1.0.
func (a *assembler) set(s *statement) {
	t, mods := a.typed()
	if len(mods) == 0 {
		a.unknown()
	}
	result, ok := scalarOf(mods[len(mods)-1])
	yes := uint64(0xFFFFFFFF)
	switch {
	case !ok || result.bits != 32:
		a.unknown()
	case result.float():
		yes = 0x3F800000
	}
	in, args := a.compare(t, mods[:len(mods)-1])
	in.d = int32(a.prog.preds)
	a.prog.preds++
	a.emit(in)
	a.emit(instr{kind: selection, d: a.destination(args[0]), a: a.number(yes), b: noValue, p: in.d})
}

// testp asks for a property of a float.
func (a *assembler) testp(s *statement) {
	t, mods := a.typed()
	a.count(2)
	in := instr{kind: comparison, weight: 1, more: &details{}}
	if len(mods) == 1 {
		in.t = propertyOf(mods[0], t)
	}
	if in.t == nil {
		a.unknown()
	}
	in.a = a.source(s.args[1], t.bits)
	in.d = a.predSlot(s.args[0].name)
	a.emit(in)
}

// selp chooses by a predicate.
func (a *assembler) selp(s *statement) {
	t, mods := a.typed()
	a.count(4)
	if len(mods) != 0 {
		a.unknown()
	}
	in := instr{kind: selection, weight: 1, a: a.source(s.args[1], t.bits), b: a.source(s.args[2], t.bits)}
	in.p, in.pFlip = a.predicate(s.args[3])
	in.d = a.destination(s.args[0])
	a.emit(in)
}

// logic operates on predicates.
func (a *assembler) logic(s *statement) {
	t, mods := a.typed()
	if t.class != 'p' || len(mods) != 0 {
		a.unknown()
	}
	sources := 2
	if s.opcode == "not" {
		sources = 1
	}
	a.count(sources + 1)
	p, flip := a.predicate(s.args[1])
	if sources == 1 {
		a.emitLogic(a.predSlot(s.args[0].name), p, ^flip, always, 0, func(x, _ uint32) uint32 { return x })
		return
	}
	q, qFlip := a.predicate(s.args[2])
	a.emitLogic(a.predSlot(s.args[0].name), p, flip, q, qFlip, connective(s.opcode))
}

func (a *assembler) emitLogic(d, p int32, pFlip uint32, q int32, qFlip uint32, f func(x, y uint32) uint32) {
	a.emit(instr{kind: logic, weight: 1, d: d, p: p, pFlip: pFlip, a: q, b: int32(qFlip), more: &details{combine: f}})
}

func (a *assembler) bfi(s *statement) {
	t, mods := a.typed()
	a.count(5)
	if t.class != 'b' || t.bits < 32 || len(mods) != 0 {
		a.unknown()
	}
	in := instr{kind: insertion, weight: 1, more: &details{insert: insertField(t.bits)}}
	in.a, in.b = a.source(s.args[1], t.bits), a.source(s.args[2], t.bits)
	in.c, in.more.e = a.source(s.args[3], 32), a.source(s.args[4], 32)
	in.d = a.destination(s.args[0])
	a.emit(in)
}

func (a *assembler) lop3(s *statement) {
	if s.text() != "lop3.b32" {
		a.unknown()
	}
	a.count(5)
	if s.args[4].kind != numberOperand {
		a.fail("a truth table that is no number")
	}
	in := instr{kind: arithmetic, weight: 1, v: logic3(s.args[4].value)}
	in.a, in.b, in.c = a.source(s.args[1], 32), a.source(s.args[2], 32), a.source(s.args[3], 32)
	in.d = a.destination(s.args[0])
	a.emit(in)
}

// carrying decodes additions and subtractions of numbers of several words.
func (a *assembler) carrying(s *statement) {
	t, mods := a.typed()
	opcode := s.opcode
	more := &details{}
	for _, m := range mods {
		if m == "cc" {
			more.sets = true
		} else {
			opcode += "." + m
		}
	}
	sources := 0
	if t.bits >= 32 && !t.float() && t.class != 'b' {
		more.carry, sources = carries(opcode, t)
	}
	if more.carry == nil {
		a.unknown()
	}
	a.count(sources + 1)
	in := instr{kind: carrying, weight: 1, more: more, a: a.source(s.args[1], 64), b: a.source(s.args[2], 64)}
	if sources == 3 {
		in.c = a.source(s.args[3], 64)
	}
	in.d = a.destination(s.args[0])
	a.emit(in)
}

// implicitDef gives a register a value that is not specified.
func (a *assembler) implicitDef(s *statement) {
	a.count(1)
	r, ok := a.lookup(s.args[0].name)
	switch {
	case !ok:
		a.fail("%s is no register", s.args[0].name)
	case r.symbol.typ.class == 'p':
		a.emit(instr{kind: definePredicate, d: a.predSlot(s.args[0].name)})
	default:
		a.emit(instr{kind: define, d: a.slot(r)})
	}
}

func (a *assembler) nothing(*statement) { a.emit(instr{kind: nothing, weight: 1}) }
