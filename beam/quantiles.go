package ogivebeam

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	beam.RegisterFunction(answer)
	beam.RegisterType(reflect.TypeFor[placeFn]())
	beam.RegisterType(reflect.TypeFor[columnsFn]())
	beam.RegisterType(reflect.TypeFor[wholeFn]())
	beam.RegisterFunction(noCenters)
}

// MissingGroup is what an Answer has in place of a value of Options.By that is missing.
const MissingGroup = "NA"

// Answer is an order statistic of a column, of a group of its rows, of an array or of one
// element of an array's kept axes.
type Answer struct {
	File     string   // where every array has an Answer of its own
	Group    []string // the values of Options.By, as ogive writes them, or MissingGroup
	Column   string   // empty of arrays
	Index    int64    // of the column among those of the files
	Position []int64  // the place along the axes of arrays that are kept
	Unit     int64    // a tensorio.Unit: what the values count, of dates and times
	Missing  int64    // cells without a value
	Invalid  int64    // of them, cells that hold something, under Options.Input.SkipInvalid
	Rounded  int64    // integers beside fractions that float64 does not hold
	NPY      []byte   // see Tensor

	MissingKeys []bool // which of Group are missing, and not the text NA; nil if none is
}

// Tensor returns the values: what the in-memory operation returns, to the bit.
func (a Answer) Tensor() (*ogive.Tensor, error) { return tensorio.ReadNPY(bytes.NewReader(a.NPY)) }

// Cells returns the values as ogive's tables have them.
func (a Answer) Cells() ([]string, error) {
	x, err := a.Tensor()
	if err != nil {
		return nil, err
	}
	cell, err := tensorio.Column{Values: x, Unit: tensorio.Unit(a.Unit)}.Cells()
	if err != nil {
		return nil, err
	}
	list := make([]string, x.Len())
	for i := range list {
		list[i] = cell(i)
	}
	return list, nil
}

// result is the answer for a key.
type result struct {
	Key    string
	Unit   int64
	Counts Counts
	NPY    []byte
}

// setValues makes x the values.
func (r *result) setValues(x *ogive.Tensor) error {
	var b bytes.Buffer
	err := tensorio.WriteNPY(&b, x)
	r.NPY = b.Bytes()
	return err
}

// Quantiles computes an order statistic of all rows of files together, for each of their
// columns, or of arrays: a PCollection<Answer>. The answers are those of the in-memory
// operation on all of the data, to the bit, however files are divided and by however many
// workers.
//
// files are paths, and patterns with * ? [ of Beam's file systems, of npy and raw arrays or
// of any tables that package formats reads; a file, or a pattern without one, that is not
// there is an error that names it. So are files that do not fit together: columns, dtypes or
// shapes that differ, before any values are read.
//
// Arrays are one array, along Options.Along. If that axis is reduced there is an Answer for
// each element of the axes that are kept, and for each file otherwise.
//
// Special cases are those of stream.State: NaNs and missing cells (which are NaN), no
// values at all, weights. Dates take a method that picks one of them.
//
// Cost: a pass over the data, mostly two; for text one more, in which its dtypes are found.
// Options that cannot be are a panic, as elsewhere in Beam; TryQuantiles returns them.
func Quantiles(s beam.Scope, files []string, o Options) beam.PCollection {
	return beam.Must(TryQuantiles(s, files, o))
}

// TryQuantiles is Quantiles with the error of wrong options: ErrOption, ErrQ.
func TryQuantiles(s beam.Scope, files []string, o Options) (beam.PCollection, error) {
	s = s.Scope("ogive.Quantiles")
	if len(o.By) > 0 {
		return beam.PCollection{}, fmt.Errorf("%w: Options.By is for QuantilesPerKey", ogive.ErrOption)
	}
	return quantiles(s, files, o)
}

// QuantilesPerKey is Quantiles for each group of rows with the same values in the columns
// Options.By of tables: an Answer for each group and column. Groups may be many: a worker
// holds those of the rows that it has read, up to Options.Budget.
func QuantilesPerKey(s beam.Scope, files []string, o Options) beam.PCollection {
	return beam.Must(TryQuantilesPerKey(s, files, o))
}

// TryQuantilesPerKey is QuantilesPerKey with the error of wrong options.
func TryQuantilesPerKey(s beam.Scope, files []string, o Options) (beam.PCollection, error) {
	s = s.Scope("ogive.QuantilesPerKey")
	if len(o.By) == 0 {
		return beam.PCollection{}, fmt.Errorf("%w: Options.By names no column", ogive.ErrOption)
	}
	return quantiles(s, files, o)
}

