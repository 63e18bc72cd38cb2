package ogive_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// TestElementsOfEveryLayout: At, All, Float64s, CountTrue and Select see what a copy
// holds, in every dtype and layout.
func TestElementsOfEveryLayout(t *testing.T) {
	for _, dt := range dtype.All() {
		for _, l := range layouts {
			for _, shape := range [][]int{{}, {1}, {7}, {3, 5}, {0, 4}, {4, 0}, {2, 3, 4}} {
				in := l.lay(t, fill(pick(newSampler(l.name), testkit.Kinds(dt)), dt, 5, shape...))
				x, all := in.tensor, in.ref.Bytes()
				size, n := dt.Size(), len(in.ref.Bits)
				what := dt.String() + " " + l.name

				position := make([]int, len(shape))
				for i := range n {
					rest := i
					for a := len(shape) - 1; a >= 0; a-- {
						position[a], rest = rest%shape[a], rest/shape[a]
					}
					one := ogive.Must(x.At(position...))
					if d := testkit.Diff(dt, content(t, one), all[i*size:][:size]); d != "" || one.NDim() != 0 {
						t.Fatalf("%s: element %v: %s", what, position, d)
					}
				}
				mask := l.lay(t, fill("random", dtype.Bool, 9, shape...))
				var want []byte
				for i, b := range mask.ref.Bits {
					if b.Re == 1 {
						want = append(want, all[i*size:][:size]...)
					}
				}
				count, err := ogive.CountTrue(mask.tensor)
				if err != nil || count != len(want)/size {
					t.Errorf("%s: CountTrue is %d (%v), want %d", what, count, err, len(want)/size)
				}
				got, err := x.Select(mask.tensor)
				if err != nil || got.NDim() != 1 || got.Len() != count {
					t.Fatalf("%s: Select gives %v (%v)", what, got, err)
				}
				if d := testkit.Diff(dt, content(t, got), want); d != "" {
					t.Errorf("%s: Select: %s", what, d)
				}
				if dt.IsComplex() {
					continue
				}
				floats, err := x.Float64s()
				if err != nil {
					t.Fatal(err)
				}
				wide := ogive.Must(ogive.Values[float64](ogive.Must(x.Cast(dtype.Float64))))
				if !slices.EqualFunc(floats, wide, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
					t.Errorf("%s: Float64s are %v, want %v", what, floats, wide)
				}
			}
		}
	}
}

func TestAll(t *testing.T) {
	for _, l := range layouts {
		in := l.lay(t, fill("random", dtype.Int32, 5, 4, 3, 5))
		want := ogive.Must(ogive.Values[int32](in.tensor))
		next := 0
		for i, v := range ogive.All[int32](in.tensor) {
			if i != next || v != want[i] {
				t.Fatalf("%s: element %d is %d, want number %d, %d", l.name, i, v, next, want[next])
			}
			next++
		}
		if next != len(want) {
			t.Errorf("%s: %d elements, want %d", l.name, next, len(want))
		}
		last := -1
		for i := range ogive.All[int32](in.tensor) {
			if last = i; i == 7 {
				break
			}
		}
		if last != 7 {
			t.Errorf("%s: the iteration ended at %d", l.name, last)
		}
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, ogive.ErrDType) {
			t.Errorf("All of another dtype panics with %v", err)
		}
	}()
	ogive.All[int64](vec(1.0))
}

