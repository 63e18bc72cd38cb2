package engine

import (
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/selection/weighted"
)

// groupWeights are the weights of the elements of groups.
type groupWeights[K kernel.Key] struct {
	reader weightReader
	stride int // of an element along the axis
	call   weighted.Call[K]

	mu  sync.Mutex
	bad badGroup
}

// badGroup is the first group whose weights have no proper sum.
type badGroup struct {
	found, large bool
	rank, lane   int
}

// init prepares w for the weights of p, if there are any.
func (w *groupWeights[K]) init(p *Plan) {
	w.bad = badGroup{}
	o := &p.order
	if !o.weights.on {
		return
	}
	w.reader.init(&o.weights, &o.weights.array, o.reduced)
	w.stride = o.weights.array.Strides()[p.Axes()[0]]
	w.call = weighted.Call[K]{
		Set: o.want.Set(), Skip: o.skipNaN, Encoding: kernel.EncodingOf[K](p.dt),
		Weighting: &o.weights.sums, Thresholds: p.Config.Thresholds(),
	}
}

// forget drops the references to the weights.
func (w *groupWeights[K]) forget() {
	w.reader.lanes, w.reader.sums, w.call = lane.Lanes{}, nil, weighted.Call[K]{}
}

// gather writes the weights of a lane's elements at the positions to dst, widened.
func (w *groupWeights[K]) gather(dst []uint64, lane int, positions []uint32, s *crew.Scratch) {
	mark := s.Mark()
	raw, base := dst, w.reader.lanes.Pointer(lane, 0)
	n, size := len(positions), w.reader.dt.Size()
	if size < 8 {
		raw = crew.Alloc[uint64](s, (n*size+7)/8)
	}
	at := unsafe.Pointer(unsafe.SliceData(raw))
	switch size {
	case 1:
		gather(unsafe.Slice((*uint8)(at), n), base, w.stride, positions)
	case 2:
		gather(unsafe.Slice((*uint16)(at), n), base, w.stride, positions)
	case 4:
		gather(unsafe.Slice((*uint32)(at), n), base, w.stride, positions)
	default:
		gather(unsafe.Slice((*uint64)(at), n), base, w.stride, positions)
	}
	w.reader.convert(dst, at)
	s.Release(mark)
}

// check notes a group whose widened weights, of which none is negative, do not have
// a positive sum, or frequencies too large a one.
func (w *groupWeights[K]) check(weights []uint64, rank, lane int) {
	total := int64(0)
	if w.reader.dt.IsFloat() {
		for _, b := range weights {
			if b<<1 != 0 { // neither 0 nor -0
				return
			}
		}
	} else if total, _ = weighted.AddFrequencies(0, weights); 0 < total && total < weighted.MaxFrequencies {
		return
	}
	bad := badGroup{found: true, large: total > 0, rank: rank, lane: lane}
	w.mu.Lock()
	if b := &w.bad; !b.found || rank < b.rank || rank == b.rank && lane < b.lane {
		*b = bad
	}
	w.mu.Unlock()
}

// failed returns the error of the first group that check noted.
func (w *groupWeights[K]) failed(keys *nd.Array) error {
	switch {
	case !w.bad.found:
		return nil
	case w.bad.large:
		return errs.New(errs.ErrWeights, "weights of group %v sum to 2^53 or more, which is too large for frequencies", keyOf(keys, w.bad.rank))
	}
	return errs.New(errs.ErrWeights, "weights of group %v sum to 0, want a positive sum", keyOf(keys, w.bad.rank))
}

// keyOf returns a key as a message shows it.
func keyOf(keys *nd.Array, i int) string {
	one, err := keys.Slice(0, i, i+1, 1)
	if err == nil {
		one, err = one.Reshape()
	}
	if err != nil {
		panic("engine: no such key: " + err.Error())
	}
	return one.Format()
}

// selectWeighted is selectIn with the weights of the elements, which are at the
// given positions.
func (r *groupRun[K, E]) selectWeighted(elements []K, positions, lengths, ranks []uint32, first, lane int, s *crew.Scratch) {
	w := &r.weights
	from := lane
	if w.reader.shared {
		from = 0
	}
	weights := crew.Alloc[uint64](s, len(positions))
	w.gather(weights, from, positions, s)
	most := uint32(0)
	for i, at := 0, 0; i < len(lengths); i++ {
		w.check(weights[at:at+int(lengths[i])], first+int(ranks[i]), lane)
		at += int(lengths[i])
		most = max(most, lengths[i])
	}
	w.reader.sums.Load(weights)
	kernel.Encode(elements, elements, w.call.Encoding)

	count, q := len(lengths), w.call.Set.Len()
	short := weighted.NewShort(&w.call, int(most), s)
	res := selection.NewKeys[K](w.call.Set, count, s)
	res.NewWeights(w.call.Set, true, s)
	for i, n := range lengths {
		short.Select(elements[:n], weights[:n])
		elements, weights = elements[n:], weights[n:]
		for q := range q {
			at := q*count + i
			lo, hi, p := short.Answer(q)
			res.Lo[at], res.Hi[at] = lo, hi
			res.Weigh(at, at+1, p)
		}
	}
	if count > 0 {
		values := crew.Alloc[uint64](s, count)
		r.store(&res, unsafe.Pointer(unsafe.SliceData(values)), ranks, first, lane, s)
	}
}
