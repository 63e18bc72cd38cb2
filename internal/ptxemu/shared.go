package ptxemu

import "math/bits"

// cell remembers who used a grain of shared memory last: the bytes that the kernel's
// narrowest access to shared memory has, 4 at most.
type cell struct{ write, read stamp }

// stamp says which thread used a cell, and when: the epoch of the block, which a barrier
// ends, and the clock of the warp, which a barrier of the warp advances.
//
//	epoch 24 bits | clock 24 bits | 3 unused | many warps | many lanes | strong | thread 10 bits
type stamp uint64

const (
	strongStamp stamp = 1 << (10 + iota)
	manyLanes
	manyWarps
)

const (
	clockShift = 16
	epochShift = 40
	maxEpoch   = 1<<24 - 1
)

func (s stamp) epoch() uint32 { return uint32(s >> epochShift) }
func (s stamp) clock() uint32 { return uint32(s>>clockShift) & maxEpoch }
func (s stamp) thread() int   { return int(s & 1023) }

// stampOf returns the stamp of an access by the first lane; for another, its number is
// to be added.
func (w *warp) stampOf(strong bool) stamp {
	s := stamp(w.block.epoch)<<epochShift | stamp(w.clock&maxEpoch)<<clockShift | stamp(w.id*warpSize)
	if strong {
		s |= strongStamp
	}
	return s
}

// ordered reports whether an earlier access is known to come before what the lane does
// now: a barrier lies between, of the block or of the warp, or it is the lane's own.
func (w *warp) ordered(s stamp, lane int) bool {
	switch {
	case s.epoch() != w.block.epoch:
		return true
	case s&manyWarps != 0 || s.thread()/warpSize != w.id:
		return false
	case s&manyLanes != 0:
		return w.synced[lane] > s.clock()
	}
	other := s.thread() % warpSize
	return other == lane || w.synced[lane] > s.clock() && w.synced[other] > s.clock()
}

// accessShared does a load, a store or an atomic operation for the lanes of m, offset
// being added to their addresses.
func (x *executor) accessShared(w *warp, pc int32, in *instr, m uint32, offset uint64) {
	b := w.block
	n := uint64(in.more.size * max(len(in.more.regs), 1))
	addresses := &w.regs[in.a]
	size := uint64(len(b.shared))
	me := w.stampOf(in.more.strong)
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & (warpSize - 1)
		at := addresses[i] + offset
		if at >= size || size-at < n {
			x.fault(w, pc, i, ErrIllegalAddress, "%d bytes at %d of %d bytes of shared memory", n, int64(at), size)
		}
		if at&(n-1) != 0 {
			x.fault(w, pc, i, ErrMisaligned, "%d bytes at %d of shared memory", n, at)
		}
		data := b.shared[at : at+n]
		for k := at >> x.prog.grain; k <= (at+n-1)>>x.prog.grain; k++ {
			c := &b.cells[k]
			if !c.takes(in.kind, me+stamp(i), b) {
				x.track(w, pc, in, i, c, me+stamp(i), data)
			}
		}
		transfer(w, in, i, data)
	}
}

// takes notes an access if it is plain that it is right: nobody has written since the
// last barrier, and for a store nobody has read either.
func (c *cell) takes(k kind, me stamp, b *block) bool {
	written := c.write.epoch()
	switch {
	case written >= b.epoch:
		return false
	case k == store && c.read.epoch() < b.epoch:
		c.write = me
		return true
	case k == load && written >= b.first:
		if c.read.epoch() < b.epoch {
			c.read = me
			return true
		}
		// Once several warps have read it, another read changes nothing.
		return c.read&(manyWarps|strongStamp) == manyWarps
	}
	return false
}

// track checks one access to a cell against those before it, and notes it.
func (x *executor) track(w *warp, pc int32, in *instr, lane int, c *cell, me stamp, data []byte) {
	if in.kind != store && c.write.epoch() < w.block.first {
		x.fault(w, pc, lane, ErrUninitialized, "shared memory that no thread of the block has written")
	}
	if !w.ordered(c.write, lane) && !(c.write&me&strongStamp != 0) &&
		!(in.kind == store && sameBytes(w, in, lane, data)) {
		x.race(w, pc, lane, "written", c.write)
	}
	if in.kind == load {
		c.read = w.join(c.read, me, lane)
		return
	}
	if !w.ordered(c.read, lane) && !(c.read&me&strongStamp != 0) {
		x.race(w, pc, lane, "read", c.read)
	}
	c.write = w.join(c.write, me, lane)
}

// join returns the stamp of an access and those before it that it does not come after.
func (w *warp) join(old, me stamp, lane int) stamp {
	if w.ordered(old, lane) {
		return me
	}
	if old&strongStamp == 0 {
		me &^= strongStamp
	}
	if old&manyWarps != 0 || old.thread()/warpSize != w.id {
		return me | manyWarps
	}
	return me | manyLanes
}

// sameBytes reports whether a store leaves the memory as it is, in which case it does
// not matter which thread was first.
func sameBytes(w *warp, in *instr, lane int, data []byte) bool {
	size := in.more.size
	for k, r := range in.more.regs {
		if (peek(data[k*size:], size)^w.regs[r][lane])&maskOf(8*size) != 0 {
			return false
		}
	}
	return true
}

func (x *executor) race(w *warp, pc int32, lane int, verb string, s stamp) {
	who := "thread"
	if s&(manyLanes|manyWarps) != 0 {
		who = "several threads, one of them"
	}
	x.fault(w, pc, lane, ErrRace, "%s by %s %d with no barrier between", verb, who, s.thread())
}
