package ogive

import (
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/nd"
)

// MedianOf returns the median of a slice: the answer of [Median] for a tensor
// over v, as a float64. float32 and narrower floats are widened, which is exact;
// an integer that [Mode] lower or upper chooses is rounded once, which matters
// beyond 2^53; a bool is 0 or 1. Of an even number of integers the mean is
// exact, rounded once.
//
// Special cases are:
//   - a v that holds a NaN gives NaN (see [NaNMedianOf])
//   - a v without elements gives NaN where Median's result is floating, and is
//     ErrEmpty otherwise
//
// The options are those of Median without [Out], [OutIndices] and [KeepDims],
// which are ErrOption. Axis(0) and Axis(-1) mean what goes without saying; other
// axes are ErrAxis. Errors are Median's, in the same order. v is not changed,
// unless [Overwrite] allows it.
//
// It takes O(n) time whatever the data and allocates nothing once warm.
func MedianOf[T dtype.Element](v []T, opts ...Option) (float64, error) {
	return answer(OpMedian, v, nil, opts)
}

// NaNMedianOf is [MedianOf] with NaNs dropped; of nothing but NaN it is NaN. It is
// [NaNMedian] for a slice.
func NaNMedianOf[T dtype.Element](v []T, opts ...Option) (float64, error) {
	return answer(OpNaNMedian, v, nil, opts)
}

// QuantileOf returns the quantile q of a slice, 0 ≤ q ≤ 1: the answer of [Quantile]
// for a tensor over v, as a float64. Where q falls between two values, [Method]
// says what happens. Values are converted as by [MedianOf]: floats exactly, the
// integer that a discrete method chooses rounded once, a bool to 0 or 1.
//
// Special cases are:
//   - a v that holds a NaN gives NaN (see [NaNQuantileOf])
//   - a single value is its own quantile for every q
//   - a v without elements is ErrEmpty
//
// The options are those of Quantile without [Out] and [KeepDims]; what is said of
// options, errors and cost at [MedianOf] holds here.
func QuantileOf[T dtype.Element](v []T, q float64, opts ...Option) (float64, error) {
	return answer(OpQuantile, v, &Option{set: optQ, num: q}, opts)
}

// NaNQuantileOf is [QuantileOf] with NaNs dropped. A v of nothing but NaN gives
// NaN, and so does one without elements where the result of [NaNQuantile] is
// floating.
func NaNQuantileOf[T dtype.Element](v []T, q float64, opts ...Option) (float64, error) {
	return answer(OpNaNQuantile, v, &Option{set: optQ, num: q}, opts)
}

// QuantilesOf is [QuantileOf] for several quantiles at once, in any order; an empty
// list is ErrQ, and with qs nil an option gives them: see [Quantiles]. One selection serves all of them. It allocates its result, whose
// element i is the quantile qs[i].
func QuantilesOf[T dtype.Element](v []T, qs []float64, opts ...Option) ([]float64, error) {
	o := Qs(qs)
	return answers(nil, OpQuantile, dtype.Of[T](), bytesOf(v), &o, opts)
}

// NaNQuantilesOf is [QuantilesOf] with NaNs dropped; see [NaNQuantileOf].
func NaNQuantilesOf[T dtype.Element](v []T, qs []float64, opts ...Option) ([]float64, error) {
	o := Qs(qs)
	return answers(nil, OpNaNQuantile, dtype.Of[T](), bytesOf(v), &o, opts)
}

// answer returns the answer of op for v. param is the function's own quantile, nil
// if it has none.
func answer[T dtype.Element](op Op, v []T, param *Option, opts []Option) (float64, error) {
	var one [1]float64
	a, err := answers(one[:0], op, dtype.Of[T](), bytesOf(v), param, opts)
	if err != nil {
		return 0, err
	}
	return a[0], nil
}

// answers appends to dst the answers of op for the elements in b.
func answers(dst []float64, op Op, dt dtype.DType, b []byte, param *Option, opts []Option) (list []float64, err error) {
	err = nd.Guard(op.String(), func() (err error) {
		c := sliceCalls.Get().(*sliceCall)
		list, err = c.run(dst, op, dt, b, param, opts)
		c.plan.forget()
		c.x.Buf.Mem = nil
		sliceCalls.Put(c)
		return err
	})
	return list, err
}

// sliceCall is what a call on a slice needs and the engine would take from the
// stack to the heap.
type sliceCall struct {
	plan   Plan
	shape  [1]int
	x, out nd.Array
	memory []uint64 // out's
}

var sliceCalls = sync.Pool{New: func() any { return new(sliceCall) }}

// notOfSlices are the options that the operations on slices do not take.
var notOfSlices = results | settingsOf(optKeepDims)

// run is answers.
func (c *sliceCall) run(dst []float64, op Op, dt dtype.DType, b []byte, param *Option, opts []Option) ([]float64, error) {
	c.shape[0] = len(b) / dt.Size()
	p := &c.plan
	if err := p.prepare(op, dt, c.shape[:], param, opts, notOfSlices); err != nil {
		return nil, err
	}
	if err := p.checkWeights(nil); err != nil {
		return nil, err
	}
	n, result := len(p.qs), p.eng.DType()
	if cap(c.memory) < n {
		c.memory = make([]uint64, n)
	}
	out := bytesOf(c.memory[:n])[:n*result.Size()]
	if err := c.x.Over(dt, b, nil, c.shape[:]...); err != nil {
		return nil, err
	}
	if err := c.out.Over(result, out, nil, p.eng.Shape()...); err != nil {
		return nil, err
	}
	if err := p.eng.Run(&c.x, &c.out, nil); err != nil {
		return nil, err
	}
	at := len(dst)
	dst = append(dst, make([]float64, n)...)
	dtype.Convert(dtype.Float64, bytesOf(dst[at:]), result, out)
	return dst, nil
}

// bytesOf returns the memory of v.
func bytesOf[T dtype.Element](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(*new(T))))
}
