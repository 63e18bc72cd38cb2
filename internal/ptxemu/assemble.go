package ptxemu

import (
	"fmt"
	"slices"
)

// maxInline bounds the depth of calls, all of which are expanded.
const maxInline = 32

// assembler decodes a kernel. Device functions are expanded where they are called, with
// registers of their own, so that running knows no calls.
type assembler struct {
	unit      *unit
	prog      *program
	frame     *frame
	constants map[uint64]int32
	specials  map[string]int32
	params    map[parameter]int32 // with slot 0
	globals   map[symbolAddress]int32
	shared    map[*symbol]int
	dynamic   []constant // slots that wait for where dynamic shared memory starts
	stmt      *statement
	narrowest int // bytes of the narrowest access to shared memory
}

// frame is one expansion of a function.
type frame struct {
	fn     *function
	caller *frame
	depth  int
	regs   map[register]int32
	preds  map[register]int32
	local  map[*symbol]int
	labels map[string]int32
	// links are the parameters in and out, and what they are for the caller.
	links  map[*symbol]*symbol
	values map[parameterPart]int32
	jumps  []jump
}

// register is a member of a family of registers.
type register struct {
	symbol *symbol
	index  int
}

// parameterPart is a value that goes into or out of a device function.
type parameterPart struct {
	symbol *symbol
	offset uint64
}

// jump is a branch whose target is not known yet.
type jump struct {
	at    int
	entry int // of a branch table, -1 for a plain branch
	label string
	line  int
}

// returnLabel names the end of a function; no label of PTX is empty.
const returnLabel = ""

// assemble decodes a kernel.
func assemble(u *unit, f *function) (p *program, err error) {
	defer guardSyntax(&err)
	a := &assembler{
		unit: u,
		prog: &program{
			name: f.name, unit: u, slots: 1, preds: 1,
			arguments: len(f.params), maxThreads: f.maxThreads,
		},
		constants: map[uint64]int32{0: noValue},
		specials:  map[string]int32{},
		params:    map[parameter]int32{},
		globals:   map[symbolAddress]int32{},
		shared:    map[*symbol]int{},
		narrowest: 4,
	}
	for _, s := range f.params {
		if s.size > 8 {
			failAt(f.line, "parameter %s of %d bytes: at most 8 are supported", s.name, s.size)
		}
	}
	a.expand(f, nil)
	a.stmt = &statement{line: f.line, opcode: "ret"}
	a.prog.dynamic = (a.prog.static + 15) &^ 15
	for _, c := range a.dynamic {
		c.value += uint64(a.prog.dynamic)
		a.prog.constants = append(a.prog.constants, c)
	}
	for a.narrowest>>a.prog.grain > 1 {
		a.prog.grain++
	}
	return a.prog, nil
}

// expand decodes the body of f, linked to the caller's parameters.
func (a *assembler) expand(f *function, links map[*symbol]*symbol) {
	fr := &frame{
		fn: f, caller: a.frame, links: links,
		regs: map[register]int32{}, preds: map[register]int32{},
		local: map[*symbol]int{}, labels: map[string]int32{}, values: map[parameterPart]int32{},
	}
	if fr.caller != nil {
		fr.depth = fr.caller.depth + 1
	}
	a.frame = fr
	line := f.line
	for i := range f.body {
		s := &f.body[i]
		line = s.line
		if s.label != "" {
			if _, ok := fr.labels[s.label]; ok {
				failAt(s.line, "label %s is there twice", s.label)
			}
			fr.labels[s.label] = int32(len(a.prog.code))
			continue
		}
		a.stmt = s
		a.decode(s)
	}
	fr.labels[returnLabel] = int32(len(a.prog.code))
	if fr.caller == nil {
		a.stmt = &statement{line: line, opcode: "exit"}
		a.emit(instr{kind: exit, weight: 0})
	}
	for _, j := range fr.jumps {
		to, ok := fr.labels[j.label]
		if !ok {
			failAt(j.line, "no label %s", j.label)
		}
		if j.entry >= 0 {
			a.prog.code[j.at].more.targets[j.entry] = to
		} else {
			a.prog.code[j.at].target = to
		}
	}
	a.frame = fr.caller
}

func (a *assembler) fail(format string, args ...any) {
	failAt(a.stmt.line, "%s: %s", a.stmt.text(), fmt.Sprintf(format, args...))
}

// emit appends an instruction with the statement's guard.
func (a *assembler) emit(in instr) *instr {
	if a.stmt.guard != "" {
		in.guard, in.guardFlip = a.predicate(operand{name: a.stmt.guard, not: a.stmt.guardNot})
	}
	a.prog.code = append(a.prog.code, in)
	a.prog.lines = append(a.prog.lines, int32(a.stmt.line))
	return &a.prog.code[len(a.prog.code)-1]
}

func (a *assembler) newSlot() int32 {
	a.prog.slots++
	return int32(a.prog.slots - 1)
}

// lookup returns the register that a name is, ok only if it is one.
func (a *assembler) lookup(name string) (r register, ok bool) {
	sym, i := a.stmt.scope.find(name)
	return register{sym, i}, sym != nil && sym.space == regSpace
}

