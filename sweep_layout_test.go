package ogive_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
)

// failer is a test, or the drawing of one by rapid.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// layout is a way of lying in memory: how a parent array is cut and turned
// until it looks like the logical one.
type layout struct {
	name string
	// cut returns, for a dimension of length d > 0, the parent's length and
	// the slice of it; nil cuts nothing.
	cut func(axis, d int) (length, start, stop, step int)
	// transposed stores the dimensions in reverse order.
	transposed bool
	// repeated is an axis (modulo their number) whose elements are all one in
	// memory, or -1.
	repeated int
}

var layouts = []layout{
	{name: "c", repeated: -1},
	{name: "fortran", transposed: true, repeated: -1},
	{name: "step2", repeated: -1, cut: func(_, d int) (int, int, int, int) { return 2 * d, 0, 2 * d, 2 }},
	{name: "negative", repeated: -1, cut: func(_, d int) (int, int, int, int) { return d, d - 1, -1, -1 }},
	{name: "step-3", repeated: -1, cut: func(_, d int) (int, int, int, int) { return 3 * d, 3*d - 1, -1, -3 }},
	{name: "offset", repeated: -1, cut: func(_, d int) (int, int, int, int) { return d + 5, 3, d + 3, 1 }},
	{name: "lastcut", repeated: -1, transposed: true, cut: func(axis, d int) (int, int, int, int) {
		if axis == 0 {
			return 2*d + 1, 1, 2*d + 1, 2
		}
		return d, 0, d, 1
	}},
	{name: "broadcast0", repeated: 0},
	{name: "broadcast1", repeated: 1},
}

// input is one array as a tensor in some layout and as the oracle's.
type input struct {
	tensor *ogive.Tensor
	ref    *oracle.Array
	memory []byte // all of the parent's memory
	before []byte // its content at first
	places []int  // where in memory the elements lie, in C order, counted in elements
}

// unchanged fails the test if somebody wrote to the input's memory, the parts
// outside the view included.
func (in *input) unchanged(t failer, what string) {
	t.Helper()
	if !bytes.Equal(in.memory, in.before) {
		t.Fatalf("%s: the input was modified", what)
	}
}

// tensorOf returns a contiguous tensor over b, 0-d for an empty shape.
func tensorOf(t failer, dt dtype.DType, b []byte, shape []int) *ogive.Tensor {
	t.Helper()
	if len(shape) == 0 {
		x, err := ogive.FromBytes(dt, b, 1)
		if err == nil {
			x, err = x.Reshape()
		}
		if err != nil {
			t.Fatalf("FromBytes(%s) of a scalar: %v", dt, err)
		}
		return x
	}
	x, err := ogive.FromBytes(dt, b, shape...)
	if err != nil {
		t.Fatalf("FromBytes(%s, %v): %v", dt, shape, err)
	}
	return x
}

// outsideUnchanged fails the test if somebody wrote to memory that the view
// does not show.
func (in *input) outsideUnchanged(t failer, what string) {
	t.Helper()
	size := in.tensor.DType().Size()
	now := slices.Clone(in.memory)
	for _, at := range in.places {
		copy(now[at*size:(at+1)*size], in.before[at*size:])
	}
	if d := testkit.Diff(in.tensor.DType(), now, in.before); d != "" {
		t.Fatalf("%s: memory outside the view was written: %s", what, d)
	}
}

// lay puts an array into memory in the given layout. What the view does not
// show is filled with NaNs, or extremes. A broadcast layout repeats the array's
// first elements along its axis, so the reference changes with it.
func (l layout) lay(t failer, a *oracle.Array) *input {
	t.Helper()
	ndim := len(a.Shape)
	if l.repeated >= 0 && ndim > 0 && len(a.Bits) > 0 {
		return l.repeat(t, a, l.repeated%ndim)
	}
	parent := slices.Clone(a.Shape)
	start, step := make([]int, ndim), make([]int, ndim)
	for axis, d := range a.Shape {
		step[axis] = 1
		if l.cut != nil && d > 0 {
			parent[axis], start[axis], _, step[axis] = l.cut(axis, d)
		}
	}
	strides := make([]int, ndim) // of the parent, per logical axis
	size := 1
	for i := range ndim {
		axis := ndim - 1 - i
		if l.transposed {
			axis = i
		}
		strides[axis] = size
		size *= parent[axis]
	}
	junk := "extremes"
	if a.DType.IsFloat() || a.DType.IsComplex() {
		junk = "naninf"
	}
	memory := testkit.Fill(junk, a.DType, size, 99)
	width, content := a.DType.Size(), a.Bytes()
	places := make([]int, len(a.Bits))
	for i := range a.Bits {
		at, rest := 0, i
		for axis := ndim - 1; axis >= 0; axis-- {
			at += (start[axis] + step[axis]*(rest%a.Shape[axis])) * strides[axis]
			rest /= a.Shape[axis]
		}
		copy(memory[at*width:(at+1)*width], content[i*width:])
		places[i] = at
	}
	stored := slices.Clone(parent)
	if l.transposed {
		slices.Reverse(stored)
	}
	x := tensorOf(t, a.DType, memory, stored)
	var err error
	if l.transposed {
		if x, err = x.Transpose(); err != nil {
			t.Fatalf("Transpose: %v", err)
		}
	}
	for axis, d := range a.Shape {
		if l.cut == nil || d == 0 {
			continue
		}
		_, from, to, by := l.cut(axis, d)
		if x, err = x.Slice(axis, from, to, by); err != nil {
			t.Fatalf("Slice(%d, %d, %d, %d): %v", axis, from, to, by, err)
		}
	}
	return &input{x, a, memory, slices.Clone(memory), places}
}

