package kernel

import (
	"slices"
	"unsafe"
)

// NetworkMax is the most elements of a lane that a network takes: as many as
// AVX-512 has registers.
const NetworkMax = 32

// Picks says which elements of sorted lanes of n elements are wanted: for each
// quantile one, or it and the next one, depending on how many elements of a
// lane are not NaN, since these come last. The zero value is ready for Start.
type Picks struct {
	n, quantiles int
	stale        bool
	// For each quantile the elements by the count m of values, at (m-1)%32, and
	// as far behind them how many places the second one lies further up.
	tables []uint8
	whole  program // of lanes without NaN
	holed  program // of all lanes
}

const (
	pickBytes = 64 // of the tables, for a quantile
	pairTable = 32 // where the places of the second elements begin
)

// Start begins the picks of so many quantiles in lanes of n elements. For each
// quantile Whole is called, or Set with every count from 1 to n; then Finish.
func (p *Picks) Start(n, quantiles int) {
	if p.n != n || p.quantiles != quantiles {
		p.n, p.quantiles, p.stale = n, quantiles, true
		p.tables = slices.Grow(p.tables[:0], quantiles*pickBytes)[:quantiles*pickBytes]
		clear(p.tables)
	}
}

// Set makes elements lo and hi, which is lo or lo+1, those that quantile q wants
// of lanes with m values, m > 0. Those of lanes without values are NaN.
func (p *Picks) Set(q, m, lo, hi int) {
	if hi-lo != (hi-lo)&1 || lo < 0 || hi >= p.n {
		panic("kernel: the elements of a quantile are not neighbours")
	}
	t := (*[pickBytes]uint8)(p.tables[q*pickBytes:])
	at := (m - 1) % NetworkMax
	if t[at] != uint8(lo) || t[pairTable+at] != uint8(hi-lo) {
		t[at], t[pairTable+at] = uint8(lo), uint8(hi-lo)
		p.stale = true
	}
}

// Whole is Set for lanes without NaN, and makes the answers of the others NaN.
func (p *Picks) Whole(q, lo, hi int) {
	for m := 1; m < p.n; m++ {
		p.Set(q, m, p.n-1, p.n-1)
	}
	p.Set(q, p.n, lo, hi)
}

// Finish prepares the steps that lead to the elements that were set.
func (p *Picks) Finish() {
	if !p.stale {
		return
	}
	p.stale = false
	whole, all := uint64(0), uint64(1) // lanes without values take element 0
	for q := range p.quantiles {
		for m := 1; m <= p.n; m++ {
			lo, hi := p.at(q, m)
			all |= 1<<lo | 1<<hi
			if m == p.n {
				whole |= 1<<lo | 1<<hi
			}
		}
	}
	p.whole.build(p.n, p.quantiles, whole)
	p.holed.build(p.n, p.quantiles, all)
}

// at returns the elements that quantile q wants of lanes with m values.
func (p *Picks) at(q, m int) (lo, hi int) {
	t := (*[pickBytes]uint8)(p.tables[q*pickBytes:])
	at := uint(m-1) % NetworkMax
	lo = int(t[at])
	return lo, lo + int(t[pairTable+at])
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
func Network[K Key](p *Picks, t Tile, e Encoding[K], to Picked[K], memory []K) (nan bool) {
	if t.Lanes == 0 {
		return false
	}
	last := (p.quantiles-1)*to.Stride + t.Lanes - 1
	_, _ = to.Lo[last], memory[NetworkMemory[K]()-1]
	if to.Hi != nil {
		_ = to.Hi[last]
	} else if p.quantiles != 1 || e.Code != Float || !NetworkMiddles[K](t.Lanes) {
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
