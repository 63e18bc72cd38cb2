package call

import (
	"bytes"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	_ "github.com/ogive-go/ogive/internal/testkit" // scratch memory is poison
)

// asker makes calls as C does, in memory that it keeps.
type asker struct {
	t       testing.TB
	c       *Call
	results []Result
	room    [3][]uint64
	shapes  [3][16]int64
	message [512]byte
	kept    []any
}

// ask returns an asker of an operation, whose results have so many bytes of room each.
func ask(t testing.TB, verb, op uint32, room int) *asker {
	a := &asker{t: t, c: &Call{Size: uint32(unsafe.Sizeof(Call{})), Verb: verb, Op: op, Method: unset, Mode: unset, NQ: unset}}
	a.results = make([]Result, 3)
	for i := range a.results {
		a.room[i] = make([]uint64, room/8+1)
		a.results[i] = Result{Tensor: Tensor{Data: at(&a.room[i][0]), Shape: at(&a.shapes[i][0])}, Room: int64(room)}
	}
	a.c.Results, a.c.Message, a.c.MessageRoom = at(&a.results[0]), at(&a.message[0]), int64(len(a.message))
	return a
}

func at[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// tensor returns the address of a tensor that is x, whatever its strides.
func (a *asker) tensor(x *ogive.Tensor) uintptr {
	shape, strides := numbers(x.Shape()), numbers(x.Strides())
	n := tensors.Array(x)
	c := codes[x.DType()]
	t := &Tensor{DeviceType: deviceCPU, NDim: int32(x.NDim()), Code: c.code, Bits: c.bits, Lanes: 1}
	if x.Len() > 0 {
		t.Data = uintptr(n.Pointer(0))
	}
	if x.NDim() > 0 {
		t.Shape, t.Strides = at(&shape[0]), at(&strides[0])
	}
	a.kept = append(a.kept, x, shape, strides, t)
	return at(t)
}

func numbers(list []int) []int64 {
	wide := make([]int64, len(list))
	for i, v := range list {
		wide[i] = int64(v)
	}
	return wide
}

// floats returns the address of numbers.
func floats[T any](a *asker, list ...T) uintptr {
	a.kept = append(a.kept, list)
	return at(&list[0])
}

// give makes x the first result.
func (a *asker) give(x *ogive.Tensor) {
	a.results[0].Tensor, a.results[0].Given = *(*Tensor)(unsafePointer(a.tensor(x))), 1
}

// run does the call and returns its status and the message.
func (a *asker) run() (Status, string) {
	var m Memory
	status := m.Run(at(a.c))
	runtime.KeepAlive(a)
	text, _, _ := bytes.Cut(a.message[:], []byte{0})
	return status, string(text)
}

// must does the call, which is to succeed.
func (a *asker) must() *asker {
	a.t.Helper()
	if status, text := a.run(); status != 0 {
		a.t.Fatalf("status %d: %s", status, text)
	}
	return a
}

// answer returns result i.
func (a *asker) answer(i int) *ogive.Tensor {
	r := &a.results[i]
	shape := make([]int, r.NDim)
	for d := range shape {
		shape[d] = int(a.shapes[i][d])
	}
	dt := dtypes[code{r.Code, r.Bits}]
	size := dt.Size()
	for _, d := range shape {
		size *= d
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(&a.room[i][0])), 8*len(a.room[i]))
	return ogive.Must(ogive.Must(ogive.FromBytes(dt, bytes.Clone(b[:size]))).Reshape(shape...))
}

// same fails unless two tensors have the same dtype, shape and bits.
func same(t testing.TB, name string, got, want *ogive.Tensor) {
	t.Helper()
	if got.DType() != want.DType() || got.NDim() != want.NDim() || got.String() != want.String() ||
		!bytes.Equal(ogive.Must(got.Bytes()), ogive.Must(ogive.Must(want.Contiguous()).Bytes())) {
		t.Errorf("%s: got %v %v %v, want %v %v %v", name, got.DType(), got.Shape(), got, want.DType(), want.Shape(), want)
	}
}

// sample returns a matrix of floats.
func sample(rows, columns int) *ogive.Tensor {
	list := make([]float64, rows*columns)
	for i := range list {
		list[i] = float64(i * 7919 % 104729)
	}
	return ogive.Must(ogive.FromSlice(list, rows, columns))
}

// cast returns x of another dtype.
func cast(x *ogive.Tensor, dt dtype.DType) *ogive.Tensor { return ogive.Must(x.Cast(dt)) }

// unsafePointer returns the pointer that an address of a kept value is.
func unsafePointer(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}