func TestFromStrided(t *testing.T) {
	data := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, c := range []struct {
		shape, strides []int
		want           []int32
	}{
		{[]int{2, 3}, []int{4, 1}, []int32{0, 1, 2, 4, 5, 6}},
		{[]int{3, 2}, []int{1, 5}, []int32{0, 5, 1, 6, 2, 7}},
		{[]int{2, 2}, []int{0, 9}, []int32{0, 9, 0, 9}},
		{[]int{10}, []int{1}, data},
		{[]int{1, 2}, []int{-100, 1}, []int32{0, 1}},
		{[]int{10}, []int{-1}, []int32{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
		{[]int{2, 3}, []int{-4, 1}, []int32{4, 5, 6, 0, 1, 2}},
		{[]int{2, 3}, []int{4, -1}, []int32{2, 1, 0, 6, 5, 4}},
		{[]int{2, 5}, []int{-5, -1}, []int32{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
		{[]int{0, 5}, []int{math.MaxInt, math.MinInt}, nil},
		{nil, nil, []int32{0}},
	} {
		x, err := ogive.FromStrided(data, c.shape, c.strides)
		if err != nil {
			t.Errorf("%v %v: %v", c.shape, c.strides, err)
			continue
		}
		if got := ogive.Must(ogive.Values[int32](x)); !slices.Equal(got, c.want) {
			t.Errorf("%v %v: %v, want %v", c.shape, c.strides, got, c.want)
		}
	}
	shared := ogive.Must(ogive.FromStrided(data, []int{2}, []int{3}))
	data[3] = 33
	if got := ogive.Must(ogive.Values[int32](shared)); got[1] != 33 {
		t.Error("FromStrided copies")
	}
	fails := func(_ *ogive.Tensor, err error) error { return err }
	for _, c := range []struct {
		name           string
		shape, strides []int
		message        string
	}{
		{"one too many", []int{11}, []int{1}, `FromStrided: shape [11] with strides [1] reaches outside of the data's 10 elements`},
		{"the last row", []int{3, 2}, []int{5, 1}, `FromStrided: shape [3 2] with strides [5 1] reaches outside of the data's 10 elements`},
		{"backwards", []int{11}, []int{-1}, `FromStrided: shape [11] with strides [-1] reaches outside of the data's 10 elements`},
		{"both ways", []int{3, 3}, []int{-4, 1}, `FromStrided: shape [3 3] with strides [-4 1] reaches outside of the data's 10 elements`},
		{"far", []int{3, 3}, []int{math.MaxInt, math.MaxInt}, ``},
		{"far back", []int{3}, []int{math.MinInt}, ``},
		{"there and back", []int{2, 2}, []int{math.MaxInt, -math.MaxInt}, ``},
		{"strides", []int{2, 2}, []int{1}, `FromStrided: shape [2 2] has 1 strides`},
		{"negative", []int{-1}, []int{1}, `FromStrided: dimension 0 of shape [-1] is negative`},
	} {
		err := fails(ogive.FromStrided(data, c.shape, c.strides))
		if c.message == "" {
			c.message = err.Error()
		}
		wantError(t, c.name, err, ogive.ErrShape, c.message)
	}
	if _, err := ogive.FromStrided([]int8(nil), nil, nil); !errors.Is(err, ogive.ErrShape) {
		t.Errorf("an element of nothing: %v", err)
	}
	for _, n := range []int{0, 3} {
		x, err := ogive.FromRows(make([][]int8, n))
		if err != nil || !slices.Equal(x.Shape(), []int{n, 0}) {
			t.Errorf("%d empty rows: %v %v", n, x.Shape(), err)
		}
	}
}

// TestElementAccessErrors are those of looking at elements.
func TestElementAccessErrors(t *testing.T) {
	x := of([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	fails := func(_ *ogive.Tensor, err error) error { return err }
	value := func(_ any, err error) error { return err }
	for _, c := range []struct {
		name     string
		err      error
		sentinel error
		message  string
	}{
		{"At", fails(x.At(0, 3)), ogive.ErrShape, `At: position 3 of axis 1 is outside 0..2`},
		{"At does not wrap", fails(x.At(-1)), ogive.ErrShape, `At: position -1 of axis 0 is outside 0..1`},
		{"At, too many", fails(x.At(0, 0, 0)), ogive.ErrShape, `At: 3 positions for a 2-d tensor`},
		{"Float64s", value(vec(1i).Float64s()), ogive.ErrDType, `Float64s: complex128 is not real`},
		{"CountTrue", value(x.CountTrue()), ogive.ErrDType, `CountTrue: the mask is int32, want bool`},
		{"CountTrue of nil", value(ogive.CountTrue(nil)), ogive.ErrShape, `CountTrue: the mask is nil`},
		{"Select of nil", fails(ogive.Select(nil, x)), ogive.ErrShape, `Select: x is nil`},
		{"Select without mask", fails(x.Select(nil)), ogive.ErrShape, `Select: the mask is nil`},
		{"Select's dtype", fails(x.Select(x)), ogive.ErrDType, `Select: the mask is int32, want bool`},
		{"Select's shape", fails(x.Select(vec(true))), ogive.ErrShape, `Select: the mask has shape [1], want x's [2 3]`},
	} {
		wantError(t, c.name, c.err, c.sentinel, c.message)
	}
}
