package engine

import (
	"math/bits"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/groups"
	"github.com/ogive-go/ogive/internal/interpolate"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/selection/weighted"
	"github.com/ogive-go/ogive/internal/weights"
)

// checkKeys checks the keys of groups: one for each element along the axis, of an
// integer dtype or bool.
func checkKeys(s *statistic, keys *nd.Array) error {
	if s.ndim == 0 {
		return errs.New(errs.ErrShape, "x has no dimensions, and so no axis with keys")
	}
	if len(s.Axes()) != 1 {
		return errs.New(errs.ErrAxis, "groups lie along one axis, got axes %v", s.Axes())
	}
	if dt := keys.DType; !dt.IsInteger() && !dt.IsBool() {
		return errs.New(errs.ErrDType, "keys are %v, want integers or bool", dt)
	}
	n := s.n
	if keys.NDim() != 1 || keys.Len() != n {
		return errs.New(errs.ErrShape, "keys have shape %v, want [%d], x's length along axis %d", keys.Shape(), n, s.Axes()[0])
	}
	if uint64(n) > groups.MaxLen {
		return errs.New(errs.ErrShape, "%d keys, at most %d", n, uint64(groups.MaxLen))
	}
	_, err := nd.Count(groupedShape(s, min(n, 1)), s.result.Size())
	return err
}

// groupedShape returns the shape of the result for so many groups: they stand
// before x's other axes.
func groupedShape(s *statistic, count int) []int {
	shape := make([]int, 0, nd.MaxDims+1)
	rest := s.Shape()
	if s.vector {
		shape, rest = append(shape, rest[0]), rest[1:]
	}
	return append(append(shape, count), rest...)
}

// groupsRun computes order statistics of groups. E are the elements that are brought
// together: those of x, or their positions along the axis.
type groupsRun[K kernel.Key, E any] struct {
	*job
	values  interpolate.Values[K]
	numbers groups.Numbers
	levels  []*groups.Division[E]

	direct   bool // E are the elements of x
	weighted bool
	weights  groupWeights[K]
	out      nd.Array
	long     longGroup[K]
}

// run numbers the groups, allocates the results and selects. w are the weights, or nil.
func (r *groupsRun[K, E]) run(j *job, w *weights.Weights, keys *nd.Array, direct bool) (of, values nd.Array, err error) {
	n := keys.Len()
	r.job, r.direct, r.weighted = j, direct, w != nil
	r.values.Init(j.dt, j.want.Set())
	if r.weighted {
		r.weights.begin(j, w)
	}
	j.lanes.Init(j.x, j.reduced, true)
	j.Budget = max(j.Config.Thresholds().CollectBytes, n*int(unsafe.Sizeof(K(0)))/8)
	if n == 0 {
		r.numbers.Count = 0
	} else if err = r.numbers.Init(&j.Crew, keys.DType, keys.Pointer(0), n); err != nil {
		return of, values, err
	}
	count := r.numbers.Count
	if of, err = nd.New(keys.DType, count); err == nil {
		r.out, err = nd.New(j.result, groupedShape(j.statistic, count)...)
	}
	if err == nil && count > 0 {
		r.numbers.Keys(of.Pointer(0), keys.DType.Size())
	}
	if err == nil && r.out.Len() > 0 {
		err = r.divide(r.numbers.Of, 0, r.numbers.Span, r.read, 0)
	}
	if err == nil && r.weighted {
		err = r.weights.failed(&of)
	}
	values = r.out
	r.out, r.weights.reader, r.weights.call = nd.Array{}, weights.Reader{}, weighted.Call[K]{}
	return of, values, err
}

