package grad_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

var (
	nan      = math.NaN()
	inf      = math.Inf(1)
	negZero  = math.Copysign(0, -1)
	floats   = []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64}
	allNames = slices.Concat(oracle.Interpolating, oracle.Discrete)
)

func floatOf(bits uint64) float64 { return math.Float64frombits(bits) }

// vec returns a float64 vector.
func vec(v ...float64) *ogive.Tensor { return ogive.Must(ogive.FromSlice(v)) }

// of returns a tensor of the given shape.
func of[T dtype.Element](v []T, shape ...int) *ogive.Tensor {
	return ogive.Must(ogive.FromSlice(v, shape...))
}

// method returns the method of a name.
func method(t testing.TB, name string) rank.Method {
	t.Helper()
	m, err := rank.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ones returns a gradient of ones like y.
func ones(t testing.TB, y *ogive.Tensor) *ogive.Tensor {
	t.Helper()
	v := make([]float64, y.Len())
	for i := range v {
		v[i] = 1
	}
	return like(t, y, v)
}

// like returns a tensor of y's shape and dtype with the given values.
func like(t testing.TB, y *ogive.Tensor, v []float64) *ogive.Tensor {
	t.Helper()
	shape := y.Shape()
	d, err := ogive.FromSlice(v, len(v))
	if err == nil {
		d, err = d.Reshape(shape...)
	}
	if err == nil {
		d, err = d.Cast(y.DType())
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// content returns a tensor's elements in C order as bits.
func content(t testing.TB, x *ogive.Tensor) *oracle.Array {
	t.Helper()
	c, err := x.Contiguous()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	shape := x.Shape()
	a := oracle.FromBytes(x.DType(), b, len(b)/x.DType().Size())
	a.Shape = shape
	return a
}

// tensor returns a C-order tensor of an array's content.
func tensor(t testing.TB, a *oracle.Array) *ogive.Tensor {
	t.Helper()
	b := testkit.Aligned(len(a.Bits) * a.DType.Size())
	copy(b, a.Bytes())
	x, err := ogive.FromBytes(a.DType, b, len(a.Bits))
	if err == nil {
		x, err = x.Reshape(a.Shape...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// layouts lay an array out in memory; what the view does not show is NaN.
var layouts = []struct {
	name string
	lay  func(t testing.TB, a *oracle.Array) *ogive.Tensor
}{
	{"c", tensor},
	{"fortran", func(t testing.TB, a *oracle.Array) *ogive.Tensor {
		turned := ogive.Must(tensor(t, a).Transpose())
		return ogive.Must(tensor(t, content(t, turned)).Transpose())
	}},
	{"reversed", func(t testing.TB, a *oracle.Array) *ogive.Tensor {
		return reverse(tensor(t, content(t, reverse(tensor(t, a)))))
	}},
	{"step2", func(t testing.TB, a *oracle.Array) *ogive.Tensor {
		if len(a.Shape) == 0 || len(a.Bits) == 0 {
			return tensor(t, a)
		}
		last := len(a.Shape) - 1
		wide := oracle.New(a.DType, a.Shape...)
		wide.Shape[last] *= 2
		wide.Bits = make([]oracle.Bits, 2*len(a.Bits))
		for i := range a.Bits {
			wide.Bits[2*i].Re, wide.Bits[2*i+1] = dtype.CanonicalNaN(a.DType), a.Bits[i]
		}
		return ogive.Must(tensor(t, wide).Slice(last, 1, wide.Shape[last], 2))
	}},
	{"rotated", func(t testing.TB, a *oracle.Array) *ogive.Tensor {
		// The first dimension lies innermost.
		n := len(a.Shape)
		if n < 2 {
			return tensor(t, a)
		}
		order, back := make([]int, n), make([]int, n)
		for i := range n {
			order[i] = (i + 1) % n
			back[(i+1)%n] = i
		}
		return ogive.Must(tensor(t, content(t, ogive.Must(tensor(t, a).Transpose(order...)))).Transpose(back...))
	}},
}

// reverse returns the view with all dimensions reversed.
func reverse(x *ogive.Tensor) *ogive.Tensor {
	for i, d := range x.Shape() {
		if d > 0 {
			x = ogive.Must(x.Slice(i, d-1, -1, -1))
		}
	}
	return x
}

// same fails the test unless dx has the wanted bits.
func same(t testing.TB, what string, dx *ogive.Tensor, want *oracle.Array) {
	t.Helper()
	if dx.DType() != want.DType || !slices.Equal(dx.Shape(), want.Shape) {
		t.Fatalf("%s: %v%v, want %v%v", what, dx.DType(), dx.Shape(), want.DType, want.Shape)
	}
	if d := testkit.Diff(want.DType, content(t, dx).Bytes(), want.Bytes()); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
}
