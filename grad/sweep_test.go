package grad_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
)

// The sweep holds every gradient to the naive model over dtypes, layouts, axis
// sets, methods, weights and NaN patterns.

var shapes = [][]int{{}, {1}, {2}, {3}, {7}, {33}, {300}, {3, 5}, {5, 3}, {17, 12}, {12, 40}, {70, 9}, {64, 33}, {35, 96},
	{2, 3, 4}, {5, 1, 6}, {3, 0, 2}, {4, 9, 11}, {2, 3, 4, 5}}

// sampler draws calls; the same name gives the same calls.
type sampler struct{ *rand.Rand }

func newSampler(name string) sampler {
	h := fnv.New64a()
	h.Write([]byte(name))
	return sampler{rand.New(rand.NewPCG(h.Sum64(), 4))}
}

func pick[T any](s sampler, list []T) T { return list[s.IntN(len(list))] }

// drawn is a call as both sides understand it.
type drawn struct {
	model
	floats []float64 // the quantiles
	scalar bool
	keep   bool
	mode   ogive.MedianMode
	opts   []ogive.Option
	what   string
}

// draw draws a call of the rule on an array of a shape.
func (s sampler) draw(t *testing.T, r rule, dt dtype.DType, shape []int) drawn {
	d := drawn{model: model{rule: r, skipNaN: s.IntN(2) == 0}, keep: s.IntN(3) == 0}
	if ndim := len(shape); ndim > 0 && s.IntN(3) > 0 {
		d.axes = s.Perm(ndim)[:1+s.IntN(ndim)]
		if s.IntN(3) == 0 {
			d.axes[0] -= ndim
		}
		d.opts = append(d.opts, ogive.Axis(d.axes...))
	}
	if d.keep {
		d.opts = append(d.opts, ogive.KeepDims())
	}
	if r == byOrder {
		d.scalar, d.method = s.IntN(2) == 0, pick(s, allNames)
		n := 1
		if !d.scalar {
			n += s.IntN(pick(s, []int{5, 5, 12}))
		}
		for range n {
			d.floats = append(d.floats, pick(s, []float64{0, .25, .3, .5, .7, 1, s.Float64(), s.Float64()}))
		}
		d.qs = oracle.Ats(d.floats...)
		d.opts = append(d.opts, ogive.Method(method(t, d.method)))
	} else {
		d.mode = pick(s, []ogive.MedianMode{ogive.ModeAvg, ogive.ModeLower, ogive.ModeUpper})
		if r == byIndex && d.mode == ogive.ModeAvg {
			d.mode = ogive.ModeLower
		}
		d.method = []string{"midpoint", "lower", "higher"}[d.mode]
		d.qs = oracle.Ats(.5)
		d.opts = append(d.opts, ogive.Mode(d.mode))
	}
	if s.IntN(4) == 0 && volume(shape) > 0 {
		s.weigh(t, &d, shape)
	}
	return d
}

func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// weigh gives a call weights of x's shape, or of its shape along the axes.
func (s sampler) weigh(t *testing.T, d *drawn, shape []int) {
	n := volume(shape)
	small := make([]int64, n)
	for i := range small {
		small[i] = int64(s.IntN(4))
	}
	if d.axes != nil && s.IntN(2) == 0 {
		// Along the axes: repeated for each lane.
		along := []int{}
		for _, a := range d.axes {
			along = append(along, shape[(a+len(shape))%len(shape)])
		}
		w := oracle.Ints(dtype.Uint8, small[:volume(along)], along...)
		order := make([]int, len(along)) // of the axes in increasing order
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int {
			return (d.axes[i]+len(shape))%len(shape) - (d.axes[j]+len(shape))%len(shape)
		})
		given := ogive.Must(tensor(t, w).Transpose(order...))
		flat := content(t, given)
		for _, lane := range lanesOf(shape, d.axes) {
			for i, e := range lane {
				small[e] = int64(flat.Bits[i].Re)
			}
		}
		d.weights = small
		d.opts = append(d.opts, ogive.Weights(tensor(t, w)))
		return
	}
	if d.method == "inverted_cdf" && s.IntN(2) == 0 {
		w := make([]float64, n)
		d.present = make([]bool, n)
		for i, v := range small {
			w[i], d.present[i] = float64(v)/3, v > 0
		}
		d.opts = append(d.opts, ogive.Weights(tensor(t, oracle.Floats(dtype.Float32, w, shape...))))
		return
	}
	d.weights = small
	d.opts = append(d.opts, ogive.Weights(tensor(t, oracle.Ints(pick(s, []dtype.DType{dtype.Int16, dtype.Uint64, dtype.Int32}), small, shape...))))
}

