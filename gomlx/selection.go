package gomlx

import (
	"math/bits"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// lanes says how a tensor is laid out as rows that are reduced.
type lanes struct {
	dims    []int // of the tensor
	axes    []int // its axes, the kept ones first, then the reduced ones
	rows, n int
}

// newLanes returns the layout of a tensor whose given axes are reduced.
func newLanes(dims, reduced []int) lanes {
	l := lanes{dims: dims, rows: 1, n: 1}
	for a, d := range dims {
		if !slices.Contains(reduced, a) {
			l.axes = append(l.axes, a)
			l.rows *= d
		}
	}
	for a, d := range dims {
		if slices.Contains(reduced, a) {
			l.axes = append(l.axes, a)
			l.n *= d
		}
	}
	return l
}

// split returns x as rows × n.
func (l lanes) split(x *Node) *Node {
	if !slices.IsSorted(l.axes) {
		x = TransposeAllAxes(x, l.axes...)
	}
	return Reshape(x, l.rows, l.n)
}

// join is the inverse of split.
func (l lanes) join(x *Node) *Node {
	if slices.IsSorted(l.axes) {
		return Reshape(x, l.dims...)
	}
	moved, back := make([]int, len(l.axes)), make([]int, len(l.axes))
	for i, a := range l.axes {
		moved[i], back[a] = l.dims[a], i
	}
	return TransposeAllAxes(Reshape(x, moved...), back...)
}

// column returns x, a value for each row or a scalar, as rows × 1.
func column(x *Node, rows int) *Node {
	if x.IsScalar() {
		return BroadcastToDims(x, rows, 1)
	}
	return Reshape(x, rows, 1)
}

// counter is the dtype of counts and positions up to n.
func counter(n int) dtypes.DType {
	if int64(n) < 1<<31 {
		return dtypes.Int32
	}
	return dtypes.Int64
}

// count returns how many elements of each row are true, rows × 1. Rows of packed
// length are summed eight at a time, as the bytes of a word: the pure Go backend
// sums a word in the time of a number.
func count(yes *Node) *Node {
	rows, n := yes.Shape().Dimensions[0], yes.Shape().Dimensions[1]
	bytes := toBytes(yes)
	if words := packing(n); words > 0 && n%(8*words) == 0 {
		w := Bitcast(Reshape(bytes, rows, n/8/words, words, 8), dtypes.Uint64)
		sums := ConvertDType(Bitcast(ReduceSum(w, 2), dtypes.Uint8), counter(n))
		return Reshape(ReduceSum(sums, 1, 2), rows, 1)
	}
	return Reshape(ReduceSum(ConvertDType(bytes, counter(n)), 1), rows, 1)
}

// toBytes returns 1 for true and 0 for false, Uint8. The pure Go backend has
// these bytes already; converting takes it 3 ns an element, where it mispredicts
// each. To XLA a Bool is one bit.
func toBytes(yes *Node) *Node {
	if yes.Graph().Backend().String() == "go" {
		return Bitcast(yes, dtypes.Uint8)
	}
	return ConvertDType(yes, dtypes.Uint8)
}

// packing is how many words are summed at once in a row of n elements, less
// than 256 so that no byte overflows, or 0 if rows are too short to gain by it.
func packing(n int) int {
	switch {
	case n < 1<<7:
		return 0
	case n < 1<<12:
		return 8
	case n < 1<<16:
		return 16
	}
	return 128
}

// pack lengthens rows of keys, if that makes counting faster, by largest keys,
// which no count below a key includes.
func (f format) pack(keys *Node) *Node {
	rows, n := keys.Shape().Dimensions[0], keys.Shape().Dimensions[1]
	words := packing(n)
	if words == 0 || n%(8*words) == 0 {
		return keys
	}
	more := BroadcastToDims(like(keys, f.top()), rows, 8*words-n%(8*words))
	return Concatenate([]*Node{keys, more}, 1)
}

// selectRanks returns for each of ks (counts, rows × 1) the key of that rank in
// each row, rows × 1. Keys are below 2^width, or the largest of their dtype.
//
// An answer is built from its highest bit down: a bit is set if no more than k
// keys are below the answer with the bit. The steps are written out, not a
// While: the pure Go backend hangs where as many loops run side by side as it
// has workers, because each waits for one to run its body.
//
// In short rows the ranks of all elements are counted instead.
func selectRanks(keys *Node, width uint, ks []*Node) []*Node {
	answers := make([]*Node, len(ks))
	if n := keys.Shape().Dimensions[1]; 2*n <= int(width) { // two comparisons with each other element, not one for each bit
		below, upTo := ranksOf(keys, LessThan), ranksOf(keys, LessOrEqual)
		for i, k := range ks {
			is := LogicalAnd(LessOrEqual(below, k), GreaterThan(upTo, k))
			answers[i] = Reshape(ReduceMax(Where(is, keys, like(keys, 0)), 1), k.Shape().Dimensions...)
		}
		return answers
	}
	for i, k := range ks {
		answer := BroadcastToDims(like(keys, 0), k.Shape().Dimensions...)
		for bit := width; bit > 0; bit-- {
			try := BitwiseOr(answer, like(keys, 1<<(bit-1)))
			answer = Where(LessOrEqual(count(LessThan(keys, try)), k), try, answer)
		}
		answers[i] = answer
	}
	return answers
}

// ranksOf returns for each element how many of its row are before it, by less.
func ranksOf(keys *Node, less func(a, b *Node) *Node) *Node {
	rows, n := keys.Shape().Dimensions[0], keys.Shape().Dimensions[1]
	before := less(Reshape(keys, rows, 1, n), Reshape(keys, rows, n, 1))
	return Reshape(count(Reshape(before, rows*n, n)), rows, n)
}

// following returns the key of rank k+1, where key has rank k.
func following(keys, key, k *Node) *Node {
	rows := keys.Shape().Dimensions[0]
	upTo := LessOrEqual(keys, key)
	top := like(keys, formatOf(keys.DType()).top())
	next := Reshape(ReduceMin(Where(upTo, top, keys), 1), rows, 1)
	return Where(GreaterThan(count(upTo), Add(k, like(k, 1))), key, next)
}

// place returns the position in its row of the element with the given key and
// rank, where position decides between equal keys, rows × 1.
func place(keys, key, k *Node) *Node {
	g := keys.Graph()
	n := keys.Shape().Dimensions[1]
	nth := Sub(k, count(LessThan(keys, key)))
	at := Iota(g, shapes.Make(dtypes.Uint64, keys.Shape().Dimensions...), 1)
	at = Where(Equal(keys, key), at, like(at, 1<<64-1))
	return selectRanks(at, uint(bits.Len(uint(n))), []*Node{nth})[0]
}
