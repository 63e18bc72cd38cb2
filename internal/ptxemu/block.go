package ptxemu

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// maxBarriers is the number of barriers of a block.
const maxBarriers = 16

// block is a block of threads while it is on the device. It is used again for others of
// the same kernel.
type block struct {
	index   [3]int
	warps   []*warp // those with work
	all     []*warp
	shared  []byte
	cells   []cell
	epoch   uint32 // advanced by each barrier and each block
	first   uint32 // the epoch in which the block started
	arrived [maxBarriers]uint32
}

// newBlock returns a place for blocks of the kernel, with what is the same in all of them.
func (x *executor) newBlock() *block {
	b := &block{}
	for i := range (x.threads + warpSize - 1) / warpSize {
		w := &warp{
			block: b,
			id:    i,
			regs:  make([]lanes, x.prog.slots),
			def:   make([]uint32, x.prog.slots),
			preds: make([]uint32, x.prog.preds),
			pdef:  make([]uint32, x.prog.preds),
			local: make([]byte, warpSize*x.prog.local),
		}
		for _, c := range x.prog.constants {
			set(&w.regs[c.slot], c.value)
		}
		for _, s := range x.prog.specials {
			if f, ok := laneSpecials[s.name]; ok {
				for l := range warpSize {
					w.regs[s.slot][l] = f(i, l)
				}
			}
		}
		b.all = append(b.all, w)
	}
	return b
}

// prepare fills in what is the same for all blocks of the launch.
func (x *executor) prepare(b *block) {
	size := x.prog.dynamic + x.dynamic
	if x.dynamic == 0 {
		size = x.prog.static
	}
	b.shared = slices.Grow(b.shared[:0], size)[:size]
	if need := (size + 1<<x.prog.grain - 1) >> x.prog.grain; need > len(b.cells) {
		b.cells = make([]cell, need)
		b.epoch = 0
	}
	for _, w := range b.all {
		for _, c := range x.uniform {
			set(&w.regs[c.slot], c.value)
		}
	}
}

func set(l *lanes, v uint64) {
	for i := range l {
		l[i] = v
	}
}

// start puts block number n of the grid there.
func (x *executor) start(b *block, n int) {
	b.index = [3]int{n % x.grid[0], n / x.grid[0] % x.grid[1], n / x.grid[0] / x.grid[1]}
	if b.epoch >= maxEpoch/2 {
		clear(b.cells)
		b.epoch = 0
	}
	b.epoch++
	b.first = b.epoch
	b.arrived = [maxBarriers]uint32{}
	b.warps = append(b.warps[:0], b.all...)
	for _, w := range b.all {
		w.live = math.MaxUint32
		if rest := x.threads - w.id*warpSize; rest < warpSize {
			w.live = 1<<rest - 1
		}
		w.groups = append(w.groups[:0], group{mask: w.live})
		w.clock, w.synced, w.carry = 0, [warpSize]uint32{}, 0
		clear(w.def)
		clear(w.pdef)
		w.preds[always], w.pdef[always] = math.MaxUint32, math.MaxUint32
		for _, slot := range x.defined {
			w.def[slot] = math.MaxUint32
		}
		for _, s := range x.prog.specials {
			if f, ok := blockSpecials[s.name]; ok {
				set(&w.regs[s.slot], uint64(f(b)))
			}
		}
		fill(w.local, poison)
	}
}

// turn lets one warp of the block run for a while. It returns false when all have ended.
func (x *executor) turn(b *block) bool {
	candidates := x.candidates[:0]
	for _, w := range b.warps {
		if w.isReady() {
			candidates = append(candidates, w)
		}
	}
	x.candidates = candidates
	if len(candidates) == 0 {
		x.release(b)
		return true
	}
	w := candidates[x.random.IntN(len(candidates))]
	x.run(w, 1+x.random.IntN(2*x.quantum))
	if w.live == 0 {
		b.warps = slices.DeleteFunc(b.warps, func(other *warp) bool { return other == w })
	}
	return len(b.warps) > 0
}

func (w *warp) isReady() bool {
	return slices.ContainsFunc(w.groups, func(g group) bool { return g.state == ready && g.mask != 0 })
}