// forward runs the call.
func (d *drawn) forward(x *ogive.Tensor, opts ...ogive.Option) (y *ogive.Tensor, pull grad.Pullback, err error) {
	opts = append(slices.Clone(d.opts), opts...)
	type one = func(*ogive.Tensor, float64, ...ogive.Option) (*ogive.Tensor, grad.Pullback, error)
	type many = func(*ogive.Tensor, []float64, ...ogive.Option) (*ogive.Tensor, grad.Pullback, error)
	which := 0
	if d.skipNaN {
		which = 1
	}
	switch {
	case d.rule == evenly && d.skipNaN:
		return grad.NaNMedian(x, opts...)
	case d.rule == evenly:
		return grad.Median(x, opts...)
	case d.rule == byIndex && d.skipNaN:
		return nanWithIndex(opts...)(x)
	case d.rule == byIndex:
		return withIndex(opts...)(x)
	case d.scalar:
		return []one{grad.Quantile, grad.NaNQuantile}[which](x, d.floats[0], opts...)
	default:
		return []many{grad.Quantiles, grad.NaNQuantiles}[which](x, d.floats, opts...)
	}
}

// plain runs the operation without gradient.
func (d *drawn) plain(x *ogive.Tensor) (y *ogive.Tensor, err error) {
	op, opts := ogive.OpQuantile, slices.Clone(d.opts)
	switch {
	case d.rule == byOrder && d.skipNaN:
		op = ogive.OpNaNQuantile
	case d.rule != byOrder && d.skipNaN:
		op = ogive.OpNaNMedian
	case d.rule != byOrder:
		op = ogive.OpMedian
	}
	if d.rule == byOrder && d.scalar {
		opts = append(opts, ogive.Q(d.floats...))
	} else if d.rule == byOrder {
		opts = append(opts, ogive.Qs(d.floats))
	}
	p, err := ogive.Prepare(op, x.DType(), x.Shape(), opts...)
	if err != nil {
		return nil, err
	}
	if y, err = ogive.Zeros(p.DType(), p.Shape()...); err != nil {
		return nil, err
	}
	return y, p.Run(x, y)
}

// check holds value and gradient of a call to what they should be, in each of some
// regimes.
func (s sampler) check(t *testing.T, d drawn, x *ogive.Tensor, regimes []regime) {
	t.Helper()
	want, wantErr := d.plain(x)
	if wantErr != nil {
		if _, _, err := d.forward(x); err == nil || wantErr.Error() != err.Error() {
			t.Fatalf("%s: error %v, the operation's %v", d.what, err, wantErr)
		}
		return
	}
	up := make([]float64, want.Len())
	for i := range up {
		up[i] = s.NormFloat64()
		if s.IntN(20) == 0 {
			up[i] = pick(s, []float64{inf, -inf, nan, negZero, 0, 1e300})
		}
	}
	dy := like(t, want, up)
	for i, b := range content(t, ogive.Must(dy.Cast(dtype.Float64))).Bits {
		up[i] = floatOf(b.Re)
	}
	if d.present != nil {
		arg := ogive.ArgQuantiles
		if d.skipNaN {
			arg = ogive.NaNArgQuantiles
		}
		d.chosen = nil
		for _, b := range content(t, ogive.Must(arg(x, d.floats, d.opts...))).Bits {
			d.chosen = append(d.chosen, int64(b.Re))
		}
	}
	wantDX := d.gradient(content(t, x), up)
	opts, what := d.opts, d.what
	for _, r := range regimes {
		d.opts, d.what = append(slices.Clone(opts), r.opts...), r.name+what
		y, pull, err := d.forward(x)
		if err != nil {
			t.Fatalf("%s: %v", d.what, err)
		}
		same(t, d.what+" value", y, content(t, want))
		for range 2 {
			dx, err := pull(dy)
			if err != nil {
				t.Fatalf("%s: %v", d.what, err)
			}
			same(t, d.what, dx, wantDX)
		}
	}
}

