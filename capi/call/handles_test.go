package call

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// The verbs that the tests make, as ogive_verb has them.
const (
	verbPrepare = 5 + iota
	verbRun
	verbState
	verbAdd
	verbMerge
	verbNext
	verbAnswer
	verbFork
	verbSave
	verbLoad
	verbLook
	verbRelease
)

// on returns an asker of a verb for a handle.
func on(t testing.TB, verb uint32, handle uint64) *asker {
	a := ask(t, verb, 0, 1<<16)
	a.c.Handle = handle
	return a
}

// TestPlans: prepared once, run with other lengths and indices, and released.
func TestPlans(t *testing.T) {
	weights := ogive.Must(ogive.FromSlice([]int64{1, 0, 2, 1}))
	p := ask(t, verbPrepare, uint32(ogive.OpMedian), 0)
	shape := []int64{-1, 4}
	p.c.X = p.tensor(ogive.Must(ogive.Zeros(dtype.Float64, 1, 4)))
	(*Tensor)(unsafePointer(p.c.X)).Shape, (*Tensor)(unsafePointer(p.c.X)).Data = at(&shape[0]), 0
	p.c.Axes, p.c.NAxes, p.c.Mode, p.c.Weights = floats[int64](p, 1), 1, 1, p.tensor(weights)
	p.must()
	if p.shapes[0][0] != -1 || p.results[0].NDim != 1 {
		t.Errorf("described as %v of %d dimensions", p.shapes[0], p.results[0].NDim)
	}
	copy(ogive.Must(ogive.Values[int64](weights)), []int64{9, 9, 9, 9}) // a plan has a copy
	for rows := range 4 {
		x := sample(rows, 4)
		values, indices, err := x.MedianWithIndex(ogive.Axis(1), ogive.Weights(ogive.Must(ogive.FromSlice([]int64{1, 0, 2, 1}))))
		if err != nil {
			t.Fatal(err)
		}
		for _, cancellable := range []bool{false, true} {
			r := on(t, verbRun, p.c.Handle)
			r.c.X, r.c.Flags = r.tensor(x), withIndex
			if cancellable {
				r.c.Cancel = floats[int32](r, 0)
			}
			same(t, "values", r.must().answer(0), values)
			same(t, "indices", r.answer(1), indices)
		}
	}
	on(t, verbRelease, p.c.Handle).must()

	e := ask(t, verbPrepare, uint32(ogive.OpIsFinite), 0) // of vectors of any length
	e.c.X = e.tensor(ogive.Must(ogive.Zeros(dtype.Float64, 1)))
	(*Tensor)(unsafePointer(e.c.X)).Shape = at(&shape[0])
	r := on(t, verbRun, e.must().c.Handle)
	r.c.X = r.tensor(ogive.Must(ogive.FromSlice([]float64{1, math.Inf(1), 3})))
	same(t, "a vector", r.must().answer(0), ogive.Must(ogive.FromSlice([]bool{true, false, true})))

	for _, verb := range []uint32{verbRun, verbRelease, verbNext} {
		a := on(t, verb, p.c.Handle)
		a.c.X = a.tensor(weights)
		if status, _ := a.run(); status != statusOf(errArgument) {
			t.Errorf("verb %d of a plan that is no more: status %d", verb, status)
		}
	}
}

// TestStates: data in chunks, by forks that travel as bytes, in as many passes as it takes.
func TestStates(t *testing.T) {
	x := sample(64, 4096)
	want := ogive.Must(x.Quantiles([]float64{0.1, 0.5}))
	s := ask(t, verbState, uint32(ogive.OpQuantile), 0)
	s.c.X, s.c.Budget, s.c.Q, s.c.NQ = s.tensor(ogive.Scalar(0.0)), 1<<20, floats(s, 0.1, 0.5), 2
	handle := s.must().c.Handle
	for again := int64(1); again == 1; {
		for half := range 2 {
			f := on(t, verbFork, handle).must().c.Other
			a := on(t, verbAdd, f)
			a.c.X = a.tensor(ogive.Must(x.Slice(0, 32*half, 32*half+32, 1)))
			a.must()
			l := on(t, verbLoad, 0)
			saved := on(t, verbSave, f)
			saved.results[0].Room = 0
			if status, _ := saved.run(); status != statusOf(errRoom) {
				t.Fatalf("save without room: status %d", status)
			}
			memory := make([]byte, saved.shapes[0][0])
			saved.results[0].Data, saved.results[0].Room = at(&memory[0]), int64(len(memory))
			saved.must()
			l.c.X = l.tensor(ogive.Must(ogive.FromSlice(memory)))
			m := on(t, verbMerge, handle)
			m.c.Other = l.must().c.Handle
			m.must()
		}
		if n := on(t, verbLook, handle).must().c.Number; n[0] < 1 || n[1] < n[0] || n[2] != 64*4096 || n[3] <= 0 {
			t.Errorf("a look at the state: %v", n)
		}
		again = on(t, verbNext, handle).must().c.Number[0]
	}
	same(t, "answer", on(t, verbAnswer, handle).must().answer(0), want)
	m := on(t, verbMerge, handle)
	m.c.Other = handle
	if status, _ := m.run(); status != statusOf(ogive.ErrOption) {
		t.Errorf("merged with itself: status %d", status)
	}
}

