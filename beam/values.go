package ogivebeam

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	register.Function1x2(withoutKey)
	beam.RegisterType(reflect.TypeFor[addFn]())
	registerChunks[bool]()
	registerChunks[int8]()
	registerChunks[int16]()
	registerChunks[int32]()
	registerChunks[int64]()
	registerChunks[uint8]()
	registerChunks[uint16]()
	registerChunks[uint32]()
	registerChunks[uint64]()
	registerChunks[float32]()
	registerChunks[float64]()
}

// element is what a collection of numbers may hold.
type element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// chunkers are the functions that make chunks of values of a type.
var chunkers = map[reflect.Type]struct {
	fn any
	dt dtype.DType
}{}

func registerChunks[T element]() {
	beam.RegisterType(reflect.TypeFor[chunkFn[T]]())
	process := (&chunkFn[T]{}).ProcessElement
	reflectx.RegisterFunc(reflect.TypeOf(process), func(fn any) reflectx.Func {
		return chunkCall[T]{fn.(func(string, T, func(string, []byte)) error)}
	})
	c := chunkers[reflect.TypeFor[T]()]
	c.fn, c.dt = &chunkFn[T]{}, dtype.Of[T]()
	chunkers[reflect.TypeFor[T]()] = c
}

// FromPCollection computes an order statistic of values that are in a pipeline, a
// PCollection of bools, integers of a given size, float32 or float64, or of
// KV<string, them>, for each key: a PCollection<Answer> whose Group is the key. Of Options
// it takes Op, Q, Method, Mode and Budget. The values are gone over once for each pass,
// mostly two where they are more than a quarter of the budget holds, in chunks that Beam
// keeps between the passes. Without values there is no Answer.
func FromPCollection(s beam.Scope, values beam.PCollection, o Options) beam.PCollection {
	return beam.Must(TryFromPCollection(s, values, o))
}

// TryFromPCollection is FromPCollection with the error of wrong options and of elements
// of another type.
func TryFromPCollection(s beam.Scope, values beam.PCollection, o Options) (beam.PCollection, error) {
	s = s.Scope("ogive.FromPCollection")
	o, err := o.checked()
	if err != nil {
		return beam.PCollection{}, err
	}
	of := values.Type()
	if len(of.Components()) != 2 {
		values = beam.ParDo(s, withoutKey, values)
		of = values.Type()
	}
	t := of.Components()
	chunks, ok := chunkers[t[1].Type()]
	if !ok || t[0].Type() != reflect.TypeFor[string]() {
		return beam.PCollection{}, fmt.Errorf("%w: values of %v; there are bool, int8 … int64, uint8 … uint64, float32 and float64, and KV<string, one of them>", ogive.ErrDType, of)
	}
	values = beam.Reshuffle(s, beam.ParDo(s, chunks.fn, values))
	results := passes(s, o, []what{asked}, false, nil, func(s beam.Scope, first bool, open beam.PCollection) beam.PCollection {
		return beam.ParDo(s.Scope("add"), &addFn{Options: o, DType: chunks.dt.String(), First: first}, values, beam.SideInput{Input: open})
	})
	return beam.ParDo(s, answer, results), nil
}

// withoutKey is the key of values that have none.
func withoutKey(v beam.T) (string, beam.T) { return "", v }

// chunkFn makes chunks of the values of each key, as little-endian bytes.
type chunkFn[T element] struct {
	values map[string][]T
	count  int
}

// A chunk has chunkLen values at most, and a worker holds waitLen that wait for others.
const chunkLen, waitLen = 1 << 14, 1 << 18

func (fn *chunkFn[T]) StartBundle(func(string, []byte)) { fn.values, fn.count = map[string][]T{}, 0 }

func (fn *chunkFn[T]) ProcessElement(k string, v T, emit func(string, []byte)) error {
	list := append(fn.values[k], v)
	fn.values[k] = list
	fn.count++
	switch {
	case len(list) == chunkLen:
		fn.count -= chunkLen
		delete(fn.values, k)
		return emitChunk(k, list, emit)
	case fn.count >= waitLen:
		return fn.FinishBundle(emit)
	}
	return nil
}

func (fn *chunkFn[T]) FinishBundle(emit func(string, []byte)) error {
	for k, list := range fn.values {
		if err := emitChunk(k, list, emit); err != nil {
			return err
		}
	}
	clear(fn.values)
	fn.count = 0
	return nil
}

// chunkCall is how Beam calls chunkFn, which takes single values, without reflection.
type chunkCall[T element] struct {
	fn func(string, T, func(string, []byte)) error
}

func (c chunkCall[T]) Name() string          { return reflectx.FunctionName(c.fn) }
func (c chunkCall[T]) Type() reflect.Type    { return reflect.TypeOf(c.fn) }
func (c chunkCall[T]) Call(args []any) []any { return []any{c.Call3x1(args[0], args[1], args[2])} }

func (c chunkCall[T]) Call3x1(k, v, emit any) any {
	return c.fn(k.(string), v.(T), emit.(func(string, []byte)))
}

func emitChunk[T element](k string, list []T, emit func(string, []byte)) error {
	b, err := binary.Append(nil, binary.LittleEndian, list)
	emit(k, b)
	return err
}

// addFn adds chunks to tallies.
type addFn struct {
	Options Options
	DType   string
	First   bool
	c       *collector
}

func (fn *addFn) StartBundle(tallies, func(string, tally)) { fn.c = nil }

func (fn *addFn) ProcessElement(k string, chunk []byte, open tallies, emit func(string, tally)) error {
	if fn.c == nil {
		fn.c = &collector{o: &fn.Options}
		if !fn.First {
			fn.c.begin(open())
		}
	}
	if !fn.First && len(fn.c.open) == 0 {
		return nil
	}
	dt, err := dtype.Parse(fn.DType)
	if err != nil {
		return err
	}
	f, err := tensorio.Read(bytes.NewReader(chunk), "a chunk", tensorio.Options{Format: "raw", DType: dt, Order: tensorio.OrderLittle})
	if err != nil {
		return err
	}
	x, err := f.Tensor("")
	if err != nil {
		return err
	}
	err = fn.c.add(key{group: []string{labelOf(k)}}.String(), asked, x, nil, 0)
	fn.c.emitFull(emit)
	return err
}

func (fn *addFn) FinishBundle(_ tallies, emit func(string, tally)) {
	if fn.c != nil {
		fn.c.emit(emit)
	}
}
