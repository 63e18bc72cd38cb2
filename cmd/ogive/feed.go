package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

// feeder adds FILEs to the states of a shard.
type feeder struct {
	*opener
	shard   *shard
	input   tensorio.Options
	first   bool // the pass
	alone   bool // all data are this feeder's: see widening
	noDates bool // columns with a unit are left out, unless columns are chosen
	memory  int  // of all states, in a first pass
	bound   bool // they may not take more, however many columns there are
	weights string
	side    *ogive.Tensor // the weights, if a file has them
	at      int           // how many of them have been used
}

// stateBytes is about what a state takes that has seen little, and columnAnswerBytes what a
// column with its answer does.
const (
	stateBytes        = 4 << 10
	columnAnswerBytes = 1 << 10
)

// maxCandidates is how many dtypes a column may turn out to have: see candidates.
const maxCandidates = 3

// all adds the FILEs one after the other.
func (f *feeder) all(paths []string) error {
	paths, err := expand(paths)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := f.addPath(path); err != nil {
			return err
		}
	}
	if f.side != nil && f.at != f.side.Len() {
		return fmt.Errorf("%s holds %d weights, the data %d values", f.weights, f.side.Len(), f.at)
	}
	return f.finish()
}

// finish gives a first pass's columns without values the dtype that they have in memory.
func (f *feeder) finish() error {
	for i := range f.shard.columns {
		if c := &f.shard.columns[i]; len(c.states) == 0 && len(c.answer) == 0 && !c.waits {
			if err := f.start(c, []dtype.DType{dtype.Float64}); err != nil {
				return err
			}
		}
	}
	return nil
}

// addPath adds a FILE.
func (f *feeder) addPath(path string) error {
	path, member := splitMember(path)
	o := f.input
	switch {
	case member != "" && len(o.Columns) > 0:
		return usageError("", "%s:%s names a part of the file, and so does -c %s", path, member, strings.Join(o.Columns, ","))
	case member != "":
		o.Columns = []string{member}
	case !f.first && !f.shard.Array:
		for i := range f.shard.columns {
			o.Columns = append(o.Columns, f.shard.columns[i].name())
		}
	}
	file, err := f.open(path, o)
	if err != nil {
		return err
	}
	defer f.close(file)
	return f.addFile(input{file, path, member, o})
}

// addFile adds an open FILE.
func (f *feeder) addFile(file input) (err error) {
	if err = f.countsWeigh(file); err != nil {
		return err
	}
	if f.first && len(f.shard.columns) == 0 {
		err = f.begin(file)
	} else if file.IsTable() == f.shard.Array {
		err = fmt.Errorf("%s holds %s, unlike the data before", title(file.path), map[bool]string{true: "a table", false: "an array"}[file.IsTable()])
	}
	if err == nil {
		err = f.findWeights(file.File)
	}
	if err == nil {
		_, err = await(f.ctx, func() (struct{}, error) {
			if file.IsTable() {
				return struct{}{}, f.table(file.File, title(file.path))
			}
			return struct{}{}, f.elements(file)
		})
	}
	return err
}

// countsWeigh takes the counts of a FILE that carries some as weights, unless --weights
// says else.
func (f *feeder) countsWeigh(file input) error {
	counts := file.Counts()
	switch {
	case f.alone || !f.first || counts == "" || f.weights != "":
	case len(f.shard.columns) > 0:
		return usageError("--weights "+noWeights, "the counts of %s are weights, and the data before have none", title(file.path))
	default:
		f.weights, f.own = counts, true
	}
	return nil
}

