package main

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

// describedPercentiles are those between the smallest and the largest value.
var describedPercentiles = []int64{1, 5, 25, 50, 75, 95, 99}

const describeHelp = `Exact: each is rounded once, the interquartile range (iqr) and the median absolute
deviation from the median (mad) of floats from rounded ends. Missing values, NaNs among
them, are counted and left out. A line for each column or array, and with --by for each
group, with --axis for each element that is left.

With --weights all is as if each value were repeated as often as its weight says, and the
counts are sums of weights. Weights that are not integers have no values between two:
quantiles, iqr and mad are those of the method inverted_cdf.
` + fileHelp

func newDescribeCmd(s streams) *cobra.Command {
	var f survey
	var axis string
	cmd := &cobra.Command{
		Use:   "describe [FILE...]",
		Short: "Count, missing, extremes, percentiles, iqr and mad",
		Long:  "Count, missing, extremes, percentiles, iqr and mad.\n\n" + describeHelp,
		Example: "  ogive describe latency.csv\n  ogive describe flights.csv -c delay --by origin -f json\n" +
			"  ogive describe stack.npy --axis 0 -f csv",
		GroupID: groupOrder,
	}
	cmd.Flags().StringVar(&axis, "axis", "", "`axes` to describe along: 0,-1 (default all)")
	f.apart = true
	f.register(cmd, true)
	cmd.MarkFlagsMutuallyExclusive("by", "axis")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var (
			axes []int
			err  error
		)
		if cmd.Flags().Changed("axis") {
			if axes, err = parseInts("axis", axis); err != nil {
				return err
			}
		}
		in, g, done, err := f.open(cmd, s, args, "descriptions")
		if err != nil {
			return err
		}
		defer done()
		list, err := describe(cmd.Context(), s, f.work, in, axes, g)
		if err != nil {
			return err
		}
		return f.out.write(cmd.Context(), s, &result{op: "describe", records: list})
	}
	return cmd
}

// describe makes a line for each operand and group, or element of what axes leave.
func describe(ctx context.Context, s streams, work workFlags, in *operands, axes []int, g *grouping) (*records, error) {
	d := &description{in: in, groups: g, list: &records{across: g == nil, keys: g.keys()}}
	options := []ogive.Option{}
	if axes != nil {
		options = append(options, ogive.Axis(axes...))
	}
	ask := func(m rank.Method, work workFlags, qs ...rank.Q) *request {
		return &request{op: ogive.OpNaNQuantile, as: ogive.OpNaNQuantile, counts: true, work: work,
			options: append(slices.Clip(options), ogive.Method(in.methodFor(m)), ogive.Fractions(qs...))}
	}
	percentiles := make([]rank.Q, len(describedPercentiles))
	for i, p := range describedPercentiles {
		percentiles[i] = rank.Ratio(p, 100)
	}
	quiet := workFlags{workers: work.workers, quiet: true}
	d.asked[askLower] = ask(rank.Lower, quiet, rank.Ratio(0, 1), rank.Ratio(1, 4), rank.Ratio(1, 2), rank.Ratio(3, 4), rank.Ratio(1, 1))
	d.asked[askHigher] = ask(rank.Higher, quiet, rank.Ratio(0, 1), rank.Ratio(1, 4), rank.Ratio(1, 2), rank.Ratio(3, 4), rank.Ratio(1, 1))
	d.asked[askPercentiles] = ask(rank.Linear, work, percentiles...)
	var err error
	if g != nil {
		err = d.byGroups(ctx, s)
	} else {
		err = d.byLanes(ctx, s)
	}
	d.list.rows = slices.Values(d.lines)
	return d.list, err
}

// What is asked of each lane: the elements below and above the extremes and the quartiles,
// of which lastAsked is the number of the largest, and the percentiles.
const (
	askLower = iota
	askHigher
	askPercentiles
	askCount

	lastAsked = 4
)

// describedBytes is about what a line takes, as text.
const describedBytes = 1 << 10

// description is the work of describe.
type description struct {
	in     *operands
	groups *grouping
	asked  [askCount]*request
	list   *records
	lines  [][]string
}

// head names the cells of a line.
func (d *description) head(names ...string) {
	if d.in.list[0].file != "" {
		names = append([]string{"file"}, names...)
	}
	d.list.labels = len(names)
	names = append(names, "count", "missing", "-inf", "+inf", "min")
	for _, p := range describedPercentiles {
		names = append(names, map[bool]string{true: "median", false: "p" + strconv.FormatInt(p, 10)}[p == 50])
	}
	d.list.names = append(names, "max", "iqr", "mad")
}

// byGroups describes the groups of each operand.
func (d *description) byGroups(ctx context.Context, s streams) error {
	g := d.groups
	d.head(append(slices.Clone(g.names), "column")...)
	for _, r := range d.asked {
		r.options = append(slices.Clip(r.options), ogive.Workers(r.work.workers), ogive.Context(ctx))
	}
	if err := d.in.answer(int64(len(g.first)) * int64(len(d.in.list)) * describedBytes); err != nil {
		return err
	}
	rows := make([][][]string, len(d.in.list))
	for i := range d.in.list {
		o := &d.in.list[i]
		l := &lanes{x: o.x, gone: o.gone(), weights: o.weights, keys: g.of, count: len(g.first)}
		for k, r := range d.asked {
			a, err := r.byGroup(o, g)
			if err != nil {
				return inFile(err, d.in.title, o.name)
			}
			l.answers[k] = laneAnswers{a.values, a.format, a.at}
			if a.isRounded {
				d.in.noteRoundedAnswers(o.name)
			}
		}
		var err error
		if rows[i], err = l.describe(o); err != nil {
			return inFile(err, d.in.title, o.name)
		}
		d.in.noteColumn(d.asked[askPercentiles], o)
	}
	d.in.tell(s, d.asked[askPercentiles].work)
	for _, group := range g.order {
		for i := range d.in.list {
			d.lines = append(d.lines, slices.Concat(g.label(nil, group), []string{d.in.list[i].name}, rows[i][group]))
		}
	}
	return nil
}

// byLanes describes the lanes of each operand.
func (d *description) byLanes(ctx context.Context, s streams) error {
	in := d.in
	var answers [askCount][]part
	for k, r := range d.asked {
		var err error
		if answers[k], err = compute(ctx, s, r, in); err != nil {
			return err
		}
	}
	lines := 0
	for i := range in.list {
		lines += answers[askLower][i].values.Len() / (lastAsked + 1)
	}
	if err := in.answer(int64(lines) * describedBytes); err != nil {
		return err
	}
	var names []string
	if in.table {
		names = append(names, "column")
	}
	d.head(append(names, axisNames(answers[askLower][0].axes)...)...)
	for i := range in.list {
		o, first := &in.list[i], &answers[askLower][i]
		l, err := lanesOf(o, first.axes)
		if err != nil {
			return inFile(err, in.title, o.name)
		}
		for k := range answers {
			p := &answers[k][i]
			cell, err := p.cells()
			if err != nil {
				return err
			}
			l.answers[k] = laneAnswers{p.values, cell, func(q, lane int) int { return q*l.count + lane }}
		}
		lines, err := l.describe(o)
		if err != nil {
			return inFile(err, in.title, o.name)
		}
		shape, places := first.values.Shape()[1:], make([]string, len(first.axes))
		for k, line := range lines {
			var labels []string
			if o.file != "" {
				labels = append(labels, o.file)
			}
			if in.table {
				labels = append(labels, o.name)
			}
			position(places, shape, k)
			d.lines = append(d.lines, slices.Concat(labels, places, line))
		}
	}
	return nil
}