// read returns elements in the order of the keys.
func (r *groupsRun[K, E]) read(dst []E, from, to int) []E {
	stride, _ := r.lanes.Pitch()
	switch {
	case !r.direct:
		positions := kernel.As[uint32](dst[:to-from])
		for i := range positions {
			positions[i] = uint32(from + i)
		}
	case stride == 1:
		return unsafe.Slice((*E)(r.lanes.Pointer(0, from)), to-from)
	default:
		nd.CopyRun(unsafe.Pointer(unsafe.SliceData(dst)), 1, r.lanes.Pointer(0, from), stride, to-from, int(unsafe.Sizeof(K(0))))
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
func (r *groupsRun[K, E]) divide(numbers []uint32, first uint32, span int, read func(dst []E, from, to int) []E, level int) error {
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
func (r *groupsRun[K, E]) longFrom(n int) int {
	if r.weighted {
		return n + 1
	}
	return max(r.Config.Thresholds().BigBytes/int(unsafe.Sizeof(K(0))), n/(4*r.Workers())+1, groupPart+1)
}

// part selects in the groups of part i of a division: it has span numbers from first on.
func (r *groupsRun[K, E]) part(d *groups.Division[E], i int, first uint32, span int, s *crew.Scratch) {
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
		lane.Pick(keys, &r.lanes, j, positions)
		if r.weighted {
			res := r.weights.selectIn(keys, positions, a.Lengths, a.Ranks, rank, j, s)
			values := crew.Alloc[uint64](s, res.Lanes)
			r.store(&res, unsafe.Pointer(unsafe.SliceData(values)), a.Ranks, rank, j, s)
		} else {
			r.selectIn(keys, a.Lengths, a.Ranks, rank, j, s)
		}
		s.Release(mark)
	}
}

// selectIn selects in groups that lie one after the other, and may overwrite them;
// ranks are counted from first. Groups of equal length are lanes of a tile.
func (r *groupsRun[K, E]) selectIn(elements []K, lengths, ranks []uint32, first, lane int, s *crew.Scratch) {
	w, workers := &r.want, r.Workers()
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
			if w.Len() == 1 && r.out.DType == r.dt {
				keys = kernel.As[K](values)
			}
			res := selection.Tile(choice.Way, w, r.values.Coding, tile, true, keys, s)
			r.store(&res, unsafe.Pointer(unsafe.SliceData(values)), ranks[i:i+lanes], first, lane, s)
			s.Release(mark)
			elements = elements[lanes*int(n):]
			i += lanes
		}
	}
}

// store puts the answers of groups where they belong, by way of values.
func (r *groupsRun[K, E]) store(res *selection.Result[K], values unsafe.Pointer, ranks []uint32, first, lane int, s *crew.Scratch) {
	for q := range r.want.Len() {
		if !res.Values { // otherwise values has them
			r.values.Quantile(values, res, q, s)
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

// longGroup is a group that all workers select in together, a lane.
type longGroup[K kernel.Key] struct {
	job      job
	one      statistic // of a single lane
	lanes    lanesRun[K]
	x        nd.Array
	gathered []K
}

// longGroup selects in a long group, with the elements as scratch space if they are x's.
func (r *groupsRun[K, E]) longGroup(elements []E, rank int) error {
	n, g := len(elements), &r.long
	keys := kernel.As[K](elements)
	if !r.direct {
		g.gathered = crew.Resize(g.gathered, n)
		keys = g.gathered
	}
	g.one = *r.statistic
	out, err := g.init(keys)
	if err != nil {
		return err
	}
	g.job.begin(&g.one, &Config{Config: r.Config, Overwrite: true}, &g.x) // which are copies
	for j := range r.lanes.Count {
		if !r.direct {
			if err := r.gatherAll(keys, kernel.As[uint32](elements), j); err != nil {
				return err
			}
		}
		if err := g.job.answerParts(&out, nil, 1, func() error { return g.lanes.run(&g.job) }); err != nil {
			return err
		}
		for q := range r.want.Len() {
			place(&r.out, q*r.numbers.Count+rank, r.lanes.Count, j, out.Pointer(q), []uint32{0})
		}
	}
	g.job.end()
	g.x, g.one = nd.Array{}, statistic{}
	return nil
}

// init makes the statistic one of a lane of elements, whose values go to out.
func (g *longGroup[K]) init(elements []K) (out nd.Array, err error) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(elements))), len(elements)*int(unsafe.Sizeof(K(0))))
	if g.x, err = nd.FromBytes(g.one.dt, bytes, nil, len(elements)); err != nil {
		return out, err
	}
	if err = g.one.shapes.init(g.one.dt, g.x.Shape()); err != nil {
		return out, err
	}
	g.one.reduced, g.one.vector = 1, true
	g.one.layOut(false)
	return nd.New(g.one.result, g.one.Shape()...)
}

// gatherAll copies the elements of a lane at the positions to dst, by all workers.
func (r *groupsRun[K, E]) gatherAll(dst []K, positions []uint32, number int) error {
	chunk := r.Config.Thresholds().TaskElements
	return r.Each((len(dst)+chunk-1)/chunk, len(dst), func(i int, _ *crew.Scratch) {
		from, to := i*chunk, min((i+1)*chunk, len(dst))
		lane.Pick(dst[from:to], &r.lanes, number, positions[from:to])
	})
}
