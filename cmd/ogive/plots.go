package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/cmd/ogive/plot"
	"github.com/ogive-go/ogive/rank"
)

// plotOptions are a parsed command line of a plot.
type plotOptions struct {
	sampleOptions
	log     bool
	bins    int
	against string
	axis    []int
	qs      *quantiles
	look    lookFlags
}

// plotKind is a kind of plot of distributions.
type plotKind struct {
	name, short, long, example string

	method rank.Method
	most   int // series that can be told apart
	draw   func(*plotOptions, *samples) (*plot.Picture, error)
}

// The most series that are shown: curves lie over each other, boxes and panels do not.
const (
	mostCurves = 12
	mostRows   = 64
)

var plotKinds = []plotKind{
	{"box", "Boxes from quartile to quartile, side by side",
		"A box from the lower to the upper quartile, a line at the median, whiskers that\nend at 5 and 95 %, dots at the smallest and the largest value.",
		"  ogive plot box weather.csv -c temp_max --by weather\n  ogive plot box a.csv b.csv --per-file -c ms --log -o box.svg",
		rank.Linear, mostRows, func(o *plotOptions, s *samples) (*plot.Picture, error) {
			return plot.Boxes(s.lists[0], s.axis, o.log), nil
		}},
	{"ecdf", "The share of the values up to each value",
		"The empirical distribution function: of which share of the values are at most x.",
		"  ogive plot ecdf latency.csv -c ms --log\n  ogive plot ecdf weather.csv -c wind --by weather -o wind.svg",
		rank.InvertedCDF, mostCurves, func(o *plotOptions, s *samples) (*plot.Picture, error) {
			return plot.ECDF(s.lists[0], s.axis, o.log), nil
		}},
	{"hist", "Histograms, one below the other",
		"Counts of values in bins of equal width, the same for all columns and groups, with\nround edges; --log makes them equally wide on the axis. A value on an edge is in the\nbin above it. Infinities are left out.",
		"  ogive plot hist weather.csv -c temp_max --bins 20\n  ogive plot hist x.npy --log -o hist.png",
		rank.Linear, mostRows, func(o *plotOptions, s *samples) (*plot.Picture, error) {
			b := plot.NewBins(s.lists[0], o.bins, o.log)
			if err := s.count(b); err != nil {
				return nil, err
			}
			var names []string
			for i := range s.lists[0] {
				names = append(names, s.lists[0][i].Name)
			}
			return plot.Histogram(names, b, s.axis, o.log), nil
		}},
	{"quantile", "The value of each quantile",
		"The quantile function: values over the quantiles from 0 to 1, of the method linear.",
		"  ogive plot quantile latency.csv -c ms --log\n  ogive plot quantile weather.csv -c temp_max,temp_min -o temp.pdf",
		rank.Linear, mostCurves, func(o *plotOptions, s *samples) (*plot.Picture, error) {
			return plot.Quantiles(s.lists[0], s.axis, o.log), nil
		}},
	{"qq", "Quantiles over those of a distribution, or of the first column",
		"Quantiles over those of a normal distribution, which it has if they lie on a line;\nor with --against first over those of the first column, group or FILE, which is\ndistributed alike if they lie on the line of equal values.",
		"  ogive plot qq weather.csv -c temp_max\n  ogive plot qq before.csv after.csv --per-file -c ms --against first --log",
		rank.Hazen, mostCurves, drawQQ},
}

const plotHelp = `
The picture is text, as wide as the terminal, in colour where there is some; or with
-o an SVG, PNG or PDF file. It is drawn from 527 exact quantiles of each column, the
smallest and the largest value among them, so that the FILE may be larger than memory
where --memory says so of medians: not with --by and --per-file. Missing values and
NaNs are left out, and so are dates and what is infinite.
` + fileHelp

func newPlotCmd(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:     "plot KIND [FILE...]",
		Short:   "Pictures: box, ecdf, hist, quantile, qq, fan",
		Long:    "Pictures of distributions, in the terminal or as SVG, PNG and PDF files.\n" + plotHelp,
		Example: "  ogive plot box weather.csv -c temp_max --by weather\n  ogive plot ecdf latency.csv -c ms --log -o latency.svg\n  ogive plot fan stack.npy --axis 0",
		GroupID: groupOther,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("for example: ogive plot box FILE", "plot needs a kind: %s", strings.Join(kindNames(), ", "))
			}
			text := fmt.Sprintf("unknown kind %q of plot; known: %s", args[0], strings.Join(kindNames(), ", "))
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				text = fmt.Sprintf("unknown kind %q of plot; did you mean %q?", args[0], near[0])
			}
			return usageError("see 'ogive plot --help'", "%s", text)
		},
		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for i := range plotKinds {
		root.AddCommand(newKindCmd(s, &plotKinds[i]))
	}
	root.AddCommand(newFanCmd(s))
	return root
}

