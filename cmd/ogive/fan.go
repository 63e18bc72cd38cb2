package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/cmd/ogive/plot"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// mostPlaces is how many places of an axis a fan shows; of more, evenly chosen ones.
const mostPlaces = 4000

const fanHelp = `
Quantiles along an axis of an array: --axis says which axes are reduced, as that of
nanquantile does, and one is left, along which they are drawn. Bands lie between the
first and the last quantile, the second and the second last and so on; the one in the
middle is a line. Of more than 4000 places every so many is drawn.

The picture is text, as wide as the terminal, in colour where there is some; or with
-o an SVG, PNG or PDF file. An npy or raw array may be larger than memory. NaNs are left
out.
`

func newFanCmd(s streams) *cobra.Command {
	o := &plotOptions{}
	var in inputFlags
	var axis string
	var q []string
	cmd := &cobra.Command{
		Use:     "fan FILE --axis 0",
		Short:   "Quantiles along an axis of an array",
		Long:    "Quantiles along an axis of an array.\n" + fanHelp,
		Example: "  ogive plot fan hours.npy --axis 0\n  ogive plot fan runs.npy --axis 0 -q 0.05,0.25,0.5,0.75,0.95 -o runs.svg",
		Args:    maxArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&axis, "axis", "", "axes to reduce, all but one: 0 or --axis=-1")
	flags.StringArrayVarP(&q, "q", "q", []string{"0.1,0.5,0.9"}, "quantiles in ascending order: a list (0.1,0.5,0.9) or a `file` (@q.npy); several add up")
	flags.BoolVar(&o.log, "log", false, "a logarithmic axis of values, which must be positive")
	o.look.register(cmd)
	in.register(cmd)
	o.work.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err = o.take(cmd, args, &in); err != nil {
			return err
		}
		if !flags.Changed("axis") {
			return usageError("--axis 0 draws along the others", "--axis is missing")
		}
		if o.axis, err = parseInts("axis", axis); err != nil {
			return err
		}
		list, err := joinQuantiles("q", q)
		if err != nil {
			return err
		}
		if o.qs, err = parseQuantiles("q", list); err != nil {
			return err
		}
		if err = o.work.onHost("plots"); err != nil {
			return err
		}
		if err = o.look.check(s); err != nil {
			return err
		}
		return o.fan(cmd.Context(), s)
	}
	return cmd
}

// fan draws the quantiles of an array along an axis.
func (o *plotOptions) fan(ctx context.Context, s streams) error {
	files, err := newOpener(ctx, s, o.work)
	if err != nil {
		return err
	}
	p, err := o.fanPart(files, s)
	if err != nil {
		return err
	}
	if len(p.axes) != 1 {
		return usageError("--axis names all axes but one", "a fan is drawn along one axis, and %d are left of %s", len(p.axes), title(o.files[0]))
	}
	wide, err := p.values.Cast(dtype.Float64)
	if err != nil {
		return err
	}
	all, err := ogive.Values[float64](wide)
	if err != nil {
		return err
	}
	n := len(all) / len(o.qs.list)
	every := (n + mostPlaces - 1) / mostPlaces
	if every > 1 && !o.work.quiet {
		s.note(fmt.Sprintf("one of %d places is drawn", every))
	}
	var places []float64
	values := make([][]float64, len(o.qs.list))
	some := false
	for i := 0; i < n; i += every {
		places = append(places, float64(i))
		for k := range values {
			v := all[k*n+i]
			if some = some || v-v == 0; o.log && v <= 0 {
				return usageError("leave --log out", "--log takes positive values, and quantile %s at %d is %v", o.qs.labels[k], i, v)
			}
			values[k] = append(values[k], v)
		}
	}
	if !some {
		return fmt.Errorf("%s: there is no finite value to draw", title(o.files[0]))
	}
	picture := plot.Fan(o.qs.labels, values, places, "axis "+strconv.Itoa(p.axes[0]), "", o.log)
	return o.look.write(ctx, s, picture, filepath.Base(title(o.files[0])))
}

// ascend checks that the quantiles are those of a fan.
func (qs *quantiles) ascend() error {
	const hint = "for example -q 0.1,0.5,0.9"
	if qs.scalar {
		return usageError(hint, "a fan takes a list of quantiles")
	}
	for i, q := range qs.list[1:] {
		if number(qs.list[i]) >= number(q) {
			return usageError(hint, "the quantiles of a fan ascend, and %s comes before %s", qs.labels[i], qs.labels[i+1])
		}
	}
	return nil
}

// number returns a quantile as a float64.
func number(q rank.Q) float64 {
	if q.Den > 0 {
		return float64(q.Num) / float64(q.Den)
	}
	return q.Value
}

// fanPart computes the quantiles of an array.
func (o *plotOptions) fanPart(files *opener, s streams) (*part, error) {
	if err := o.qs.load(files); err != nil {
		return nil, err
	}
	if err := o.qs.ascend(); err != nil {
		return nil, err
	}
	p, err := files.reduce(o.fanRequest(), o.files[0], o.input)
	if err == errInMemory {
		p, err = o.fanInMemory(files, s)
	}
	return p, err
}

// fanInMemory computes the quantiles of an array in memory.
func (o *plotOptions) fanInMemory(files *opener, s streams) (*part, error) {
	list, err := files.openAll(o.files, o.input)
	if err != nil {
		return nil, err
	}
	defer closeAll(list)
	in, err := files.inputs(list, false)
	if err != nil {
		return nil, err
	}
	if in.table {
		return nil, usageError("'ogive plot quantile' draws columns", "a fan is of an array, and %s is a table", in.title)
	}
	parts, err := compute(files.ctx, s, o.fanRequest(), in)
	if err != nil {
		return nil, err
	}
	return &parts[0], nil
}
