package stream

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// TestMain lowers the least budget, so that little data take many passes.
func TestMain(m *testing.M) {
	leastBudget = 256
	os.Exit(m.Run())
}

// failer is what fails: a test or a property's run.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// call is what is asked of a stream.
type call struct {
	op   ogive.Op
	dt   dtype.DType
	opts []ogive.Option
}

// memory is the answer of the in-memory operation.
func (c call) memory(x, weights *ogive.Tensor) (*ogive.Tensor, error) {
	opts := c.opts
	if weights != nil {
		opts = append(slices.Clone(opts), ogive.Weights(weights))
	}
	p, err := ogive.Prepare(c.op, c.dt, x.Shape(), opts...)
	if err != nil {
		return nil, err
	}
	out := ogive.Must(ogive.Zeros(p.DType(), p.Shape()...))
	return out, p.Run(x, out)
}

// feeding is a way of going over data.
type feeding struct {
	budget int
	chunk  int  // the most elements of a chunk
	forks  int  // among which the chunks are divided
	travel bool // forks, and the state between passes, are serialised
	seed   uint64
}

// run computes the answer in passes, which it counts. check sees every state that has
// seen a part of the data.
func (c call) run(t failer, x, weights *ogive.Tensor, f feeding, check func(*State)) (*ogive.Tensor, int, error) {
	t.Helper()
	s, err := New(c.op, c.dt, f.budget, c.opts...)
	if err != nil {
		return nil, 0, err
	}
	rng := rand.New(rand.NewPCG(f.seed, 1))
	for {
		if s.Pass() > s.MaxPasses() {
			t.Fatalf("pass %d; MaxPasses says %d", s.Pass(), s.MaxPasses())
		}
		workers := []*State{s}
		for range f.forks {
			workers = append(workers, move(t, f, s.Fork()))
		}
		type piece struct{ from, to int }
		var pieces []piece
		for at := 0; at < x.Len(); {
			n := min(1+rng.IntN(f.chunk), x.Len()-at)
			pieces = append(pieces, piece{at, at + n})
			at += n
		}
		rng.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		for _, p := range pieces {
			part := ogive.Must(x.Slice(0, p.from, p.to, 1))
			var w *ogive.Tensor
			if weights != nil {
				w = ogive.Must(weights.Slice(0, p.from, p.to, 1))
			}
			worker := workers[rng.IntN(len(workers))]
			if err := worker.Add(part, w); err != nil {
				return nil, 0, err
			}
			if check != nil {
				check(worker)
			}
		}
		for len(workers) > 1 { // a tree of merges in any order, into s in the end
			i := 1 + rng.IntN(len(workers)-1)
			j := rng.IntN(i)
			if err := workers[j].Merge(move(t, f, workers[i])); err != nil {
				t.Fatalf("merge: %v", err)
			}
			workers = slices.Delete(workers, i, i+1)
		}
		again, err := s.Next()
		if err != nil {
			t.Fatalf("next: %v", err)
		}
		s = move(t, f, s)
		if !again {
			out, err := s.Result()
			return out, s.Pass(), err
		}
	}
}

// move sends a state through bytes, if the feeding does.
func move(t failer, f feeding, s *State) *State {
	t.Helper()
	if !f.travel {
		return s
	}
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatalf("marshal: %v", err)
	}
	var moved State
	if err := moved.UnmarshalBinary(b); err != nil {
		t.Fatalf("unmarshal: %v", err)
	}
	if again := ogive.Must(moved.MarshalBinary()); !slices.Equal(again, b) {
		t.Fatalf("the bytes of a state change on the way: %d, then %d", len(b), len(again))
	}
	return &moved
}

// same fails unless two answers have the same dtype, shape and bits, or are both errors
// of the same kind.
func same(t failer, got *ogive.Tensor, gotErr error, want *ogive.Tensor, wantErr error) {
	t.Helper()
	if gotErr != nil || wantErr != nil {
		for _, kind := range []error{ogive.ErrEmpty, ogive.ErrWeights} {
			if isKind(gotErr, kind) && isKind(wantErr, kind) {
				return
			}
		}
		t.Fatalf("error %v, in memory %v", gotErr, wantErr)
	}
	if got.DType() != want.DType() || !slices.Equal(got.Shape(), want.Shape()) {
		t.Fatalf("%v of %v, in memory %v of %v", got.Shape(), got.DType(), want.Shape(), want.DType())
	}
	if d := testkit.Diff(got.DType(), ogive.Must(got.Bytes()), ogive.Must(want.Bytes())); d != "" {
		t.Fatalf("in memory other bits: %s", d)
	}
}

// tensor returns n elements of a kind.
func tensor(kind string, dt dtype.DType, n int, seed uint64) *ogive.Tensor {
	return ogive.Must(ogive.FromBytes(dt, testkit.Fill(kind, dt, n, seed), n))
}

// weightsOf returns n weights from 0 to 4.
func weightsOf(dt dtype.DType, n int, seed uint64) *ogive.Tensor {
	rng := rand.New(rand.NewPCG(seed, 2))
	w := make([]int64, n)
	for i := range w {
		w[i] = max(0, rng.Int64N(6)-1)
	}
	return ogive.Must(ogive.Must(ogive.FromSlice(w)).Cast(dt))
}

// ordered are the dtypes with an order.
func ordered() (list []dtype.DType) {
	for _, dt := range dtype.All() {
		if dt.IsOrdered() {
			list = append(list, dt)
		}
	}
	return list
}

var ops = []ogive.Op{ogive.OpQuantile, ogive.OpNaNQuantile, ogive.OpPercentile, ogive.OpNaNPercentile, ogive.OpMedian, ogive.OpNaNMedian}

// callOf returns a call of an operation: number picks quantiles, method and mode.
func callOf(op ogive.Op, dt dtype.DType, number int) call {
	c := call{op: op, dt: dt}
	method := ogive.Method(rank.Methods()[number%len(rank.Methods())])
	switch op {
	case ogive.OpMedian, ogive.OpNaNMedian:
		c.opts = []ogive.Option{ogive.Mode(ogive.MedianMode(number % 3))}
	case ogive.OpPercentile, ogive.OpNaNPercentile:
		c.opts = []ogive.Option{[]ogive.Option{ogive.P(99.9), ogive.Ps([]float64{50}), ogive.P(0, 12.5, 33, 50, 100)}[number%3], method}
	default:
		many := make([]float64, 37)
		for i := range many {
			many[i] = float64((i*17)%37) / 36
		}
		c.opts = []ogive.Option{[]ogive.Option{
			ogive.Q(0.29), ogive.Qs([]float64{0.9, 0.1, 0.9}), ogive.Ratio(29, 100), ogive.Ratios([]int64{1, 3, 7}, 8), ogive.Ratios([]int64{1, 3, 6}, 7), ogive.Qs(many),
			ogive.Fractions(rank.At(0.3), rank.Ratio(1, 3), rank.At(1e-30)),
		}[number%7], method}
	}
	return c
}
