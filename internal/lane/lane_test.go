package lane

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
)

// view is an array whose elements are all different, and its lanes element by element.
type view struct {
	a       nd.Array
	reduced nd.Axes
	lanes   [][]int32 // in C order of the kept, and of the reduced dimensions
}

// drawView returns a view of up to four dimensions, with steps, reversed, transposed
// and repeated ones among them.
func drawView(t *testing.T, rng *rand.Rand) (v view) {
	t.Helper()
	shape := make([]int, 1+rng.IntN(4))
	n := 1
	for i := range shape {
		shape[i] = 1 + rng.IntN(6)
		n *= shape[i]
	}
	elements := make([]int32, n)
	for i := range elements {
		elements[i] = int32(i)
	}
	must := func(a nd.Array, err error) nd.Array {
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	v.a = must(nd.FromBytes(dtype.Int32, unsafe.Slice((*byte)(unsafe.Pointer(&elements[0])), 4*n), nil, shape...))
	v.a = must(v.a.Transpose(rng.Perm(len(shape))...))
	for i, d := range v.a.Shape() {
		switch rng.IntN(5) {
		case 0:
			v.a = must(v.a.Slice(i, d-1, -1, -1))
		case 1:
			v.a = must(v.a.Slice(i, 0, d, 2))
		case 2:
			v.a = must(v.a.Slice(i, 0, 1, 1))
			wide := slices.Clone(v.a.Shape())
			wide[i] = 3
			v.a = must(v.a.BroadcastTo(wide...))
		}
	}
	v.reduced = nd.Axes(rng.IntN(1 << len(shape)))

	count := 1
	for i, d := range v.a.Shape() {
		if !v.reduced.Has(i) {
			count *= d
		}
	}
	v.lanes = make([][]int32, count)
	index := make([]int, len(shape))
	for range v.a.Len() {
		lane, at := 0, 0
		for i, d := range v.a.Shape() {
			at += index[i] * v.a.Strides()[i]
			if !v.reduced.Has(i) {
				lane = lane*d + index[i]
			}
		}
		v.lanes[lane] = append(v.lanes[lane], *(*int32)(v.a.Pointer(at)))
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < v.a.Shape()[i] {
				break
			}
			index[i] = 0
		}
	}
	return v
}

// forViews calls test for many views and their lanes.
func forViews(t *testing.T, ordered bool, test func(v view, l *Lanes, rng *rand.Rand)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(61, 1))
	for range 2000 {
		v := drawView(t, rng)
		var l Lanes
		l.Init(&v.a, v.reduced, ordered)
		if l.Count != len(v.lanes) || l.N != len(v.lanes[0]) {
			t.Fatalf("%v by %b: %d lanes of %d, want %d of %d", v.a.Shape(), v.reduced, l.Count, l.N, len(v.lanes), len(v.lanes[0]))
		}
		test(v, &l, rng)
	}
}

// Elements are numbered in C order, and without an order none is lost or doubled.
func TestPointer(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		forViews(t, ordered, func(v view, l *Lanes, _ *rand.Rand) {
			for j, want := range v.lanes {
				var got []int32
				for i := range l.N {
					got = append(got, *(*int32)(l.Pointer(j, i)))
				}
				if !ordered {
					slices.Sort(got)
					want = slices.Sorted(slices.Values(want))
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%v %v by %b, ordered %v, lane %d: %v, want %v", v.a.Shape(), v.a.Strides(), v.reduced, ordered, j, got, want)
				}
			}
		})
	}
}

// Run, Runs, Gather, Encode and Tile read what Pointer does, from any element on.
func TestRuns(t *testing.T) {
	forViews(t, true, func(v view, l *Lanes, rng *rand.Rand) {
		j, from := rng.IntN(l.Count), rng.IntN(l.N)
		to := from + 1 + rng.IntN(l.N-from)
		want := v.lanes[j][from:to]
		check := func(what string, got []int32) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Fatalf("%s of %v %v by %b, lane %d, %d … %d: %v, want %v", what, v.a.Shape(), v.a.Strides(), v.reduced, j, from, to, got, want)
			}
		}
		var got []int32
		collect := func(p unsafe.Pointer, stride, n int) {
			for i := range n {
				got = append(got, *(*int32)(unsafe.Add(p, 4*i*stride)))
			}
		}
		for at := from; at < to; {
			p, stride, n := l.Run(j, at, to)
			collect(p, stride, n)
			at += n
		}
		check("Run", got)
		got = nil
		l.Runs(j, from, to, collect)
		check("Runs", got)

		count := 1 + rng.IntN(l.Count-j)
		memory := make([]int32, count*(to-from))
		l.Gather(unsafe.Pointer(&memory[0]), j, count, from, to)
		for want = v.lanes[j][from:to]; ; want = v.lanes[j][from:to] {
			check("Gather", memory[:to-from])
			memory, j = memory[to-from:], j+1
			if len(memory) == 0 {
				break
			}
		}
		j -= count
		keys := make([]int32, count*(to-from))
		Encode(keys, l, j, from, to, kernel.Encoding[int32]{})
		for ; len(keys) > 0; keys, j = keys[to-from:], j+1 {
			want = v.lanes[j][from:to]
			check("Encode", keys[:to-from])
		}
	})
}

// Neighbours are as far apart as Pitch says, and a tile has their elements.
func TestNeighbours(t *testing.T) {
	forViews(t, true, func(v view, l *Lanes, rng *rand.Rand) {
		first := rng.IntN(l.Count)
		n := l.Neighbours(first, l.Count-first)
		if n < 1 || first+n > l.Count {
			t.Fatalf("%d neighbours from %d of %d lanes", n, first, l.Count)
		}
		if !l.Even() {
			return
		}
		tile := l.Tile(first, n, 0, l.N)
		for j := range n {
			for i := range l.N {
				got := *(*int32)(unsafe.Add(tile.Base, 4*(i*tile.Stride+j*tile.LaneStride)))
				if want := v.lanes[first+j][i]; got != want {
					t.Fatalf("%v %v by %b: element %d of lane %d of a tile is %d, want %d", v.a.Shape(), v.a.Strides(), v.reduced, i, first+j, got, want)
				}
			}
		}
		if l.Adjacent() && l.N > 1 && tile.Stride != 1 {
			t.Fatalf("adjacent elements lie %d apart", tile.Stride)
		}
	})
}

// Lanes are side by side if neighbours are closer than elements, and groups end
// where they are no longer evenly spaced.
func TestGroup(t *testing.T) {
	a, err := nd.New(dtype.Float32, 5, 300, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reduced    nd.Axes
		sideBySide bool
		groups     []int
	}{
		{1, true, []int{128, 128, 128}}, // lanes of 5, of which all 1200 are evenly spaced
		{2, true, []int{4, 4, 4}},
		{4, false, []int{1, 1, 1}},
	} {
		var l Lanes
		l.Init(&a, c.reduced, true)
		if l.SideBySide() != c.sideBySide {
			t.Errorf("axes %b: side by side %v", c.reduced, l.SideBySide())
		}
		first := 0
		for i, want := range c.groups {
			if got := l.Group(first); got != want {
				t.Errorf("axes %b, group %d: %d lanes, want %d", c.reduced, i, got, want)
			}
			first += want
		}
	}
}
