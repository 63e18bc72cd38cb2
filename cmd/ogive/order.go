package main

import (
	"context"
	"errors"
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
	noDates bool // columns with a unit are left out
	window  windowFlags
	rows    bool     // of the elements, in place of their indices
	by      []string // columns of groups
	sorted  bool
}

// orderRun carries out a command line.
type orderRun func(context.Context, *orderOptions, streams) error

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
		"The answer is the index of the element that a discrete method picks, within the\nreduced axes; the index of the first NaN where there is one. The default is lower."},
	{ogive.OpNaNArgQuantile, "q", "Indices of quantiles along axes, NaNs dropped",
		"The answer is the index of the element that a discrete method picks, within the\nreduced axes; -1 where there are only NaNs. The default is\nlower."},
}

func newQuantileCmds(s streams, run orderRun) (cmds []*cobra.Command) {
	for _, row := range quantileRows {
		o := &orderOptions{op: row.op}
		var in inputFlags
		var lane laneFlags
		var q []string
		var method string
		cmd := orderCommand(row.op, row.short, row.long)
		example := "0.05,0.5,0.95"
		if row.flag == "p" {
			example = "5,50,95"
		}
		flags := cmd.Flags()
		flags.StringArrayVarP(&q, row.flag, row.flag, nil, quantileUsage(row.flag))
		flags.StringVar(&method, "method", "", "`name` of the rule between two elements (default linear, lower for indices); see 'ogive help methods'")
		completes(cmd, "method", describedMethods())
		if family(row.op) == "" {
			rowsFlag(cmd, &o.rows, "that the indices are those of")
		}
		cmd.Example = quantileExample(row.op, row.flag)
		finishOrder(cmd, s, o, &in, &lane, run, func() error {
			if !flags.Changed(row.flag) {
				return usageError("for example --"+row.flag+" "+example, "--%s is missing", row.flag)
			}
			text, err := joinQuantiles(row.flag, q)
			if err != nil {
				return err
			}
			if o.qs, err = parseQuantiles(row.flag, text); err != nil {
				return err
			}
			o.method = rank.Linear.String()
			if strings.HasSuffix(row.op.String(), "argquantile") {
				o.method = rank.Lower.String()
			}
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

// quantileExample shows latencies, groups and arrays.
func quantileExample(op ogive.Op, flag string) string {
	few, many, method := "0.5", "0.5,0.99,0.999", ""
	if flag == "p" {
		few, many = "50", "50,99,99.9"
	}
	name := op.String()
	if strings.HasSuffix(name, "argquantile") {
		method = " --method lower"
		return "  ogive " + name + " latency.csv -c ms --" + flag + " " + many + method + " --rows\n" +
			"  ogive " + name + " stack.npy --" + flag + " " + few + method + " --axis 0 -o at.npy"
	}
	return "  ogive " + name + " latency.csv -c ms --" + flag + " " + many + "\n" +
		"  ogive " + name + " flights.csv -c delay --" + flag + " " + many + " --by origin --sort\n" +
		"  ogive " + name + " stack.npy --" + flag + " " + few + " --axis 0 -o out.npy"
}

// orderCommand returns the skeleton of an order statistic's command.
func orderCommand(op ogive.Op, short, long string) *cobra.Command {
	return &cobra.Command{
		Use:     op.String() + " [FILE...]",
		Short:   short,
		Long:    short + ".\n\n" + long + "\n" + fileHelp,
		GroupID: groupOrder,
	}
}

// finishOrder adds the flags that all order statistics take, and what happens
// when the command is called.
func finishOrder(cmd *cobra.Command, s streams, o *orderOptions, in *inputFlags, lane *laneFlags, run orderRun, parse func() error) {
	lane.register(cmd)
	groupFlags(cmd, &o.by, &o.sorted)
	var window windowFlags
	if family(o.op) != "" {
		window.register(cmd)
	}
	o.output.register(cmd)
	in.register(cmd)
	o.work.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
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
		if err = window.check(cmd, o); err != nil {
			return err
		}
		o.output.records = o.rows || o.by != nil
		if err = o.output.check(cmd, s); err != nil {
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
	files.keep = o.rows
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
	if len(o.files) == 1 && !weighted(o.weights) && o.by == nil && o.window.width == 0 && o.work.device == "" {
		p, err := files.reduce(r, o.files[0], o.input)
		if err == nil {
			return o.output.write(ctx, s, &result{op: o.op.String(), method: o.method, mode: o.mode, qs: o.qs, parts: []part{*p}})
		}
		if err != errInMemory {
			return err
		}
	}
	o.input.Keys, o.input.Groups = []string{o.weights}, o.by
	list, err := files.openAll(o.files, o.input)
	if err != nil {
		return err
	}
	defer closeAll(list)
	if o.weights, err = files.weightsName(list, o.weights, o.perFile); err != nil {
		return err
	}
	if o.weights != "" && o.window.width > 0 {
		return usageError("--weights "+noWeights, "windows take no weights, and the counts of %s are such", title(o.files[0]))
	}
	if files.inPasses(list, o) {
		if o.window.width > 0 {
			return usageError("more --memory", "windows are computed in memory, and %s may not fit", o.files[0])
		}
		if err := o.work.onHost("files that may not fit into memory"); err != nil {
			return err
		}
		answer, in, err := files.passes(list, o, r)
		if err == nil {
			in.tell(s, o.work)
			return o.output.write(ctx, s, answer)
		}
		if !errors.Is(err, errNotInPasses) {
			return err
		}
	}
	in, err := files.inputs(list, o.perFile)
	if err != nil {
		return err
	}
	if err = files.weigh(in, o.weights, len(o.input.Columns) == 0); err != nil {
		return err
	}
	if o.window.width > 0 {
		answer, err := computeWindows(ctx, s, o, r, in)
		if err != nil {
			return err
		}
		return o.output.write(ctx, s, answer)
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
	if o.rows {
		if _, err := in.rowsOf(o.perFile); err != nil {
			return err
		}
	}
	parts, err := compute(ctx, s, r, in)
	if err != nil {
		return err
	}
	if o.rows {
		at, err := ogive.Values[int64](parts[0].values)
		if err != nil {
			return err
		}
		rows, err := files.rows(list, at)
		if err != nil {
			return err
		}
		return o.output.write(ctx, s, &result{op: o.op.String(), records: rows})
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

// isColumn reports whether the FILEs have a column of that name.
func (in *operands) isColumn(name string) bool {
	for _, f := range in.files {
		if !f.HasColumn(name) {
			return false
		}
	}
	return true
}
