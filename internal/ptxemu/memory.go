package ptxemu

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sort"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/cudrv"
)

// Where things are. Global memory starts high, so that neither a small number nor the
// low half of an address is one.
const (
	localBase  = 0x7D00_0000_0000
	sharedBase = 0x7E00_0000_0000
	globalBase = 0x7F00_0000_0000
	windowSize = 1 << 32 // of local and of shared memory
)

// Allocations are aligned as the driver's are, and have a gap of nothing between them.
const (
	allocAlign = 256
	allocGap   = 4096
)

// poison is what fresh local memory is filled with.
const poison = 0xCD

// windowOf returns what a generic address has added to that of a state space.
func windowOf(s space) uint64 {
	switch s {
	case localSpace:
		return localBase
	case sharedSpace:
		return sharedBase
	}
	return 0
}

// spaceOf returns the state space of a generic address.
func spaceOf(address uint64) space {
	switch {
	case address-sharedBase < windowSize:
		return sharedSpace
	case address-localBase < windowSize:
		return localSpace
	}
	return globalSpace
}

// region is one allocation of global memory. When it is freed its size becomes 0.
type region struct {
	base     uint64
	size     uint64
	data     []byte
	constant bool // part of a module and not to be written
	module   bool // part of a module
	traffic  Traffic
}

// heap is the global memory of a device.
type heap struct {
	regions []*region // by address
	next    uint64
	used    uint64 // bytes of allocations
	total   uint64
	fresh   uint64 // the number of the last allocation, which says what rubbish is in it
}

// add appends a region. Addresses are not used again.
func (h *heap) add(size uint64) *region {
	if h.next == 0 {
		h.next = globalBase
	}
	r := &region{base: h.next, size: size, data: make([]byte, size)}
	h.next += (size+allocGap+allocAlign-1)&^(allocAlign-1) + allocAlign
	h.regions = append(h.regions, r)
	return r
}

// alloc returns fresh memory, *cudrv.OutOfMemoryError if there is not enough.
func (h *heap) alloc(size uint64) (*region, error) {
	rounded := (size + allocAlign - 1) &^ (allocAlign - 1)
	if free := h.total - h.used; rounded > free {
		return nil, &cudrv.OutOfMemoryError{Want: size, Free: free, Total: h.total}
	}
	r := h.add(size)
	h.fresh++
	crew.Spoil(r.data, h.fresh)
	h.used += rounded
	return r, nil
}