// repeat stores the array's first elements along the axis and broadcasts them.
func (l layout) repeat(t failer, a *oracle.Array, axis int) *input {
	t.Helper()
	inner := 1
	for _, d := range a.Shape[axis+1:] {
		inner *= d
	}
	once := slices.Clone(a.Shape)
	once[axis] = 1
	stored, ref := oracle.New(a.DType, once...), oracle.New(a.DType, a.Shape...)
	places := make([]int, len(ref.Bits))
	for i := range ref.Bits {
		outer := i / (inner * a.Shape[axis])
		first := outer*inner*a.Shape[axis] + i%inner
		ref.Bits[i] = a.Bits[first]
		places[i] = outer*inner + i%inner
		stored.Bits[places[i]] = a.Bits[first]
	}
	memory := testkit.Aligned(len(stored.Bits) * a.DType.Size())
	copy(memory, stored.Bytes())
	x, err := tensorOf(t, a.DType, memory, once).BroadcastTo(a.Shape...)
	if err != nil {
		t.Fatalf("BroadcastTo(%v): %v", a.Shape, err)
	}
	return &input{x, ref, memory, slices.Clone(memory), places}
}

var tensors = bridge.TensorsOf[ogive.Tensor]()

// on returns the input on a device, in the same layout.
func (in *input) on(t failer, d ogive.Device) *ogive.Tensor {
	t.Helper()
	memory, err := ogive.FromBytes(dtype.Uint8, bytes.Clone(in.before), len(in.before))
	if err == nil {
		memory, err = memory.To(d)
	}
	if err != nil {
		t.Fatal(err)
	}
	here, there := tensors.Array(in.tensor), tensors.Array(memory)
	a, err := nd.Strided(here.DType, there.Buf, here.Offset, here.Shape(), here.Strides())
	if err != nil {
		t.Fatal(err)
	}
	return tensors.Wrap(a)
}

// fill returns an array of the named kind of content.
func fill(kind string, dt dtype.DType, seed uint64, shape ...int) *oracle.Array {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return oracle.FromBytes(dt, testkit.Fill(kind, dt, n, seed), shape...)
}

// content returns a tensor's elements in C order, as bytes.
func content(t failer, x *ogive.Tensor) []byte {
	t.Helper()
	host, err := x.ToHost()
	if err != nil {
		t.Fatalf("ToHost: %v", err)
	}
	c, err := host.Contiguous()
	if err != nil {
		t.Fatalf("Contiguous: %v", err)
	}
	b, err := c.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	return b
}

// TestLayoutsShowTheirArray checks the layouts themselves: each shows the
// logical array through its view.
func TestLayoutsShowTheirArray(t *testing.T) {
	for _, l := range layouts {
		for _, dt := range []dtype.DType{dtype.Bool, dtype.Int16, dtype.Float64, dtype.Complex128} {
			for _, shape := range [][]int{{}, {1}, {7}, {0}, {3, 4}, {2, 0, 3}, {2, 3, 4}, {2, 1, 3, 2}} {
				in := l.lay(t, fill("random", dt, 5, shape...))
				if !slices.Equal(in.tensor.Shape(), shape) {
					t.Errorf("%s %s %v: shape %v", l.name, dt, shape, in.tensor.Shape())
				}
				if d := testkit.Diff(dt, content(t, in.tensor), in.ref.Bytes()); d != "" {
					t.Errorf("%s %s %v: %s", l.name, dt, shape, d)
				}
			}
		}
	}
}
