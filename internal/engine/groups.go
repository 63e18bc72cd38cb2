package engine

import (
	"math/bits"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/groups"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
)

// checkKeys checks the keys of groups: one for each element along the axis, of an
// integer dtype or bool.
func (p *Plan) checkKeys(keys *nd.Array) error {
	if p.ndim == 0 {
		return errs.New(errs.ErrShape, "x has no dimensions, and so no axis with keys")
	}
	if len(p.Axes()) != 1 {
		return errs.New(errs.ErrAxis, "groups lie along one axis, got axes %v", p.Axes())
	}
	if dt := keys.DType; !dt.IsInteger() && !dt.IsBool() {
		return errs.New(errs.ErrDType, "keys are %v, want integers or bool", dt)
	}
	n := p.laneLen()
	if keys.NDim() != 1 || keys.Len() != n {
		return errs.New(errs.ErrShape, "keys have shape %v, want [%d], x's length along axis %d", keys.Shape(), n, p.Axes()[0])
	}
	if uint64(n) > groups.MaxLen {
		return errs.New(errs.ErrShape, "%d keys, at most %d", n, uint64(groups.MaxLen))
	}
	_, err := nd.Count(p.groupedShape(min(n, 1)), p.result.Size())
	return err
}

// groupedShape returns the shape of the result for so many groups: they stand
// before x's other axes.
func (p *Plan) groupedShape(count int) []int {
	shape := make([]int, 0, nd.MaxDims+1)
	rest := p.Shape()
	if p.order.vector {
		shape, rest = append(shape, rest[0]), rest[1:]
	}
	return append(append(shape, count), rest...)
}

// RunGroups computes the results of a plan that was made with these keys for x, which
// passed CheckInput; both are on the host. They are those of the elements with equal
// keys, in the ascending order of the keys. It returns the keys and the values. Weights of a group that do not have a positive sum below
// 2^53 are an error; otherwise it fails only if the context ends.
func (p *Plan) RunGroups(x, keys *nd.Array) (of, values nd.Array, err error) {
	k := keys.Contiguous()
	defer runtime.KeepAlive(&k)
	switch p.dt.Size() {
	case 1:
		return runGroups[int8](p, x, &k)
	case 2:
		return runGroups[int16](p, x, &k)
	case 4:
		return runGroups[int32](p, x, &k)
	default:
		return runGroups[int64](p, x, &k)
	}
}

// runGroups is RunGroups with keys of the elements of type K. Elements of a single
// lane without weights are themselves brought together, others' positions.
func runGroups[K kernel.Key](p *Plan, x, keys *nd.Array) (of, values nd.Array, err error) {
	if x.NDim() == 1 && !p.order.weights.on {
		return groupsOf[K, K](p, x, keys, true)
	}
	return groupsOf[K, uint32](p, x, keys, false)
}

// groupRun selects in groups. E are the elements that are brought together: those of
// x, or their positions along the axis.
type groupRun[K kernel.Key, E any] struct {
	crew.Crew
	plan    *Plan
	coding  selection.Coding[K]
	numbers groups.Numbers
	levels  []*groups.Division[E]

	direct  bool // E are the elements of x
	lanes   lane.Lanes
	stride  int // of an element along the axis
	weights groupWeights[K]
	out     nd.Array
	lane    []K // of the gathered elements of a long group
}

// groupRuns keep the memory of groupRuns, by the size of their keys and by whether
// they are direct.
var groupRuns [4][2]sync.Pool

