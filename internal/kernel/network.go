package kernel

import "unsafe"

// NetworkMax is the most elements of a lane that a network takes: as many as
// AVX-512 has registers.
const NetworkMax = 32

// PickTable says which elements of sorted lanes a quantile wants: one, or it and the next
// one, depending on how many elements of a lane, m, are not NaN, since these come last. They
// stand by m at (m-1)%32, and as far behind them how many places the second one lies further
// up.
type PickTable [2 * NetworkMax]uint8

// Set makes elements lo and hi, which is lo or lo+1, those of lanes with m values, m > 0,
// and reports whether they were others. Those of lanes without values are NaN.
func (t *PickTable) Set(m, lo, hi int) (changed bool) {
	if hi-lo != (hi-lo)&1 || lo < 0 || hi >= NetworkMax {
		panic("kernel: the elements of a quantile are not neighbours")
	}
	at := (m - 1) % NetworkMax
	changed = t[at] != uint8(lo) || t[NetworkMax+at] != uint8(hi-lo)
	t[at], t[NetworkMax+at] = uint8(lo), uint8(hi-lo)
	return changed
}

// at returns the elements that are wanted of lanes with m values.
func (t *PickTable) at(m int) (lo, hi int) {
	at := uint(m-1) % NetworkMax
	lo = int(t[at])
	return lo, lo + int(t[NetworkMax+at])
}

// Networks lead to the elements that tables want of lanes of n elements.
type Networks struct {
	n      int
	tables []PickTable // by quantile
	whole  program     // of lanes without NaN
	holed  program     // of all lanes
}

// Make makes the networks of tables, which p keeps, and lanes of n elements.
func (p *Networks) Make(n int, tables []PickTable) {
	p.n, p.tables = n, tables
	whole, all := uint64(0), uint64(1) // lanes without values take element 0
	for q := range tables {
		for m := 1; m <= n; m++ {
			lo, hi := tables[q].at(m)
			if hi >= n {
				panic("kernel: a lane has no such element")
			}
			all |= 1<<lo | 1<<hi
			if m == n {
				whole |= 1<<lo | 1<<hi
			}
		}
	}
	p.whole.build(n, len(tables), whole)
	p.holed.build(n, len(tables), all)
}

// Picked are the answers of lanes: for quantile q and lane j the keys of its
// elements at q*Stride+j of Lo and Hi, and in Counts, for each lane, how many
// of its elements are not NaN. Counts may be nil, and is left as it is for
// elements that are no floats. Lo and Hi may be the same if all elements are single ones.
//
// If Hi is nil, the values of the one quantile go to Lo: the middles of its
// elements, with the bits of package rank, NaN the canonical one. That is so for
// float32 and float64 where NetworkMiddles says it.
type Picked[K Key] struct {
	Lo, Hi []K
	Stride int
	Counts []uint8
}

// NetworkMemory returns how many keys of memory Network needs.
func NetworkMemory[K Key]() int { return networkBytes / int(unsafe.Sizeof(K(0))) }

// networkBytes is most of a first-level cache of 32 KiB, where the rows worked on are to
// stay. Medians of 20x500000 float32 with NaN take 1.1 times as long with 16 KiB or 32.
const networkBytes = 24 << 10

// Network picks elements of the lanes of a tile by a network of
// compare-exchange steps, the same for each lane, and reports whether any lane
// has a NaN. memory is overwritten.
func Network[K Key](p *Networks, t Tile, e Encoding[K], to Picked[K], memory []K) (nan bool) {
	if t.Lanes == 0 {
		return false
	}
	last := (len(p.tables)-1)*to.Stride + t.Lanes - 1
	_, _ = to.Lo[last], memory[NetworkMemory[K]()-1]
	if to.Hi != nil {
		_ = to.Hi[last]
	} else if len(p.tables) != 1 || e.Code != Float || !NetworkMiddles[K](t.Lanes) {
		panic("kernel: a network that has no middles is asked for them")
	}
	if e.Code != Float {
		to.Counts = nil
	}
	if to.Counts != nil {
		_ = to.Counts[t.Lanes-1]
	}
	if networkVector(p, t, e, to, memory, &nan) {
		return nan
	}
	return networkGeneric(p, t, e, to, memory)
}
