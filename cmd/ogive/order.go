package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// orderOptions are a parsed command line of an order statistic.
type orderOptions struct {
	op      ogive.Op
	files   []string
	input   tensorio.Options
	options []ogive.Option // axes, keepdims, method or mode
	qs      *quantiles     // nil for the median family
	method  string         // for the JSON document
	mode    string
	weights string // files
	indices string
	output  outputFlags
	work    workFlags
	perFile bool
	by      []string // columns of groups
	sorted  bool
}

// orderRun carries out a command line.
type orderRun func(context.Context, *orderOptions, streams) error

const layoutHelp = fileHelp + `
Text output is a line for each column of a table; for a tensor:
  one quantile of everything                the number
  several quantiles of everything           a line each
  one quantile along axes                   a line each (1-d) or rows (2-d); from
                                            3-d on, lines begin with the indices
  several quantiles along axes              a line for each element, its indices,
                                            then a column for each quantile
NaN, Inf and -Inf are written so; in JSON they are the strings "NaN",
"Infinity" and "-Infinity". With several columns of a table, npy output stacks
the answers along a new first axis, and npz output keeps them apart by name.
`

// fileHelp says what FILE can be.
const fileHelp = `
FILE is an array, npy, npz or netCDF (a.npz:name, f.nc:temp), or a table, csv, tsv,
JSON, Parquet, Arrow or a HdrHistogram log, each also gzip or zstd, found by its
content; or raw data. Several are joined, patterns ('*.csv') too; - or none is
standard input.
`

// quantileRows are the commands that take quantiles.
var quantileRows = []struct {
	op    ogive.Op
	flag  string
	short string
	long  string
}{
	{ogive.OpQuantile, "q", "Quantiles along axes",
		"A NaN in a slice makes its answer NaN; see nanquantile."},
	{ogive.OpNaNQuantile, "q", "Quantiles along axes, NaNs dropped",
		"NaNs, and missing cells of a table, are dropped; a slice of only NaN gives NaN."},
	{ogive.OpPercentile, "p", "Percentiles along axes",
		"A percentile p is the quantile p/100. A NaN in a slice makes its answer NaN;\nsee nanpercentile."},
	{ogive.OpNaNPercentile, "p", "Percentiles along axes, NaNs dropped",
		"A percentile p is the quantile p/100. NaNs, and missing cells of a table, are\ndropped; a slice of only NaN gives NaN."},
	{ogive.OpArgQuantile, "q", "Indices of quantiles along axes",
		"The answer is the index of the element that a discrete method picks, within the\nreduced axes; the index of the first NaN where there is one. Name the method,\nfor the default one interpolates."},
	{ogive.OpNaNArgQuantile, "q", "Indices of quantiles along axes, NaNs dropped",
		"The answer is the index of the element that a discrete method picks, within the\nreduced axes; -1 where there are only NaNs. Name the method, for the default one\ninterpolates."},
}

func newQuantileCmds(s streams, run orderRun) (cmds []*cobra.Command) {
	for _, row := range quantileRows {
		o := &orderOptions{op: row.op}
		var in inputFlags
		var lane laneFlags
		var q, method string
		cmd := orderCommand(row.op, row.short, row.long)
		example := "0.05,0.5,0.95"
		if row.flag == "p" {
			example = "5,50,95"
		}
		flags := cmd.Flags()
		flags.StringVarP(&q, row.flag, row.flag, "", "wanted: "+quantileUsage(row.flag))
		flags.StringVar(&method, "method", "", "how a quantile between two elements is formed: "+strings.Join(methodNames(), "|")+", or type1 … type9 (default linear)")
		completes(cmd, "method", methodNames())
		cmd.Example = quantileExample(row.op, row.flag, example)
		finishOrder(cmd, s, o, &in, &lane, run, func() error {
			if !flags.Changed(row.flag) {
				return usageError("for example --"+row.flag+" "+example, "--%s is missing", row.flag)
			}
			var err error
			if o.qs, err = parseQuantiles(row.flag, q); err != nil {
				return err
			}
			o.method = rank.Linear.String()
			if flags.Changed("method") {
				m, err := rank.Parse(method)
				if err != nil {
					return err
				}
				o.method = m.String()
				o.options = append(o.options, ogive.Method(m))
			}
			return nil
		})
		cmds = append(cmds, cmd)
	}
	return cmds
}

func quantileExample(op ogive.Op, flag, list string) string {
	name, method := op.String(), ""
	if strings.HasSuffix(name, "argquantile") {
		method = " --method lower"
	}
	return "  ogive " + name + " x.npy --" + flag + " " + list + " --axis=-1" + method + "\n" +
		"  ogive " + name + " weather.csv -c temp_max,wind --" + flag + " " + list + method + "\n" +
		"  ogive " + name + " a.npz:depth --" + flag + " @" + flag + ".npy" + method + " -o out.npy"
}

