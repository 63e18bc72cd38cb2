package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

// passes compute order statistics of the columns of tables that are not held in
// memory: they are read again for each pass.
type passes struct {
	ctx     context.Context
	r       *request
	budget  int
	weights string // a column, empty for none
	columns []*columnPass
}

// columnPass is what is known of a column.
type columnPass struct {
	name  string
	state *stream.State
	done  bool
	unit  tensorio.Unit
	rows  int

	dt                        dtype.DType // of the state
	isUint, isNeg, isFloat    bool        // of the values of a text: one is
	missing, invalid, rounded int
	inexact                   int // integers that float64 does not hold
}

// newPasses returns the passes for some columns.
func newPasses(ctx context.Context, r *request, b budget, weights string, names []string) *passes {
	p := &passes{ctx: ctx, r: r, weights: weights}
	for _, name := range names {
		if name != weights {
			p.columns = append(p.columns, &columnPass{name: name})
		}
	}
	p.budget = max(int(b.states())/max(len(p.columns), 1), stream.MinBudget)
	return p
}

// run reads the files until the answers are known.
func (p *passes) run(files []*tensorio.File) error {
	for first := true; ; first = false {
		err := p.pass(files, first)
		if err == nil && first && p.widen() {
			err = p.pass(files, false) // from the begin, now that all dtypes are known
		}
		if err != nil {
			return err
		}
		again := false
		for _, c := range p.columns {
			if c.done || c.state == nil {
				continue
			}
			more, err := c.state.Next()
			if err != nil {
				return fmt.Errorf("column %s: %w", c.name, err)
			}
			c.done = !more
			again = again || more
		}
		if !again {
			return nil
		}
	}
}

// widen begins all columns anew if the values of one turned out to need a wider dtype,
// and reports whether it did.
func (p *passes) widen() bool {
	if !slices.ContainsFunc(p.columns, func(c *columnPass) bool { return c.dt != c.wanted() }) {
		return false
	}
	for _, c := range p.columns {
		c.dt, c.state = c.wanted(), nil
	}
	return true
}

// wanted returns the dtype that holds all values of the column seen so far, by the rule
// of a text's columns.
func (c *columnPass) wanted() dtype.DType {
	switch {
	case !isWide(c.dt):
		return c.dt
	case c.isFloat || c.isUint && c.isNeg:
		return dtype.Float64
	case c.isUint:
		return dtype.Uint64
	}
	return dtype.Int64
}

// isWide reports whether a dtype is one that the columns of a text have.
func isWide(dt dtype.DType) bool {
	return dt == dtype.Int64 || dt == dtype.Uint64 || dt == dtype.Float64
}

// pass reads the files once; count says that what is missing is counted.
func (p *passes) pass(files []*tensorio.File, count bool) error {
	var open []*columnPass
	var names []string
	for _, c := range p.columns {
		if !c.done {
			open, names = append(open, c), append(names, c.name)
		}
	}
	if p.weights != "" {
		names = append(names, p.weights)
	}
	for _, file := range files {
		for list, err := range file.Batches(names...) {
			if err == nil {
				err = context.Cause(p.ctx)
			}
			if err != nil {
				return err
			}
			var weights *operand
			if p.weights != "" {
				w := list[len(open)]
				weights = &operand{x: w.Values, Column: w}
				if weights.missing() > 0 || w.Labels != nil {
					return fmt.Errorf("column %s does not hold a weight for each row", p.weights)
				}
			}
			for i, c := range open {
				if err := p.add(c, &operand{name: c.name, x: list[i].Values, Column: list[i]}, weights, count); err != nil {
					return fmt.Errorf("column %s: %w", c.name, p.r.named(err))
				}
			}
		}
	}
	return nil
}

// add adds a run of rows to a column.
func (p *passes) add(c *columnPass, o *operand, weights *operand, count bool) (err error) {
	gone := o.gone()
	if count {
		c.rows += o.x.Len()
		c.missing += o.missing()
		c.invalid += o.Invalid
		c.rounded += o.Rounded
		inexact, _ := o.Inexact()
		c.inexact += inexact
	}
	x := o.x
	var w *ogive.Tensor
	if weights != nil {
		w = weights.x
	}
	if gone != nil {
		if x, _, err = present(x, gone); err != nil {
			return err
		}
		if w != nil {
			if w, _, err = present(w, gone); err != nil {
				return err
			}
		}
	}
	if x.Len() == 0 {
		return nil
	}
	c.unit = o.Unit
	c.see(x)
	if !c.dt.Valid() {
		c.dt = x.DType()
	}
	if x.DType() != c.dt && !(isWide(c.dt) && isWide(x.DType())) {
		return fmt.Errorf("%v after %v", x.DType(), c.dt)
	}
	if c.dt != c.wanted() {
		return nil // the pass is in vain; what is left of it tells the dtypes
	}
	if c.state == nil {
		if c.state, err = stream.New(p.r.as, c.dt, p.budget, p.r.options...); err != nil {
			return err
		}
	}
	if x.DType() != c.dt {
		wide, err := x.Cast(c.dt)
		if err != nil {
			return err
		}
		x = wide
	}
	return c.state.Add(x, w)
}

