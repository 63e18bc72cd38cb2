package call

import (
	"cmp"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

var plans = bridge.PlansOf[ogive.Op, ogive.Option]()

// value does OGIVE_VALUE and OGIVE_INDEX.
func (r *request) value() error {
	x, opts := r.tensor(r.X, "x"), r.options()
	switch {
	case r.err != nil:
		return r.err
	case r.Verb == verbIndex && (r.Keys != 0 || r.Window != 0) || r.Keys != 0 && r.Window != 0:
		return errs.New(errs.ErrOption, "%v of groups or windows takes neither the other nor indices", r.op())
	case r.Keys != 0:
		return r.groups(x, opts)
	case r.Window != 0:
		return r.windows(x, opts)
	case r.op() == ogive.OpIsIn: // whose preparation is work
		if err := r.room(0, dtype.Bool, x.Shape()); err != nil {
			return err
		}
	}
	p, err := ogive.Prepare(r.op(), x.DType(), x.Shape(), opts...)
	if err != nil {
		return err
	}
	return r.runPrepared(p, x, r.Verb == verbIndex)
}

// runPrepared runs a plan.
func (r *request) runPrepared(p *ogive.Plan, x *ogive.Tensor, withIndex bool) error {
	shape := p.Shape()
	if at := slices.Index(shape, -1); at >= 0 && x.NDim() > 0 {
		shape[at] = x.Shape()[0]
	}
	out, err := r.target(0, p.DType(), shape)
	if !withIndex {
		if err != nil {
			return err
		}
		return p.Run(x, out)
	}
	indices, second := r.target(1, dtype.Int64, shape)
	if err := cmp.Or(err, second); err != nil {
		return err
	}
	return p.RunIndex(x, out, indices)
}

// by calls the function of groups.
func (r *request) by(x, keys *ogive.Tensor, opts []ogive.Option) (groups, values *ogive.Tensor, err error) {
	switch r.op() {
	case ogive.OpQuantile:
		return ogive.QuantilesBy(x, keys, nil, opts...)
	case ogive.OpNaNQuantile:
		return ogive.NaNQuantilesBy(x, keys, nil, opts...)
	case ogive.OpMedian:
		return ogive.MedianBy(x, keys, opts...)
	case ogive.OpNaNMedian:
		return ogive.NaNMedianBy(x, keys, opts...)
	}
	return nil, nil, errs.New(errs.ErrOption, "%v takes no keys; quantile, nanquantile, median and nanmedian do", r.op())
}

// groups does OGIVE_VALUE with keys.
func (r *request) groups(x *ogive.Tensor, opts []ogive.Option) error {
	keys := r.tensor(r.Keys, "keys")
	if r.err != nil {
		return r.err
	}
	if none, opts := r.withoutElements(x); none != nil { // how many groups there are is told without values
		if groups, values, err := r.by(none, keys, opts); err == nil {
			err = cmp.Or(r.room(0, groups.DType(), groups.Shape()), r.room(1, values.DType(), withoutLast(values)))
			if err != nil {
				return err
			}
		}
	}
	groups, values, err := r.by(x, keys, opts)
	if err != nil {
		return err
	}
	return cmp.Or(r.deliver(0, groups), r.deliver(1, values))
}

// rolling calls the function of windows.
func (r *request) rolling(x *ogive.Tensor, opts []ogive.Option) (*ogive.Tensor, error) {
	switch r.op() {
	case ogive.OpQuantile:
		return ogive.RollingQuantiles(x, nil, int(r.Window), opts...)
	case ogive.OpNaNQuantile:
		return ogive.NaNRollingQuantiles(x, nil, int(r.Window), opts...)
	case ogive.OpMedian:
		return ogive.RollingMedian(x, int(r.Window), opts...)
	case ogive.OpNaNMedian:
		return ogive.NaNRollingMedian(x, int(r.Window), opts...)
	}
	return nil, errs.New(errs.ErrOption, "%v takes no window; quantile, nanquantile, median and nanmedian do", r.op())
}

// windows does OGIVE_VALUE with a window.
func (r *request) windows(x *ogive.Tensor, opts []ogive.Option) error {
	if none, without := r.withoutElements(x); none != nil {
		if values, err := r.rolling(none, without); err == nil {
			out, err := r.target(0, values.DType(), withoutLast(values))
			if err != nil {
				return err
			}
			_, err = r.rolling(x, append(opts, ogive.Out(out)))
			return err
		}
	}
	values, err := r.rolling(x, opts) // which tells the error, if there was one
	if err != nil {
		return err
	}
	return r.deliver(0, values)
}

// withoutElements returns x with one more dimension, of length 0, and the call's options
// for it: what the operations on groups and windows answer for that costs next to nothing
// and has the shape of the answer for x, and the dimension. It is nil where x has too many
// already.
func (r *request) withoutElements(x *ogive.Tensor) (*ogive.Tensor, []ogive.Option) {
	if x.NDim() == nd.MaxDims {
		return nil, nil
	}
	none := ogive.Must(ogive.Zeros(x.DType(), append(x.Shape(), 0)...))
	without := *r
	without.behind, without.Weights = 1, 0
	return none, without.options()
}

func withoutLast(t *ogive.Tensor) []int { return t.Shape()[:t.NDim()-1] }

// gradient does OGIVE_GRADIENT.
func (r *request) gradient() error {
	x, opts, dy := r.tensor(r.X, "x"), r.options(), r.tensor(r.Upstream, "upstream")
	if r.err != nil {
		return r.err
	}
	if err := r.room(0, x.DType(), x.Shape()); err != nil {
		return err
	}
	var pull grad.Pullback
	var err error
	switch op := r.op(); {
	case op == ogive.OpQuantile:
		_, pull, err = grad.Quantiles(x, nil, opts...)
	case op == ogive.OpNaNQuantile:
		_, pull, err = grad.NaNQuantiles(x, nil, opts...)
	case op == ogive.OpPercentile:
		_, pull, err = grad.Percentiles(x, nil, opts...)
	case op == ogive.OpNaNPercentile:
		_, pull, err = grad.NaNPercentiles(x, nil, opts...)
	case op == ogive.OpMedian && r.Flags&byIndex != 0:
		_, _, pull, err = grad.MedianWithIndex(x, opts...)
	case op == ogive.OpNaNMedian && r.Flags&byIndex != 0:
		_, _, pull, err = grad.NaNMedianWithIndex(x, opts...)
	case op == ogive.OpMedian:
		_, pull, err = grad.Median(x, opts...)
	case op == ogive.OpNaNMedian:
		_, pull, err = grad.NaNMedian(x, opts...)
	default:
		err = errs.New(errs.ErrOption, "%v has no gradient", op)
	}
	if err != nil {
		return err
	}
	dx, err := pull(dy)
	if err != nil {
		return err
	}
	return r.deliver(0, dx)
}

// slope does OGIVE_SLOPE.
func (r *request) slope() (err error) {
	x, opts := r.tensor(r.X, "x"), r.options()
	if r.err != nil {
		return r.err
	}
	var dydq *ogive.Tensor
	switch r.op() {
	case ogive.OpQuantile:
		dydq, err = grad.QuantilesQ(x, nil, opts...)
	case ogive.OpNaNQuantile:
		dydq, err = grad.NaNQuantilesQ(x, nil, opts...)
	default:
		err = errs.New(errs.ErrOption, "%v has no derivative by q", r.op())
	}
	if err != nil {
		return err
	}
	return r.deliver(0, dydq)
}

// ends does OGIVE_ENDS.
func (r *request) ends() error {
	x, opts := r.tensor(r.X, "x"), r.options()
	switch {
	case r.err != nil:
		return r.err
	case r.op() < ogive.OpQuantile || r.op() > ogive.OpNaNMedian:
		return errs.New(errs.ErrOption, "%v lies between no two elements", r.op())
	}
	p, err := plans.Prepare(r.op(), x.DType(), x.Shape(), nil, opts, false)
	if err != nil {
		return err
	}
	if w := p.Weights(); w != nil && w.Array.DType.IsFloat() {
		return errs.New(errs.ErrWeights, "between which elements a value lies is told for frequencies, not for weights of %v", w.Array.DType)
	}
	shape := p.Shape()
	if err := cmp.Or(r.room(0, x.DType(), shape), r.room(1, x.DType(), shape), r.room(2, dtype.Float64, shape)); err != nil {
		return err
	}
	p.Config.Overwrite = false
	e, err := p.RunEnds(tensors.Array(x), nil)
	if err != nil {
		return err
	}
	g, err := nd.New(dtype.Float64, e.Lo.Len())
	if err != nil {
		return err
	}
	for i := range nd.Slice[float64](&g) {
		nd.Slice[float64](&g)[i] = e.Factor(i)
	}
	for i, flat := range []nd.Array{e.Lo, e.Hi, g} {
		a, err := flat.Reshape(shape...)
		if err == nil {
			err = r.deliver(i, tensors.Wrap(a))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