// orderCommand returns the skeleton of an order statistic's command.
func orderCommand(op ogive.Op, short, long string) *cobra.Command {
	return &cobra.Command{
		Use:     op.String() + " [FILE...]",
		Short:   short,
		Long:    short + ".\n\n" + long + "\n" + layoutHelp,
		GroupID: groupOrder,
	}
}

// finishOrder adds the flags that all order statistics take, and what happens
// when the command is called.
func finishOrder(cmd *cobra.Command, s streams, o *orderOptions, in *inputFlags, lane *laneFlags, run orderRun, parse func() error) {
	lane.register(cmd)
	groupFlags(cmd, &o.by, &o.sorted)
	o.output.register(cmd)
	in.register(cmd)
	o.work.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err = refuseEmpty(cmd, args); err != nil {
			return err
		}
		o.files, o.perFile = filesOf(args), in.perFile
		o.weights = lane.weights
		if o.input, err = in.options(); err != nil {
			return err
		}
		if o.options, err = lane.options(cmd); err != nil {
			return err
		}
		if err = parse(); err != nil {
			return err
		}
		if o.by != nil && (o.indices != "" || family(o.op) == "") {
			return usageError("", "--by gives no indices")
		}
		if err = o.output.check(s); err != nil {
			return err
		}
		if err = o.output.apart(o.indices, s); err != nil {
			return err
		}
		return run(cmd.Context(), o, s)
	}
}

// runOrder computes an order statistic of a file.
func runOrder(ctx context.Context, o *orderOptions, s streams) error {
	files, err := newOpener(ctx, s, o.work)
	if err != nil {
		return err
	}
	if err := o.qs.load(files); err != nil {
		return err
	}
	r := &request{op: o.op, as: o.qs.op(o.op), options: o.options, indices: o.indices != "", work: o.work}
	if o.qs != nil {
		r.options = append(r.options, o.qs.option())
	}
	if o.by != nil {
		if err := o.work.onHost("groups"); err != nil {
			return err
		}
	}
	if len(o.files) == 1 && o.weights == "" && o.by == nil && o.work.device == "" {
		p, err := files.reduce(r, o.files[0], o.input)
		if err == nil {
			return o.output.write(ctx, s, &result{op: o.op.String(), method: o.method, mode: o.mode, qs: o.qs, parts: []part{*p}})
		}
		if err != errInMemory {
			return err
		}
	}
	o.input.Keys = append(slices.Clone(o.by), o.weights)
	list, err := files.openAll(o.files, o.input)
	if err != nil {
		return err
	}
	defer closeAll(list)
	if files.inPasses(list, o) {
		if err := o.work.onHost("files that may not fit into memory"); err != nil {
			return err
		}
		answer, in, err := files.passes(list, o, r)
		if err != nil {
			return err
		}
		in.tell(s, o.work)
		return o.output.write(ctx, s, answer)
	}
	in, err := files.inputs(list, o.perFile)
	if err != nil {
		return err
	}
	if r.weights, err = files.weights(in, o.weights, len(o.input.Columns) == 0); err != nil {
		return err
	}
	if o.by != nil {
		g, err := files.groups(in, o.by, o.sorted)
		if err != nil {
			return err
		}
		list, err := computeBy(ctx, s, r, in, g, o.qs)
		if err != nil {
			return err
		}
		return o.output.write(ctx, s, &result{op: o.op.String(), records: list})
	}
	parts, err := compute(ctx, s, r, in)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if len(p.axes) > 0 && p.file != "" {
			return usageError("", "--per-file gives a line for each FILE, and %s has axes left", p.file)
		}
	}
	answer := &result{op: o.op.String(), method: o.method, mode: o.mode, qs: o.qs, table: in.table || o.perFile, parts: parts}
	return o.output.writeBoth(ctx, s, answer, o.indices)
}

// filesOf returns the FILEs of a command line; standard input if there are none.
func filesOf(args []string) []string {
	if len(args) == 0 {
		return []string{stdinName}
	}
	return args
}

// weights reads the weights: a file, or a column of FILE, which is then no operand
// unless columns were chosen.
func (f *opener) weights(in *operands, name string, all bool) (*ogive.Tensor, error) {
	if name == "" {
		return nil, nil
	}
	var w operand
	var err error
	if _, missing := os.Lstat(name); missing != nil && in.isColumn(name) {
		if w, err = f.column(in, name); err == nil && w.Labels != nil {
			err = fmt.Errorf("column %s holds text, not weights", name)
		}
		if all && len(in.list) > 1 {
			in.list = slices.DeleteFunc(in.list, func(o operand) bool { return o.name == name })
		}
	} else {
		w, err = f.side(name)
	}
	if err != nil {
		return nil, err
	}
	if n := w.missing(); n > 0 {
		return nil, fmt.Errorf("%s: %d missing %s among the weights", name, n, plural(n, "cell"))
	}
	return w.x, nil
}

// isColumn reports whether the FILEs have a column of that name.
func (in *operands) isColumn(name string) bool {
	for _, f := range in.files {
		if !f.HasColumn(name) {
			return false
		}
	}
	return true
}
