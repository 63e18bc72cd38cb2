package grad

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// ErrChanged: the input was changed between the forward pass and its pullback,
// which no longer finds the values there.
var ErrChanged = errors.New("the input was changed before its gradient was asked for")

// call is a forward pass and what its pullbacks need of it.
type call struct {
	op      ogive.Op
	plan    *engine.Plan
	skipNaN bool
	x       *ogive.Tensor // on the host
	device  ogive.Device  // of the caller's x
	ends    *engine.Ends  // not by the index rule
	index   []int64       // by the index rule, and of float weights

	rows byRows

	mu    sync.Mutex
	found *positions // once they are known
}

// fail returns an error of the call.
func (c *call) fail(kind error, format string, args ...any) error {
	return errs.New(kind, format, args...).In(c.op.String())
}

// tensors and plans go where package ogive lets no users.
var (
	tensors = bridge.TensorsOf[ogive.Tensor]()
	plans   = bridge.PlansOf[ogive.Op, ogive.Option]()
)

// prepare checks a call and brings its input to the host. quantiles are the
// function's own parameter, nil if it has none; withIndex is set for a median with
// its index.
func prepare(op ogive.Op, x *ogive.Tensor, quantiles *ogive.Option, opts []ogive.Option, withIndex bool) (*call, error) {
	c := &call{op: op}
	if x == nil {
		return nil, c.fail(errs.ErrShape, "x is nil")
	}
	dt := x.DType()
	if dt.IsOrdered() && !dt.IsFloat() {
		return nil, c.fail(errs.ErrDType, "gradient needs a float input, got %v", dt)
	}
	var err error
	if c.plan, err = plans.Prepare(op, dt, x.Shape(), quantiles, opts, withIndex); err != nil {
		return nil, err
	}
	c.skipNaN = c.plan.SkipNaN()
	c.plan.Config.Overwrite = false
	c.device = x.Device()
	c.x, err = x.ToHost()
	return c, err
}

// zeros returns a tensor for a result of the call on the host.
func (c *call) zeros(dt dtype.DType) (*ogive.Tensor, error) {
	a, err := nd.New(dt, c.plan.Shape()...)
	if err != nil {
		return nil, err
	}
	return tensors.Wrap(a), nil
}

// run computes the value, and what the pullback needs besides.
func (c *call) run() (y *ogive.Tensor, err error) {
	if w := c.plan.Weights(); w != nil && w.Array.DType.IsFloat() {
		y, _, err = c.runIndex()
	} else if y, err = c.zeros(c.plan.DType()); err == nil {
		c.ends, err = c.plan.RunEnds(tensors.Array(c.x), tensors.Array(y))
	}
	if err != nil {
		return nil, err
	}
	return y.To(c.device)
}

// runIndex computes the value and its index, on the host.
func (c *call) runIndex() (y, index *ogive.Tensor, err error) {
	if y, err = c.zeros(c.plan.DType()); err != nil {
		return nil, nil, err
	}
	if index, err = c.zeros(dtype.Int64); err != nil {
		return nil, nil, err
	}
	err = c.plan.Run(tensors.Array(c.x), tensors.Array(y), tensors.Array(index))
	c.index = slices.Clone(nd.Slice[int64](tensors.Array(index)))
	return y, index, err
}

// forward is the forward pass of a quantile.
func forward(op ogive.Op, x *ogive.Tensor, quantiles ogive.Option, opts []ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	c, y, err := pass(op, x, &quantiles, opts, true)
	if err != nil {
		return nil, nil, err
	}
	return y, c.byOrder, nil
}

// forwardEven is the forward pass of a median without index.
func forwardEven(op ogive.Op, x *ogive.Tensor, opts []ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	c, y, err := pass(op, x, nil, opts, false)
	if err != nil {
		return nil, nil, err
	}
	return y, c.evenly, nil
}

// pass checks and runs a call without indices. known is what byRows asks.
func pass(op ogive.Op, x *ogive.Tensor, quantiles *ogive.Option, opts []ogive.Option, known bool) (c *call, y *ogive.Tensor, err error) {
	err = nd.Guard(op.String(), func() (err error) {
		if c, err = prepare(op, x, quantiles, opts, false); err == nil {
			y, err = c.run()
		}
		if err == nil {
			c.rows.init(c, known)
		}
		return err
	})
	return c, y, err
}

// forwardIndex is the forward pass of a median with its index.
func forwardIndex(op ogive.Op, x *ogive.Tensor, opts []ogive.Option) (y, index *ogive.Tensor, pull Pullback, err error) {
	var c *call
	err = nd.Guard(op.String(), func() (err error) {
		if c, err = prepare(op, x, nil, opts, true); err == nil {
			y, index, err = c.runIndex()
		}
		if err == nil {
			y, err = y.To(c.device)
		}
		if err == nil {
			index, err = index.To(c.device)
		}
		return err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	return y, index, c.byIndex, nil
}

// upstream is the gradient by the values, in their order.
type upstream struct{ dy nd.Array }

// part returns so many elements from the first on.
func (u *upstream) part(first, n int, s *crew.Scratch) []float64 {
	wide := crew.Alloc[float64](s, n)
	u.convert(wide, first)
	return wide
}

// at returns an element.
func (u *upstream) at(i int) float64 {
	var wide [1]float64
	u.convert(wide[:], i)
	return wide[0]
}

// convert writes the elements from the first on to dst.
func (u *upstream) convert(dst []float64, first int) {
	size := u.dy.DType.Size()
	to := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), 8*len(dst))
	dtype.Convert(dtype.Float64, to, u.dy.DType, u.dy.Bytes()[first*size:][:len(dst)*size])
}

// upstream checks dy.
func (c *call) upstream(dy *ogive.Tensor) (u upstream, err error) {
	if dy == nil {
		return u, c.fail(errs.ErrShape, "dy is nil")
	}
	if want := c.plan.DType(); dy.DType() != want {
		return u, c.fail(errs.ErrDType, "dy is %v, want the result's %v", dy.DType(), want)
	}
	if want := c.plan.Shape(); !slices.Equal(dy.Shape(), want) {
		return u, c.fail(errs.ErrShape, "dy has shape %v, want the result's %v", dy.Shape(), want)
	}
	if dy, err = dy.ToHost(); err != nil {
		return u, err
	}
	u.dy = tensors.Array(dy).Contiguous()
	return u, nil
}

// rule writes a gradient to dx, which is all zero unless it is written by rows.
type rule func(dx *nd.Array, dy upstream, rows bool) error

// pull makes the gradient by the rule for the width of the elements.
func (c *call) pull(dy *ogive.Tensor, by16, by32, by64 rule) (*ogive.Tensor, error) {
	return nd.Guarded(c.op.String(), func() (*ogive.Tensor, error) {
		up, err := c.upstream(dy)
		if err != nil {
			return nil, err
		}
		rows, memory := c.rows.next(), nd.New
		if rows {
			memory = nd.NewDirty
		}
		dx, err := memory(c.x.DType(), tensors.Array(c.x).Shape()...)
		if err != nil {
			return nil, err
		}
		if dx.Len() > 0 && up.dy.Len() > 0 {
			switch dx.DType.Size() {
			case 2:
				err = by16(&dx, up, rows)
			case 4:
				err = by32(&dx, up, rows)
			default:
				err = by64(&dx, up, rows)
			}
		}
		if err != nil {
			return nil, err
		}
		return tensors.Wrap(dx).To(c.device)
	})
}
