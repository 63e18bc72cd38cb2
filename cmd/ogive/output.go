package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
}

func (f *outputFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.path, "output", "o", "", "file to write, complete or not at all (default standard output); npy unless the ending says otherwise")
	flags.StringVarP(&f.format, "format", "f", "", "table|tsv|csv|json|npy|npz (default table on a terminal, tsv otherwise)")
	flags.BoolVar(&f.noColor, "no-color", false, "no colour on a terminal, as with NO_COLOR")
	completes(cmd, "format", formatNames())
}

// outputFormat is a format of results.
type outputFormat struct {
	name    string
	endings []string
	binary  bool
	write   func(w io.Writer, r *result, color bool) error
}

// outputFormats is the table of formats; the first is the default for a file.
var outputFormats = []outputFormat{
	{"npy", []string{".npy"}, true, func(w io.Writer, r *result, _ bool) error {
		t, err := stack(r.tensors(false))
		if err != nil {
			return err
		}
		return tensorio.WriteNPY(w, t)
	}},
	{"npz", []string{".npz"}, true, func(w io.Writer, r *result, _ bool) error { return writeNPZ(w, r) }},
	{"table", nil, false, func(w io.Writer, r *result, color bool) error {
		return onSheet(r, true, func(s *sheet) error { return s.writeTable(w, color) })
	}},
	{"tsv", []string{".tsv", ".tab", ".txt"}, false, func(w io.Writer, r *result, _ bool) error {
		return onSheet(r, false, func(s *sheet) error { return s.writeTSV(w) })
	}},
	{"csv", []string{".csv"}, false, func(w io.Writer, r *result, _ bool) error {
		return onSheet(r, false, func(s *sheet) error { return s.writeCSV(w) })
	}},
	{"json", []string{".json"}, false, func(w io.Writer, r *result, _ bool) error { return r.writeJSON(w) }},
}

func formatNames() (names []string) {
	for _, f := range outputFormats {
		names = append(names, f.name)
	}
	return names
}

func onSheet(r *result, people bool, write func(*sheet) error) error {
	if r.records != nil {
		return write(r.records.sheet(people))
	}
	s, err := r.sheet()
	if err != nil {
		return err
	}
	return write(s)
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

func isStdout(path string) bool { return path == "" || path == stdinName }

// check finds mistakes before any work is done.
func (f *outputFlags) check(s streams) error {
	format, err := f.choose(f.path, s)
	if err != nil {
		return err
	}
	if format.binary && isStdout(f.path) && s.outTTY {
		return usageError("-o FILE, or redirect standard output", "%s is binary, and standard output is a terminal", format.name)
	}
	return nil
}

// write writes the result where the flags say.
func (f *outputFlags) write(ctx context.Context, s streams, r *result) error {
	if err := s.read.changed(); err != nil {
		return err
	}
	format, err := f.choose(f.path, s)
	if err != nil {
		return err
	}
	if r.records != nil && format.binary {
		return usageError("", "%s holds no records; write csv, tsv or json", format.name)
	}
	if !isStdout(f.path) {
		return writeFile(ctx, f.path, format, r)
	}
	color := !f.noColor && s.color()
	_, err = await(ctx, func() (struct{}, error) {
		return struct{}{}, format.write(s.out, r, color)
	})
	if err != nil {
		return fmt.Errorf("standard output: %w", bare(err))
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

// writeIndices writes the indices of the result to a file of their own.
func (f *outputFlags) writeIndices(ctx context.Context, path string, r *result) error {
	by := outputFlags{path: path}
	format, err := by.choose(path, streams{})
	if err != nil {
		return err
	}
	indices := *r
	indices.parts = slices.Clone(r.parts)
	for i := range indices.parts {
		indices.parts[i].values = r.parts[i].indices
	}
	return writeFile(ctx, path, format, &indices)
}

// writeFile writes a file completely or not at all.
func writeFile(ctx context.Context, path string, format *outputFormat, r *result) error {
	return tensorio.WriteFile(path, func(w io.Writer) error {
		return format.write(contextWriter{ctx, w}, r, false)
	})
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
