package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive/tensorio"
)

// outputFlags say where the result goes, and how.
type outputFlags struct {
	path    string // of -o; empty or "-" is standard output
	format  string // of -f; empty is by the ending, or by what standard output is
	noColor bool
	digits  int    // of numbers in text; 0 for all
	nan     string // how text has NaN; empty for NaN
	records bool   // the answer is one of records, which binary formats do not hold
}

func (f *outputFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.path, "output", "o", "", "`file` to write, its ending says the format (default standard output)")
	f.registerForm(cmd)
}

// registerForm adds the flags that say how a result is written, wherever.
func (f *outputFlags) registerForm(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.format, "format", "f", "", "table|tsv|csv|json|jsonl|plain|npy|npz|png (default table on a terminal, tsv otherwise)")
	flags.IntVar(&f.digits, "digits", 0, "significant digits of fractions in text (default all that they need)")
	flags.StringVar(&f.nan, "nan", "", "text in place of NaN; null in JSON")
	flags.BoolVar(&f.noColor, "no-color", false, "no colour on a terminal, as with NO_COLOR")
	completes(cmd, "format", formatNames())
	explainedBy(cmd, topicOutput, "digits", "nan", "no-color")
}

// outputFormat is a format of results.
type outputFormat struct {
	name    string
	endings []string
	binary  bool
	write   func(w io.Writer, r *result, l look) error
}

// outputFormats is the table of formats; the first is the default for a file.
var outputFormats = []outputFormat{
	{"npy", []string{".npy"}, true, func(w io.Writer, r *result, _ look) error {
		t, err := stack(r.tensors(false))
		if err != nil {
			return err
		}
		return tensorio.WriteNPY(w, t)
	}},
	{"npz", []string{".npz"}, true, func(w io.Writer, r *result, _ look) error { return writeNPZ(w, r) }},
	{"png", []string{".png"}, true, func(w io.Writer, r *result, _ look) error { return writePNG(w, r) }},
	{"table", nil, false, func(w io.Writer, r *result, l look) error {
		return onSheet(r, l, func(s *sheet) error { return s.writeTable(w, l) })
	}},
	{"tsv", []string{".tsv", ".tab", ".txt"}, false, func(w io.Writer, r *result, l look) error {
		return onSheet(r, l, func(s *sheet) error { return s.writeTSV(w) })
	}},
	{"csv", []string{".csv"}, false, func(w io.Writer, r *result, l look) error {
		return onSheet(r, l, func(s *sheet) error { return s.writeCSV(w) })
	}},
	{"json", []string{".json"}, false, func(w io.Writer, r *result, l look) error { return r.writeJSON(w, l) }},
	{"jsonl", []string{".jsonl", ".ndjson"}, false, func(w io.Writer, r *result, l look) error { return r.writeJSONLines(w, l) }},
	{"plain", nil, false, func(w io.Writer, r *result, l look) error {
		return onSheet(r, l, func(s *sheet) error { return s.writePlain(w) })
	}},
}

func formatNames() (names []string) {
	for _, f := range outputFormats {
		names = append(names, f.name)
	}
	return names
}

// onSheet lays a result out, as text has its cells.
func onSheet(r *result, l look, write func(*sheet) error) error {
	s, err := r.sheet()
	if err != nil {
		return err
	}
	return write(l.sheet(s))
}

// choose returns the format for a path.
func (f *outputFlags) choose(path string, s streams) (*outputFormat, error) {
	name := f.format
	switch {
	case name != "":
	case !isStdout(path):
		ending := strings.ToLower(filepath.Ext(path))
		for i := range outputFormats {
			if slices.Contains(outputFormats[i].endings, ending) {
				return &outputFormats[i], nil
			}
		}
		if ending != "" {
			return nil, usageError("-f chooses a format whatever the ending: "+strings.Join(formatNames(), ", "), "%s: no format has the ending %s; known: %s",
				path, filepath.Ext(path), strings.Join(endings(), " "))
		}
		return &outputFormats[0], nil
	case s.outTTY:
		name = "table"
	default:
		name = "tsv"
	}
	for i := range outputFormats {
		if outputFormats[i].name == name {
			return &outputFormats[i], nil
		}
	}
	return nil, usageError("", "unknown format %q; known: %s", name, strings.Join(formatNames(), ", "))
}

