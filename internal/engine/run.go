package engine

import (
	"math/bits"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/elements"
	"github.com/ogive-go/ogive/internal/interpolate"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
)

// run is what a running order statistic needs, by the width of its keys. What it keeps for
// the next one is the memory of each kind.
type run[K kernel.Key] struct {
	job       job
	lanes     lanesRun[K]
	weighted  weightedRun[K]
	windows   windowsRun[K]
	groups    groupsRun[K, K]      // of elements of a single lane
	positions groupsRun[K, uint32] // of others
}

// testRun is what a running element test needs.
type testRun struct {
	crew.Crew
	test   elements.Run
	answer target
}

// runs are those that nobody has: of order statistics by the size of keys, and of tests.
var runs [5]sync.Pool

// tests is the place of a testRun in runs.
const tests = 4

// Run computes the plan's result for x, which is on the host and passed
// CheckInput, into out and, if the plan is Positional, indices; both passed
// CheckOut, or are nil if not asked for. It fails only if the context ends.
func (p *Plan) Run(x, out, indices *nd.Array) error { return p.run(x, out, indices, nil) }

// run is Run that stores the order statistics in ends too, unless it is nil.
func (p *Plan) run(x, out, indices *nd.Array, ends *Ends) error {
	switch {
	case p.total == 0:
		return nil
	case p.kind == testKind:
		return p.runTest(x, out)
	}
	switch p.dt.Size() {
	case 1:
		return runOrder[int8](p, x, out, indices, ends)
	case 2:
		return runOrder[int16](p, x, out, indices, ends)
	case 4:
		return runOrder[int32](p, x, out, indices, ends)
	default:
		return runOrder[int64](p, x, out, indices, ends)
	}
}

// borrow returns a run, which its caller puts into the pool in the end.
func borrow[K kernel.Key]() (r *run[K], pool *sync.Pool) {
	pool = &runs[bits.TrailingZeros(uint(unsafe.Sizeof(K(0))))]
	r, ok := pool.Get().(*run[K])
	if !ok {
		r = new(run[K])
	}
	return r, pool
}

// runOrder is run of order statistics, by keys of type K.
func runOrder[K kernel.Key](p *Plan, x, out, indices *nd.Array, ends *Ends) error {
	if p.kind == shortKind && ends == nil && indices == nil && p.shortDirect(x, out) {
		return runShort[K](p, x, out)
	}
	r, pool := borrow[K]()
	j := &r.job
	j.begin(&p.statistic, &p.Config, x)
	if j.ends = ends; p.weighted {
		j.weights = &p.weights.Array
	}
	lanes := lanesAtOnce
	if p.kind == windowsKind {
		lanes = windowsAtOnce
	}
	err := j.answerParts(out, indices, lanes, func() error {
		switch {
		case p.weighted:
			return r.weighted.run(j, &p.weights)
		case p.kind == windowsKind:
			return r.windows.run(j, &p.window, &r.lanes)
		default:
			return r.lanes.run(j)
		}
	})
	j.end()
	pool.Put(r)
	return err
}

// runTest is run of an element test.
func (p *Plan) runTest(x, out *nd.Array) error {
	r, ok := runs[tests].Get().(*testRun)
	if !ok {
		r = new(testRun)
	}
	r.Config = p.Config.Config
	direct := out != nil && out.DType == dtype.Bool && out.IsContiguous() && !nd.Overlaps(out, x)
	r.answer.set(&p.shapes, dtype.Bool, out, direct)
	err := r.test.All(&r.Crew, &p.test, x, &r.answer.array)
	if err == nil {
		r.answer.finish()
	}
	r.answer.forget()
	r.Config = crew.Config{}
	runs[tests].Put(r)
	return err
}

// RunEnds is Run that returns the order statistics as well, for a plan of the
// quantile or median family. out may be nil.
func (p *Plan) RunEnds(x, out *nd.Array) (*Ends, error) {
	q, total := p.want.Len(), p.total
	e := &Ends{Lanes: total / q, only: out == nil}
	var err error
	if e.Lo, err = nd.New(p.dt, total); err != nil {
		return nil, err
	}
	e.Hi = e.Lo
	if !p.want.Method().Discrete() {
		if e.Hi, err = nd.New(p.dt, total); err != nil {
			return nil, err
		}
	}
	n := p.n
	switch {
	case n == 0:
		e.G = make([]float64, q)
		fillNaN(&e.Lo)
		fillNaN(&e.Hi)
	case p.skipNaN || p.weighted:
		e.G = make([]float64, total)
	default:
		e.G = make([]float64, q)
		for i := range e.G {
			e.G[i] = p.want.Position(i, int64(n)).G
		}
	}
	with := *p
	with.want.Weigh()
	return e, with.run(x, out, nil, e)
}

// RunGroups computes the results of a plan that was made with these keys for x, which
// passed CheckInput; both are on the host. They are those of the elements with equal
// keys, in the ascending order of the keys. It returns the keys and the values. Weights of a
// group that do not have a positive sum below 2^53 are an error; otherwise it fails only if
// the context ends.
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
	r, pool := borrow[K]()
	r.job.begin(&p.statistic, &p.Config, x)
	if w := p.Weights(); w == nil && x.NDim() == 1 {
		of, values, err = r.groups.run(&r.job, nil, keys, true)
	} else {
		of, values, err = r.positions.run(&r.job, w, keys, false)
	}
	runtime.KeepAlive(x)
	r.job.end()
	pool.Put(r)
	if err != nil {
		return nd.Array{}, nd.Array{}, err
	}
	return of, values, nil
}

// shortDirect reports whether runShort can read x and write to out as they lie.
// They may overlap: x has been read when the first value is written.
func (p *Plan) shortDirect(x, out *nd.Array) bool {
	return out != nil && out.DType == p.value && out.IsContiguous() && x.IsContiguous()
}

// runShort runs a plan of a single short lane on the caller's stack: in less
// time than it takes to hand out a task.
func runShort[K kernel.Key](p *Plan, x, out *nd.Array) error {
	if ctx := p.Config.Context; ctx != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	var r selection.ShortResult[K]
	c := interpolate.CodingOf[K](p.dt)
	selection.Short(&p.want, c.Encoding, unsafe.Slice((*K)(x.Pointer(0)), p.n), &r)
	q := p.want.Len()
	interpolate.Lane(out.Pointer(0), p.dt, p.want.Set(), c, r.Lo[:q], r.Hi[:q], r.G[:q], r.Low[:q])
	if m := p.Config.Meter; m != nil {
		m.Total.Add(int64(p.n))
		m.Done.Add(int64(p.n))
	}
	return nil
}