// arrive makes the lanes of m wait at a barrier and returns those that leave the group.
func (x *executor) arrive(w *warp, pc int32, in *instr, m uint32) (gone uint32) {
	x.need(w, pc, in.a, m)
	x.need(w, pc, in.b, m)
	if in.more.mode != "" {
		x.read(w, pc, in.p, in.pFlip, m)
	}
	lane := bits.TrailingZeros32(m)
	number, count := uint32(w.regs[in.a][lane]), uint32(0)
	if number >= maxBarriers {
		x.fault(w, pc, lane, ErrBarrier, "barrier %d of %d", number, maxBarriers)
	}
	if in.more.counted {
		if count = uint32(w.regs[in.b][lane]); count == 0 || count%warpSize != 0 {
			x.fault(w, pc, lane, ErrBarrier, "a barrier for %d threads, which is no multiple of %d", count, warpSize)
		}
	}
	x.stats.Barriers += int64(bits.OnesCount32(m))
	if in.more.arriving {
		w.block.arrived[number] += uint32(bits.OnesCount32(m))
		return 0
	}
	w.groups = append(w.groups, group{pc: pc, mask: m, state: atBarrier, need: number, count: count})
	return m
}

// waiter is a group that waits at a barrier.
type waiter struct {
	w *warp
	g *group
}

// release opens the barriers of a block none of whose threads can go on. It faults if
// there is none to open.
func (x *executor) release(b *block) {
	var at [maxBarriers][]waiter
	var threads [maxBarriers]uint32
	live := uint32(0)
	var stuck waiter
	for _, w := range b.warps {
		live += uint32(bits.OnesCount32(w.live))
		for i := range w.groups {
			g := &w.groups[i]
			if g.state != atBarrier {
				stuck = waiter{w, g}
				continue
			}
			at[g.need] = append(at[g.need], waiter{w, g})
			threads[g.need] += uint32(bits.OnesCount32(g.mask))
		}
	}
	opened := false
	for n, list := range at {
		if len(list) == 0 {
			continue
		}
		want := live
		if list[0].g.count != 0 {
			want = list[0].g.count
		}
		if threads[n]+b.arrived[n] != want {
			if stuck.g == nil {
				stuck = list[0]
			}
			continue
		}
		x.open(b, list)
		b.arrived[n] = 0
		opened = true
	}
	if opened {
		return
	}
	kind := ErrWarpOperation
	if stuck.g.state == atBarrier {
		kind = ErrBarrier
	}
	x.fault(stuck.w, stuck.g.pc, bits.TrailingZeros32(stuck.g.mask), kind,
		"%d threads wait here for others that never come: %s", bits.OnesCount32(stuck.g.mask), x.elsewhere(b, stuck.g.pc))
}

// elsewhere says where the other threads of a block wait.
func (x *executor) elsewhere(b *block, pc int32) string {
	for _, w := range b.warps {
		for _, g := range w.groups {
			if g.pc != pc {
				return fmt.Sprintf("thread %d waits at line %d", w.id*warpSize+bits.TrailingZeros32(g.mask), x.prog.lines[g.pc])
			}
		}
	}
	return "they have ended, or wait here for a part of the block"
}

// open lets the threads at a barrier go on. Those at one for the whole block must have
// come to the same place.
func (x *executor) open(b *block, list []waiter) {
	first := list[0]
	for _, o := range list {
		if o.g.pc != first.g.pc && o.g.count == 0 {
			x.fault(o.w, o.g.pc, bits.TrailingZeros32(o.g.mask), ErrBarrier,
				"thread %d waits at another barrier, in line %d",
				first.w.id*warpSize+bits.TrailingZeros32(first.g.mask), x.prog.lines[first.g.pc])
		}
	}
	b.epoch++
	x.reduceAtBarrier(list)
	for _, o := range list {
		o.g.state = ready
		o.g.pc++
	}
}

// reduceAtBarrier gives the threads at a barrier what their predicates make together.
func (x *executor) reduceAtBarrier(list []waiter) {
	in := &x.prog.code[list[0].g.pc]
	if in.more.mode == "" {
		return
	}
	all, sum := true, 0
	for _, o := range list {
		p := x.read(o.w, o.g.pc, in.p, in.pFlip, o.g.mask)
		sum += bits.OnesCount32(p)
		all = all && p == o.g.mask
	}
	for _, o := range list {
		switch in.more.mode {
		case "popc":
			x.broadcast(o.w, in.d, uint64(sum), o.g.mask)
		case "and":
			o.w.setPredicate(in.d, -uint32(oneIf(all)), o.g.mask)
		case "or":
			o.w.setPredicate(in.d, -uint32(oneIf(sum > 0)), o.g.mask)
		}
	}
}