// groupsOf runs the plan.
func groupsOf[K kernel.Key, E any](p *Plan, x, keys *nd.Array, direct bool) (of, values nd.Array, err error) {
	pool := &groupRuns[bits.TrailingZeros(uint(unsafe.Sizeof(K(0))))][0]
	if direct {
		pool = &groupRuns[bits.TrailingZeros(uint(unsafe.Sizeof(K(0))))][1]
	}
	r, ok := pool.Get().(*groupRun[K, E])
	if !ok {
		r = new(groupRun[K, E])
	}
	r.plan, r.direct, r.Config = p, direct, p.Config.Config
	r.coding = selection.Coding[K]{Encoding: kernel.EncodingOf[K](p.dt), NaN: K(dtype.CanonicalNaN(p.dt))}
	r.lanes.Init(x, p.order.reduced, true)
	r.stride = x.Strides()[p.Axes()[0]]
	r.weights.init(p)
	of, values, err = r.run(keys)
	runtime.KeepAlive(x)
	r.plan, r.Config, r.out, r.lanes = nil, crew.Config{}, nd.Array{}, lane.Lanes{}
	r.weights.forget()
	pool.Put(r)
	return of, values, err
}

// run numbers the groups, allocates the results and selects.
func (r *groupRun[K, E]) run(keys *nd.Array) (of, values nd.Array, err error) {
	p, n := r.plan, keys.Len()
	r.Budget = max(r.Config.Thresholds().CollectBytes, n*int(unsafe.Sizeof(K(0)))/8)
	if n == 0 {
		r.numbers.Count = 0
	} else if err = r.numbers.Init(&r.Crew, keys.DType, keys.Pointer(0), n); err != nil {
		return nd.Array{}, nd.Array{}, err
	}
	count := r.numbers.Count
	if of, err = nd.New(keys.DType, count); err == nil {
		r.out, err = nd.New(p.result, p.groupedShape(count)...)
	}
	if err == nil && count > 0 {
		r.numbers.Keys(of.Pointer(0), keys.DType.Size())
	}
	if err == nil && r.out.Len() > 0 {
		err = r.divide(r.numbers.Of, 0, r.numbers.Span, r.read, 0)
	}
	if err == nil {
		err = r.weights.failed(&of)
	}
	if err != nil {
		return nd.Array{}, nd.Array{}, err
	}
	return of, r.out, nil
}

// read returns elements in the order of the keys.
func (r *groupRun[K, E]) read(dst []E, from, to int) []E {
	switch {
	case !r.direct:
		positions := kernel.As[uint32](dst[:to-from])
		for i := range positions {
			positions[i] = uint32(from + i)
		}
	case r.stride == 1:
		return unsafe.Slice((*E)(r.lanes.Pointer(0, from)), to-from)
	default:
		nd.CopyRun(unsafe.Pointer(unsafe.SliceData(dst)), 1, r.lanes.Pointer(0, from), r.stride, to-from, int(unsafe.Sizeof(K(0))))
	}
	return dst[:to-from]
}

const (
	// groupPart is about how many elements are arranged by group at a time: with their
	// numbers they stay in the second-level cache. 10M float64 in 1M groups take 1.3 times
	// as long by a quarter of it, as long by four times, and 1.2 times by sixteen.
	groupPart = 1 << 14

	// groupParts is the most parts into which elements are divided at a time: as many
	// places in memory are written to in turn.
	groupParts = 1 << 11
)