// TestStatesOfManyThreads: each of them adds to one state, and merges two both ways.
func TestStatesOfManyThreads(t *testing.T) {
	var both [2]uint64
	for i := range both {
		s := ask(t, verbState, uint32(ogive.OpMedian), 0)
		s.c.X, s.c.Budget = s.tensor(ogive.Scalar(int16(0))), 1<<20
		both[i] = s.must().c.Handle
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			a := on(t, verbAdd, both[i%2])
			a.c.X = a.tensor(ogive.Must(ogive.FromSlice([]int16{int16(i)})))
			m := on(t, verbMerge, both[i%2])
			m.c.Other = both[1-i%2]
			for _, a := range []*asker{a, m} {
				if status, text := a.run(); status != 0 {
					t.Errorf("status %d: %s", status, text)
				}
			}
		})
	}
	wg.Wait()
}

// TestGarbage: whatever a call holds, it is an error and not a fault.
func TestGarbage(t *testing.T) {
	x := sample(2, 3)
	tensor := func(change func(*Tensor)) func(*asker) {
		return func(a *asker) { change((*Tensor)(unsafePointer(a.c.X))) }
	}
	odd := make([]uint64, 9)
	structural := []string{"size 0", "size of a million", "verb 99", "flags", "the next flag", "an odd shape", "unaligned data", "no such handle"}
	for name, break_ := range map[string]func(a *asker){
		"size 0":            func(a *asker) { a.c.Size = 0 },
		"size of a million": func(a *asker) { a.c.Size = 1 << 20 },
		"verb 99":           func(a *asker) { a.c.Verb = 99 },
		"flags":             func(a *asker) { a.c.Flags = 1 << 20 },
		"the next flag":     func(a *asker) { a.c.Flags = 128 },
		"ndim -1":           tensor(func(x *Tensor) { x.NDim = -1 }),
		"ndim 17":           tensor(func(x *Tensor) { x.NDim = 17 }),
		"dtype 99":          tensor(func(x *Tensor) { x.Code = 99 }),
		"64 bits of bool":   tensor(func(x *Tensor) { x.Code = 6 }),
		"lanes":             tensor(func(x *Tensor) { x.Lanes = 4 }),
		"no data":           tensor(func(x *Tensor) { x.Data = 0 }),
		"no shape":          tensor(func(x *Tensor) { x.Shape = 0 }),
		"an odd shape":      tensor(func(x *Tensor) { x.Shape = at(&odd[0]) + 1 }),
		"a device":          tensor(func(x *Tensor) { x.DeviceType = 77 }),
		"unaligned data":    tensor(func(x *Tensor) { x.Data = at(&odd[0]) + 1 }),
		"byte offset":       tensor(func(x *Tensor) { x.ByteOffset = 3 }),
		"a long shape":      func(a *asker) { tensor(func(x *Tensor) { x.Shape = floats[int64](a, 1<<40, 1<<40) })(a) },
		"a negative shape":  func(a *asker) { tensor(func(x *Tensor) { x.Shape = floats[int64](a, -2, -3) })(a) },
		"long strides":      func(a *asker) { tensor(func(x *Tensor) { x.Strides = floats[int64](a, 1<<62, -1<<63) })(a) },
		"before memory":     func(a *asker) { tensor(func(x *Tensor) { x.Strides = floats[int64](a, -1<<59, 1) })(a) },
		"x nowhere":         func(a *asker) { a.c.X = 3 },
		"no results":        func(a *asker) { a.c.Results = 0 },
		"no q":              func(a *asker) { a.c.Q = 0 },
		"many q":            func(a *asker) { a.c.NQ = 1 << 62 },
		"-9 q":              func(a *asker) { a.c.NQ = -9 },
		"-1 axes":           func(a *asker) { a.c.Axes, a.c.NAxes = floats[int64](a, 0), -1 },
		"den without num":   func(a *asker) { a.c.Den = floats[int64](a, 3) },
		"den 0 without q":   func(a *asker) { a.c.Q, a.c.Num, a.c.Den = 0, floats[int64](a, 1), floats[int64](a, 0) },
		"den -1":            func(a *asker) { a.c.Num, a.c.Den = floats[int64](a, 1), floats[int64](a, -1) },
		"weights nowhere":   func(a *asker) { a.c.Weights = 8 + 1 },
		"upstream missing":  func(a *asker) { a.c.Verb = 2 },
		"kind 300":          func(a *asker) { a.c.Op, a.c.Kind, a.c.Test = 16, 300, a.c.X },
		"ends of a test":    func(a *asker) { a.c.Verb, a.c.Op, a.c.Q = 4, uint32(ogive.OpIsNaN), 0 },
		"no such handle":    func(a *asker) { a.c.Verb, a.c.Handle = verbNext, 1<<60 },
		"odd cancel":        func(a *asker) { a.c.Cancel = at(&odd[0]) + 1 },
		"budget -1":         func(a *asker) { a.c.Verb, a.c.Budget = verbState, -1 },
		"no memory at all":  tensor(func(x *Tensor) { x.Data = 0x8000 }),
		"a result nowhere":  func(a *asker) { a.results[0].Data = 0 },
		"a shape nowhere":   func(a *asker) { a.c.Axes, a.c.NAxes, a.results[0].Shape = floats[int64](a, 0), 1, 0 },
	} {
		a := ask(t, verbValue, uint32(ogive.OpQuantile), 64)
		a.c.X, a.c.Q = a.tensor(x), floats(a, 0.5)
		break_(a)
		status, text := a.run()
		if status == 0 || status == statusOf(errPanic) || slices.Contains(structural, name) && status != statusOf(errArgument) {
			t.Errorf("%s: status %d, %q", name, status, text)
		}
	}
	a := ask(t, verbValue, uint32(ogive.OpIsNaN), 0) // an answer without elements needs no memory
	a.results[0].Data, a.c.X = 0, a.tensor(ogive.Must(ogive.Zeros(dtype.Float32, 3, 0)))
	if a.must(); a.shapes[0][0] != 3 || a.results[0].NDim != 2 {
		t.Errorf("no elements: shape %v", a.shapes[0])
	}
	var m Memory
	if status := m.Run(0); status != statusOf(errArgument) {
		t.Errorf("no call: status %d", status)
	}
}

