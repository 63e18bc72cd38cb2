package ogivebeam

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/ogive-go/ogive"
)

func init() {
	register.Function1x2(withoutKey)
	registerAdd[bool]()
	registerAdd[int8]()
	registerAdd[int16]()
	registerAdd[int32]()
	registerAdd[int64]()
	registerAdd[uint8]()
	registerAdd[uint16]()
	registerAdd[uint32]()
	registerAdd[uint64]()
	registerAdd[float32]()
	registerAdd[float64]()
}

// element is what a collection of numbers may hold.
type element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// adders are the functions that add values of a type to tallies.
var adders = map[reflect.Type]func(o Options, first bool) any{}

func registerAdd[T element]() {
	register.DoFn4x1[string, T, tallies, func(string, tally), error](&addFn[T]{})
	adders[reflect.TypeFor[T]()] = func(o Options, first bool) any { return &addFn[T]{Options: o, First: first} }
}

// FromPCollection computes an order statistic of values that are in a pipeline, a
// PCollection of bools, integers of a given size, float32 or float64, or of
// KV<string, them>, for each key: a PCollection<Answer> whose Group is the key. Of Options
// it takes Op, Q, Method, Mode and Budget. The values are gone over once for each pass,
// mostly two where they are more than a quarter of the budget holds; Beam may compute them
// anew for it, and they must then be the same. Without values there is no Answer.
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
	if t := of.Components(); t[0].Type() != reflect.TypeFor[string]() || adders[t[1].Type()] == nil {
		return beam.PCollection{}, fmt.Errorf("%w: values of %v; there are bool, int8 … int64, uint8 … uint64, float32 and float64, and KV<string, one of them>", ogive.ErrDType, of)
	}
	add := adders[of.Components()[1].Type()]
	results := passes(s, o, []what{asked}, false, nil, func(s beam.Scope, first bool, open beam.PCollection) beam.PCollection {
		return beam.ParDo(s.Scope("add"), add(o, first), values, beam.SideInput{Input: open})
	})
	return beam.ParDo(s, answer, results), nil
}

// withoutKey is the key of values that have none.
func withoutKey(v beam.T) (string, beam.T) { return "", v }

// addFn adds values to tallies.
type addFn[T element] struct {
	Options Options
	First   bool
	c       *collector
	values  map[string][]T
	count   int
}

// batch is how many values are added at once.
const batch = 4096

func (fn *addFn[T]) StartBundle(tallies, func(string, tally)) { fn.c = nil }

func (fn *addFn[T]) ProcessElement(k string, v T, open tallies, emit func(string, tally)) error {
	if fn.c == nil {
		fn.c, fn.values, fn.count = &collector{o: &fn.Options}, map[string][]T{}, 0
		if !fn.First {
			fn.c.begin(open())
		}
	}
	if !fn.First && len(fn.c.open) == 0 {
		return nil
	}
	list := append(fn.values[k], v)
	fn.values[k] = list
	if fn.count++; len(list) < batch && fn.count < 16*batch {
		return nil
	}
	err := fn.add()
	fn.c.emitFull(emit)
	return err
}

func (fn *addFn[T]) FinishBundle(_ tallies, emit func(string, tally)) error {
	if fn.c == nil {
		return nil
	}
	err := fn.add()
	fn.c.emit(emit)
	return err
}

// add adds the values that wait.
func (fn *addFn[T]) add() error {
	for k, list := range fn.values {
		x, err := ogive.FromSlice(list)
		if err == nil {
			err = fn.c.add(key{group: []string{k}}.String(), asked, x, nil, 0)
		}
		if err != nil {
			return err
		}
	}
	clear(fn.values)
	fn.count = 0
	return nil
}
