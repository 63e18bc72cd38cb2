package ogivebeam

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive/dtype"
)

func init() {
	beam.RegisterType(reflect.TypeFor[nextFn]())
	beam.RegisterFunction(gather)
	beam.RegisterFunction(mergeGroup)
	beam.RegisterFunction(none)
}

// pass reads all values once: in a first pass, or with the tallies that a later one begins
// with. It returns a PCollection<KV<string, tally>>, as open is one.
type pass func(s beam.Scope, first bool, open beam.PCollection) beam.PCollection

// passes lays out the passes over some values, as many as their answers may take, and
// returns the results by key, of the statistics of a list. Those that turn out not to be needed read nothing.
// few says that there are few keys, each of which many workers have seen, and that they are
// those of spread; begin are tallies that the first pass is
// merged with, so that keys without values have a result.
func passes(s beam.Scope, o Options, list []what, few bool, begin []beam.PCollection, run pass) beam.PCollection {
	most := 0
	for _, dt := range dtype.All() { // one of them it is
		for _, w := range list {
			if state, err := w.options(&o).state(dt); err == nil {
				most = max(most, state.MaxPasses())
			}
		}
	}
	var results []beam.PCollection
	open := beam.ParDo(s.Scope("none"), none, beam.Impulse(s))
	for i := range most {
		s := s.Scope(fmt.Sprintf("pass %d", i+1))
		tallies := run(s, i == 0, open)
		if few {
			tallies = beam.ParDo(s.Scope("gather"), gather, beam.CombinePerKey(s.Scope("merge some"), &mergeFn{}, tallies))
		}
		tallies = beam.Flatten(s, append([]beam.PCollection{tallies}, begin...)...)
		merged := merge(s.Scope("merge"), few, tallies)
		result, again := beam.ParDo2(s.Scope("next"), &nextFn{Options: o, Last: i == most-1}, merged)
		results, open, begin = append(results, result), again, []beam.PCollection{again} // which has the counts
	}
	return beam.Flatten(s, results...)
}

// merge merges the tallies of each key. Of many keys a worker holds one at a time: a
// Combine may hold thousands, each of which may be as large as a state.
func merge(s beam.Scope, few bool, tallies beam.PCollection) beam.PCollection {
	if few {
		return beam.CombinePerKey(s, &mergeFn{}, tallies)
	}
	return beam.ParDo(s, mergeGroup, beam.GroupByKey(s, tallies))
}

func mergeGroup(k string, next func(*tally) bool) (string, tally, error) {
	var all tally
	for t := (tally{}); next(&t); t = (tally{}) {
		if err := all.merge(t); err != nil {
			return k, all, err
		}
	}
	return k, all, nil
}

// none is the empty collection of tallies.
func none([]byte, func(string, tally)) {}

// gather takes away what spread put before a key.
func gather(k string, t tally) (string, tally) { return gathered(k), t }

// nextFn ends a pass: of each key there is a result, or what the next pass begins with.
type nextFn struct {
	Options Options
	Last    bool
}

func (fn *nextFn) ProcessElement(ctx context.Context, k string, t tally, emit func(result), again func(string, tally)) error {
	of, err := parseKey(k)
	if err != nil {
		return err
	}
	r, more, err := of.what.options(&fn.Options).next(k, &t)
	switch {
	case err != nil && of.column != "":
		return fmt.Errorf("column %s: %w", of.column, err)
	case err != nil:
		return err
	case !more:
		emit(r)
		return nil
	case fn.Last:
		return fmt.Errorf("column %s: more passes than there can be", of.column)
	}
	passesAgain.Inc(ctx, 1)
	again(k, t)
	return nil
}

// passesAgain counts the keys that took a further pass, once for each.
var passesAgain = beam.NewCounter(CounterNamespace, "further_passes")

// next ends a pass over the values of a key. A column with missing values, but for
// invalid ones that are skipped, is one with NaN, and of the dtype of a NaN unless it is
// one of floats without weights, as in memory.
func (o *Options) next(k string, t *tally) (r result, again bool, err error) {
	r = result{Key: k, Unit: int64(t.unit), Counts: t.Counts}
	dt := dtype.Float64
	if t.state != nil && o.weights() == "" {
		dt = t.state.DType()
	}
	if t.Missing > 0 && (t.state == nil || t.Missing > t.Invalid && !o.skipsNaN()) {
		x, err := o.nan(dt)
		if err == nil {
			err = r.setValues(x)
		}
		return r, false, err
	}
	if t.state == nil { // nothing at all
		if t.state, err = o.state(dtype.Float64); err != nil {
			return r, false, err
		}
	}
	if again, err = t.state.Next(); err != nil || again {
		return r, again, err
	}
	x, err := t.state.Result()
	if err == nil && t.unit != 0 {
		x, err = x.Cast(dtype.Int64) // as dates are written
	}
	if err == nil {
		err = r.setValues(x)
	}
	return r, false, err
}