// slot returns the slot of a register that holds a value.
func (a *assembler) slot(r register) int32 {
	if r.symbol.typ.class == 'p' {
		a.fail("%s is a predicate", r.symbol.name)
	}
	s, ok := a.frame.regs[r]
	if !ok {
		s = a.newSlot()
		a.frame.regs[r] = s
	}
	return s
}

// predSlot returns the slot of a predicate.
func (a *assembler) predSlot(name string) int32 {
	r, ok := a.lookup(name)
	if !ok || r.symbol.typ.class != 'p' {
		a.fail("%s is no predicate", name)
	}
	s, ok := a.frame.preds[r]
	if !ok {
		s = int32(a.prog.preds)
		a.prog.preds++
		a.frame.preds[r] = s
	}
	return s
}

// predicate returns the slot of a predicate to read, and all ones if its opposite is
// meant.
func (a *assembler) predicate(o operand) (slot int32, flip uint32) {
	if o.not {
		flip = ^uint32(0)
	}
	switch o.kind {
	case numberOperand:
		if o.value == 0 {
			flip = ^flip
		}
		return always, flip
	case nameOperand:
		return a.predSlot(o.name), flip
	}
	a.fail("an operand that is no predicate")
	return 0, 0
}

// destination returns the slot of a register to write. "_" is one that nobody reads.
func (a *assembler) destination(o operand) int32 {
	if o.kind == nameOperand && o.name == "_" {
		return a.newSlot()
	}
	r, ok := a.lookup(o.name)
	if o.kind != nameOperand || !ok {
		a.fail("%q is no register", o.name)
	}
	return a.slot(r)
}

// width returns the bits of the register that is written.
func (a *assembler) width(o operand) int {
	if r, ok := a.lookup(o.name); ok {
		return r.symbol.typ.bits
	}
	return 64
}

// source returns the slot of a value: a register, a number of so many bits, a special
// register or the address of a variable.
func (a *assembler) source(o operand, bits int) int32 {
	switch {
	case o.not || o.second != "" || o.kind > numberOperand:
		a.fail("an operand that is no value")
	case o.kind == numberOperand:
		return a.number(o.value & maskOf(bits))
	}
	if r, ok := a.lookup(o.name); ok {
		return a.slot(r)
	}
	if isSpecial(o.name) {
		if s, ok := a.specials[o.name]; ok {
			return s
		}
		s := a.newSlot()
		a.specials[o.name] = s
		a.prog.specials = append(a.prog.specials, special{s, o.name})
		return s
	}
	sym, _ := a.stmt.scope.find(o.name)
	if sym == nil {
		a.fail("unknown name %q", o.name)
	}
	return a.address(sym, o.value)
}

// number returns the slot of a constant.
func (a *assembler) number(v uint64) int32 {
	if s, ok := a.constants[v]; ok {
		return s
	}
	s := a.newSlot()
	a.constants[v] = s
	a.prog.constants = append(a.prog.constants, constant{s, v})
	return s
}

// address returns the slot of the address of a variable, in its space.
func (a *assembler) address(sym *symbol, add uint64) int32 {
	switch sym.space {
	case globalSpace:
		key := symbolAddress{symbol: sym, add: add}
		s, ok := a.globals[key]
		if !ok {
			s = a.newSlot()
			a.globals[key] = s
			a.prog.symbols = append(a.prog.symbols, symbolAddress{s, sym, add})
		}
		return s
	case sharedSpace:
		if sym.extern {
			s := a.newSlot()
			a.dynamic = append(a.dynamic, constant{s, add})
			return s
		}
		at, ok := a.shared[sym]
		if !ok {
			at = alignUp(a.prog.static, sym.align)
			a.prog.static = at + sym.size
			a.shared[sym] = at
		}
		return a.number(uint64(at) + add)
	case localSpace:
		at, ok := a.frame.local[sym]
		if !ok {
			at = alignUp(a.prog.local, max(sym.align, 16))
			a.prog.local = at + sym.size
			a.frame.local[sym] = at
		}
		return a.number(uint64(at) + add)
	}
	a.fail("the address of %s", sym.name)
	return 0
}

func alignUp(n, align int) int { return (n + align - 1) / align * align }

// part returns the slot of a value that goes into or out of a device function, seen
// from the function under way.
func (a *assembler) part(sym *symbol, offset uint64) int32 {
	fr := a.frame
	if linked, ok := fr.links[sym]; ok {
		fr, sym = fr.caller, linked
	}
	key := parameterPart{sym, offset}
	s, ok := fr.values[key]
	if !ok {
		s = a.newSlot()
		fr.values[key] = s
	}
	return s
}

// isKernelParameter reports whether a name is a parameter of the kernel, and which.
func (a *assembler) isKernelParameter(sym *symbol) (index int, ok bool) {
	if a.frame.caller != nil {
		return 0, false
	}
	index = slices.Index(a.frame.fn.params, sym)
	return index, index >= 0
}
