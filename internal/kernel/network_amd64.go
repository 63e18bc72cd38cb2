//go:build !noasm

package kernel

import (
	"math/bits"
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var networkAVX512 = cpu.AVX512

func init() { cpu.Register("Network", "avx512", &networkAVX512) }

// networkStages tells the vector code which steps of merges of eight and of
// sixteen rows to take, as it sorts eights completely. In each stage a bit stands
// for those with the second row among an eighth of the rows, in the first two
// stages also among those before. Steps beside these are harmless. The assembly
// knows its layout.
type networkStages struct {
	first, last, merged [8]uint8 // of rows 0 to 15, of the others, of both
	groups              uint32   // the groups of four rows with a wanted one
	rows                uint32   // one more than the last wanted row
	joins               int32    // less the bytes of the others if they are joined, or 0 if they are merged
	above               uint32   // the bytes before the row behind those that others are joined with
}

// set takes over the steps of a network of n rows, of which need are wanted. Two
// neighbours, or one row, near the middle need no last merge: the others are joined
// with as many of the first sixteen rows. The median of 20 rows takes 142 minima
// and maxima so, and 184 otherwise.
func (g *networkStages) set(n, quantiles int, need uint64, steps []comparator) {
	*g = networkStages{}
	var memory [256]comparator
	if k, others, ok := joins(n, sixteen, quantiles, need); ok {
		g.joins, g.above = -64*int32(others), 64*uint32(k+1)
		need = 1<<(k+2) - 1<<(k-others)
		steps = batcher(memory[:0], n, sixteen, need|(1<<n-1<<sixteen))
	}
	g.rows = uint32(bits.Len64(need))
	for i := range g.rows {
		g.groups |= uint32(need>>i&1) << (i / 4)
	}
	for _, s := range steps {
		stages, b := &g.first, s.b
		switch {
		case s.run < 8:
			continue
		case s.run == 16:
			stages = &g.merged
		case s.a >= 16:
			stages, b = &g.last, b-16
		}
		stage, bit := bits.Len8(s.run)-bits.Len8(s.b-s.a), uint8(1)<<(b/(s.run/4))
		if stage < 2 {
			bit += bit - 1
		}
		stages[stage] |= bit
	}
}

// networkArgs is what the vector code is given; the assembly knows its layout.
type networkArgs struct {
	base   unsafe.Pointer
	stride int // bytes from row to row
	n      int
	end    int // bytes of a row, at least a vector; of lanes of adjacent elements, set to those done
	lo, hi unsafe.Pointer
	step   int // bytes from quantile to quantile
	q      int
	tables unsafe.Pointer
	counts unsafe.Pointer
	memory unsafe.Pointer
	whole  *networkStages
	holed  *networkStages
	flip   uint64 // the bits to flip in eight bytes of integers
	inf    uint64 // +Inf in eight bytes, or elements with the largest keys
	low    uint64 // all bits of eight bytes of floats but the signs
	code   int    // a Code
	shift  int    // the base-2 logarithm of the bytes of a key
	lanes  uint64 // a bit for each lane of a vector
	twins  uint64 // a bit for each lane of two vectors
	nan    int    // set to 1 if a lane has a NaN
	lane   int    // bytes from lane to lane of adjacent elements, or 0 if they lie side by side

	middles int       // 1 if middles are asked for, at lo
	half    uint64    // 1/2 in eight bytes of floats
	none    uint64    // the canonical NaN in eight bytes
	nearer  [3]uint64 // all bits if bit 2, 1 or 0 of the wanted row's number is set
}

// NetworkMiddles reports whether Network writes middles of keys of type K for so
// many lanes.
func NetworkMiddles[K Key](lanes int) bool {
	size := int(unsafe.Sizeof(K(0)))
	return networkAVX512 && size >= 4 && lanes >= 64/size
}

// networkVector is Network; it reports whether there is vector code.
func networkVector[K Key](p *Networks, t Tile, e Encoding[K], to Picked[K], memory []K, nan *bool) bool {
	size := int(unsafe.Sizeof(K(0)))
	vector := 64 / size
	if !networkAVX512 || t.Lanes < vector {
		return false
	}
	base := unsafe.Pointer(unsafe.SliceData(memory))
	skipped := -int(uintptr(base)) & 63 / size
	own, rows := unsafe.Pointer(&memory[skipped]), memory[skipped+networkOwn/size:]
	a := networkArgs{
		base: t.Base, stride: t.Stride * size, n: t.N,
		step: to.Stride * size, q: len(p.tables), tables: unsafe.Pointer(unsafe.SliceData(p.tables)),
		memory: own, whole: &p.whole.stages, holed: &p.holed.stages,
		inf: replicate(MaxKey[K]()), low: replicate(MaxKey[K]()),
		code: int(e.Code), shift: bits.Len(uint(size)) - 1, lanes: 1<<vector - 1, twins: 1<<(2*vector) - 1,
	}
	switch e.Code {
	case Unsigned:
		a.flip, a.inf = replicate(MinKey[K]()), replicate(K(-1))
	case Float:
		a.inf = replicate(e.Inf)
	}
	if to.Hi == nil {
		a.middles, a.half, a.none = 1, 0x3FE0<<48, nan64
		if size == 4 {
			a.half, a.none = 0x3F00_0000_3F00_0000, 0x7FC0_0000_7FC0_0000
		}
		row, _ := p.tables[0].at(p.n)
		for i := range a.nearer {
			a.nearer[i] = -uint64(row >> (2 - i) & 1)
		}
	}
	if t.LaneStride == 1 {
		_, *nan = runNetwork(a, t.Lanes, to)
		return true
	}
	width := max(networkLay/size/t.N&^(vector-1), vector)
	// Lanes of adjacent elements are loaded as they lie up to a block with a NaN;
	// then they are laid side by side until there is none.
	loads := size == 4 && t.Stride == 1 && t.LaneStride != 0
	for first, holed := 0, false; first < t.Lanes; {
		first = min(first, t.Lanes-vector)
		part := t.part(0, first, t.N, t.Lanes-first, uintptr(size))
		if loads && !holed {
			b := a
			b.base, b.lane = part.Base, t.LaneStride*size
			done, _ := runNetwork(b, part.Lanes, to.from(first))
			first += done
			holed = true
			continue
		}
		part.Lanes = min(width, part.Lanes)
		a.base, a.stride = unsafe.Pointer(&rows[0]), width*size
		EncodeTile(rows, width, 1, part, Encoding[K]{})
		_, holed = runNetwork(a, part.Lanes, to.from(first))
		first += part.Lanes
		*nan = *nan || holed
	}
	return true
}

// runNetwork runs the network on lanes, at least a vector of them, and returns
// how many it has done, and whether one has a NaN.
func runNetwork[K Key](a networkArgs, lanes int, to Picked[K]) (done int, nan bool) {
	size := int(unsafe.Sizeof(K(0)))
	a.end = lanes * size
	a.lo, a.hi = unsafe.Pointer(unsafe.SliceData(to.Lo)), unsafe.Pointer(unsafe.SliceData(to.Hi))
	a.counts = unsafe.Pointer(unsafe.SliceData(to.Counts))
	networkBlocksAVX512(&a)
	return a.end / size, a.nan != 0
}

const (
	// networkOwn is the memory that the vector code works in.
	networkOwn = 5 << 10

	// networkLay is how much of short lanes is laid side by side at a time: so
	// little that fetching ahead goes on evenly. A million lanes of 10 float32
	// laid so take 3.6 ms on one core by 4 KiB, and 4.1 ms by 8 KiB.
	networkLay = 4 << 10
)

// networkBlocksAVX512 is networkGeneric for lanes that lie side by side, at least a
// vector of them. memory is 5 KiB, aligned to a cache line. Lanes of adjacent
// elements of 32 bits are done up to the first block with a NaN.
//
//go:noescape
func networkBlocksAVX512(a *networkArgs)