// begin makes the columns of a first pass by the first FILE.
func (f *feeder) begin(file input) error {
	s := f.shard
	if s.Array = !file.IsTable(); s.Array {
		if len(f.input.Columns) > 0 {
			return usageError("a.npz:name names an array", "-c chooses columns of a table, and %s is none", title(file.path))
		}
		s.columns = make([]shardColumn, 1)
		s.Budget = max(f.memory, stream.MinBudget)
		return nil
	}
	in := &operands{title: title(file.path)}
	in.tellOf(file)
	operands := f.operandNames(file.File)
	for _, name := range file.Names() {
		if f.noDates && unitOf(file.File, name) != tensorio.UnitNone && !slices.Contains(operands, name) {
			in.leave(leftOut{in.title, name, notDrawn(unitOf(file.File, name))})
		}
	}
	switch {
	case len(operands) == 0 && len(in.left) > 0:
		return in.left[0].reason
	case len(operands) == 0:
		return noNumbers(file)
	}
	if f.bound {
		if err := tensorio.TooLarge(int64(len(operands))*columnAnswerBytes, f.budget.answers()); err != nil {
			return fmt.Errorf("%d columns: %w", len(operands), err)
		}
	}
	s.Text, s.Notes = in.text, slices.Concat(in.sayLeft(), in.notes)
	names := file.Names()
	s.Table = len(names) > 1 || names[0] != "1" || file.options.Header == tensorio.HeaderYes
	for _, name := range operands {
		s.columns = append(s.columns, shardColumn{columnHead: columnHead{Name: []byte(name)}})
	}
	states := len(s.columns)
	if !f.alone {
		states *= maxCandidates
	}
	if most := f.memory / stateBytes; f.bound && states > most {
		if !f.alone {
			return tooManyStates(len(s.columns), f.memory)
		}
		s.wait(most)
	}
	s.Budget = max(f.memory/states, stream.MinBudget)
	return nil
}

// operandNames returns the columns of a table, without that of the weights unless
// columns were chosen.
func (f *feeder) operandNames(file *tensorio.File) []string {
	names := file.Names()
	if f.noDates && len(f.input.Columns) == 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return unitOf(file, name) != tensorio.UnitNone })
	}
	if len(f.input.Columns) == 0 && len(names) > 1 && (f.first || f.alone) && f.isColumn(file) {
		names = slices.DeleteFunc(names, func(name string) bool { return name == f.weights })
	}
	return names
}

// unitOf returns the unit of a column as far as it is known before it is read.
func unitOf(file *tensorio.File, name string) tensorio.Unit {
	_, unit, ok, err := file.Type(name)
	if err != nil || !ok {
		return tensorio.UnitNone
	}
	return unit
}

// isColumn reports whether the weights are a column of a table.
func (f *feeder) isColumn(file *tensorio.File) bool {
	_, missing := os.Lstat(f.weights)
	return weighted(f.weights) && (f.own || missing != nil) && file.HasColumn(f.weights)
}

// findWeights settles where the weights are.
func (f *feeder) findWeights(file *tensorio.File) error {
	s := f.shard
	switch {
	case f.side != nil:
		return nil
	case f.first:
		s.Weighed = weighted(f.weights)
		if f.isColumn(file) {
			s.Weights = f.weights
		}
	case !s.Weighed && weighted(f.weights):
		return usageError("", "--weights, and the first pass had none")
	case s.Weights != "" && f.weights != "" && f.weights != s.Weights:
		return usageError("", "--weights %s, and the first pass had the column %s", f.weights, s.Weights)
	case s.Weighed && s.Weights == "" && f.weights == "":
		return usageError("", "--weights is missing: the first pass had those of a file")
	}
	if s.Weighed && s.Weights == "" {
		w, err := f.opener.side(f.weights)
		if err == nil && w.missing() > 0 {
			err = fmt.Errorf("%s: %d missing %s among the weights", f.weights, w.missing(), plural(w.missing(), "cell"))
		}
		if err != nil {
			return err
		}
		f.side, err = w.x.Contiguous()
		return err
	}
	return nil
}

