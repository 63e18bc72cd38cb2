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

const describeHelp = `Count, missing values, infinities, smallest and largest value, percentiles,
interquartile range (iqr) and median absolute deviation from the median (mad), all
exact: each is rounded once, the differences from rounded ends. Missing values, NaNs
among them, are counted and left out.

Of a table there is a line for each column that holds numbers, of a tensor one, or
with --axis one for each element that is left.
` + fileHelp

func newDescribeCmd(s streams) *cobra.Command {
	var in inputFlags
	var out outputFlags
	var work workFlags
	var axis string
	cmd := &cobra.Command{
		Use:   "describe [FILE...]",
		Short: "Count, missing, extremes, percentiles, iqr and mad",
		Long:  "Count, missing, extremes, percentiles, iqr and mad.\n\n" + describeHelp,
		Example: "  ogive describe weather.csv\n  ogive describe flights.csv -c delay -f json\n" +
			"  ogive describe stack.npy --axis 0 -f csv",
		GroupID: groupOrder,
	}
	cmd.Flags().StringVar(&axis, "axis", "", "axes to describe along: 0,-1 (default all)")
	out.register(cmd)
	in.register(cmd)
	work.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := refuseEmpty(cmd, args); err != nil {
			return err
		}
		options, err := in.options()
		if err != nil {
			return err
		}
		var axes []int
		if cmd.Flags().Changed("axis") {
			if axes, err = parseInts("axis", axis); err != nil {
				return err
			}
		}
		if err := out.check(s); err != nil {
			return err
		}
		ctx := cmd.Context()
		files, err := newOpener(ctx, s, work)
		if err != nil {
			return err
		}
		open, err := files.openAll(filesOf(args), options)
		if err != nil {
			return err
		}
		defer closeAll(open)
		operands, err := files.inputs(open, in.perFile)
		if err != nil {
			return err
		}
		list, err := describe(ctx, s, work, operands, axes)
		if err != nil {
			return err
		}
		return out.write(ctx, s, &result{op: "describe", records: list})
	}
	return cmd
}

// describe makes a line for each operand, or for each element of what axes leave.
func describe(ctx context.Context, s streams, work workFlags, in *operands, axes []int) (*records, error) {
	var along []ogive.Option
	if axes != nil {
		along = append(along, ogive.Axis(axes...))
	}
	ends := &request{op: ogive.OpNaNQuantile, as: ogive.OpNaNQuantile, counts: true, work: workFlags{workers: work.workers, quiet: true},
		options: append(slices.Clip(along), ogive.Method(rank.Lower), ogive.Qs([]float64{0, 1}))}
	between := make([]rank.Q, len(describedPercentiles))
	for i, p := range describedPercentiles {
		between[i] = rank.Ratio(p, 100)
	}
	middle := &request{op: ogive.OpNaNQuantile, as: ogive.OpNaNQuantile, counts: true, work: work,
		options: append(slices.Clip(along), ogive.Fractions(between...))}
	extremes, err := compute(ctx, s, ends, in)
	if err != nil {
		return nil, err
	}
	percentiles, err := compute(ctx, s, middle, in)
	if err != nil {
		return nil, err
	}
	r := &records{across: true}
	perFile := in.list[0].file != ""
	if perFile {
		r.names = append(r.names, "file")
	}
	if in.table {
		r.names = append(r.names, "column")
	}
	kept := len(extremes[0].axes)
	r.names = append(r.names, axisNames(extremes[0].axes)...)
	r.labels = len(r.names)
	r.names = append(r.names, "count", "missing", "-inf", "+inf", "min")
	for _, p := range describedPercentiles {
		r.names = append(r.names, map[bool]string{true: "median", false: "p" + strconv.FormatInt(p, 10)}[p == 50])
	}
	r.names = append(r.names, "max", "iqr", "mad")
	for i := range in.list {
		o := &in.list[i]
		var labels []string
		if perFile {
			labels = append(labels, o.file)
		}
		if in.table {
			labels = append(labels, o.name)
		}
		shape := extremes[i].values.Shape()[1:]
		lanes, err := lanesOf(o.x, extremes[i].axes)
		if err != nil {
			return nil, inFile(err, in.title, o.name)
		}
		low, err := extremes[i].cells()
		if err != nil {
			return nil, err
		}
		mid, err := percentiles[i].cells()
		if err != nil {
			return nil, err
		}
		spreads, err := spreads(o, lanes, &percentiles[i])
		if err != nil {
			return nil, err
		}
		counts := countLanes(lanes, o.gone())
		places := make([]string, kept)
		for k, c := range counts {
			position(places, shape, k)
			row := append(slices.Clone(labels), places...)
			for _, n := range []int{c.valid, c.missing, c.negative, c.positive} {
				row = append(row, strconv.Itoa(n))
			}
			row = append(row, low(k))
			for p := range describedPercentiles {
				row = append(row, mid(p*len(counts)+k))
			}
			row = append(row, low(len(counts)+k), spreads[k].iqr, spreads[k].mad)
			r.rows = append(r.rows, row)
		}
	}
	return r, nil
}

