package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// missingGroup is the label of the rows whose group is missing.
const missingGroup = "NA"

// grouping are the groups of the rows of a table: those with the same values in some
// columns, in the order in which they appear.
type grouping struct {
	names  []string
	of     []int64 // the group of each row
	first  []int   // the first row of each group
	labels []func(row int) string
	order  []int // of the groups in the answer
}

// groupFlags adds the flags of groups.
func groupFlags(cmd *cobra.Command, by *[]string, sorted *bool) {
	cmd.Flags().StringSliceVar(by, "by", nil, "an answer for each group of rows with the same values in these `columns`")
	cmd.Flags().BoolVar(sorted, "sort", false, "groups in ascending order (default as they appear)")
}

// groupBytes is about what a group of a column takes, with its answers.
const groupBytes = 64

// groups makes groups by columns of the FILEs.
func (f *opener) groups(in *operands, names []string, sorted bool) (*grouping, error) {
	g := &grouping{names: names}
	var columns []operand
	for _, name := range names {
		if !in.isColumn(name) {
			return nil, usageError("--by COLUMN[,COLUMN] names columns of a table", "%s has no column %q", in.title, name)
		}
		c, err := f.key(in, name)
		if err != nil {
			return nil, err
		}
		if err := f.take(bytesOf(&c) + int64(c.x.Len())*8); err != nil { // and the number of each row's group
			return nil, inFile(err, in.title, "")
		}
		codes, gone, err := codesOf(&c)
		if err != nil {
			return nil, err
		}
		label, err := labelOf(&c, gone)
		if err != nil {
			return nil, err
		}
		g.labels, columns = append(g.labels, label), append(columns, c)
		if g.of == nil {
			g.of = dense(codes, gone)
		} else {
			g.of = densePairs(g.of, dense(codes, gone))
		}
	}
	for row, group := range g.of {
		if int(group) == len(g.first) {
			g.first = append(g.first, row)
		}
	}
	if err := in.answer(int64(len(g.first)) * int64(len(in.list)+1) * groupBytes); err != nil {
		return nil, err
	}
	g.order = make([]int, len(g.first))
	for i := range g.order {
		g.order[i] = i
	}
	if sorted {
		g.sort(columns)
	}
	in.text = slices.DeleteFunc(in.text, func(name string) bool { return slices.Contains(names, name) })
	return g, nil
}

// keys is how many cells say which group it is; none without groups.
func (g *grouping) keys() int {
	if g == nil {
		return 0
	}
	return len(g.names)
}

// label appends the cells that say which group it is.
func (g *grouping) label(cells []string, group int) []string {
	for _, label := range g.labels {
		cells = append(cells, label(g.first[group]))
	}
	return cells
}

// dense numbers the values in the order in which they appear; those that are gone are
// one of their own.
func dense(values []int64, gone []bool) []int64 {
	if len(values) == 0 {
		return values
	}
	out := make([]int64, len(values))
	count, none := int64(0), int64(-1)
	number := denseMap()
	lo, hi := slices.Min(values), slices.Max(values)
	if span := uint64(hi) - uint64(lo); span < uint64(4*len(values)+1024) {
		number = denseTable(lo, span)
	}
	for i, v := range values {
		n := &none
		if gone == nil || !gone[i] {
			n = number(v)
		}
		if *n < 0 {
			*n = count
			count++
		}
		out[i] = *n
	}
	return out
}

// denseTable returns where the numbers of the values lo … lo+span are kept, negative at
// first.
func denseTable(lo int64, span uint64) func(int64) *int64 {
	numbers := slices.Repeat([]int64{-1}, int(span+1))
	return func(v int64) *int64 { return &numbers[uint64(v)-uint64(lo)] }
}

// denseMap is denseTable for values that lie far apart.
func denseMap() func(int64) *int64 {
	numbers := map[int64]*int64{}
	return func(v int64) *int64 {
		n := numbers[v]
		if n == nil {
			n = new(int64)
			*n = -1
			numbers[v] = n
		}
		return n
	}
}

// densePairs numbers the pairs of two numberings.
func densePairs(a, b []int64) []int64 {
	if len(a) == 0 {
		return a
	}
	width := slices.Max(b) + 1
	pairs := make([]int64, len(a))
	for i := range a {
		pairs[i] = a[i]*width + b[i]
	}
	return dense(pairs, nil)
}

