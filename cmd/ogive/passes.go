package main

import (
	"errors"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
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
		need += f.need(in)
	}
	return need > f.budget.bytes
}

// mostSwell is what any table may take of memory, beside its size: a few bytes of Parquet
// or of a compressed file are millions of values.
const mostSwell = 1 << 20

// textSwell is how many times its size a text takes of which each cell has a digit, of the
// whole of a budget of which a part is for it.
const textSwell = 40

// need is how much memory a FILE may take, if it is computed in memory. For a budget that is
// to be kept nothing is guessed.
func (f *opener) need(in input) int64 {
	size, text := in.TextSize(), in.Format() == "csv" || in.Format() == "tsv"
	switch {
	case f.budget.bound() && text:
		return size * textSwell
	case f.budget.bound():
		return f.size(in.path) * mostSwell
	case text:
		return size * max(swells[in.Format()], 2)
	}
	return f.size(in.path) * swell(in.path, in.Format())
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
	feed := &feeder{opener: f, shard: s, input: o.input, first: true, alone: true, noDates: o.noDates, memory: int(f.budget.states()), bound: f.budget.bound(), weights: o.weights}
	err := watch(f.ctx, f.s, f.quiet, "reading", &f.meter, func() error {
		for again := true; again; again = s.proceed() {
			if err := feed.sweep(list); err != nil {
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

// sweep makes the passes that find the answers of the columns that do not wait.
func (f *feeder) sweep(list []input) error {
	f.first = true
	for again := true; again; f.first = false {
		err := f.pass(list)
		for f.first && f.fewer(err) {
			err = f.pass(list)
		}
		if err == nil && f.shard.begunAnew() {
			err = f.pass(list)
		}
		if err == nil {
			again, err = f.shard.next()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fewer has half of the columns wait, and begins the pass anew, if it failed for what so
// many take to be read; it reports whether it does.
func (f *feeder) fewer(err error) bool {
	if active := f.shard.active(); !errors.As(err, new(*tensorio.MemoryError)) || len(active) < 2 {
		return false
	}
	f.shard.wait(len(f.shard.active()) / 2)
	for _, c := range f.shard.active() {
		c.forget(c.widening)
	}
	return true
}

// active returns the columns whose answers are being looked for.
func (s *shard) active() (list []*shardColumn) {
	for i := range s.columns {
		if c := &s.columns[i]; len(c.answer) == 0 && !c.waits {
			list = append(list, c)
		}
	}
	return list
}

// wait has all but some of the columns wait until the others have their answers, as if
// nothing of them had been seen.
func (s *shard) wait(most int) {
	for _, c := range s.active()[most:] {
		c.forget(widening{})
		c.waits = true
	}
}

// proceed ends the wait, and reports whether a column has waited.
func (s *shard) proceed() (waited bool) {
	for i := range s.columns {
		c := &s.columns[i]
		waited = waited || c.waits
		c.waits = false
	}
	return waited
}

// forget makes a column one of which nothing has been seen but its dtype.
func (c *shardColumn) forget(of widening) {
	*c = shardColumn{columnHead: columnHead{Name: c.Name}, widening: of}
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
	active := s.active()
	if !slices.ContainsFunc(active, func(c *shardColumn) bool { return c.widened() }) {
		return false
	}
	for _, c := range active {
		of := c.widening
		of.dt = of.can[0]
		c.forget(of)
	}
	return true
}
