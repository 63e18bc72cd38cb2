package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive"
	ogivebeam "github.com/ogive-go/ogive/beam"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/formats"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// command is a parsed command line.
type command struct {
	flags   map[string]*string
	bools   map[string]*bool
	name    string
	files   []string
	options ogivebeam.Options
	table   table // how the answers are written
	output  string
	quiet   bool
}

// ours are the flags beside Beam's: a name, a short one, and what it means.
var ours = []struct{ name, short, about string }{
	{"q", "", "quantiles, exact decimals or fractions: 0.5,0.99,1/3; or a file of float64s: @q.npy"},
	{"p", "", "percentiles: 50,99.9; or a file: @p.npy"},
	{"method", "", "what lies between two elements: linear (default), lower, higher, nearest, midpoint, …"},
	{"mode", "", "median of an even number of values: avg (default), lower, upper"},
	{"columns", "c", "columns of tables, by name, number or pattern (default: all that hold numbers)"},
	{"by", "", "an answer for each group of rows with the same values in these columns"},
	{"weights", "", "column of integers, how often each row counts; none (default none, the counts of HdrHistogram logs)"},
	{"axis", "", "axes of arrays to reduce: 0,-1 (default all)"},
	{"along", "", "axis along which the arrays follow each other (default 0)"},
	{"memory", "", "of the states that a worker holds: 64M (default); a quarter of it bounds each, and what travels"},
	{"part", "", "about how much of a file one worker reads at a time (default 64M)"},
	{"input-format", "", "format of the files, whatever their endings"},
	{"delimiter", "d", "character between the cells of a table, 'tab', or 'blanks'"},
	{"comment", "", "what begins the lines of a table to leave out"},
	{"na", "", "more cells that mean a missing value: -,none,-999"},
	{"dtype", "", "element type of raw data"},
	{"shape", "", "shape of raw data: -1,24"},
	{"format", "f", "tsv (default), csv or json"},
	{"log-level", "", "of Beam's messages: debug, info, warn, error, none (default)"},
	{"output", "o", "file to write, of any of Beam's file systems (default: standard output)"},
}

var ourBools = []struct{ name, about string }{
	{"header", "the first line of a table holds names (default: found by looking)"},
	{"no-header", "the first line of a table holds data"},
	{"skip-invalid", "take cells that are not numbers as missing"},
	{"quiet", "nothing on standard error but errors"},
}

// newCommand adds the flags to those of Beam.
func newCommand() *command {
	c := &command{flags: map[string]*string{}, bools: map[string]*bool{}}
	for _, f := range ours {
		v := new(string)
		c.flags[f.name] = v
		flag.StringVar(v, f.name, "", f.about)
		if f.short != "" {
			flag.StringVar(v, f.short, "", "--"+f.name)
		}
	}
	for _, f := range ourBools {
		v := new(bool)
		c.bools[f.name] = v
		flag.BoolVar(v, f.name, false, f.about)
	}
	return c
}

// printFlags lists the flags, those of Beam behind.
func printFlags(w io.Writer) {
	mine := map[string]bool{}
	for _, f := range ours {
		short := ""
		if mine[f.name] = true; f.short != "" {
			short, mine[f.short] = ", -"+f.short, true
		}
		fmt.Fprintf(w, "  --%-14s %s\n", f.name+short, f.about)
	}
	for _, f := range ourBools {
		mine[f.name] = true
		fmt.Fprintf(w, "  --%-14s %s\n", f.name, f.about)
	}
	fmt.Fprintln(w)
	flag.VisitAll(func(f *flag.Flag) {
		if about, _, _ := strings.Cut(f.Usage, "\n"); !mine[f.Name] && !strings.HasPrefix(f.Name, "test.") {
			fmt.Fprintf(w, "  --%-14s %s\n", f.Name, about)
		}
	})
}