// computeBy carries out a request on the groups of each operand: a line for each
// group and operand.
func computeBy(ctx context.Context, s streams, r *request, in *operands, g *grouping, qs *quantiles) (*records, error) {
	if !in.table {
		return nil, usageError("", "--by takes a table, and %s is none", in.title)
	}
	var meter ogive.Meter
	r.options = append(slices.Clip(r.options), ogive.Workers(r.work.workers), ogive.Context(ctx), ogive.Progress(&meter))
	list := &records{names: append(slices.Clone(g.names), "column"), labels: len(g.names) + 1, keys: len(g.names)}
	if qs != nil {
		list.names = append(list.names, qs.labels...)
	} else {
		list.names = append(list.names, r.op.String())
	}
	var answers []*groupAnswers
	err := watch(ctx, s, r.work.quiet, r.op.String(), &meter, func() error {
		for i := range in.list {
			answer, err := r.byGroup(&in.list[i], g)
			if err != nil {
				return inFile(r.named(err), in.title, in.list[i].name)
			}
			answers = append(answers, answer)
			if !r.work.quiet {
				in.noteColumn(r, &in.list[i])
				if answer.isRounded {
					in.noteRoundedAnswers(in.list[i].name)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	in.tell(s, r.work)
	list.rows = func(yield func([]string) bool) {
		var row []string
		for _, group := range g.order {
			for i := range in.list {
				row = append(g.label(row[:0], group), in.list[i].name)
				for q := range len(list.names) - list.labels {
					row = append(row, answers[i].cell(group, q))
				}
				if !yield(row) {
					return
				}
			}
		}
	}
	return list, nil
}

// groupAnswers are the answers for the groups of an operand, one for each quantile.
type groupAnswers struct {
	values    *ogive.Tensor
	format    func(i int) string
	groups    int    // that have values
	place     []int  // of each group among them
	none      []bool // that have none, or a missing one that counts
	isRounded bool   // an answer is, where float64 does not hold every integer
}

// at returns where the answer for a quantile of a group is; negative if there is none.
func (a *groupAnswers) at(q, group int) int {
	if a.none[group] {
		return -1
	}
	return q*a.groups + a.place[group]
}

// cell returns an answer as text.
func (a *groupAnswers) cell(group, q int) string {
	if at := a.at(q, group); at >= 0 {
		return a.format(at)
	}
	return tensorio.TextNaN
}

// byGroup computes the answers for the groups of an operand.
func (r *request) byGroup(o *operand, g *grouping) (*groupAnswers, error) {
	run := map[ogive.Op]func(x, keys *ogive.Tensor, opts []ogive.Option) (*ogive.Tensor, *ogive.Tensor, error){
		ogive.OpMedian: func(x, k *ogive.Tensor, o []ogive.Option) (*ogive.Tensor, *ogive.Tensor, error) {
			return ogive.MedianBy(x, k, o...)
		},
		ogive.OpNaNMedian: func(x, k *ogive.Tensor, o []ogive.Option) (*ogive.Tensor, *ogive.Tensor, error) {
			return ogive.NaNMedianBy(x, k, o...)
		},
		ogive.OpQuantile: func(x, k *ogive.Tensor, o []ogive.Option) (*ogive.Tensor, *ogive.Tensor, error) {
			return ogive.QuantilesBy(x, k, nil, o...)
		},
		ogive.OpNaNQuantile: func(x, k *ogive.Tensor, o []ogive.Option) (*ogive.Tensor, *ogive.Tensor, error) {
			return ogive.NaNQuantilesBy(x, k, nil, o...)
		},
	}[r.as]
	keys, err := ogive.FromSlice(g.of)
	if err != nil {
		return nil, err
	}
	j := job{x: o.x}
	weights := o.weights.tensor()
	none := make([]bool, len(g.first)) // the groups without a value, or with a missing one that counts
	if gone := o.gone(); gone != nil && (!o.x.DType().IsFloat() || o.Invalid > 0) {
		left, dropped := make([]bool, len(none)), o.dropped(r.op)
		for row, group := range g.of {
			if gone[row] && !dropped {
				none[group] = true
			}
			left[group] = left[group] || !gone[row]
		}
		for group := range none {
			none[group] = none[group] || !left[group]
		}
		if j.x, _, err = present(o.x, gone); err == nil {
			keys, _, err = present(keys, gone)
		}
		if err == nil && weights != nil {
			weights, _, err = present(weights, gone)
		}
		if err != nil {
			return nil, err
		}
	}
	if o.Unit != 0 {
		if err := j.fromBase(r, &operand{Column: o.Column}); err != nil {
			return nil, err
		}
	}
	opts := r.options
	if weights != nil {
		opts = append(slices.Clip(opts), ogive.Weights(weights))
	}
	of, values, err := run(j.x, keys, opts)
	if err != nil {
		return nil, err
	}
	p := part{values: values}
	for _, finish := range j.finish {
		if err := finish(&p); err != nil {
			return nil, err
		}
	}
	cell, err := p.cells()
	if err != nil {
		return nil, err
	}
	found := ogive.Must(ogive.Values[int64](of))
	place := make([]int, len(none))
	for i, group := range found {
		place[group] = i
	}
	isRounded := false
	if p.unit == 0 && !r.work.quiet {
		isRounded, err = roundedAnswers(j.x, p.values, func(x *ogive.Tensor) (*ogive.Tensor, error) {
			_, values, err := run(x, keys, opts)
			return values, err
		})
	}
	return &groupAnswers{p.values, cell, len(found), place, none, isRounded}, err
}