// regime is a way in which calls work.
type regime struct {
	name string
	opts []ogive.Option
}

// force returns the regime of the thresholds that set makes of the default ones.
func force(name string, set func(*tuning.Thresholds)) regime {
	tuned := tuning.Default
	set(&tuned)
	return regime{name + ": ", []ogive.Option{bridge.PlansOf[ogive.Op, ogive.Option]().Tuned(&tuned)}}
}

// sweep draws calls, and makes them in each regime.
func sweep(t *testing.T, count int, regimes ...regime) {
	for _, r := range []rule{byOrder, evenly, byIndex} {
		for _, dt := range floats {
			name := fmt.Sprintf("rule=%d/%v", r, dt)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newSampler(name)
				for n := range count {
					shape, kind, l, seed := pick(s, shapes), pick(s, testkit.Kinds(dt)), pick(s, layouts), s.Uint64N(1000)
					d := s.draw(t, r, dt, shape)
					d.what = fmt.Sprintf("#%d %v q=%v scalar=%v of %v%v %s layout=%s seed=%d", n, d.model, d.floats, d.scalar, dt, shape, kind, l.name, seed)
					x := l.lay(t, &oracle.Array{DType: dt, Shape: shape, Bits: oracle.FromBytes(dt, testkit.Fill(kind, dt, volume(shape), seed), volume(shape)).Bits})
					if len(shape) > 0 && shape[0] > 0 && s.IntN(8) == 0 { // a view that repeats its first row
						x = ogive.Must(ogive.Must(x.Slice(0, 0, 1, 1)).BroadcastTo(shape...))
						d.what += " broadcast"
					}
					s.check(t, d, x, regimes)
				}
			})
		}
	}
}

func TestSweep(t *testing.T) { sweep(t, testkit.Share(1500), regime{}) }

// TestSweepForced leads small inputs the ways of large ones: several tasks,
// several workers, lanes in chunks, rows of lanes.
func TestSweepForced(t *testing.T) {
	sweep(t, testkit.Share(600),
		force("many tasks", func(h *tuning.Thresholds) {
			h.SoloWork, h.TaskElements, h.ChunkBytes = 0, 8, 64
			h.StreamGradient, h.GradientRows = 1, 3
		}),
		force("long lanes", func(h *tuning.Thresholds) {
			h.SoloWork, h.BigBytes, h.ChunkBytes = 0, 0, 64
			h.LocateCounts = 16
		}),
		force("narrowed and partitioned", func(h *tuning.Thresholds) {
			h.NarrowMin, h.SearchWork = 9, 0
		}),
	)
}

// TestWorkers: the gradient does not depend on the number of workers.
func TestWorkers(t *testing.T) {
	for _, shape := range [][]int{{300_000}, {20, 9000}, {9000, 20}} {
		b := testkit.Fill("few1000", dtype.Float32, volume(shape), 1)
		x := ogive.Must(ogive.FromBytes(dtype.Float32, b, shape...))
		for _, axes := range [][]int{{0}, {-1}} {
			for name, run := range map[string]func(opts ...ogive.Option) pulled{
				"quantiles": func(opts ...ogive.Option) pulled { return quantiles([]float64{.1, .5, .5, .9}, opts...) },
				"median":    median, "index": withIndex,
			} {
				var first *oracle.Array
				for _, workers := range []int{1, 2, 7} {
					y, pull, err := run(ogive.Axis(axes...), ogive.Workers(workers))(x)
					if err != nil {
						t.Fatal(err)
					}
					dx, err := pull(y)
					if err != nil {
						t.Fatal(err)
					}
					if first == nil {
						first = content(t, dx)
					}
					same(t, fmt.Sprintf("%s of %v, %d workers", name, shape, workers), dx, first)
				}
			}
		}
	}
}
