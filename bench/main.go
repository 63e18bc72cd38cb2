// Command bench measures ogive side by side with NumPy, PyTorch, bottleneck,
// pandas and gonum: the same arrays, one run, call by call in turn. See
// README.md for what its columns mean.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ogive-go/ogive/internal/cpu"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are the command's flags.
type options struct {
	match   *regexp.Regexp
	groups  []string // none: all that are not opt-in
	pace    pace
	workers int
	format  string
	list    bool
	levels  bool
	counts  bool   // of instructions
	execute int    // calls of each case, or -1
	python  string // "" for the default
}

// errHelp: help was asked for, and printed.
var errHelp = errors.New("help")

// parse reads the flags; messages go to stderr.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var group, match string
	var large bool
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&match, "case", "", "measure the cases whose names match this regular `expression`")
	fs.StringVar(&group, "group", "", "measure these groups, `names` separated by commas, of: "+strings.Join(groups, ", ")+"; by default all but "+strings.Join(optIn, " and "))
	fs.BoolVar(&large, "large", false, "also measure the group large (100M elements, about 2 GB of memory)")
	fs.IntVar(&o.pace.rounds, "rounds", 0, "let each system have its turn `n` times; 0: as often as fits into -time, 3 to 30 times")
	fs.DurationVar(&o.pace.budget, "time", 2*time.Second, "`time` for each case")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "`number` of threads of ogive and of torch")
	fs.StringVar(&o.format, "format", "table", "print as table, markdown or tsv")
	fs.BoolVar(&o.list, "list", false, "list the cases and what the peers call, and measure nothing")
	fs.BoolVar(&o.levels, "levels", false, "measure ogive with plainer vector instructions too, in the same rounds")
	fs.BoolVar(&o.counts, "instructions", false, "count the instructions that the kernels of AVX2 and of NEON take for an element, emulated, and measure no time")
	fs.IntVar(&o.execute, "execute", -1, "call each case `n` times on small data, and measure nothing: what -instructions runs")
	fs.StringVar(&o.python, "python", os.Getenv("PYTHON"), "Python `interpreter`, by default $PYTHON or python3; none for ogive and gonum alone")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return o, errHelp
	} else if err != nil {
		return o, err
	}
	var err error
	if o.match, err = regexp.Compile(match); err != nil {
		return o, err
	}
	if group != "" {
		o.groups = strings.Split(group, ",")
	}
	if large {
		if o.groups == nil {
			o.groups = slices.DeleteFunc(slices.Clone(groups), func(g string) bool { return slices.Contains(optIn, g) })
		}
		o.groups = append(o.groups, "large")
	}
	for _, g := range o.groups {
		if !slices.Contains(groups, g) {
			return o, fmt.Errorf("unknown group %q; known: %s", g, strings.Join(groups, ", "))
		}
	}
	switch {
	case formats[o.format] == nil:
		return o, fmt.Errorf("unknown format %q; known: table, markdown, tsv", o.format)
	case o.workers < 1:
		return o, fmt.Errorf("-workers is %d, want 1 or more", o.workers)
	case o.pace.rounds < 0 || o.pace.budget < 0:
		return o, errors.New("-rounds and -time are not negative")
	case fs.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	return o, nil
}

// run is the command; it returns the exit status: 0 fine, 1 something failed,
// 2 wrong use.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, errHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 2
	}
	table := chosen(cases(), o.groups, o.match.MatchString)
	if len(table) == 0 {
		fmt.Fprintln(stderr, "bench: no case matches")
		return 2
	}
	switch {
	case o.list:
		err = list(stdout, table)
	case o.counts:
		err = countInstructions(ctx, table, stdout, stderr)
	case o.execute >= 0:
		err = execute(table, o.execute)
	default:
		err = compare(ctx, o, table, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	return 0
}

// list prints the cases and the peers' calls.
func list(w io.Writer, table []benchCase) error {
	var b strings.Builder
	for _, c := range table {
		fmt.Fprintf(&b, "%s: %s\n", c.group, c.name())
		for _, p := range c.peers {
			fmt.Fprintf(&b, "    %-10s  %s", p.system, p.expr)
			if p.answer == lower {
				b.WriteString("  (the lower of two values)")
			}
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// compare measures the cases and prints the table. What was measured is
// printed even if a later case fails or the context ends.
func compare(ctx context.Context, o options, table []benchCase, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "ogive-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &session{dir: dir, pace: o.pace, workers: o.workers}
	if o.levels {
		all := cpu.Levels()
		s.levels = all[:len(all)-1]
	}
	if o.python != "none" {
		py, err := findPython(ctx, o, dir, stderr)
		if err != nil {
			fmt.Fprintf(stderr, "bench: no Python peers: %v\n", err)
		} else {
			s.python = py
			defer py.stop()
		}
	}
	fmt.Fprint(stdout, heading(time.Now(), s))
	var results []result
	for i, c := range table {
		fmt.Fprintf(stderr, "%d/%d %s\n", i+1, len(table), c.name())
		var r result
		if r, err = s.measure(ctx, c); err != nil {
			err = fmt.Errorf("%s: %w", c.name(), err)
			break
		}
		results = append(results, r)
	}
	if len(results) > 0 {
		err = errors.Join(err, formats[o.format](stdout, cells(results)), notes(stdout, results))
	}
	return err
}

func findPython(ctx context.Context, o options, dir string, stderr io.Writer) (*python, error) {
	interpreter := o.python
	if interpreter == "" {
		interpreter = "python3"
	}
	path, err := exec.LookPath(interpreter)
	if err != nil {
		return nil, err
	}
	py, err := startPython(ctx, path, dir, o.workers, stderr)
	if err == nil && !py.has(sysNumPy) {
		err = errors.Join(fmt.Errorf("NumPy cannot be imported: %s", py.missing[sysNumPy]), py.stop())
	}
	if err != nil {
		return nil, err
	}
	return py, nil
}

// heading says when and on what it was measured.
func heading(now time.Time, s *session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %d threads, %s/%s, %s\n", now.Format(time.DateOnly), processor(), s.workers, runtime.GOOS, runtime.GOARCH, runtime.Version())
	if s.python == nil {
		b.WriteString("without Python peers: ogive, and gonum where it has the operation\n\n")
		return b.String()
	}
	versions := []string{"Python " + s.python.versions["python"]}
	var missing []string
	for _, name := range peerSystems {
		if v := s.python.versions[name]; v != "" {
			versions = append(versions, name+" "+v)
		} else if why, ok := s.python.missing[name]; ok {
			missing = append(missing, fmt.Sprintf("without %s (%s)\n", name, why))
		}
	}
	b.WriteString(strings.Join(versions, ", ") + "\n" + strings.Join(missing, "") + "\n")
	return b.String()
}

// processor names the processor, as well as the system tells it.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

func notes(w io.Writer, results []result) error {
	var b strings.Builder
	for _, r := range results {
		for _, n := range r.notes {
			fmt.Fprintf(&b, "%s: %s\n", r.name, n)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(w, "\n"+b.String())
	return err
}
