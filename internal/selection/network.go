package selection

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// middles reports whether there is one quantile, the middle of two order
// statistics or one of them, in every lane of so many elements as have these
// ranks.
func (w *Want) middles(r *rank.Wants) bool {
	if len(r.Positions) != 1 {
		return false
	}
	p := &r.Positions[0]
	return w.halves || !w.skip && p.Low == 0 && (p.G == 0 || p.G == 0.5)
}

// byNetwork selects in many short lanes, side by side, with one network. Middles
// of floats, and keys that need no second one, go to dst: its memory is fetched
// while the network computes, and 7x1400000 float32 take a sixth less time than
// by way of s.
func byNetwork[K kernel.Key](w *Want, c Coding[K], t kernel.Tile, dst []K, s *crew.Scratch) Result[K] {
	q := w.Len()
	r := Result[K]{Lanes: t.Lanes, Lo: dst, Hi: dst}
	if dst != nil && w.middles(ranksOf(s, w, t.N)) && c.Code == kernel.Float && kernel.NetworkMiddles[K](t.Lanes) {
		to := kernel.Picked[K]{Lo: dst, Stride: t.Lanes}
		kernel.Network(networksOf(s, w, t.N), t, c.Encoding, to, crew.Alloc[K](s, kernel.NetworkMemory[K]()))
		r.Values = true
		return r
	}
	if pos := ranksOf(s, w, t.N).Positions; dst == nil || q > 1 || w.skip || pos[0].Lo != pos[0].Hi {
		r.Lo, r.Hi = crew.Alloc[K](s, q*t.Lanes), crew.Alloc[K](s, q*t.Lanes)
	}
	to := kernel.Picked[K]{Lo: r.Lo, Hi: r.Hi, Stride: t.Lanes}
	if w.skip && !w.halves && c.Code == kernel.Float {
		to.Counts = crew.Alloc[uint8](s, t.Lanes)
	}
	nan := kernel.Network(networksOf(s, w, t.N), t, c.Encoding, to, crew.Alloc[K](s, kernel.NetworkMemory[K]()))
	if !nan || !w.skip {
		r.NewWeights(w.set, false, s)
		r.weigh(ranksOf(s, w, t.N), 0, t.Lanes)
		return r
	}
	if w.halves {
		return r
	}
	r.NewWeights(w.set, true, s)
	for q := range q {
		var weights, lacking [1 << 8]float64 // by the count of values
		for m := 1; m <= t.N; m++ {
			p := &ranksOf(s, w, m).Positions[q]
			weights[m], lacking[m] = p.G, p.Low
		}
		g := r.G[q*t.Lanes:][:len(to.Counts)]
		for j, m := range to.Counts {
			g[j] = weights[m]
		}
		if r.Low != nil {
			low := r.Low[q*t.Lanes:][:len(to.Counts)]
			for j, m := range to.Counts {
				low[j] = lacking[m]
			}
		}
	}
	return r
}
