package main

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// describedPercentiles are those between the smallest and the largest value.
var describedPercentiles = []int64{1, 5, 25, 50, 75, 95, 99}

const describeHelp = `Exact: each is rounded once, the interquartile range (iqr) and the median absolute
deviation from the median (mad) from rounded ends. Missing values, NaNs among them, are
counted and left out. A line for each column or array, and with --by for each group,
with --axis for each element that is left.
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
	d := &description{in: in, groups: g, list: &records{across: g == nil}}
	options := []ogive.Option{}
	if axes != nil {
		options = append(options, ogive.Axis(axes...))
	}
	d.ends = &request{op: ogive.OpNaNQuantile, as: ogive.OpNaNQuantile, counts: true, work: workFlags{workers: work.workers, quiet: true},
		options: append(slices.Clip(options), ogive.Method(rank.Lower), ogive.Fractions(rank.Ratio(0, 1), rank.Ratio(1, 1)))}
	between := make([]rank.Q, len(describedPercentiles))
	for i, p := range describedPercentiles {
		between[i] = rank.Ratio(p, 100)
	}
	d.middle = &request{op: ogive.OpNaNQuantile, as: ogive.OpNaNQuantile, counts: true, work: work,
		options: append(slices.Clip(options), ogive.Fractions(between...))}
	var err error
	if g != nil {
		err = d.byGroups(ctx, s)
	} else {
		err = d.byLanes(ctx, s)
	}
	d.list.rows = slices.Values(d.lines)
	return d.list, err
}

// description is the work of describe.
type description struct {
	in           *operands
	groups       *grouping
	ends, middle *request
	list         *records
	lines        [][]string
}

// lanes is what is described of an operand: its elements, and of which lane, or group,
// each is one.
type lanes struct {
	x     *ogive.Tensor // flat
	gone  []bool        // beside NaNs
	of    func(i int) int
	count int

	low, mid func(q, lane int) string
	floats   func(q int) ([]float64, error) // of mid
	median   func(away *ogive.Tensor) ([]float64, error)
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
	for _, r := range []*request{d.ends, d.middle} {
		r.options = append(slices.Clip(r.options), ogive.Workers(r.work.workers), ogive.Context(ctx))
	}
	rows := make([][][]string, len(d.in.list))
	for i := range d.in.list {
		o := &d.in.list[i]
		low, err := d.ends.byGroup(o, g)
		if err != nil {
			return inFile(err, d.in.title, o.name)
		}
		mid, err := d.middle.byGroup(o, g)
		if err != nil {
			return inFile(err, d.in.title, o.name)
		}
		keys, err := ogive.FromSlice(g.of)
		if err != nil {
			return err
		}
		l := &lanes{x: o.x, gone: o.gone(), of: func(i int) int { return int(g.of[i]) }, count: len(g.first),
			low: func(q, k int) string { return low.cell(k, q) }, mid: func(q, k int) string { return mid.cell(k, q) }, floats: mid.floats,
			median: func(away *ogive.Tensor) ([]float64, error) {
				_, mads, err := ogive.NaNMedianBy(away, keys)
				if err != nil {
					return nil, err
				}
				return ogive.Values[float64](mads)
			}}
		if rows[i], err = l.describe(o); err != nil {
			return inFile(err, d.in.title, o.name)
		}
		d.in.noteColumn(d.middle, o)
	}
	d.in.tell(s, d.middle.work)
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
	extremes, err := compute(ctx, s, d.ends, in)
	if err != nil {
		return err
	}
	percentiles, err := compute(ctx, s, d.middle, in)
	if err != nil {
		return err
	}
	var names []string
	if in.table {
		names = append(names, "column")
	}
	d.head(append(names, axisNames(extremes[0].axes)...)...)
	for i := range in.list {
		o := &in.list[i]
		rows, n, x, err := lanesOf(o.x, extremes[i].axes)
		if err != nil {
			return inFile(err, in.title, o.name)
		}
		low, err := extremes[i].cells()
		if err != nil {
			return err
		}
		mid, err := percentiles[i].cells()
		if err != nil {
			return err
		}
		l := &lanes{x: x, gone: o.gone(), of: func(i int) int { return i / n }, count: rows,
			low: func(q, k int) string { return low(q*rows + k) }, mid: func(q, k int) string { return mid(q*rows + k) },
			floats: func(q int) ([]float64, error) {
				wide, err := percentiles[i].values.Cast(dtype.Float64)
				if err != nil {
					return nil, err
				}
				return ogive.Must(ogive.Values[float64](wide))[q*rows:][:rows], nil
			},
			median: func(away *ogive.Tensor) ([]float64, error) {
				rows, err := away.Reshape(rows, n)
				if err != nil {
					return nil, err
				}
				mads, err := rows.NaNMedian(ogive.Axis(1))
				if err != nil {
					return nil, err
				}
				return ogive.Values[float64](mads)
			}}
		lines, err := l.describe(o)
		if err != nil {
			return inFile(err, in.title, o.name)
		}
		shape, places := extremes[i].values.Shape()[1:], make([]string, len(extremes[i].axes))
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

// lanesOf returns x flat, its rows one for each element of the kept axes.
func lanesOf(x *ogive.Tensor, kept []int) (rows, n int, flat *ogive.Tensor, err error) {
	order := slices.Clone(kept)
	rows = 1
	for a, n := range x.Shape() {
		if !slices.Contains(kept, a) {
			order = append(order, a)
		} else {
			rows *= n
		}
	}
	if x.NDim() > 1 {
		if x, err = x.Transpose(order...); err != nil {
			return 0, 0, nil, err
		}
	}
	if x, err = x.Contiguous(); err != nil {
		return 0, 0, nil, err
	}
	flat, err = x.Reshape(x.Len())
	return rows, x.Len() / max(rows, 1), flat, err
}

// describe returns the cells of each lane.
func (l *lanes) describe(o *operand) ([][]string, error) {
	iqrs, mads, err := l.spreads(o)
	if err != nil {
		return nil, err
	}
	lines := make([][]string, l.count)
	for k, c := range l.counts() {
		var line []string
		for _, n := range []int{c.valid, c.missing, c.negative, c.positive} {
			line = append(line, strconv.Itoa(n))
		}
		line = append(line, l.low(0, k))
		for q := range describedPercentiles {
			line = append(line, l.mid(q, k))
		}
		lines[k] = append(line, l.low(1, k), tensorio.FormatFloat(iqrs[k], 64), tensorio.FormatFloat(mads[k], 64))
	}
	return lines, nil
}

// counts are how many values of a lane are what.
type counts struct{ valid, missing, negative, positive int }

// counts counts the values of each lane.
func (l *lanes) counts() []counts {
	list := make([]counts, l.count)
	test := func(op func(...ogive.Option) (*ogive.Tensor, error)) []bool {
		return ogive.Must(ogive.Values[bool](ogive.Must(op())))
	}
	nan, negative, positive := test(l.x.IsNaN), test(l.x.IsNegInf), test(l.x.IsPosInf)
	for i := range nan {
		c := &list[l.of(i)]
		if nan[i] || l.gone != nil && l.gone[i] {
			c.missing++
			continue
		}
		c.valid++
		if negative[i] {
			c.negative++
		}
		if positive[i] {
			c.positive++
		}
	}
	return list
}

// spreads returns the interquartile ranges and the median absolute deviations; NaN for
// dates, of which they would be none.
func (l *lanes) spreads(o *operand) (iqrs, mads []float64, err error) {
	if o.Unit != tensorio.UnitNone {
		nans := slices.Repeat([]float64{nanValue}, l.count)
		return nans, nans, nil
	}
	var at [3][]float64
	for i, p := range []int64{25, 50, 75} {
		if at[i], err = l.floats(slices.Index(describedPercentiles, p)); err != nil {
			return nil, nil, err
		}
	}
	for k := range l.count {
		iqrs = append(iqrs, at[2][k]-at[0][k])
	}
	wide, err := l.x.Cast(dtype.Float64)
	if err != nil {
		return nil, nil, err
	}
	away := slices.Clone(ogive.Must(ogive.Values[float64](wide)))
	for i := range away {
		if away[i] = math.Abs(away[i] - at[1][l.of(i)]); l.gone != nil && l.gone[i] {
			away[i] = nanValue
		}
	}
	x, err := ogive.FromSlice(away)
	if err != nil {
		return nil, nil, err
	}
	mads, err = l.median(x)
	return iqrs, mads, err
}