// divide selects in the groups of the elements with the given numbers, of which there
// are span from first on. Elements are divided until few enough are left that one
// worker arranges them by group.
func (r *groupRun[K, E]) divide(numbers []uint32, first uint32, span int, read func(dst []E, from, to int) []E, level int) error {
	n := len(numbers)
	parts := min(max((n+groupPart-1)/groupPart, 1), groupParts)
	shift := uint(bits.Len(uint((span+parts-1)/parts - 1)))
	if level == len(r.levels) {
		r.levels = append(r.levels, new(groups.Division[E]))
	}
	d := r.levels[level]
	if err := d.Divide(&r.Crew, numbers, first, span, shift, read); err != nil {
		return err
	}
	long, largest := r.longFrom(n), 0
	for i := range d.Ends {
		if from, to := d.Part(i); to-from < long {
			largest = max(largest, to-from)
		}
	}
	r.Memory = largest*(2*int(unsafe.Sizeof(K(0)))+16) + 8<<shift
	err := r.Each(len(d.Ends), n, func(i int, s *crew.Scratch) {
		if from, to := d.Part(i); from < to && to-from < long {
			r.part(d, i, first+uint32(i)<<shift, min(1<<shift, span-i<<shift), s)
		}
	})
	if err != nil {
		return err
	}
	for i := range d.Ends {
		from, to := d.Part(i)
		if to-from < long {
			continue
		}
		if shift == 0 {
			err = r.longGroup(d.Elements[from:to], r.numbers.Rank(int(first)+i))
		} else {
			err = r.divide(d.Numbers[from:to], first+uint32(i)<<shift, min(1<<shift, span-i<<shift), func(_ []E, a, b int) []E {
				return d.Elements[from+a : from+b]
			}, level+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// longFrom returns from which number of elements on a part of so many is the work of
// all workers: where it is a large share, and much. More than groupPart are divided
// into two parts at least, so that no part is divided for ever.
func (r *groupRun[K, E]) longFrom(n int) int {
	if r.plan.order.weights.on {
		return n + 1
	}
	return max(r.Config.Thresholds().BigBytes/int(unsafe.Sizeof(K(0))), n/(4*r.Workers())+1, groupPart+1)
}

// part selects in the groups of part i of a division: it has span numbers from first on.
func (r *groupRun[K, E]) part(d *groups.Division[E], i int, first uint32, span int, s *crew.Scratch) {
	from, to := d.Part(i)
	elements := d.Elements[from:to]
	var a groups.Arranged[E]
	if span == 1 {
		one := crew.Alloc[uint32](s, 2)
		one[0], one[1] = uint32(to-from), 0
		a = groups.Arranged[E]{Elements: elements, Lengths: one[:1], Ranks: one[1:]}
	} else {
		a = groups.Arrange(d.Numbers[from:to], first, span, elements, s)
	}
	rank := r.numbers.Rank(int(first))
	if r.direct {
		r.selectIn(kernel.As[K](a.Elements), a.Lengths, a.Ranks, rank, 0, s)
		return
	}
	positions := kernel.As[uint32](a.Elements)
	keys := crew.Alloc[K](s, len(positions))
	for j := range r.lanes.Count {
		mark := s.Mark()
		gather(keys, r.lanes.Pointer(j, 0), r.stride, positions)
		if r.plan.order.weights.on {
			r.selectWeighted(keys, positions, a.Lengths, a.Ranks, rank, j, s)
		} else {
			r.selectIn(keys, a.Lengths, a.Ranks, rank, j, s)
		}
		s.Release(mark)
	}
}

// gather copies the elements at the positions to dst, from memory in which they are
// stride apart.
func gather[T any](dst []T, base unsafe.Pointer, stride int, positions []uint32) {
	size := uintptr(stride) * unsafe.Sizeof(*new(T))
	for i, at := range positions {
		dst[i] = *(*T)(unsafe.Add(base, uintptr(at)*size))
	}
}

// selectIn selects in groups that lie one after the other, and may overwrite them;
// ranks are counted from first. Groups of equal length are lanes of a tile.
func (r *groupRun[K, E]) selectIn(elements []K, lengths, ranks []uint32, first, lane int, s *crew.Scratch) {
	w, workers := &r.plan.order.want, r.Workers()
	for i := 0; i < len(lengths); {
		n, j := lengths[i], i+1
		for j < len(lengths) && lengths[j] == n {
			j++
		}
		shape := selection.Shape{N: int(n), Lanes: j - i, Adjacent: true, Workers: workers}
		choice := selection.Choose[K](w, shape)
		for i < j {
			mark := s.Mark()
			lanes := min(choice.Width, j-i)
			tile := kernel.Tile{Base: unsafe.Pointer(unsafe.SliceData(elements)), N: int(n), Stride: 1, Lanes: lanes, LaneStride: int(n)}
			values := crew.Alloc[uint64](s, lanes) // large enough for any dtype
			var keys []K
			if w.Len() == 1 && r.out.DType == r.plan.dt {
				keys = kernel.As[K](values)
			}
			res := selection.Tile(choice.Way, w, r.coding, tile, true, keys, s)
			r.store(&res, unsafe.Pointer(unsafe.SliceData(values)), ranks[i:i+lanes], first, lane, s)
			s.Release(mark)
			elements = elements[lanes*int(n):]
			i += lanes
		}
	}
}

// store puts the answers of groups where they belong, by way of values.
func (r *groupRun[K, E]) store(res *selection.Result[K], values unsafe.Pointer, ranks []uint32, first, lane int, s *crew.Scratch) {
	for q := range r.plan.order.want.Len() {
		if !res.Values { // otherwise values has them
			finishQuantile(r.plan, values, res, q, r.coding, s)
		}
		place(&r.out, q*r.numbers.Count+first, r.lanes.Count, lane, values, ranks)
	}
}

// place copies values to the rows of out with the given ranks, counted from first,
// each in the same column.
func place(out *nd.Array, first, columns, column int, values unsafe.Pointer, ranks []uint32) {
	dst := out.Pointer(first*columns + column)
	switch out.DType.Size() {
	case 1:
		placeAs[uint8](dst, columns, values, ranks)
	case 2:
		placeAs[uint16](dst, columns, values, ranks)
	case 4:
		placeAs[uint32](dst, columns, values, ranks)
	default:
		placeAs[uint64](dst, columns, values, ranks)
	}
}

func placeAs[T any](dst unsafe.Pointer, columns int, values unsafe.Pointer, ranks []uint32) {
	size := uintptr(columns) * unsafe.Sizeof(*new(T))
	for i, v := range unsafe.Slice((*T)(values), len(ranks)) {
		*(*T)(unsafe.Add(dst, uintptr(ranks[i])*size)) = v
	}
}

// longGroup selects in a long group, by a plan of its own.
func (r *groupRun[K, E]) longGroup(elements []E, rank int) error {
	o := &r.plan.order
	var plan Plan
	plan.Config = r.plan.Config
	plan.Config.Overwrite = true // elements are copies
	call := Order{Set: o.want.Set(), Vector: true, SkipNaN: o.skipNaN, EmptyNaN: true, AllAxes: true}
	if err := plan.InitOrder(r.plan.Name, r.plan.dt, []int{len(elements)}, &call); err != nil {
		return err
	}
	out, err := nd.New(plan.result, o.want.Len())
	if err != nil {
		return err
	}
	keys := kernel.As[K](elements)
	if !r.direct {
		r.lane = crew.Resize(r.lane, len(elements))
		keys = r.lane
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(keys))), len(keys)*int(unsafe.Sizeof(K(0))))
	x, err := nd.FromBytes(r.plan.dt, bytes, nil, len(keys))
	if err != nil {
		return err
	}
	for j := range r.lanes.Count {
		if !r.direct {
			if err := r.gatherAll(keys, kernel.As[uint32](elements), j); err != nil {
				return err
			}
		}
		if err := plan.Run(&x, &out, nil); err != nil {
			return err
		}
		for q := range o.want.Len() {
			place(&r.out, q*r.numbers.Count+rank, r.lanes.Count, j, out.Pointer(q), []uint32{0})
		}
	}
	return nil
}

// gatherAll is gather of a lane by all workers.
func (r *groupRun[K, E]) gatherAll(dst []K, positions []uint32, lane int) error {
	chunk := r.Config.Thresholds().TaskElements
	base := r.lanes.Pointer(lane, 0)
	return r.Each((len(dst)+chunk-1)/chunk, len(dst), func(i int, _ *crew.Scratch) {
		from, to := i*chunk, min((i+1)*chunk, len(dst))
		gather(dst[from:to], base, r.stride, positions[from:to])
	})
}