func fill(b []byte, v byte) {
	if len(b) == 0 {
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// free gives back the allocation that starts at base, false if there is none.
func (h *heap) free(base uint64) bool {
	i := h.index(base)
	if i < 0 || h.regions[i].base != base || h.regions[i].module {
		return false
	}
	r := h.regions[i]
	h.used -= (r.size + allocAlign - 1) &^ (allocAlign - 1)
	r.size, r.data = 0, nil
	h.regions = append(h.regions[:i], h.regions[i+1:]...)
	return true
}

// index returns the number of the region that an address lies in, -1 if in none.
func (h *heap) index(address uint64) int {
	i := sort.Search(len(h.regions), func(i int) bool { return h.regions[i].base > address }) - 1
	if i < 0 || address-h.regions[i].base >= h.regions[i].size {
		return -1
	}
	return i
}

// bytes returns n bytes at an address, ok only if all are in one allocation.
func (h *heap) bytes(address, n uint64) (b []byte, ok bool) {
	i := h.index(address)
	if i < 0 {
		return nil, n == 0
	}
	r := h.regions[i]
	at := address - r.base
	if r.size-at < n {
		return nil, false
	}
	return r.data[at : at+n], true
}

// peek returns an element of memory.
func peek(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// poke sets an element of memory.
func poke(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// access executes a load, a store or an atomic operation for the lanes of m.
func (x *executor) access(w *warp, pc int32, in *instr, m uint32) {
	mo := in.more
	x.need(w, pc, in.a, m)
	switch in.kind {
	case store:
		for _, r := range mo.regs {
			x.need(w, pc, r, m)
		}
	case atomic:
		x.need(w, pc, in.b, m)
		x.need(w, pc, in.c, m)
		// The order of the lanes is nobody's to rely on.
		last := m & (1<<x.random.Uint32N(warpSize) - 1)
		x.accessIn(w, pc, in, m&^last)
		x.accessIn(w, pc, in, last)
		w.def[in.d] |= m
		return
	}
	x.accessIn(w, pc, in, m)
	if in.kind == load {
		for _, r := range mo.regs {
			w.def[r] |= m
		}
	}
}

// accessIn does an access in the state space that the instruction names.
func (x *executor) accessIn(w *warp, pc int32, in *instr, m uint32) {
	mo := in.more
	switch mo.space {
	case globalSpace:
		x.accessGlobal(w, pc, in, m)
	case sharedSpace:
		x.accessShared(w, pc, in, m, mo.offset)
	case localSpace:
		x.accessLocal(w, pc, in, m, mo.offset)
	default:
		x.accessGeneric(w, pc, in, m)
	}
}

// accessGeneric sorts the lanes by where their addresses lie.
func (x *executor) accessGeneric(w *warp, pc int32, in *instr, m uint32) {
	var of [genericSpace + 1]uint32
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		of[spaceOf(w.regs[in.a][i]+in.more.offset)] |= 1 << i
	}
	if of[globalSpace] != 0 {
		x.accessGlobal(w, pc, in, of[globalSpace])
	}
	if of[sharedSpace] != 0 {
		x.accessShared(w, pc, in, of[sharedSpace], in.more.offset-sharedBase)
	}
	if of[localSpace] != 0 {
		x.accessLocal(w, pc, in, of[localSpace], in.more.offset-localBase)
	}
}

func (x *executor) accessGlobal(w *warp, pc int32, in *instr, m uint32) {
	mo := in.more
	n := uint64(mo.size * max(len(mo.regs), 1))
	addresses := &w.regs[in.a]
	r := x.hints[pc]
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & (warpSize - 1)
		address := addresses[i] + mo.offset
		at := address - r.base
		if at >= r.size || r.size-at < n {
			r = x.regionAt(w, pc, i, address, n)
			x.hints[pc] = r
			at = address - r.base
		}
		if at&(n-1) != 0 {
			x.fault(w, pc, i, ErrMisaligned, "%d bytes at %#x", n, address)
		}
		if in.kind != store {
			r.traffic.Read += n
		}
		if in.kind != load {
			if r.constant {
				x.fault(w, pc, i, ErrIllegalAddress, "%#x is constant", address)
			}
			r.traffic.Written += n
		}
		transfer(w, in, i, r.data[at:at+n])
	}
	bytes := n * uint64(bits.OnesCount32(m))
	if in.kind != store {
		x.stats.Read += bytes
	}
	if in.kind != load {
		x.stats.Written += bytes
	}
}

// regionAt returns the region of n bytes that a lane is about to use.
func (x *executor) regionAt(w *warp, pc int32, lane int, address, n uint64) *region {
	i := x.heap.index(address)
	if i < 0 {
		x.fault(w, pc, lane, ErrIllegalAddress, "%d bytes at %#x, which is no memory%s", n, address, x.nearest(address))
	}
	r := x.heap.regions[i]
	if r.size-(address-r.base) < n {
		x.fault(w, pc, lane, ErrIllegalAddress, "%d bytes at %#x, at %d of %d bytes allocated", n, address, address-r.base, r.size)
	}
	return r
}

// nearest says which allocation an address that is in none lies behind, if it is near.
func (x *executor) nearest(address uint64) string {
	for _, r := range x.heap.regions {
		if end := r.base + r.size; address >= end && address-end < allocGap {
			return fmt.Sprintf(", %d bytes behind the end of an allocation of %d bytes", address-end, r.size)
		}
		if address < r.base && r.base-address < allocGap {
			return fmt.Sprintf(", %d bytes before an allocation of %d bytes", r.base-address, r.size)
		}
	}
	return ""
}

func (x *executor) accessLocal(w *warp, pc int32, in *instr, m uint32, offset uint64) {
	n := uint64(in.more.size * max(len(in.more.regs), 1))
	size := uint64(x.prog.local)
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		at := w.regs[in.a][i] + offset
		if at >= size || size-at < n {
			x.fault(w, pc, i, ErrIllegalAddress, "%d bytes at %d of %d bytes of local memory", n, int64(at), size)
		}
		if at&(n-1) != 0 {
			x.fault(w, pc, i, ErrMisaligned, "%d bytes at %d of local memory", n, at)
		}
		at += uint64(i) * size
		transfer(w, in, i, w.local[at:at+n])
	}
}

// transfer does what the instruction does with the bytes that a lane addresses.
func transfer(w *warp, in *instr, i int, b []byte) {
	mo := in.more
	size := mo.size
	switch in.kind {
	case load:
		if len(mo.regs) == 1 && mo.sext == 0 {
			w.regs[mo.regs[0]][i] = peek(b, size)
			return
		}
		for k, r := range mo.regs {
			v := peek(b[k*size:], size)
			if mo.sext != 0 {
				v = uint64(int64(v<<mo.sext)>>mo.sext) & mo.regMask
			}
			w.regs[r][i] = v
		}
	case store:
		for k, r := range mo.regs {
			poke(b[k*size:], size, w.regs[r][i])
		}
	case atomic:
		old := peek(b, size)
		poke(b, size, mo.update(old, w.regs[in.b][i], w.regs[in.c][i]))
		if in.d != noValue {
			w.regs[in.d][i] = old
		}
	}
}
