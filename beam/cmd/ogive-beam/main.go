// Ogive-beam computes exact order statistics of files on Apache Beam: in its own process,
// or on Flink, Spark, Dataflow and every other runner. See README.md of the module.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	ogivebeam "github.com/ogive-go/ogive/beam"
)

const usage = `usage: ogive-beam COMMAND FILE... [flags]

Exact order statistics of files, which may be patterns of any of Beam's file systems:
npy and raw arrays, csv, tsv, Parquet, Arrow, JSON, HdrHistogram logs.

  quantile, nanquantile      --q 0.5,0.99
  percentile, nanpercentile  --p 50,99
  median, nanmedian
  describe

  ogive-beam quantile 'day-*.parquet' --q 0.5,0.99 --columns delay
  ogive-beam nanmedian 'gs://bucket/*.npy' --axis 0 --runner dataflow --output gs://bucket/median.tsv …
  ogive-beam median a.csv b.csv --by station --runner flink --endpoint localhost:8099

The answers are those of ogive on one file with all of the data, to the bit.
Flags of Beam's runners are in the second part of this list:

`

func main() { os.Exit(run(os.Args[1:])) }

// run executes a command line and returns its exit status: 0; 1 where the data or the
// machines failed; 2 for wrong use.
func run(args []string) int {
	c := newCommand()
	flags, words, err := arrange(args)
	if err == nil {
		err = flag.CommandLine.Parse(flags)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(os.Stdout, usage)
		printFlags(os.Stdout)
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, "ogive-beam:", err)
		return 2
	}
	if bootsWorker() {
		fmt.Fprintln(os.Stderr, "ogive-beam:", bootWorker())
		return 1
	}
	beam.Init() // a worker does not return
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err = c.check(words); err == nil {
		err = checkRunner()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ogive-beam:", err)
		return 2
	}
	if level := *c.flags["log-level"]; level == "none" {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	} else {
		beamlog.SetupLogging(level, "text")
	}
	if err := c.execute(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "ogive-beam:", reason(err))
		return 1
	}
	return 0
}

// arrange takes flags and words apart, which may stand in any order.
func arrange(args []string) (flags, words []string, err error) {
	flag.CommandLine.Init("ogive-beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard) // what is wrong is said in one line
	flag.Usage = func() {}
	for i := 0; i < len(args); i++ {
		name := strings.TrimLeft(args[i], "-")
		if args[i] == "--" {
			return flags, append(words, args[i+1:]...), nil
		}
		if name == args[i] || name == "" {
			words = append(words, args[i])
			continue
		}
		flags = append(flags, args[i])
		f := flag.Lookup(name)
		if f == nil {
			continue // name=value, or Parse tells
		}
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			continue
		}
		if i+1 == len(args) {
			return nil, nil, fmt.Errorf("--%s takes a value", name)
		}
		i++
		flags = append(flags, args[i])
	}
	return flags, words, nil
}

// execute runs the pipeline.
func (c *command) execute(ctx context.Context) error {
	if err := reachServer(ctx); err != nil {
		return err
	}
	output := c.output
	if output == "" {
		folder, err := os.MkdirTemp("", "ogive-beam-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		output = filepath.Join(folder, "answers")
	} else if !strings.Contains(output, "://") {
		var err error
		if output, err = filepath.Abs(output); err != nil {
			return err
		}
	}
	p, s := beam.NewPipelineWithRoot()
	if err := c.build(s, output); err != nil {
		return err
	}
	staged, err := ownProcesses()
	if err != nil {
		return err
	}
	defer staged()
	done := c.progress()
	result, err := beamx.RunWithMetrics(ctx, p)
	done()
	if err != nil {
		return err
	}
	if !c.quiet && result != nil {
		printCounters(os.Stderr, result.Metrics())
	}
	if c.output != "" {
		return nil
	}
	f, err := os.Open(output)
	if err != nil {
		return fmt.Errorf("the answers are not on this machine: --output names a file that its workers and you can reach: %w", err)
	}
	defer f.Close()
	_, err = io.Copy(os.Stdout, f)
	return err
}

// printCounters writes what the workers counted.
func printCounters(w io.Writer, m metrics.Results) {
	var parts []string
	for _, c := range m.AllMetrics().Counters() {
		if c.Key.Namespace == ogivebeam.CounterNamespace {
			parts = append(parts, fmt.Sprintf("%s %d", strings.ReplaceAll(c.Name(), "_", " "), c.Result()))
		}
	}
	if totals := sum(parts); len(totals) > 0 {
		fmt.Fprintln(w, "ogive-beam:", strings.Join(totals, ", "))
	}
}

// sum adds up counters of the same name, of the steps of a pipeline.
func sum(parts []string) (totals []string) {
	counts := map[string]int64{}
	var names []string
	for _, p := range parts {
		at := strings.LastIndexByte(p, ' ')
		var n int64
		fmt.Sscan(p[at+1:], &n)
		if _, ok := counts[p[:at]]; !ok {
			names = append(names, p[:at])
		}
		counts[p[:at]] += n
	}
	slices.Sort(names)
	for _, name := range names {
		totals = append(totals, fmt.Sprintf("%d %s", counts[name], name))
	}
	return totals
}
