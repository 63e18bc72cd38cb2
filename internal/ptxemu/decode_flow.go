package ptxemu

import (
	"math"
	"slices"
)

// only fails unless the modifiers are among those named.
func (a *assembler) only(names ...string) {
	for _, m := range a.stmt.mods {
		if !slices.Contains(names, m) {
			a.unknown()
		}
	}
}

func (a *assembler) bra(s *statement) {
	a.only("uni")
	a.count(1)
	a.emit(instr{kind: branch, weight: 1})
	a.jumpTo(s.args[0].name, -1)
}

// jumpTo sets the target of the last instruction when it is known.
func (a *assembler) jumpTo(label string, entry int) {
	a.frame.jumps = append(a.frame.jumps, jump{len(a.prog.code) - 1, entry, label, a.stmt.line})
}

// brx jumps to an entry of a table.
func (a *assembler) brx(s *statement) {
	a.only("idx", "uni")
	a.count(2)
	var labels []string
	for _, t := range a.frame.fn.body {
		if t.label == s.args[1].name {
			labels = t.targets
		}
	}
	if labels == nil {
		a.fail("no branch targets %s", s.args[1].name)
	}
	a.emit(instr{kind: branchTable, weight: 1, a: a.source(s.args[0], 32), more: &details{targets: make([]int32, len(labels))}})
	for i, l := range labels {
		a.jumpTo(l, i)
	}
}

// ret leaves the function: at the end of the kernel, or where it was called.
func (a *assembler) ret(*statement) {
	a.only("uni")
	a.count(0)
	if a.frame.caller == nil {
		a.emit(instr{kind: exit, weight: 1})
		return
	}
	a.emit(instr{kind: branch, weight: 1})
	a.jumpTo(returnLabel, -1)
}

func (a *assembler) exit(*statement) {
	a.count(0)
	a.emit(instr{kind: exit, weight: 1})
}

func (a *assembler) trap(*statement) {
	a.count(0)
	a.emit(instr{kind: trap, weight: 1})
}

// call expands a device function.
func (a *assembler) call(s *statement) {
	a.only("uni")
	args := s.args
	var results, params []operand
	if len(args) > 0 && args[0].kind == tupleOperand {
		results, args = args[0].tuple, args[1:]
	}
	if len(args) == 2 && args[1].kind == tupleOperand {
		params, args = args[1].tuple, args[:1]
	}
	if len(args) != 1 || args[0].kind != nameOperand {
		a.fail("calls through pointers are not supported")
	}
	f := a.unit.funcs[args[0].name]
	switch {
	case f == nil || !f.defined || f.entry:
		a.fail("no device function %s", args[0].name)
	case len(f.params) != len(params) || len(f.results) != len(results):
		a.fail("%s takes %d parameters and gives %d", f.name, len(f.params), len(f.results))
	case a.frame.depth >= maxInline:
		a.fail("calls are %d deep: recursion is not supported", maxInline)
	}
	links := map[*symbol]*symbol{}
	for i, formal := range slices.Concat(f.params, f.results) {
		actual := slices.Concat(params, results)[i]
		sym, _ := s.scope.find(actual.name)
		if sym == nil || sym.space != paramSpace {
			a.fail("%q is no parameter", actual.name)
		}
		links[formal] = sym
	}
	// A call is a jump over the expansion, which those take that the guard excludes.
	over := a.emit(instr{kind: branch, weight: 1})
	at := len(a.prog.code) - 1
	if s.guard == "" {
		over.guard, over.guardFlip = always, ^uint32(0)
	} else {
		over.guardFlip = ^over.guardFlip
	}
	a.expand(f, links)
	a.prog.code[at].target = int32(len(a.prog.code))
	a.stmt = s
}

// bar decodes barriers of the block and of the warp.
func (a *assembler) bar(s *statement) {
	mods := slices.DeleteFunc(slices.Clone(s.mods), func(m string) bool { return m == "aligned" || m == "cta" })
	if len(mods) == 0 {
		a.unknown()
	}
	switch {
	case mods[0] == "warp" && len(mods) == 2 && mods[1] == "sync":
		a.count(1)
		a.emit(instr{kind: warpBarrier, weight: 1, a: a.source(s.args[0], 32), more: &details{}})
	case mods[0] == "sync" && len(mods) == 1:
		a.count(1, 2)
		a.emit(a.blockBarrier(s.args))
	case mods[0] == "arrive" && len(mods) == 1:
		a.count(2)
		in := a.blockBarrier(s.args)
		in.more.arriving = true
		a.emit(in)
	case mods[0] == "red" && len(mods) == 3:
		a.barrierReduction(mods[1])
	default:
		a.unknown()
	}
}

// blockBarrier decodes the number of a barrier and of the threads that it waits for.
func (a *assembler) blockBarrier(args []operand) instr {
	in := instr{kind: barrier, weight: 1, a: a.source(args[0], 32), more: &details{}}
	if len(args) > 1 {
		in.b, in.more.counted = a.source(args[1], 32), true
	}
	return in
}