func kindNames() (names []string) {
	for _, k := range plotKinds {
		names = append(names, k.name)
	}
	return append(names, "fan")
}

func newKindCmd(s streams, k *plotKind) *cobra.Command {
	o := &plotOptions{}
	var in inputFlags
	cmd := &cobra.Command{
		Use:     k.name + " [FILE...]",
		Short:   k.short,
		Long:    k.short + ".\n\n" + k.long + "\n" + plotHelp,
		Example: k.example,
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.log, "log", false, "logarithmic axes of values, which must be positive")
	switch k.name {
	case "hist":
		flags.IntVar(&o.bins, "bins", 0, "number of bins (default: by the rule of Freedman and Diaconis)")
	case "qq":
		flags.StringVar(&o.against, "against", "normal", "what to compare with: "+strings.Join(againstNames(), "|"))
		completes(cmd, "against", againstNames())
	}
	groupFlags(cmd, &o.by, &o.sorted)
	weightsFlag(cmd, &o.weights, valueWeights)
	o.look.register(cmd)
	in.register(cmd)
	o.work.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err = o.take(cmd, args, &in); err != nil {
			return err
		}
		if flags.Changed("bins") && (o.bins < 1 || o.bins > 10000) {
			return usageError("for example --bins 20", "--bins takes 1 to 10000, got %d", o.bins)
		}
		if err = o.work.onHost("plots"); err != nil {
			return err
		}
		if err = o.look.check(s); err != nil {
			return err
		}
		o.methods, o.most = []rank.Method{k.method}, k.most
		return o.run(cmd.Context(), s, k)
	}
	return cmd
}

// run draws a plot of distributions.
func (o *plotOptions) run(ctx context.Context, s streams, k *plotKind) error {
	if _, err := againstIndex(o.against); err != nil {
		return err
	}
	files, err := newOpener(ctx, s, o.work)
	if err != nil {
		return err
	}
	if o.files, err = expand(o.files); err != nil {
		return err
	}
	all, list, err := files.samples(s, &o.sampleOptions)
	defer closeAll(list)
	if err != nil {
		return err
	}
	if err := all.drawable(o.log); err != nil {
		return err
	}
	picture, err := k.draw(o, all)
	if err != nil {
		return err
	}
	return o.look.write(ctx, s, picture, filepath.Base(all.title))
}

// drawable refuses samples without values, and what a logarithmic axis cannot show.
func (s *samples) drawable(log bool) error {
	some := false
	for i := range s.lists[0] {
		sample := &s.lists[0][i]
		if sample.Empty() {
			continue
		}
		lo, hi := sample.Finite()
		some = some || lo <= hi
		if log && lo <= 0 {
			of := sample.Name
			if of == "" {
				of = s.title
			}
			return usageError("leave --log out", "--log takes positive values, and the smallest of %s is %v", of, lo)
		}
	}
	if !some {
		return fmt.Errorf("%s: there is no finite value to draw", s.title)
	}
	return nil
}

// againstFirst compares samples with the first one.
const againstFirst = "first"

func againstNames() (names []string) {
	for _, a := range plot.Against {
		names = append(names, a.Name)
	}
	return append(names, againstFirst)
}

// againstIndex returns which of plot.Against a name is, -1 for the first sample.
func againstIndex(name string) (int, error) {
	if name == "" || name == againstFirst {
		return -1, nil
	}
	i := slices.Index(againstNames(), name)
	if i < 0 {
		return 0, usageError("", "unknown --against %q; known: %s", name, strings.Join(againstNames(), ", "))
	}
	return i, nil
}

func drawQQ(o *plotOptions, s *samples) (*plot.Picture, error) {
	against, err := againstIndex(o.against)
	switch {
	case err != nil:
		return nil, err
	case against >= 0 && o.log:
		return nil, usageError("", "--log compares with --against first, not with the %s distribution", o.against)
	case against >= 0:
		return plot.QQ(s.lists[0], against, s.axis), nil
	case len(s.lists[0]) < 2:
		return nil, usageError("several columns (-c), groups (--by) or files (--per-file)", "--against first needs two distributions to compare")
	}
	return plot.QQFirst(s.lists[0], s.axis, o.log), nil
}

// terminalWidth returns how many cells a line of standard output has; 80 if it is no
// terminal.
func terminalWidth(s streams) int {
	if s.outTTY && s.width > 0 {
		return s.width
	}
	return 80
}

// fanRequest returns how the quantiles of a fan are computed.
func (o *plotOptions) fanRequest() *request {
	return &request{op: ogive.OpNaNQuantile, as: ogive.OpNaNQuantile, work: o.work,
		options: []ogive.Option{ogive.Axis(o.axis...), o.qs.option()}}
}
