package kernel

import "unsafe"

// comparator is one step of a network: rows a and b are ordered.
type comparator struct {
	a, b uint8
	run  uint8 // the length of the runs that are merged
}

// program is a network with what its steps are for.
type program struct {
	steps  []comparator
	stages networkStages
}

// build makes the network of n rows in which the rows of need end as order
// statistics.
func (g *program) build(n, quantiles int, need uint64) {
	g.steps = batcher(g.steps[:0], n, n, need)
	g.stages.set(n, quantiles, need, g.steps)
}

// batcher appends the steps that sort runs of so many of n rows, on which one of
// the rows of need depends: Batcher's odd-even merge sort (Knuth, TAOCP 3, 5.3.4).
func batcher(steps []comparator, n, run int, need uint64) []comparator {
	for p := 1; p < run; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := 0; i < min(k, n-j-k); i++ {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						steps = append(steps, comparator{a: uint8(i + j), b: uint8(i + j + k), run: uint8(p)})
					}
				}
			}
		}
	}
	// Backwards from the wanted rows; the steps that stay gather at the end.
	live, first := need, len(steps)
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		if rows := uint64(1<<s.a | 1<<s.b); live&rows != 0 {
			live |= rows
			first--
			steps[first] = s
		}
	}
	return steps[:copy(steps, steps[first:])]
}

// apply runs the network on rows of keys, width keys each. Steps of neighbours
// are one.
func apply[K Key](steps []comparator, keys []K, width int) {
	for i := 0; i < len(steps); {
		a, b, n := int(steps[i].a), int(steps[i].b), 1
		for i++; i < len(steps) && a+n < b && int(steps[i].a) == a+n && int(steps[i].b) == b+n; i++ {
			n++
		}
		SortPairs(keys[a*width:][:n*width], keys[b*width:][:n*width])
	}
}

// networkGeneric is Network, for as many lanes at a time as memory holds.
func networkGeneric[K Key](p *Picks, t Tile, e Encoding[K], to Picked[K], memory []K) (nan bool) {
	width := min(len(memory)/p.n, t.Lanes)
	if width > 64 {
		width &^= 63 // whole cache lines
	}
	for first := 0; first < t.Lanes; first += width {
		lanes := min(width, t.Lanes-first)
		keys := memory[:p.n*lanes]
		part := t.part(0, first, t.N, lanes, unsafe.Sizeof(K(0)))
		if EncodeTile(keys, lanes, 1, part, e) == 0 {
			networkWhole(p, keys, lanes, to.from(first))
		} else {
			networkHoled(p, keys, lanes, to.from(first))
			nan = true
		}
	}
	return nan
}

// from returns the answers from the given lane on.
func (to Picked[K]) from(lane int) Picked[K] {
	to.Lo = to.Lo[lane:]
	if to.Hi != nil {
		to.Hi = to.Hi[lane:]
	}
	if to.Counts != nil {
		to.Counts = to.Counts[lane:]
	}
	return to
}

// networkWhole picks elements of lanes without NaN: rows.
func networkWhole[K Key](p *Picks, keys []K, lanes int, to Picked[K]) {
	apply(p.whole.steps, keys, lanes)
	for q := range p.quantiles {
		lo, hi := p.at(q, p.n)
		copy(to.Lo[q*to.Stride:], keys[lo*lanes:][:lanes])
		copy(to.Hi[q*to.Stride:], keys[hi*lanes:][:lanes])
	}
	if to.Counts != nil {
		for j := range lanes {
			to.Counts[j] = uint8(p.n)
		}
	}
}

// networkHoled picks elements of lanes by their counts of values.
func networkHoled[K Key](p *Picks, keys []K, lanes int, to Picked[K]) {
	var memory [networkBytes]uint8 // a lane is a key at least
	counts := memory[:lanes]
	for at := 0; at < len(keys); at += lanes {
		for j, k := range keys[at : at+lanes] {
			value := uint8(0)
			if k != MaxKey[K]() {
				value = 1
			}
			counts[j] += value
		}
	}
	apply(p.holed.steps, keys, lanes)
	for q := range p.quantiles {
		lower, upper := to.Lo[q*to.Stride:][:lanes], to.Hi[q*to.Stride:][:lanes]
		for j, m := range counts {
			lo, hi := p.at(q, int(m))
			lower[j], upper[j] = keys[lo*lanes+j], keys[hi*lanes+j]
		}
	}
	if to.Counts != nil {
		copy(to.Counts, counts)
	}
}