// barrierReduction decodes a barrier that combines a predicate of all threads.
func (a *assembler) barrierReduction(op string) {
	args := a.stmt.args
	a.count(3, 4)
	in := a.blockBarrier(args[1 : len(args)-1])
	in.p, in.pFlip = a.predicate(args[len(args)-1])
	in.more.mode = op
	switch op {
	case "popc":
		in.d = a.destination(args[0])
	case "and", "or":
		in.d = a.predSlot(args[0].name)
	default:
		a.unknown()
	}
	a.emit(in)
}

// shfl exchanges values within a warp.
func (a *assembler) shfl(s *statement) {
	if len(s.mods) != 3 || s.mods[0] != "sync" || s.mods[2] != "b32" ||
		!slices.Contains([]string{"up", "down", "bfly", "idx"}, s.mods[1]) {
		a.unknown()
	}
	a.count(5)
	in := instr{kind: shuffle, weight: 1, more: &details{mode: s.mods[1]}}
	in.a, in.b, in.c = a.source(s.args[1], 32), a.source(s.args[2], 32), a.source(s.args[3], 32)
	in.more.e = a.source(s.args[4], 32)
	in.more.everyLane = isEveryLane(s.args[4])
	if b, c := s.args[2], s.args[3]; b.kind == numberOperand && c.kind == numberOperand {
		in.more.sources = new([warpSize]uint8)
		for i := range in.more.sources {
			j, inside := shuffleSource(s.mods[1], i, uint32(b.value), uint32(c.value))
			in.more.sources[i] = uint8(j)
			in.more.inside |= uint32(oneIf(inside)) << i
		}
	}
	to := s.args[0]
	if to.second != "" && to.second != "_" {
		in.more.other = a.predSlot(to.second)
	}
	in.d = a.destination(operand{name: to.name})
	a.emit(in)
}

// isEveryLane reports whether a mask names all lanes.
func isEveryLane(mask operand) bool {
	return mask.kind == numberOperand && uint32(mask.value) == math.MaxUint32
}

// vote combines a predicate of the threads of a warp.
func (a *assembler) vote(s *statement) {
	if len(s.mods) != 3 || s.mods[0] != "sync" {
		a.unknown()
	}
	a.count(3)
	mode := s.mods[1]
	in := instr{kind: vote, weight: 1, a: a.source(s.args[2], 32)}
	in.more = &details{mode: mode, everyLane: isEveryLane(s.args[2])}
	in.p, in.pFlip = a.predicate(s.args[1])
	switch {
	case mode == "ballot" && s.mods[2] == "b32":
		in.d = a.destination(s.args[0])
	case (mode == "all" || mode == "any" || mode == "uni") && s.mods[2] == "pred":
		in.d = a.predSlot(s.args[0].name)
	default:
		a.unknown()
	}
	a.emit(in)
}

// redux combines a value of the threads of a warp.
func (a *assembler) redux(s *statement) {
	if len(s.mods) != 3 || s.mods[0] != "sync" {
		a.unknown()
	}
	a.count(3)
	t, ok := scalarOf(s.mods[2])
	if ok = ok && t.bits == 32 && !t.float(); ok {
		switch s.mods[1] {
		case "add", "min", "max":
			ok = t.class != 'b'
		case "and", "or", "xor":
			ok = t.class == 'b'
		default:
			ok = false
		}
	}
	if !ok {
		a.unknown()
	}
	f := operations[s.mods[1]+"."+t.String()].f
	in := instr{kind: reduce, weight: 1, a: a.source(s.args[2], 32), b: a.source(s.args[1], 32)}
	in.more = &details{update: f, everyLane: isEveryLane(s.args[2])}
	in.d = a.destination(s.args[0])
	a.emit(in)
}

// match finds the threads of a warp that have the same value.
func (a *assembler) match(s *statement) {
	if len(s.mods) != 3 || s.mods[1] != "sync" || s.mods[0] != "any" && s.mods[0] != "all" ||
		s.mods[2] != "b32" && s.mods[2] != "b64" {
		a.unknown()
	}
	a.count(3)
	in := instr{kind: match, weight: 1, more: &details{mode: s.mods[0], everyLane: isEveryLane(s.args[2])}}
	in.a, in.b = a.source(s.args[2], 32), a.source(s.args[1], 64)
	if to := s.args[0]; to.second != "" && to.second != "_" {
		in.more.other = a.predSlot(to.second)
	}
	in.d = a.destination(operand{name: s.args[0].name})
	a.emit(in)
}

func (a *assembler) activemask(s *statement) {
	a.only("b32")
	a.count(1)
	a.emit(instr{kind: activeMask, weight: 1, d: a.destination(s.args[0])})
}

func (a *assembler) nanosleep(*statement) { a.emit(instr{kind: yield, weight: 1}) }