// see takes note of which of a text's dtypes a run of values needs.
func (c *columnPass) see(x *ogive.Tensor) {
	switch x.DType() {
	case dtype.Int64:
		c.isNeg = c.isNeg || slices.Min(ogive.Must(ogive.Values[int64](x))) < 0
	case dtype.Uint64:
		c.isUint = true
	case dtype.Float64:
		c.isFloat = true
	}
}

// answer returns the answer of a column: NaN where nothing is left of it, or a missing
// value is not dropped.
func (p *passes) answer(c *columnPass) (part, error) {
	a := part{name: c.name}
	var err error
	switch {
	case c.rows == 0:
		_, err = ogive.Prepare(p.r.as, dtype.Float64, []int{0}, p.r.options...)
		if err == nil {
			err = errors.New("no rows")
		}
	case c.state == nil || c.missing > c.invalid && !skipsNaN(p.r.op):
		var plan *ogive.Plan
		if plan, err = ogive.Prepare(p.r.as, dtype.Float64, []int{1}, p.r.options...); err == nil {
			if a.values, err = ogive.Zeros(plan.DType(), plan.Shape()...); err == nil {
				err = plan.Run(ogive.Must(ogive.FromSlice([]float64{nanValue})), a.values)
			}
		}
	default:
		a.values, err = c.state.Result()
	}
	if err == nil && c.unit != tensorio.UnitNone {
		if a.unit = c.unit; a.values.DType() != dtype.Int64 {
			err = usageError("--method lower, or --mode lower, picks one; -c leaves the column out", "dates and times between two are not computed in passes")
		}
	}
	return a, err
}

// inPasses reports whether the columns of tables are computed in passes: they may not
// fit in the memory, and the answers can be had so.
func (f *opener) inPasses(list []input, o *orderOptions) bool {
	if o.by != nil || o.perFile || o.indices != "" || o.op == ogive.OpArgQuantile || o.op == ogive.OpNaNArgQuantile {
		return false
	}
	need := int64(0)
	for _, in := range list {
		if !in.IsTable() || o.weights != "" && !in.HasColumn(o.weights) {
			return false
		}
		need += f.size(in.path) * max(swells[in.Format()], 2)
	}
	return need > f.budget.bytes
}

// passes computes an order statistic of the columns of tables.
func (f *opener) passes(s streams, r *request, list []input, weights string) (*operands, []part, error) {
	in := &operands{table: true, title: title(list[0].path)}
	var files []*tensorio.File
	names := list[0].Names()
	for _, file := range list {
		if len(file.Names()) == 0 {
			return nil, nil, noNumbers(file)
		}
		if i := slices.IndexFunc(names, func(name string) bool { return !slices.Contains(file.Names(), name) }); i >= 0 {
			return nil, nil, fmt.Errorf("%s has no column %q of numbers, as %s has", title(file.path), names[i], in.title)
		}
		if len(file.Names()) > len(names) {
			return nil, nil, fmt.Errorf("%s has columns that %s has not; choose some with -c", title(file.path), in.title)
		}
		in.tellOf(file)
		files = append(files, file.File)
	}
	if len(list) > 1 {
		in.title = fmt.Sprintf("%d files", len(list))
	}
	p := newPasses(f.ctx, r, f.budget, weights, names)
	err := watch(f.ctx, f.s, f.quiet, "reading", &f.meter, func() error { return p.run(files) })
	if err != nil {
		return nil, nil, r.named(err)
	}
	var parts []part
	for _, c := range p.columns {
		a, err := p.answer(c)
		if err != nil {
			return nil, nil, inFile(r.named(err), in.title, c.name)
		}
		if c.dt == dtype.Float64 {
			c.rounded += c.inexact
		}
		in.noteCells(r.op, c.name, c.missing, c.invalid, c.rounded)
		parts = append(parts, a)
	}
	return in, parts, nil
}