// table adds the rows of a table.
func (f *feeder) table(file *tensorio.File, title string) error {
	s := f.shard
	names := f.operandNames(file)
	var open []*shardColumn
	var read []string
	has := make(map[string]bool, len(names))
	for _, name := range names {
		has[name] = true
	}
	for i := range s.columns {
		c := &s.columns[i]
		if !has[c.name()] {
			return fmt.Errorf("%s has no column %q of numbers, as the data before", title, c.name())
		}
		if len(c.answer) == 0 && !c.waits {
			open, read = append(open, c), append(read, c.name())
		}
	}
	if len(names) > len(s.columns) {
		return fmt.Errorf("%s has columns that the data before have not; choose some with -c", title)
	}
	if s.Weights != "" {
		read = append(read, s.Weights)
	}
	tidy := f.budget.tidy()
	for list, err := range file.Batches(read...) {
		if err == nil {
			err = context.Cause(f.ctx)
		}
		if err != nil {
			return err
		}
		var w *ogive.Tensor
		if s.Weights != "" {
			of := operand{x: list[len(open)].Values, Column: list[len(open)]}
			if n := of.missing(); n > 0 {
				return fmt.Errorf("%s: %d missing %s among the weights (%s)", s.Weights, n, plural(n, "cell"), title)
			}
			w = of.x
		} else if w, err = f.nextWeights(list[0].Values); err != nil {
			return inFile(err, title, "")
		}
		for i, c := range open {
			if c.waits {
				continue
			}
			if err := f.addRuns(c, list[i], w); err != nil {
				return inFile(err, title, c.name())
			}
		}
		if err := f.within(open); err != nil {
			return err
		}
		tidy.step()
	}
	return nil
}

// within keeps the states of some columns, and what is open of them, within the memory:
// half of those of one machine's data wait, and a shard that needs more is refused.
func (f *feeder) within(open []*shardColumn) error {
	if !f.bound {
		return nil
	}
	size := 0
	for _, c := range open {
		for _, s := range c.states {
			size += s.Size()
		}
	}
	switch active := f.shard.active(); {
	case size <= f.memory || f.alone && len(active) < 2:
		return nil
	case f.alone:
		f.shard.wait(len(active) / 2)
		return nil
	}
	return tooManyStates(len(open), f.memory)
}

// tooManyStates is the error of a shard whose states do not fit.
func tooManyStates(columns, most int) error {
	return usageError("choose columns with -c, or more --memory or --states for all shards",
		"the states of %d columns take more than the %d MiB that they may", columns, most>>20)
}

// feedRows is how many values of a column are added at a time: copies of them are made.
const feedRows = 1 << 16

// addRuns adds values of a column, some at a time; w are their weights, or nil.
func (f *feeder) addRuns(c *shardColumn, values tensorio.Column, w *ogive.Tensor) error {
	n := values.Values.Len()
	if n <= feedRows {
		return f.add(c, values, w)
	}
	for from := 0; from < n; from += feedRows {
		part, of, to := values, w, min(from+feedRows, n)
		var err error
		for _, x := range []**ogive.Tensor{&part.Values, &part.Missing, &of} {
			if *x != nil && err == nil {
				*x, err = (*x).Slice(0, from, to, 1)
			}
		}
		if err == nil {
			err = f.add(c, part, of)
		}
		if err != nil {
			return err
		}
		values.Invalid, values.Rounded = 0, 0 // they have been counted
	}
	return nil
}

// start makes the states of a column, one for each dtype.
func (f *feeder) start(c *shardColumn, dtypes []dtype.DType) error {
	for _, dt := range dtypes {
		s, err := stream.New(f.shard.as, dt, f.shard.Budget, f.shard.options...)
		if err != nil {
			return err
		}
		c.states = append(c.states, typedState{dt, s})
	}
	return nil
}

