package ptxemu

import (
	"math"
	"math/bits"
)

// state says what the threads of a group wait for.
type state uint8

const (
	ready       state = iota
	atOperation       // the other lanes that an operation of the warp names, at the same place
	atWarpSync        // the other lanes that a bar.warp.sync names, anywhere
	atBarrier         // the other threads of the block
)

// group is the lanes of a warp that are at the same place.
type group struct {
	pc    int32
	mask  uint32
	state state
	need  uint32 // the lanes that are waited for, or the number of the barrier
	count uint32 // the threads that the barrier is for, 0 for all
}

// warp is 32 threads of a block.
type warp struct {
	block  *block
	id     int
	regs   []lanes
	def    []uint32 // by register, the lanes that have a value in it
	preds  []uint32 // by predicate, its value in each lane
	pdef   []uint32
	carry  uint32
	live   uint32 // the lanes that have not exited
	groups []group
	local  []byte
	clock  uint32           // advanced by each barrier of the warp
	synced [warpSize]uint32 // by lane, the clock after the last one it took part in
}

// least returns the ready group that is to run, with those at the same place merged
// into it: the one at the least pc, so that lanes that diverged meet again. It also
// returns the pc where it meets the next. ok is false if none is ready. Groups without
// lanes are dropped here and nowhere else.
func (w *warp) least() (g int, limit int32, ok bool) {
	g, limit = -1, math.MaxInt32
	for i := 0; i < len(w.groups); i++ {
		other := &w.groups[i]
		switch {
		case other.mask == 0:
			w.remove(i)
			i--
		case other.state != ready:
		case g < 0:
			g = i
		case other.pc == w.groups[g].pc:
			w.groups[g].mask |= other.mask
			w.remove(i)
			i--
		case other.pc < w.groups[g].pc:
			limit = w.groups[g].pc
			g = i
		default:
			limit = min(limit, other.pc)
		}
	}
	return g, limit, g >= 0
}

// remove takes out a group; only groups behind it move.
func (w *warp) remove(i int) { w.groups = append(w.groups[:i], w.groups[i+1:]...) }

// run executes a warp until it waits, has ended, or has used up its fuel.
func (x *executor) run(w *warp, fuel int) {
	for fuel > 0 {
		g, limit, ok := w.least()
		if !ok {
			return
		}
		fuel = x.step(w, g, limit, fuel)
	}
}

// need faults unless the lanes of m have a value in the register.
func (x *executor) need(w *warp, pc int32, reg int32, m uint32) {
	if missing := m &^ w.def[reg]; missing != 0 {
		x.fault(w, pc, bits.TrailingZeros32(missing), ErrUninitialized, "a register that was not written")
	}
}

// read returns a predicate of the lanes of m.
func (x *executor) read(w *warp, pc int32, p int32, flip, m uint32) uint32 {
	if missing := m &^ w.pdef[p]; missing != 0 {
		x.fault(w, pc, bits.TrailingZeros32(missing), ErrUninitialized, "a predicate that was not written")
	}
	return (w.preds[p] ^ flip) & m
}

// setPredicate writes a predicate in the lanes of m.
func (w *warp) setPredicate(p int32, v, m uint32) {
	w.preds[p] = w.preds[p]&^m | v&m
	w.pdef[p] |= m
}

// blend copies the lanes of m.
func blend(d, s *lanes, m uint32) {
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & (warpSize - 1)
		d[i] = s[i]
	}
}

// step executes instructions of a group until it parts, meets another group, waits,
// ends, or has used up its fuel. It returns what is left of that.
func (x *executor) step(w *warp, g int, limit int32, fuel int) int {
	code := x.prog.code
	pc, mask := w.groups[g].pc, w.groups[g].mask
	dead := ^w.live
	start, active := fuel, bits.OnesCount32(mask)
	running := true
	for running {
		in := &code[pc]
		fuel -= int(in.weight)
		m := mask & (w.preds[in.guard] ^ in.guardFlip)
		if mask&^w.pdef[in.guard] != 0 {
			x.read(w, pc, in.guard, 0, mask)
		}
		next := pc + 1
		switch in.kind {
		case arithmetic:
			if w.def[in.a]&w.def[in.b]&w.def[in.c]&m != m {
				x.needAll(w, pc, in, m)
			}
			switch {
			case m|dead == math.MaxUint32:
				in.v(&w.regs[in.d], &w.regs[in.a], &w.regs[in.b], &w.regs[in.c])
			case m != 0:
				in.v(&x.scratch, &w.regs[in.a], &w.regs[in.b], &w.regs[in.c])
				blend(&w.regs[in.d], &x.scratch, m)
			}
			w.def[in.d] |= m
		case comparison:
			x.compare(w, pc, in, m)
		case selection:
			x.choose(w, pc, in, m)
		case load, store, atomic:
			if m != 0 {
				x.access(w, pc, in, m)
			}
		case branch:
			switch m {
			case 0:
			case mask:
				next = in.target
			default:
				w.groups = append(w.groups, group{pc: in.target, mask: m})
				mask &^= m
				running = false
			}
		case logic:
			p := x.read(w, pc, in.p, in.pFlip, m)
			q := x.read(w, pc, in.a, uint32(in.b), m)
			w.setPredicate(in.d, in.more.combine(p, q), m)
		case nothing:
		default:
			if m != 0 {
				alone := len(w.groups) == 1
				gone := x.rarely(w, pc, in, m)
				mask &^= gone
				running = gone == 0 && (in.kind < branchTable || alone && len(w.groups) == 1)
			}
		}
		pc = next
		if pc >= limit || fuel <= 0 {
			running = false
		}
	}
	x.stats.Instructions += int64(start-fuel) * int64(active)
	x.stats.WarpInstructions += int64(start - fuel)
	w.groups[g].pc, w.groups[g].mask = pc, mask
	return fuel
}

