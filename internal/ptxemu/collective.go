package ptxemu

import (
	"math"
	"math/bits"
)

// tick notes that the lanes of m have met at a barrier of theirs, which alone orders
// what they do in memory: a shuffle or a vote does not.
func (w *warp) tick(m uint32) {
	w.clock++
	if m == math.MaxUint32 {
		for i := range w.synced {
			w.synced[i] = w.clock
		}
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		w.synced[bits.TrailingZeros32(rest)] = w.clock
	}
}

// operate executes an operation of the warp for the lanes of m and those that wait for
// them. Lanes that name others that have neither come nor ended wait. It returns the
// lanes of m that leave the group.
func (x *executor) operate(w *warp, pc int32, in *instr, m uint32) (gone uint32) {
	names := in.more.e
	switch in.kind {
	case vote, reduce, match:
		names = in.a
	}
	x.need(w, pc, names, m)
	if in.more.everyLane && m == math.MaxUint32 {
		x.perform(w, pc, in, m)
		return 0
	}
	all := m
	for i, g := range w.groups {
		if g.state == atOperation && g.pc == pc {
			all |= g.mask
			w.groups[i].mask = 0
		}
	}
	for rest := all; rest != 0; {
		need, same := sameNames(w, names, rest)
		if stranger := same &^ need; stranger != 0 {
			x.fault(w, pc, bits.TrailingZeros32(stranger), ErrWarpOperation, "the lane is not in its mask %#x", need)
		}
		rest &^= same
		if same != need&w.live {
			w.groups = append(w.groups, group{pc: pc, mask: same, state: atOperation, need: need})
			gone |= same & m
			continue
		}
		x.perform(w, pc, in, same)
		if came := same &^ m; came != 0 {
			w.groups = append(w.groups, group{pc: pc + 1, mask: came})
		}
	}
	return gone
}

// sameNames returns the mask that the first lane of m names, and the lanes of m that
// name the same.
func sameNames(w *warp, names int32, m uint32) (need, same uint32) {
	need = uint32(w.regs[names][bits.TrailingZeros32(m)])
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		if uint32(w.regs[names][i]) == need {
			same |= 1 << i
		}
	}
	return need, same
}

// syncWarp makes the lanes of m wait for those that they name, wherever they are. It
// returns the lanes that leave the group.
func (x *executor) syncWarp(w *warp, pc int32, in *instr, m uint32) (gone uint32) {
	x.need(w, pc, in.a, m)
	for rest := m; rest != 0; {
		need, same := sameNames(w, in.a, rest)
		rest &^= same
		if stranger := same &^ need; stranger != 0 {
			x.fault(w, pc, bits.TrailingZeros32(stranger), ErrWarpOperation, "the lane is not in its mask %#x", need)
		}
		came := same
		for _, g := range w.groups {
			if g.state == atWarpSync && g.need == need {
				came |= g.mask
			}
		}
		if came&need&w.live != need&w.live {
			w.groups = append(w.groups, group{pc: pc, mask: same, state: atWarpSync, need: need})
			gone |= same
			continue
		}
		w.tick(came)
		for i := range w.groups {
			if g := &w.groups[i]; g.state == atWarpSync && g.need == need {
				g.state = ready
				g.pc++
			}
		}
	}
	return gone
}

// perform executes an operation of the warp that all its lanes have come to.
func (x *executor) perform(w *warp, pc int32, in *instr, m uint32) {
	switch in.kind {
	case shuffle:
		x.shuffle(w, pc, in, m)
	case vote:
		x.vote(w, pc, in, m)
	case reduce:
		x.need(w, pc, in.b, m)
		first := true
		var sum uint64
		for rest := m; rest != 0; rest &= rest - 1 {
			v := w.regs[in.b][bits.TrailingZeros32(rest)]
			if first {
				sum, first = v, false
			} else {
				sum = in.more.update(sum, v, 0)
			}
		}
		x.broadcast(w, in.d, sum, m)
	case match:
		x.match(w, pc, in, m)
	}
}

// shuffle gives each lane the value that another has.
func (x *executor) shuffle(w *warp, pc int32, in *instr, m uint32) {
	x.needAll(w, pc, in, m)
	from := w.regs[in.a]
	if in.more.sources != nil && m == math.MaxUint32 {
		for i, j := range in.more.sources {
			w.regs[in.d][i] = from[j&(warpSize-1)]
		}
		if in.more.other != 0 {
			w.setPredicate(in.more.other, in.more.inside, m)
		}
		w.def[in.d] = m
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		j, inside := shuffleSource(in.more.mode, i, uint32(w.regs[in.b][i]), uint32(w.regs[in.c][i]))
		if inside && m>>j&1 == 0 {
			x.fault(w, pc, i, ErrWarpOperation, "the value of lane %d, which is not in the mask %#x", j, m)
		}
		w.regs[in.d][i] = from[j]
		if in.more.other != 0 {
			w.setPredicate(in.more.other, uint32(oneIf(inside))<<i, 1<<i)
		}
	}
	w.def[in.d] |= m
}

// shuffleSource returns the lane whose value a lane gets. inside is false where that
// would be beyond the lane's segment, so that it gets its own.
func shuffleSource(mode string, lane int, b, c uint32) (source int, inside bool) {
	b &= 31
	segment := int(c >> 8 & 31)
	clamp := int(c & 31)
	last := lane&segment | clamp&^segment
	first := lane & segment
	j := 0
	switch mode {
	case "up":
		j = lane - int(b)
		inside = j >= last
	case "down":
		j = lane + int(b)
		inside = j <= last
	case "bfly":
		j = lane ^ int(b)
		inside = j <= last
	case "idx":
		j = first | int(b)&^segment
		inside = j <= last
	}
	if !inside {
		return lane, false
	}
	return j, true
}

func (x *executor) vote(w *warp, pc int32, in *instr, m uint32) {
	p := x.read(w, pc, in.p, in.pFlip, m)
	holds := false
	switch in.more.mode {
	case "ballot":
		x.broadcast(w, in.d, uint64(p), m)
		return
	case "all":
		holds = p == m
	case "any":
		holds = p != 0
	case "uni":
		holds = p == m || p == 0
	}
	w.setPredicate(in.d, -uint32(oneIf(holds)), m)
}

func (x *executor) match(w *warp, pc int32, in *instr, m uint32) {
	x.need(w, pc, in.b, m)
	values := w.regs[in.b]
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		var same uint32
		for others := m; others != 0; others &= others - 1 {
			if j := bits.TrailingZeros32(others); values[j] == values[i] {
				same |= 1 << j
			}
		}
		if in.more.mode == "all" {
			if in.more.other != 0 {
				w.setPredicate(in.more.other, uint32(oneIf(same == m))<<i, 1<<i)
			}
			if same != m {
				same = 0
			}
		}
		w.regs[in.d][i] = uint64(same)
	}
	w.def[in.d] |= m
}
