package ogivebeam

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/formats"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	beam.RegisterType(reflect.TypeFor[surveyFn]())
	beam.RegisterType(reflect.TypeFor[settleFn]())
	beam.RegisterType(reflect.TypeFor[widenFn]())
}

// width says which dtype the values of a column want, where the file does not say: the
// integers of a text are int64, or uint64 where one is larger, and float64 beside
// fractions, or where some are negative and others beyond int64.
type width struct {
	Int, Uint, Float bool
	Negative         bool
	Other            string // a dtype that is its own
	Unit             int64
	Clash            string // what values of another kind there are
}

// merge returns what values of both want.
func (w width) merge(o width) width {
	unit, joins := tensorio.Unit(w.Unit).Join(tensorio.Unit(o.Unit))
	switch {
	case w == (width{}):
		return o
	case o == (width{}):
		return w
	case w.Clash != "":
		return w
	case o.Clash != "":
		return o
	case !joins && tensorio.Unit(w.Unit).Kind() != tensorio.Unit(o.Unit).Kind():
		w.Clash = tensorio.Unit(w.Unit).Kind() + " and " + tensorio.Unit(o.Unit).Kind()
		return w
	case !joins:
		w.Clash = tensorio.Unit(w.Unit).Kind() + " of different units"
		return w
	case w.Other != o.Other:
		w.Clash = fmt.Sprintf("%v and %v", w.dtype(), o.dtype())
		return w
	}
	return width{w.Int || o.Int, w.Uint || o.Uint, w.Float || o.Float, w.Negative || o.Negative, w.Other, int64(unit), ""}
}

// dtype returns the dtype; float64 of no values.
func (w width) dtype() dtype.DType {
	switch {
	case w.Other != "":
		return ogive.Must(dtype.Parse(w.Other))
	case w.Float || w.Uint && w.Negative:
		return dtype.Float64
	case w.Uint:
		return dtype.Uint64
	case w.Int:
		return dtype.Int64
	}
	return dtype.Float64
}

// widthOf returns what a run of a column wants.
func widthOf(c tensorio.Column) width {
	gone := flags(c)
	if gone != nil && !slices.Contains(gone, false) || c.Values.Len() == 0 {
		return width{}
	}
	w := width{Unit: int64(c.Unit)}
	switch dt := c.Values.DType(); {
	case c.Unit != 0:
		w.Other = dt.String()
	case dt == dtype.Int64:
		w.Int = true
		for i, v := range ogive.Must(ogive.Values[int64](c.Values)) {
			w.Negative = w.Negative || v < 0 && (gone == nil || !gone[i])
		}
	case dt == dtype.Uint64:
		w.Uint = true
	case dt == dtype.Float64:
		w.Float = true
	default:
		w.Other = dt.String()
	}
	return w
}

// surveyFn looks at the values of the columns whose dtypes only they tell.
type surveyFn struct{ Options Options }

func (fn *surveyFn) ProcessElement(ctx context.Context, p part, of plan, emit func(string, width)) error {
	var open []string
	for i, name := range of.Columns {
		if of.DTypes[i] == "" {
			open = append(open, name)
		}
	}
	if len(open) == 0 || !p.IsTable {
		return nil
	}
	f, err := openPath(ctx, p.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	o := fn.Options.Input
	o.Columns = of.Columns
	o.Part = tensorio.Part{From: p.From, To: p.To, Line: p.Line}
	file, err := formats.Read(f, p.Path, o)
	if err != nil {
		return err
	}
	defer file.Close()
	widths := make([]width, len(open))
	for list, err := range file.Batches(open...) {
		if err != nil {
			return err
		}
		for i, c := range list {
			if widths[i] = widths[i].merge(widthOf(c)); widths[i].Clash != "" {
				return fmt.Errorf("%w: %s: column %s holds %s", ogive.ErrFormat, p.Path, open[i], widths[i].Clash)
			}
		}
	}
	for i, name := range open {
		emit(name, widths[i])
	}
	return nil
}

// widenFn merges widths.
type widenFn struct{}

func (*widenFn) MergeAccumulators(a, b width) width { return a.merge(b) }

// settleFn makes a plan one that knows all dtypes.
type settleFn struct{ Options Options }

func (fn *settleFn) ProcessElement(_ []byte, p plan, next func(*string, *width) bool, emit func(plan)) error {
	p.DTypes, p.Units = slices.Clone(p.DTypes), slices.Clone(p.Units)
	var name string
	for w := (width{}); next(&name, &w); w = (width{}) {
		at := slices.Index(p.Columns, name)
		if w.Clash != "" {
			return fmt.Errorf("%w: column %s holds %s", ogive.ErrFormat, name, w.Clash)
		}
		p.DTypes[at], p.Units[at] = w.dtype().String(), w.Unit
		if err := fn.Options.checkUnit(name, tensorio.Unit(w.Unit)); err != nil {
			return err
		}
	}
	for i, dt := range p.DTypes {
		if dt == "" { // no rows
			p.DTypes[i] = dtype.Float64.String()
		}
	}
	emit(p)
	return nil
}