// operations are the commands, and what of them a pipeline computes.
var operations = map[string]ogive.Op{
	"quantile": ogive.OpQuantile, "nanquantile": ogive.OpNaNQuantile,
	"percentile": ogive.OpQuantile, "nanpercentile": ogive.OpNaNQuantile,
	"median": ogive.OpMedian, "nanmedian": ogive.OpNaNMedian,
	"describe": 0,
}

// check reads the command line.
func (c *command) check(words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("no command; ogive-beam --help lists them")
	}
	c.name = words[0]
	op, ok := operations[c.name]
	if !ok {
		return fmt.Errorf("unknown command %q; ogive-beam --help lists them", c.name)
	}
	o := &c.options
	o.Op = op
	set := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
	for name, of := range map[string][]string{"q": {"quantile", "nanquantile"}, "p": {"percentile", "nanpercentile"},
		"method": {"quantile", "nanquantile", "percentile", "nanpercentile"}, "mode": {"median", "nanmedian"}} {
		if set[name] && !slices.Contains(of, c.name) {
			return fmt.Errorf("%s takes no --%s", c.name, name)
		}
	}
	for _, path := range words[1:] {
		if !strings.Contains(path, "://") { // workers may run elsewhere in the tree
			abs, err := filepath.Abs(path)
			if err != nil {
				return err
			}
			path = abs
		}
		c.files = append(c.files, path)
	}
	if len(c.files) == 0 {
		return fmt.Errorf("%s: no files", c.name)
	}
	switch level := c.flags["log-level"]; *level {
	case "":
		*level = "none"
	case "debug", "info", "warn", "error", "none":
	default:
		return fmt.Errorf("--log-level takes debug, info, warn, error or none, got %q", *level)
	}
	c.output, c.quiet = *c.flags["output"], *c.bools["quiet"]
	for _, read := range []func() error{c.wanted, c.input, c.layout} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// wanted reads what is to be computed.
func (c *command) wanted() (err error) {
	o := &c.options
	flagged, top := "q", int64(1)
	if strings.HasSuffix(c.name, "percentile") {
		flagged, top = "p", 100
	}
	if strings.HasSuffix(c.name, "ntile") {
		if *c.flags[flagged] == "" {
			return fmt.Errorf("%s needs --%s", c.name, flagged)
		}
		if err := c.quantiles(flagged, top); err != nil {
			return err
		}
	}
	if text := *c.flags["method"]; text != "" {
		if o.Method, err = rank.Parse(text); err != nil {
			return err
		}
	}
	if text := *c.flags["mode"]; text != "" {
		if o.Mode, err = ogive.ParseMode(text); err != nil {
			return err
		}
	}
	o.Columns, o.By, o.Weights = list(*c.flags["columns"]), list(*c.flags["by"]), *c.flags["weights"]
	if o.Axis, err = integers("axis", *c.flags["axis"]); err != nil {
		return err
	}
	along, err := integers("along", *c.flags["along"])
	if err != nil || len(along) > 1 {
		return fmt.Errorf("--along takes an axis, got %q", *c.flags["along"])
	}
	if len(along) == 1 {
		o.Along = along[0]
	}
	memory, err := size("memory", *c.flags["memory"])
	if err != nil {
		return err
	}
	o.Budget = int(memory)
	o.PartBytes, err = size("part", *c.flags["part"])
	return err
}

// quantiles reads the values of --q or --p, of which top is the largest: a list, or a file
// of this machine.
func (c *command) quantiles(name string, top int64) error {
	text := *c.flags[name]
	if path, ok := strings.CutPrefix(text, "@"); ok {
		return c.quantilesOf(name, path, top)
	}
	for _, field := range strings.Split(strings.TrimSuffix(text, ","), ",") { // 0.5, is a list of one
		q, label, err := parseQ(name, strings.TrimSpace(field), top)
		if err != nil {
			return err
		}
		c.options.Q, c.table.Labels = append(c.options.Q, q), append(c.table.Labels, label)
	}
	c.table.IsScalar = !strings.Contains(text, ",")
	return nil
}

