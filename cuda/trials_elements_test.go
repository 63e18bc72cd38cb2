package cuda

import (
	"fmt"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// allTrials returns the trials of all kernels: of all dtypes that have an order, and of
// element tests.
func allTrials(t testing.TB) (list []*trial) {
	for _, dt := range dtype.All() {
		if dt.IsOrdered() {
			for _, c := range trialsOf(t, dt) {
				c.name = dt.String() + ": " + c.name
				list = append(list, c)
			}
		}
	}
	return append(list, elementTrials(t)...)
}

// elementTrials returns the trials of the kernels of elements.
func elementTrials(t testing.TB) []*trial {
	b := &table{t: t}
	for _, dt := range dtype.All() {
		parts := dt
		if dt.IsComplex() {
			parts = map[int]dtype.DType{8: dtype.Float32, 16: dtype.Float64}[dt.Size()]
		}
		for _, n := range []int{1, 5, 1027} {
			x, err := ogive.FromBytes(dt, special(parts, n*dt.Size()/parts.Size(), true, uint64(n)), n)
			if err != nil {
				t.Fatal(err)
			}
			b.tests(dt, x)
			b.members(dt, parts, x)
		}
		b.layouts(dt)
	}
	return b.list
}

// plain is a function of elements without options.
func plain(f func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, error)) operation {
	return func(x *ogive.Tensor) (*ogive.Tensor, error) { return f(x) }
}

// shifted makes an operation work from the second element on, which is not aligned for
// several at a time.
func (f operation) shifted() operation {
	return func(x *ogive.Tensor) (*ogive.Tensor, error) {
		part, err := x.Slice(0, min(1, x.Len()-1), x.Len(), 1)
		if err != nil {
			return nil, err
		}
		return f(part)
	}
}

func (b *table) tests(dt dtype.DType, x *ogive.Tensor) {
	var calls []operation
	for _, f := range []func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, error){
		ogive.IsPosInf, ogive.IsNegInf, ogive.IsInf, ogive.IsNaN, ogive.IsFinite, ogive.SignBit, ogive.IsReal,
	} {
		if _, err := f(x); err == nil { // some are for real elements alone
			calls = append(calls, plain(f), plain(f).shifted())
		}
	}
	b.add(fmt.Sprintf("%v: tests of %d", dt, x.Len()), nil, x, calls...)
}

// members asks for elements among few and among more than shared memory holds.
func (b *table) members(dt, parts dtype.DType, x *ogive.Tensor) {
	few, err := ogive.FromBytes(dt, special(parts, 7*dt.Size()/parts.Size(), true, 3), 7)
	if err != nil {
		b.t.Fatal(err)
	}
	many := ogive.Must(ogive.FromBytes(dt, append(ogive.Must(filled(b.t, "bits", dt, 1, 5000).Bytes()), ogive.Must(few.Bytes())...), 5007))
	for _, test := range []*ogive.Tensor{few, many} {
		for i, opts := range [][]ogive.Option{nil, {ogive.EqualNaN()}, {ogive.Invert()}} {
			if test == many && (i != 1 || x.Len() < 100) {
				continue
			}
			f := operation(func(x *ogive.Tensor) (*ogive.Tensor, error) {
				among := test
				if x.Device() != nil {
					var err error
					if among, err = test.To(x.Device()); err != nil {
						return nil, err
					}
				}
				return ogive.IsIn(x, among, opts...)
			})
			b.add(fmt.Sprintf("%v: %d in %d, %d", dt, x.Len(), test.Len(), i), nil, x, f, f.shifted())
		}
	}
}

// layouts has copies from one order to another, and lanes that are turned.
func (b *table) layouts(dt dtype.DType) {
	x := filled(b.t, "bits", dt, 1, 3, 5, 37)
	turn := operation(func(x *ogive.Tensor) (*ogive.Tensor, error) { return x.Transpose(2, 0, 1) })
	part := operation(func(x *ogive.Tensor) (*ogive.Tensor, error) { return x.Slice(2, 1, 37, 2) })
	b.add(dt.String()+": copies", nil, x, turn, part, func(x *ogive.Tensor) (*ogive.Tensor, error) {
		return ogive.IsNaN(x, ogive.Out(ogive.Must(outOf(x, dtype.Bool, 37, 5, 3).Transpose())))
	})
	if !dt.IsOrdered() {
		return
	}
	tall := filled(b.t, "bits", dt, 2, 3, 70, 35)
	b.add(dt.String()+": lanes that are turned", func(l *limits) { l.gridRows = 2 }, tall, func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Quantile(x, 0.3, ogive.Axis(1)) },
		func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Quantile(x, 0.3, ogive.Axis(0, 1)) },
		func(x *ogive.Tensor) (*ogive.Tensor, error) {
			value := ogive.Must(ogive.Quantile(ogive.Must(x.Slice(1, 0, 3, 1)), 0.3, ogive.Axis(1)))
			return ogive.Quantile(x, 0.3, ogive.Axis(1), ogive.Out(ogive.Must(outOf(x, value.DType(), 35, 3).Transpose())))
		})
}

// outOf returns zeros where x lies.
func outOf(x *ogive.Tensor, dt dtype.DType, shape ...int) *ogive.Tensor {
	out := ogive.Must(ogive.Zeros(dt, shape...))
	if x.Device() != nil {
		out = ogive.Must(out.To(x.Device()))
	}
	return out
}
