package plot

import (
	"math"
	"slices"
)

// maxBins is how many bins are chosen at most where their number is not given.
const maxBins = 60

// Bins are intervals with counts: bin i holds what is at least Edges[i] and less than
// Edges[i+1], the last one its upper edge too. Values outside, infinities among them,
// and NaNs are not counted.
type Bins struct {
	Edges  []float64
	Counts [][]float64 // of each series: how many values, or the sum of their weights
	step   float64     // 0 if the bins are not equally wide
}

// NewBins chooses bins for samples, the same for all: n of them, or if that is 0 as many
// as the rule of Freedman and Diaconis gives, with round edges. On a logarithmic axis
// they are equally wide there.
func NewBins(samples []Sample, n int, log bool) *Bins {
	var all span
	width, integer := math.Inf(1), true
	for i := range samples {
		s := &samples[i]
		if s.Empty() {
			continue
		}
		for _, v := range s.Q {
			all.add(v, log)
		}
		integer = integer && s.Integer
		place := func(v float64) float64 { return v }
		if log {
			place = math.Log
		}
		if iqr := place(s.At(0.75)) - place(s.At(0.25)); iqr > 0 && s.Count > 0 {
			width = min(width, 2*iqr/math.Cbrt(float64(s.Count)))
		}
	}
	b := &Bins{Counts: make([][]float64, len(samples))}
	switch {
	case !all.some:
		b.Edges = []float64{0, 1}
	case all.lo == all.hi && !log:
		half := max(math.Abs(all.lo)/100, 0.5)
		b.Edges = []float64{all.lo - half, all.lo + half}
	case log:
		b.logarithmic(all, width, n)
	default:
		b.linear(all, width, n, integer)
	}
	for i := range b.Counts {
		b.Counts[i] = make([]float64, len(b.Edges)-1)
	}
	return b
}

func (b *Bins) linear(all span, width float64, n int, integer bool) {
	if apart := max(math.Abs(all.lo), math.Abs(all.hi)) * 1e-12; n == 0 && all.hi/2-all.lo/2 < apart {
		n = 1 // nothing round lies between
	}
	if n > 0 {
		for i := range n + 1 {
			b.Edges = append(b.Edges, all.lo+(all.hi-all.lo)*(float64(i)/float64(n)))
		}
		b.Edges[n] = all.hi
		b.step = (all.hi - all.lo) / float64(n)
		return
	}
	least := all.hi/maxBins - all.lo/maxBins
	if math.IsInf(width, 0) {
		width = least * 2
	}
	s := niceStep(max(width*0.7, least)) // the next round number above may be far above
	shift := 0.0
	if integer {
		for s.size() < 1 {
			s = s.next()
		}
		if s.size() == 1 {
			shift = 0.5 // a bin for each integer
		}
	}
	for k := math.Floor(all.lo/s.size() + shift); ; k++ {
		edge := s.times(k) - shift
		b.Edges = append(b.Edges, edge)
		if edge > all.hi || edge == all.hi && len(b.Edges) > 1 && !integer {
			break
		}
	}
	b.step = s.size()
}

func (b *Bins) logarithmic(all span, width float64, n int) {
	lo, hi := math.Log(all.lo), math.Log(all.hi)
	if lo == hi {
		lo, hi = lo-0.5, hi+0.5
	}
	if n == 0 {
		n = 30
		if !math.IsInf(width, 0) {
			n = min(max(int(math.Ceil((hi-lo)/width)), 5), maxBins)
		}
	}
	for i := range n + 1 {
		b.Edges = append(b.Edges, math.Exp(lo+(hi-lo)*float64(i)/float64(n)))
	}
	b.Edges[0], b.Edges[n] = min(b.Edges[0], all.lo), max(b.Edges[n], all.hi)
}

// Add counts values of a series.
func (b *Bins) Add(series int, values []float64) {
	for _, v := range values {
		b.AddWeighted(series, v, 1)
	}
}

// AddWeighted counts a value of a series as often as its weight says.
func (b *Bins) AddWeighted(series int, v, weight float64) {
	counts := b.Counts[series]
	last := len(counts) - 1
	if v >= b.Edges[0] && v <= b.Edges[last+1] {
		counts[b.find(v, last)] += weight
	}
}

// find returns the bin of a value within the edges.
func (b *Bins) find(v float64, last int) int {
	if b.step == 0 {
		i, found := slices.BinarySearch(b.Edges, v)
		if !found {
			i--
		}
		return min(i, last)
	}
	i := min(max(int((v-b.Edges[0])/b.step), 0), last) // off by one at an edge
	for i > 0 && v < b.Edges[i] {
		i--
	}
	for i < last && v >= b.Edges[i+1] {
		i++
	}
	return i
}