// quantilesOf reads the float64s of a file: one that is no list, or one column.
func (c *command) quantilesOf(name, path string, top int64) error {
	file, err := formats.Open(path, tensorio.Options{})
	if err != nil {
		return fmt.Errorf("--%s @%s: %w", name, path, err)
	}
	defer file.Close()
	names := file.Names()
	if len(names) != 1 {
		return fmt.Errorf("--%s @%s: %d columns or arrays of numbers, not one", name, path, len(names))
	}
	x, err := file.Tensor(names[0])
	if err == nil && (x.DType().IsComplex() || x.DType().IsBool()) {
		err = fmt.Errorf("%v is no number", x.DType())
	}
	if err == nil {
		x, err = x.Cast(dtype.Float64)
	}
	if err == nil && (x.NDim() > 1 || x.Len() == 0) {
		err = fmt.Errorf("an array of shape %v is no list of numbers", x.Shape())
	}
	if err != nil {
		return fmt.Errorf("--%s @%s: %w", name, path, err)
	}
	for _, v := range ogive.Must(ogive.Values[float64](x)) {
		if !(0 <= v && v <= float64(top)) {
			return fmt.Errorf("%s = %v is outside [0, %d]", name, v, top)
		}
		c.options.Q, c.table.Labels = append(c.options.Q, rank.At(v/float64(top))), append(c.table.Labels, tensorio.FormatFloat(v, 64))
	}
	c.table.IsScalar = x.NDim() == 0
	return nil
}

// parseQ reads a quantile: a fraction, or a decimal, which is the nearest float64 where its
// reduced fraction does not fit in 64 bits.
func parseQ(name, text string, top int64) (q rank.Q, label string, err error) {
	exact, whole := new(big.Rat), new(big.Rat).SetInt64(top)
	isFraction := strings.Contains(text, "/")
	v, bad := strconv.ParseFloat(text, 64)
	switch {
	case isFraction && name == "q":
		num, den, _ := strings.Cut(text, "/")
		n, okNum := new(big.Int).SetString(strings.TrimSpace(num), 10)
		d, okDen := new(big.Int).SetString(strings.TrimSpace(den), 10)
		if !okNum || !okDen || d.Sign() <= 0 {
			return q, "", fmt.Errorf("%s = %q is not a fraction", name, text)
		}
		exact.SetFrac(n, d)
		label = text
	case isFraction || bad != nil && !errors.Is(bad, strconv.ErrRange) || v != v || strings.ContainsAny(text, "xXpP_"):
		return q, "", fmt.Errorf("%s = %q is not a number", name, text)
	case v-v != 0:
		return q, "", fmt.Errorf("%s = %s is outside [0, %d]", name, text, top)
	case v != 0: // the exponent of 1e-999999999 would make a fraction of a gigabyte
		exact.SetString(text)
	}
	if exact.Sign() < 0 || exact.Cmp(whole) > 0 {
		return q, "", fmt.Errorf("%s = %s is outside [0, %d]", name, text, top)
	}
	if exact.Quo(exact, whole); !isFraction {
		label = tensorio.FormatFloat(v, 64)
	}
	switch {
	case exact.Num().IsInt64() && exact.Denom().IsInt64():
		return rank.Ratio(exact.Num().Int64(), exact.Denom().Int64()), label, nil
	case isFraction:
		return q, "", fmt.Errorf("%s = %s is too long to be exact", name, text)
	}
	return rank.At(v / float64(top)), label, nil
}