// add adds values of a column; w are their weights, or nil.
func (f *feeder) add(c *shardColumn, values tensorio.Column, w *ogive.Tensor) (err error) {
	of := operand{x: values.Values, Column: values}
	x, missing := of.x, of.missing()
	if f.first {
		c.Missing += int64(missing)
		c.Invalid += int64(values.Invalid)
		c.Rounded += int64(values.Rounded)
	}
	if missing == x.Len() {
		return nil // nothing tells a dtype
	}
	if missing > 0 {
		if x, _, err = present(x, of.gone()); err == nil && w != nil {
			w, _, err = present(w, of.gone())
		}
		if err != nil {
			return err
		}
	}
	if vain, err := f.ready(c, x, values.Unit); vain || err != nil {
		return err
	}
	if f.first {
		c.Seen += int64(x.Len())
		inexact, _ := values.Inexact()
		c.Inexact += int64(inexact)
	}
	for _, s := range c.states {
		same, err := x.Cast(s.dt)
		if err == nil {
			err = s.Add(same, w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ready settles what states a column has for values of a unit. It reports whether the pass
// is in vain.
func (f *feeder) ready(c *shardColumn, x *ogive.Tensor, unit tensorio.Unit) (vain bool, err error) {
	dtypes := candidates(x, unit)
	if f.alone {
		if !c.widen(dtypes) {
			return false, besideOthers(x)
		}
		if c.widened() {
			return true, nil // what is left of the pass tells the dtypes
		}
		dtypes = []dtype.DType{c.dt}
	}
	joint, joins := c.Unit.Join(unit)
	switch {
	case !f.first:
		if !joins || !slices.Contains(dtypes, c.states[0].dt) {
			return false, usage{fmt.Sprintf("holds %v: the data changed between passes", x.DType()), ogive.ErrFormat}
		}
	case c.Seen == 0:
		c.Unit = unit
		if err := f.checkUnit(c); err != nil {
			return false, err
		}
		if err := f.start(c, dtypes); err != nil {
			return false, err
		}
	default:
		c.states = slices.DeleteFunc(c.states, func(s typedState) bool { return !slices.Contains(dtypes, s.dt) })
		switch {
		case !joins:
			return false, usage{apartUnits(c.Unit, unit), ogive.ErrFormat}
		case len(c.states) == 0:
			return false, besideOthers(x)
		}
		c.Unit = joint
	}
	return false, nil
}

// besideOthers is the error of values that have no dtype in common with those before.
func besideOthers(x *ogive.Tensor) error {
	return usage{fmt.Sprintf("holds %v beside other data", x.DType()), ogive.ErrFormat}
}

// errNotInPasses marks the error of dates that are to be interpolated, which is done in memory.
var errNotInPasses = errors.New("dates in passes")

// checkUnit refuses a column of dates, durations or times of day where it cannot be answered for.
func (f *feeder) checkUnit(c *shardColumn) error {
	switch {
	case c.Unit == tensorio.UnitNone:
		return nil
	case f.noDates:
		return fmt.Errorf("column %s holds %s, which are not drawn", c.name(), c.Unit.Kind())
	case !f.shard.exact:
		text := fmt.Sprintf("column %s holds %s, of which passes pick one, and do not interpolate", c.name(), c.Unit.Kind())
		return hinted{usage{text, fmt.Errorf("%w: %w", errUsage, errNotInPasses)}, "--method lower, or --mode lower"}
	}
	return nil
}

// candidates returns the dtypes that a column with these values may have, the one that it
// has if no others follow first: integers are float64 beside fractions and other
// integers, and 64 bits may be signed or not; what counts a unit is int64.
func candidates(x *ogive.Tensor, unit tensorio.Unit) []dtype.DType {
	dt := x.DType()
	switch {
	case unit != 0 && dt != dtype.Int64:
		return []dtype.DType{dt, dtype.Int64}
	case unit != 0 || dt.IsBool() || dt == dtype.Float64:
		return []dtype.DType{dt}
	case dt == dtype.Int64 && slices.Min(ogive.Must(ogive.Values[int64](x))) >= 0:
		return []dtype.DType{dt, dtype.Uint64, dtype.Float64}
	}
	return []dtype.DType{dt, dtype.Float64}
}

// common returns the dtypes of a that are among b too.
func common(a, b []dtype.DType) []dtype.DType {
	return slices.DeleteFunc(slices.Clone(a), func(dt dtype.DType) bool { return !slices.Contains(b, dt) })
}