// TestLaterCalls: fields that this library does not know must be zero.
func TestLaterCalls(t *testing.T) {
	var later struct {
		Call
		field uint64
	}
	a := ask(t, verbValue, uint32(ogive.OpMedian), 8)
	a.c.X = a.tensor(sample(1, 3))
	later.Call = *a.c
	later.Size += 8
	var m Memory
	if status := m.Run(at(&later)); status != 0 {
		t.Errorf("a later call without its field: status %d", status)
	}
	if later.field = 1; m.Run(at(&later)) != statusOf(errArgument) {
		t.Error("the field of a later call is ignored")
	}
}

// TestMessages are cut to their room between characters.
func TestMessages(t *testing.T) {
	for room := range 40 {
		r := &request{memory: new(Memory), Call: Call{MessageRoom: int64(room)}}
		buffer := bytes.Repeat([]byte{'#'}, 50)
		r.Message = at(&buffer[0])
		r.tell("äöü: nicht länger als erlaubt")
		end := bytes.IndexByte(buffer, 0)
		if room == 0 && end >= 0 || room > 0 && (end < 0 || end >= room || !bytes.HasPrefix([]byte("äöü: nicht länger als erlaubt"), buffer[:end])) {
			t.Errorf("room %d: %q", room, buffer)
		}
		if bytes.Count(buffer[room:], []byte{'#'}) != 50-room {
			t.Errorf("room %d: written behind it", room)
		}
	}
}

// TestSegments: addresses are numbers of segments and distances, and nothing beyond them.
func TestSegments(t *testing.T) {
	var m Memory
	m.Map(7, make([]byte, 100))
	for _, c := range []struct {
		address uintptr
		size    uint64
		ok      bool
	}{
		{7 << distanceBits, 100, true}, {7<<distanceBits | 40, 60, true}, {7<<distanceBits | 100, 0, true},
		{7<<distanceBits | 40, 61, false}, {7<<distanceBits | 101, 0, false}, {8 << distanceBits, 1, false}, {0, 1, false}, {7 << distanceBits, 1 << 63, false},
	} {
		if p := m.at(c.address, c.size); (p != nil) != c.ok {
			t.Errorf("%d bytes at %#x: %v", c.size, c.address, p)
		}
	}
	if m.Map(7, nil) == nil || m.at(7<<distanceBits, 1) != nil {
		t.Error("a segment that was dropped is there")
	}
}

// TestCancelled: a call ends when its flag is set, and counts its work where it is told to.
func TestCancelled(t *testing.T) {
	x := sample(1000, 1000)
	a := ask(t, verbValue, uint32(ogive.OpMedian), 8)
	progress := make([]int64, 2)
	a.c.X, a.c.Cancel, a.c.Progress = a.tensor(x), floats[int32](a, 1), at(&progress[0])
	if status, _ := a.run(); int(status) != 13 {
		t.Errorf("status %d", status)
	}
	*(*int32)(unsafePointer(a.c.Cancel)) = 0
	if a.must(); progress[0] < 1e6 || progress[1] != progress[0] {
		t.Errorf("progress %v", progress)
	}
}
