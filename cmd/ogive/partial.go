package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

const partialHelp = `The state of an order statistic for a part of the data, a shard, for ogive merge.

For data on many machines, or too large for one: run partial on each shard, wherever
it lies, and merge on the small files that it writes. The answer is the one for all
of the data in one file, to the bit. It mostly takes one or two passes: merge writes
what the next one begins with, --state, if there is one.

  ogive partial a.csv --q 0.5,0.99 -o a.ogive        on each shard
  ogive merge a.ogive b.ogive -o pass2.state         the answer, or exit status 3:
  ogive partial a.csv --state pass2.state -o a.ogive on each shard once more
  ogive merge a.ogive b.ogive -o pass3.state         and so on

In the first pass --q, --p or --op say what is wanted. With --state that, the columns
and the column of weights are those of the first pass; the FILEs, how they are to be
read, and weights from a file are given again.

All axes of an array are reduced. A column of a table has a state for each dtype that
the whole column may turn out to have, so that it may hold integers in one shard and
fractions in another. Dates take methods that pick an element (--method lower). Tables
are read in runs of rows and npy and raw files in pieces; other arrays, those that are
compressed, and weights from a file lie in memory whole.

The states of all columns of a shard take --states together, 64M or with --memory about a
quarter of that, and 1M at least for each column and dtype; no file written is much larger.
All shards have states of the same size.
` + fileHelp

// partialOps are the operations that shards have.
var partialOps = slices.DeleteFunc(ogive.Ops(), func(op ogive.Op) bool { return !op.Facts().Passes })

func partialOpNames() (names []string) {
	for _, op := range partialOps {
		names = append(names, op.String())
	}
	return names
}

// partialOptions are a parsed command line of partial.
type partialOptions struct {
	files   []string
	input   tensorio.Options
	head    header // of a first pass
	qs      *quantiles
	memory  string // of the process
	states  int    // the memory of all of them; 0 where --memory says it
	weights string
	quiet   bool
	state   string // the file of a later pass
	output  string
}

func newPartialCmd(s streams) *cobra.Command {
	o := &partialOptions{}
	var in inputFlags
	var q, p []string
	var op, method, mode, states string
	cmd := &cobra.Command{
		Use:   "partial [FILE...]",
		Short: "The state of a shard, for merge",
		Long:  partialHelp,
		Example: "  ogive partial shard7.parquet -c delay --op nanquantile --q 0.5,0.99 -o shard7.ogive\n" +
			"  ogive partial shard7.parquet --state pass2.state -o shard7.ogive\n" +
			"  ogive partial day1.npy --op median --mode lower -o day1.ogive",
		GroupID: groupOrder,
	}
	flags := cmd.Flags()
	flags.StringVar(&op, "op", "", "command whose answer is wanted: "+strings.Join(partialOpNames(), "|")+" (default quantile with --q, percentile with --p)")
	flags.StringArrayVarP(&q, "q", "q", nil, quantileUsage("q"))
	flags.StringArrayVarP(&p, "p", "p", nil, quantileUsage("p"))
	flags.StringVar(&method, "method", "", "`name` of the rule between two elements (default linear); see 'ogive help methods'")
	flags.StringVar(&mode, "mode", "", "the median of an even number of values: avg|lower|upper (default avg)")
	flags.StringVar(&o.weights, "weights", "", "integer weights, frequencies: a column of FILE, or a file of FILE's shape; none (default none, the counts of an HdrHistogram log)")
	flags.StringVar(&o.memory, "memory", "", memoryUsage)
	flags.StringVar(&states, "states", "", "memory of the states together, about, the same for all shards (default 64M, or as --memory says)")
	flags.StringVar(&o.state, "state", "", "what a later pass begins with, written by merge -o")
	flags.StringVarP(&o.output, "output", "o", "", "file to write, complete or not at all")
	flags.BoolVar(&o.quiet, "quiet", false, "no progress and no notes on standard error")
	explainedBy(cmd, topicOutput, "quiet")
	completes(cmd, "op", partialOpNames())
	completes(cmd, "method", describedMethods())
	completes(cmd, "mode", []string{"avg", "lower", "upper"})
	in.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		o.files = filesOf(args)
		if o.input, err = in.options(); err != nil {
			return err
		}
		switch {
		case in.perFile:
			return usageError("run partial for each FILE, and merge what belongs together", "a shard has one state; --per-file has none")
		case isStdout(o.output):
			return usageError("for example -o shard.ogive", "-o is missing")
		case o.state != "" && o.output == o.state:
			return usageError("the other shards need "+o.state, "-o and --state are one file")
		}
		if o.state != "" {
			for _, name := range []string{"op", "q", "p", "method", "mode", "states", "columns"} {
				if flags.Changed(name) {
					return usageError("leave it out", "--%s is that of the first pass, in %s", name, o.state)
				}
			}
			return runPartial(cmd.Context(), o, s)
		}
		if states != "" {
			if o.states, err = parseSize("states", states); err != nil {
				return err
			}
		}
		wanted := map[string]string{} // the flags that are given
		for name, value := range map[string][]string{"op": {op}, "q": q, "p": p, "method": {method}, "mode": {mode}} {
			if !flags.Changed(name) {
				continue
			}
			if wanted[name], err = joinQuantiles(name, value); err != nil {
				return err
			}
		}
		if err = o.want(wanted); err != nil {
			return err
		}
		return runPartial(cmd.Context(), o, s)
	}
	return cmd
}

