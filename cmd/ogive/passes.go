package main

import (
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// widening tells which dtype a column has, of which all data pass by: the first one that
// all of its values may have.
type widening struct {
	dt  dtype.DType   // of the state; 0 before there is one
	can []dtype.DType // what all values so far may have, see candidates
}

// widened reports whether the state has not the dtype that the values want.
func (w *widening) widened() bool { return len(w.can) > 0 && w.dt != w.can[0] }

// widen takes note of the dtypes that a run of values may have, and reports whether there
// is one that all values may have.
func (w *widening) widen(dtypes []dtype.DType) bool {
	if w.can != nil {
		dtypes = common(w.can, dtypes)
	}
	if len(dtypes) == 0 {
		return false
	}
	if w.can = dtypes; !w.dt.Valid() {
		w.dt = dtypes[0]
	}
	return true
}

// inPasses reports whether the columns of tables are computed in passes: they may not
// fit in the memory, and the answers can be had so.
func (f *opener) inPasses(list []input, o *orderOptions) bool {
	alongAxes := slices.ContainsFunc(o.options, func(p ogive.Option) bool { return p.Is(ogive.Axis()) || p.Is(ogive.KeepDims()) })
	if o.by != nil || o.perFile || o.indices != "" || alongAxes || family(o.op) == "" {
		return false
	}
	need := int64(0)
	for _, in := range list {
		if !in.IsTable() || o.weights != "" && !in.HasColumn(o.weights) {
			return false
		}
		need += f.size(in.path) * f.swell(in)
	}
	return need > f.budget.bytes
}

// mostSwell is what any table may take of memory, beside its size: a few bytes of Parquet
// or of a compressed file are millions of values.
const mostSwell = 1 << 20

// swell is how many times its size a FILE may take, if it is computed in memory: what a
// budget that is to be kept needs is not guessed.
func (f *opener) swell(in input) int64 {
	guess := swell(in.path, in.Format())
	switch {
	case !f.budget.bound():
		return guess
	case (in.Format() == "csv" || in.Format() == "tsv") && guess == swells["csv"] && in.path != stdinName:
		return 40 // a cell of two bytes
	}
	return mostSwell
}

// passes computes an order statistic of the columns of tables, which are read again for
// each pass: the shards of one machine are one.
func (f *opener) passes(list []input, o *orderOptions, r *request) (*result, *operands, error) {
	exact := o.mode != "" && o.mode != "avg"
	if m, err := rank.Parse(o.method); err == nil {
		exact = m.Discrete()
	}
	s := &shard{path: title(list[0].path), header: header{Op: o.op.String(), Method: o.method, Mode: o.mode},
		qs: o.qs, op: o.op, as: r.as, options: r.options, exact: exact}
	feed := &feeder{opener: f, shard: s, input: o.input, first: true, alone: true, noDates: o.noDates, memory: int(f.budget.states()), weights: o.weights}
	err := watch(f.ctx, f.s, f.quiet, "reading", &f.meter, func() error {
		for again := true; again; feed.first = false {
			err := feed.pass(list)
			if err == nil && s.begunAnew() {
				err = feed.pass(list)
			}
			if err == nil {
				again, err = s.next()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, r.named(err)
	}
	return s.result()
}

// pass adds open FILEs one after the other.
func (f *feeder) pass(list []input) error {
	for _, in := range list {
		if err := f.addFile(in); err != nil {
			return err
		}
	}
	return f.finish()
}

// begunAnew begins the first pass anew, with the dtypes that are known then, if the
// values of a column turned out to need a wider one; it reports whether it did.
func (s *shard) begunAnew() bool {
	if !slices.ContainsFunc(s.columns, func(c shardColumn) bool { return c.widened() }) {
		return false
	}
	for i := range s.columns {
		c := &s.columns[i]
		of := c.widening
		of.dt = of.can[0]
		*c = shardColumn{columnHead: columnHead{Name: c.Name}, widening: of}
	}
	return true
}