// lanesOf returns x as rows, one for each element of the kept axes.
func lanesOf(x *ogive.Tensor, kept []int) (*ogive.Tensor, error) {
	order := slices.Clone(kept)
	rows := 1
	for a, n := range x.Shape() {
		if !slices.Contains(kept, a) {
			order = append(order, a)
		} else {
			rows *= n
		}
	}
	var err error
	if x.NDim() > 1 {
		if x, err = x.Transpose(order...); err != nil {
			return nil, err
		}
	}
	if x, err = x.Contiguous(); err != nil {
		return nil, err
	}
	return x.Reshape(rows, x.Len()/max(rows, 1))
}

// counts are how many values of a lane are what.
type counts struct{ valid, missing, negative, positive int }

// countLanes counts the values of each row of x; gone are those that are missing,
// beside NaNs.
func countLanes(x *ogive.Tensor, gone []bool) []counts {
	rows, n := x.Shape()[0], x.Shape()[1]
	list := make([]counts, rows)
	test := func(op func(...ogive.Option) (*ogive.Tensor, error)) []bool {
		return ogive.Must(ogive.Values[bool](ogive.Must(op())))
	}
	nan, negative, positive := test(x.IsNaN), test(x.IsNegInf), test(x.IsPosInf)
	for k := range list {
		c := &list[k]
		for i := k * n; i < (k+1)*n; i++ {
			switch {
			case nan[i] || gone != nil && gone[i]:
				c.missing++
			case negative[i]:
				c.negative++
			case positive[i]:
				c.positive++
			}
		}
		c.valid = n - c.missing
	}
	return list
}

// spread is how far the values of a lane lie apart.
type spread struct{ iqr, mad string }

// spreads returns the interquartile ranges and the median absolute deviations of rows.
func spreads(o *operand, x *ogive.Tensor, percentiles *part) ([]spread, error) {
	rows, n := x.Shape()[0], x.Shape()[1]
	list := make([]spread, rows)
	if o.Unit != tensorio.UnitNone { // what they would be measured in is not a date
		for k := range list {
			list[k] = spread{textNaN, textNaN}
		}
		return list, nil
	}
	values, err := percentiles.values.Cast(dtype.Float64)
	if err != nil {
		return nil, err
	}
	ps := ogive.Must(ogive.Values[float64](values))
	at := func(p int64, k int) float64 { return ps[slices.Index(describedPercentiles, p)*rows+k] }
	wide, err := x.Cast(dtype.Float64)
	if err != nil {
		return nil, err
	}
	away := slices.Clone(ogive.Must(ogive.Values[float64](wide)))
	gone := o.gone()
	for k := range list {
		for i := k * n; i < (k+1)*n; i++ {
			if away[i] = math.Abs(away[i] - at(50, k)); gone != nil && gone[i] {
				away[i] = nanValue
			}
		}
	}
	mads, err := ogive.NaNMedian(ogive.Must(ogive.FromSlice(away, rows, n)), ogive.Axis(1))
	if err != nil {
		return nil, err
	}
	for k, mad := range ogive.Must(ogive.Values[float64](mads)) {
		list[k] = spread{formatFloat(at(75, k)-at(25, k), 64), formatFloat(mad, 64)}
	}
	return list, nil
}