func quantiles(s beam.Scope, files []string, o Options) (beam.PCollection, error) {
	o, err := o.ofFiles(files)
	if err != nil {
		return beam.PCollection{}, err
	}
	parts, plan := divide(s, files, o)
	centers := beam.ParDo(s, noCenters, beam.Impulse(s))
	list := []what{asked}
	results := passes(s, o, list, o.fewKeys(), columns(s, o, list, plan), read(o, list, parts, plan, centers))
	answers := beam.ParDo(s, answer, results)
	if len(o.By) > 0 {
		return answers, nil
	}
	answers = beam.ParDo(s, &placeFn{o}, answers, beam.SideInput{Input: plan})
	wholes := beam.ParDo(s, &wholeFn{o}, parts, beam.SideInput{Input: plan})
	return beam.Flatten(s, answers, wholes), nil
}

func noCenters([]byte, func(string, center)) {}

// divide returns the parts of the files, and what they have in common.
func divide(s beam.Scope, files []string, o Options) (parts, plan beam.PCollection) {
	s = s.Scope("divide")
	paths := beam.Reshuffle(s, beam.ParDo(s, &matchFn{}, beam.CreateList(s, files)))
	shards := beam.ParDo(s, &inspectFn{o}, paths)
	agreed := beam.ParDo(s, &agreeFn{o}, beam.GroupByKey(s, beam.AddFixedKey(s, shards)))
	parts = beam.Reshuffle(s, beam.ParDo(s, &divideFn{o}, shards, beam.SideInput{Input: agreed}))
	s = s.Scope("survey")
	widths := beam.CombinePerKey(s, &widenFn{}, beam.ParDo(s, &surveyFn{o}, parts, beam.SideInput{Input: agreed}))
	return parts, beam.ParDo(s, &settleFn{o}, beam.Impulse(s), beam.SideInput{Input: agreed}, beam.SideInput{Input: widths})
}

// read returns the pass over parts.
func read(o Options, list []what, parts, plan, centers beam.PCollection) pass {
	return func(s beam.Scope, first bool, open beam.PCollection) beam.PCollection {
		return beam.ParDo(s.Scope("read"), &readFn{Options: o, What: list, First: first}, parts,
			beam.SideInput{Input: plan}, beam.SideInput{Input: centers}, beam.SideInput{Input: open})
	}
}

// columns returns an empty tally for each column, so that one without rows has an answer;
// nothing for groups, of which there is none then.
func columns(s beam.Scope, o Options, list []what, plan beam.PCollection) []beam.PCollection {
	if len(o.By) > 0 {
		return nil
	}
	return []beam.PCollection{beam.ParDo(s.Scope("columns"), &columnsFn{o, list}, beam.Impulse(s), beam.SideInput{Input: plan})}
}

type columnsFn struct {
	Options Options
	What    []what
}

func (fn *columnsFn) ProcessElement(_ []byte, p plan, emit func(string, tally)) {
	if kept, _, err := fn.Options.axes(len(p.Shape)); !p.IsTable && (err != nil || len(kept) > 0) {
		return
	}
	for i, name := range p.Columns {
		for _, w := range fn.What {
			emit(key{what: w, column: name, position: i}.String(), tally{})
		}
	}
}

// answer makes the result of a key an Answer.
func answer(r result) (Answer, error) {
	k, err := parseKey(r.Key)
	a := Answer{Column: k.column, Index: int64(k.position), Unit: r.Unit,
		Missing: r.Counts.Missing, Invalid: r.Counts.Invalid, Rounded: r.Counts.Rounded, NPY: r.NPY}
	a.Group, a.MissingKeys = k.groups()
	return a, err
}

// placeFn gives the Answers of arrays their Position.
type placeFn struct{ Options Options }

func (fn *placeFn) ProcessElement(a Answer, p plan, emit func(Answer)) error {
	if p.IsTable {
		emit(a)
		return nil
	}
	kept, _, err := fn.Options.axes(len(p.Shape))
	if err != nil {
		return err
	}
	if slices.Contains(kept, fn.Options.along(len(p.Shape))) {
		return nil // wholeFn answers
	}
	a.Position = make([]int64, len(kept))
	for i, d := range slices.Backward(kept) {
		a.Position[i] = a.Index % p.Shape[d]
		a.Index /= p.Shape[d]
	}
	emit(a)
	return nil
}

// wholeFn answers for arrays that have an Answer each.
type wholeFn struct{ Options Options }

func (fn *wholeFn) ProcessElement(ctx context.Context, p part, of plan, emit func(Answer)) error {
	if !p.Whole {
		return nil
	}
	f, err := openPath(ctx, p.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	a, err := tensorio.ArrayOf(f, p.Path, fn.Options.Input)
	if err != nil {
		return err
	}
	options := append(fn.Options.taken(), ogive.Context(ctx))
	if len(fn.Options.Axis) > 0 {
		options = append(options, ogive.Axis(fn.Options.Axis...))
	}
	x, err := stream.Reduce(fn.Options.Op, a, fn.Options.Budget, options...)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Path, err)
	}
	var r result
	if err := r.setValues(x); err != nil {
		return err
	}
	emit(Answer{File: p.Path, NPY: r.NPY})
	return nil
}