// endings returns those that tell a format.
func endings() (list []string) {
	for _, f := range outputFormats {
		list = append(list, f.endings...)
	}
	return list
}

func isStdout(path string) bool { return path == "" || path == stdinName }

// check finds mistakes before any work is done.
func (f *outputFlags) check(cmd *cobra.Command, s streams) error {
	format, err := f.choose(f.path, s)
	if err != nil {
		return err
	}
	given := cmd.Flags().Changed
	switch {
	case f.records && format.binary:
		return usageError("", "%s holds no records; write csv, tsv or json", format.name)
	case format.binary && s.outTTY && toStdout(f.path):
		return usageError("-o FILE, or redirect standard output", "%s is binary, and standard output is a terminal", format.name)
	case format.binary && (given("digits") || given("nan")):
		return usageError("", "--digits and --nan are for text, and %s holds the numbers themselves", format.name)
	case given("digits") && (f.digits < 1 || f.digits > maxDigits):
		return usageError("", "--digits is 1 to %d, got %d", maxDigits, f.digits)
	}
	return nil
}

// write writes the result where the flags say.
func (f *outputFlags) write(ctx context.Context, s streams, r *result) error {
	return f.writeBoth(ctx, s, r, "")
}

// writeBoth writes the result, and its indices to a file of their own if that is not
// empty: both, or neither.
func (f *outputFlags) writeBoth(ctx context.Context, s streams, r *result, indices string) error {
	if err := s.read.changed(); err != nil {
		return err
	}
	format, err := f.choose(f.path, s)
	if err != nil {
		return err
	}
	l := look{digits: f.digits, nan: f.nan}
	if isStdout(f.path) {
		l.color, l.width = !f.noColor && s.color(), s.width
	}
	list := []destination{{f.path, func(w io.Writer) error { return format.write(w, r, l) }}}
	if indices != "" {
		by := outputFlags{path: indices}
		format, err := by.choose(indices, streams{})
		if err != nil {
			return err
		}
		list = append(list, destination{indices, func(w io.Writer) error { return format.write(w, r.ofIndices(), look{}) }})
	}
	return s.writeFiles(ctx, list...)
}

// ofIndices returns the result with the indices in place of the values.
func (r *result) ofIndices() *result {
	indices := *r
	indices.parts = slices.Clone(r.parts)
	for i := range indices.parts {
		indices.parts[i].values = r.parts[i].indices
	}
	return &indices
}

// apart refuses indices that would go where the values go.
func (f *outputFlags) apart(indices string, s streams) error {
	if indices == "" {
		return nil
	}
	one := toStdout(f.path) && toStdout(indices) || !isStdout(f.path) && tensorio.SameTarget(f.path, indices)
	if file, ok := s.out.(*os.File); ok && !one && toStdout(f.path) {
		// Standard output that is redirected to the file of the indices is one too: that
		// takes the name, and the values are lost.
		here, err := file.Stat()
		there, missing := os.Stat(indices)
		one = err == nil && missing == nil && here.Mode().IsRegular() && os.SameFile(here, there)
	}
	if one {
		return usageError("--indices idx.npy", "the values and the indices would be written to one file, %s", indices)
	}
	return nil
}

// bare returns the error within err that the system gave, without the verb and
// the path that the os package puts before it.
func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// writeNPZ writes the answers by their columns' names, or as "values".
func writeNPZ(w io.Writer, r *result) error {
	names, list := r.tensors(false)
	for i, name := range names {
		if name == "" {
			names[i] = "values"
		}
	}
	return tensorio.WriteNPZ(w, names, list)
}