// needAll faults for the operand that has no value.
func (x *executor) needAll(w *warp, pc int32, in *instr, m uint32) {
	x.need(w, pc, in.a, m)
	x.need(w, pc, in.b, m)
	x.need(w, pc, in.c, m)
}

func (x *executor) compare(w *warp, pc int32, in *instr, m uint32) {
	if w.def[in.a]&w.def[in.b]&m != m {
		x.needAll(w, pc, in, m)
	}
	r := in.t(&w.regs[in.a], &w.regs[in.b])
	opposite := ^r
	if combine := in.more.combine; combine != nil {
		p := x.read(w, pc, in.p, in.pFlip, m)
		r, opposite = combine(r, p), combine(opposite, p)
	}
	w.setPredicate(in.d, r, m)
	if in.more.other != 0 {
		w.setPredicate(in.more.other, opposite, m)
	}
}

func (x *executor) choose(w *warp, pc int32, in *instr, m uint32) {
	p := x.read(w, pc, in.p, in.pFlip, m)
	x.need(w, pc, in.a, p)
	x.need(w, pc, in.b, m&^p)
	d, a, b := &w.regs[in.d], &w.regs[in.a], &w.regs[in.b]
	if m|^w.live == math.MaxUint32 {
		for i := range d {
			// All ones where p is set.
			chosen := -uint64(p >> (i & 31) & 1)
			d[i] = a[i]&chosen | b[i]&^chosen
		}
	} else {
		for rest := m; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest) & (warpSize - 1)
			if p>>i&1 != 0 {
				d[i] = a[i]
			} else {
				d[i] = b[i]
			}
		}
	}
	w.def[in.d] |= m
}

// rarely executes the instructions that are not in [executor.step] and returns the lanes
// that leave the group.
func (x *executor) rarely(w *warp, pc int32, in *instr, m uint32) (gone uint32) {
	switch in.kind {
	case insertion:
		x.insert(w, pc, in, m)
	case carrying:
		x.carry(w, pc, in, m)
	case define:
		for i := range warpSize {
			if m>>i&1 != 0 && w.def[in.d]>>i&1 == 0 {
				w.regs[in.d][i] = 0
			}
		}
		w.def[in.d] |= m
	case definePredicate:
		w.pdef[in.d] |= m
	case activeMask:
		x.broadcast(w, in.d, uint64(m), m)
	case genericSpaceTest:
		x.need(w, pc, in.a, m)
		for i := range warpSize {
			if m>>i&1 != 0 {
				w.setPredicate(in.d, uint32(oneIf(spaceOf(w.regs[in.a][i]) == in.more.space))<<i, 1<<i)
			}
		}
	case branchTable:
		x.jumpByTable(w, pc, in, m)
		return m
	case exit:
		w.live &^= m
		w.retry()
		return m
	case trap:
		x.fault(w, pc, bits.TrailingZeros32(m), ErrTrap, "the kernel ends itself")
	case barrier:
		return x.arrive(w, pc, in, m)
	case warpBarrier:
		return x.syncWarp(w, pc, in, m)
	case yield:
	default:
		return x.operate(w, pc, in, m)
	}
	return 0
}

// retry makes the groups that wait for lanes of the warp look again who is missing.
func (w *warp) retry() {
	for i := range w.groups {
		if s := w.groups[i].state; s == atOperation || s == atWarpSync {
			w.groups[i].state = ready
		}
	}
}

// broadcast writes one value in the lanes of m.
func (x *executor) broadcast(w *warp, d int32, v uint64, m uint32) {
	for rest := m; rest != 0; rest &= rest - 1 {
		w.regs[d][bits.TrailingZeros32(rest)] = v
	}
	w.def[d] |= m
}

func (x *executor) insert(w *warp, pc int32, in *instr, m uint32) {
	x.needAll(w, pc, in, m)
	x.need(w, pc, in.more.e, m)
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		w.regs[in.d][i] = in.more.insert(w.regs[in.a][i], w.regs[in.b][i], w.regs[in.c][i], w.regs[in.more.e][i])
	}
	w.def[in.d] |= m
}

func (x *executor) carry(w *warp, pc int32, in *instr, m uint32) {
	x.needAll(w, pc, in, m)
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		r, out := in.more.carry(w.regs[in.a][i], w.regs[in.b][i], w.regs[in.c][i], uint64(w.carry>>i&1))
		w.regs[in.d][i] = r
		if in.more.sets {
			w.carry = w.carry&^(1<<i) | uint32(out)<<i
		}
	}
	w.def[in.d] |= m
}

// jumpByTable parts the lanes by their entries.
func (x *executor) jumpByTable(w *warp, pc int32, in *instr, m uint32) {
	x.need(w, pc, in.a, m)
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		entry := w.regs[in.a][i]
		if entry >= uint64(len(in.more.targets)) {
			x.fault(w, pc, i, ErrIllegalAddress, "entry %d of %d branch targets", entry, len(in.more.targets))
		}
		w.groups = append(w.groups, group{pc: in.more.targets[entry], mask: 1 << i})
	}
}