// input reads how files are to be read.
func (c *command) input() (err error) {
	o := &c.options.Input
	o.Format, o.Comment, o.NA, o.SkipInvalid = *c.flags["input-format"], *c.flags["comment"], list(*c.flags["na"]), *c.bools["skip-invalid"]
	switch {
	case *c.bools["header"] && *c.bools["no-header"]:
		return fmt.Errorf("--header and --no-header exclude each other")
	case *c.bools["header"]:
		o.Header = tensorio.HeaderYes
	case *c.bools["no-header"]:
		o.Header = tensorio.HeaderNo
	}
	switch text := []rune(*c.flags["delimiter"]); {
	case string(text) == "tab" || string(text) == `\t`:
		o.Delimiter = '\t'
	case string(text) == "blanks":
		o.Delimiter = tensorio.Blanks
	case len(text) == 1:
		o.Delimiter = text[0]
	case len(text) > 1:
		return fmt.Errorf("--delimiter takes one character, got %q", string(text))
	}
	if text := *c.flags["dtype"]; text != "" {
		if o.DType, err = dtype.Parse(text); err != nil {
			return err
		}
	}
	o.Shape, err = integers("shape", *c.flags["shape"])
	return err
}

// layout reads how the answers are to be written.
func (c *command) layout() error {
	t := &c.table
	t.Op, t.By, t.Axis, t.Along, t.Format = c.name, c.options.By, c.options.Axis, c.options.Along, *c.flags["format"]
	switch t.Format {
	case "":
		t.Format = "tsv"
	case "tsv", "csv", "json":
	default:
		return fmt.Errorf("--format takes tsv, csv or json, got %q", t.Format)
	}
	if c.name == "median" || c.name == "nanmedian" {
		t.Labels, t.IsScalar = []string{c.name}, true
	}
	return nil
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

func integers(name, text string) (out []int, err error) {
	for _, field := range list(text) {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return nil, fmt.Errorf("--%s takes integers, got %q", name, text)
		}
		out = append(out, n)
	}
	return out, nil
}

// size reads a number of bytes: 64M.
func size(name, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimRight(strings.ToUpper(text), "IB")
	unit := int64(1)
	if n := len(digits); n > 0 {
		if at := strings.IndexByte("KMGT", digits[n-1]); at >= 0 {
			unit, digits = 1<<(10*(at+1)), digits[:n-1]
		}
	}
	n, err := strconv.ParseInt(digits, 10, 40)
	if err != nil || n <= 0 || n > 1<<40/unit {
		return 0, fmt.Errorf("--%s takes a size such as 64M, got %q", name, text)
	}
	return n * unit, nil
}

// build lays out the pipeline.
func (c *command) build(s beam.Scope, output string) error {
	var answers beam.PCollection
	var err error
	switch {
	case c.name == "describe":
		answers, err = ogivebeam.TryDescribe(s, c.files, c.options)
	case len(c.options.By) > 0:
		answers, err = ogivebeam.TryQuantilesPerKey(s, c.files, c.options)
	default:
		answers, err = ogivebeam.TryQuantiles(s, c.files, c.options)
	}
	if err != nil {
		return err
	}
	c.table.write(s, answers, c.name == "describe", output)
	return nil
}

// progress shows how much this process has read, on a terminal; done ends it.
func (c *command) progress() (done func()) {
	info, err := os.Stderr.Stat()
	if c.quiet || !isHere() || err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func() {}
	}
	quit := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-quit:
				fmt.Fprint(os.Stderr, "\r\x1b[K")
				return
			case <-tick.C:
				parts, elements := ogivebeam.Read()
				fmt.Fprintf(os.Stderr, "\r\x1b[K%d parts, %d elements read", parts, elements)
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// reason returns what went wrong in one line: of a pipeline's error, that of the function of
// ours that failed, without what every runner puts around it.
func reason(err error) string {
	text := err.Error()
	if at := strings.LastIndex(text, "] failed:\n"); at >= 0 {
		text, _, _ = strings.Cut(text[at+len("] failed:\n"):], "\n")
	}
	text = strings.ReplaceAll(text, "\n\tcaused by:\n", ": ") // as Beam joins errors
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}