// want fills the header of a first pass from the flags that are given.
func (o *partialOptions) want(given map[string]string) (err error) {
	_, q := given["q"]
	_, p := given["p"]
	name, named := given["op"]
	switch {
	case q && p:
		return usageError("", "--q and --p exclude each other")
	case !named && q:
		name = ogive.OpQuantile.String()
	case !named && p:
		name = ogive.OpPercentile.String()
	case !named:
		return usageError("for example --q 0.5,0.99, or --op median", "--op is missing, or --q or --p")
	}
	op, err := ogive.ParseOp(name)
	if err != nil || !slices.Contains(partialOps, op) {
		return usageError("", "--op %s: shards have %s", name, strings.Join(partialOpNames(), ", "))
	}
	o.head.Op = op.String()
	flag := family(op)
	takes := []string{"op", flag, "method"}
	if flag == "median" {
		takes = []string{"op", "mode"}
	}
	for _, other := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(takes, other) {
			return usageError("", "%s takes no --%s", op, other)
		}
	}
	if flag == "median" {
		o.head.Mode = "avg"
		if mode, set := given["mode"]; set {
			m, err := ogive.ParseMode(mode)
			if err != nil {
				return err
			}
			o.head.Mode = modeName(m)
		}
		return nil
	}
	text, set := given[flag]
	if !set {
		return usageError("", "%s needs --%s", op, flag)
	}
	if o.qs, err = parseQuantiles(flag, text); err != nil {
		return err
	}
	o.head.Q, o.head.Method = text, rank.Linear.String()
	if method, set := given["method"]; set {
		m, err := rank.Parse(method)
		if err != nil {
			return err
		}
		o.head.Method = m.String()
	}
	return nil
}

// runPartial writes the state of a shard.
func runPartial(ctx context.Context, o *partialOptions, s streams) error {
	memory, err := parseBudget(o.memory)
	memory.ceiling(ctx, s)
	if err != nil {
		return err
	}
	return runPartialWithin(ctx, o, s, memory)
}

// runPartialWithin is runPartial within a budget.
func runPartialWithin(ctx context.Context, o *partialOptions, s streams, memory budget) (err error) {
	files := &opener{ctx: ctx, stdin: s.in, budget: memory, s: s, quiet: o.quiet, keep: true}
	f := &feeder{opener: files, input: o.input, memory: o.states, bound: memory.given, first: o.state == "", weights: o.weights}
	if err = f.allot(); err != nil {
		return err
	}
	var sh *shard
	if o.state != "" {
		if sh, err = readShard(o.state); err != nil {
			return err
		}
		if !sh.Begin {
			return usageError("merge -o writes what a later pass begins with", "%s is the state of a shard", o.state)
		}
		sh.Begin = false
		if err = f.holds(sh); err != nil {
			return err
		}
	} else {
		if err = o.qs.load(files); err != nil {
			return err
		}
		if o.qs != nil && o.qs.file != "" {
			o.head.Q, o.head.QFile = "", &qFile{Scalar: o.qs.scalar}
			for _, v := range o.qs.values {
				o.head.QFile.Bits = append(o.head.QFile.Bits, math.Float64bits(v))
			}
		}
		if sh, err = newShard(o.output, o.head); err != nil {
			return err
		}
	}
	f.shard = sh
	if err := f.all(o.files); err != nil {
		return err
	}
	if err := s.read.changed(); err != nil {
		return err
	}
	return sh.write(ctx, s, o.output)
}

// allot settles how much the states of a first pass take: all that --memory leaves them, or
// what --states says of it.
func (f *feeder) allot() error {
	most := f.budget.states()
	switch {
	case f.memory == 0 && f.bound:
		f.memory = int(most)
	case f.memory == 0:
		f.memory = statesMemory
	case f.bound && int64(f.memory) > most:
		return usageError("more --memory", "--states %s is more than the %d MiB that --memory leaves for states", mebi(f.memory), most>>20)
	}
	return nil
}

// holds checks that the states of a later pass, whose size is that of the first, are within
// --memory.
func (f *feeder) holds(sh *shard) error {
	need := 0
	for i := range sh.columns {
		need += len(sh.columns[i].states) * sh.Budget
	}
	if most := f.budget.states(); f.bound && int64(need) > most {
		return usageError("more --memory", "the states of the first pass take %s, more than the %d MiB that --memory leaves for states", mebi(need), most>>20)
	}
	f.memory = need
	return nil
}

// statesMemory is what the states of a shard take where nothing else is said.
const statesMemory = 64 << 20

// mebi shows a size in MiB, rounded up.
func mebi(n int) string { return fmt.Sprint((n+1<<20-1)>>20, " MiB") }
