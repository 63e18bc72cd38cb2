package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// inputFlags say how FILE is to be read.
type inputFlags struct {
	format      string
	columns     []string
	delimiter   string
	header      bool
	noHeader    bool
	na          []string
	skipInvalid bool
	dtype       string
	shape       string
}

func (f *inputFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.format, "input-format", "", "format of FILE, whatever its ending: "+strings.Join(inputFormats(), "|"))
	flags.StringSliceVarP(&f.columns, "columns", "c", nil, "columns of a table, each a vector of its own (default: all that hold numbers)")
	flags.StringVarP(&f.delimiter, "delimiter", "d", "", "character between the cells of a table, or 'tab'")
	flags.BoolVar(&f.header, "header", false, "the first line of a table holds names (default: where it has no number)")
	flags.BoolVar(&f.noHeader, "no-header", false, "the first line of a table holds data; columns are 1, 2, …")
	flags.StringSliceVar(&f.na, "na", nil, "cells that mean a missing value, NaN: NA,null,''")
	flags.BoolVar(&f.skipInvalid, "skip-invalid", false, "take cells that are not numbers as missing, and count them")
	flags.StringVar(&f.dtype, "dtype", "", "element type of raw data")
	flags.StringVar(&f.shape, "shape", "", "shape of raw data: 365,24")
	cmd.MarkFlagsMutuallyExclusive("header", "no-header")
	completes(cmd, "input-format", inputFormats())
	completes(cmd, "dtype", dtypeNames())
}

func inputFormats() (names []string) {
	for _, f := range tensorio.Formats() {
		names = append(names, f.Name)
	}
	return names
}

func dtypeNames() (names []string) {
	for _, d := range dtype.All() {
		names = append(names, d.String())
	}
	return names
}

// options returns the flags in tensorio's form.
func (f *inputFlags) options(cmd *cobra.Command) (o tensorio.Options, err error) {
	o = tensorio.Options{Format: f.format, SkipInvalid: f.skipInvalid, Columns: f.columns}
	switch {
	case f.header:
		o.Header = tensorio.HeaderYes
	case f.noHeader:
		o.Header = tensorio.HeaderNo
	}
	if cmd.Flags().Changed("na") {
		o.NA = append([]string{}, f.na...)
		if len(f.na) == 0 { // --na '' is the list of the empty cell
			o.NA = []string{""}
		}
	}
	if o.Delimiter, err = parseDelimiter(f.delimiter); err != nil {
		return o, err
	}
	if f.dtype != "" {
		if o.DType, err = dtype.Parse(f.dtype); err != nil {
			return o, usageError("", "--dtype: %v", err)
		}
	}
	if f.shape != "" {
		if o.Shape, err = parseInts("shape", f.shape); err != nil {
			return o, err
		}
	}
	return o, nil
}

// parseDelimiter returns the one character of s, 0 if there is none.
func parseDelimiter(s string) (rune, error) {
	switch s {
	case "":
		return 0, nil
	case "tab", `\t`:
		return '\t', nil
	}
	r, n := utf8.DecodeRuneInString(s)
	if n != len(s) || r == utf8.RuneError {
		return 0, usageError("'tab' and \\t mean a tabulator", "--delimiter takes one character, got %q", s)
	}
	return r, nil
}

// stdinName is the path of standard input, and stdinTitle its name in messages.
const (
	stdinName  = "-"
	stdinTitle = "standard input"
)

// operand is a tensor of the input.
type operand struct {
	name string // of the column; empty for a tensor, and for a lone column without a name
	x    *ogive.Tensor
}

// operands are what a FILE holds.
type operands struct {
	title string // of the file, for messages
	table bool   // they are named columns
	list  []operand
	notes []string // what the user may want to know of the file
}

func (in *operands) note(format string, args ...any) {
	in.notes = append(in.notes, fmt.Sprintf(format, args...))
}

// opener opens the files of one command line.
type opener struct {
	ctx   context.Context
	stdin io.Reader // nil once it has been read
}

// operands reads FILE.
func (f *opener) operands(path string, o tensorio.Options) (*operands, error) {
	path, member := splitMember(path)
	if member != "" {
		if len(o.Columns) > 0 {
			return nil, usageError("", "%s:%s names a part of the file, and so does -c %s", path, member, strings.Join(o.Columns, ","))
		}
		o.Columns = []string{member}
	}
	file, err := f.open(path, o)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := &operands{title: title(path), table: file.IsTable()}
	if !in.table {
		if member == "" && len(o.Columns) > 0 {
			return nil, usageError("a.npz:name names an array", "-c chooses columns of a table, and %s is none", in.title)
		}
		x, err := f.tensor(file, member)
		if err != nil {
			if names := file.Names(); member == "" && len(names) > 1 {
				err = hinted{err, fmt.Sprintf("name one: %s:%s", archive(path), names[0])}
			}
			return nil, err
		}
		in.list = []operand{{x: x}}
		return in, nil
	}
	names := file.Names()
	if len(o.Columns) > 0 {
		names = o.Columns
	}
	for _, name := range names {
		x, err := f.tensor(file, name)
		if err != nil {
			return nil, err
		}
		in.list = append(in.list, operand{name, x})
	}
	text := file.Text()
	if len(in.list) == 0 {
		return nil, fmt.Errorf("%s: no column holds numbers (text: %s)", in.title, strings.Join(text, ", "))
	}
	if len(o.Columns) == 0 && len(text) > 0 {
		for i, name := range text {
			text[i] += textPlace(file, name)
		}
		in.note("%s: columns of text left out: %s", in.title, strings.Join(text, ", "))
	}
	if n := file.Skipped(); n > 0 {
		in.note("%s: %d invalid %s taken as missing", in.title, n, plural(n, "cell"))
	}
	if len(in.list) == 1 && in.list[0].name == "1" && o.Header != tensorio.HeaderYes {
		in.table, in.list[0].name = false, "" // bare numbers, a column without a name
	}
	return in, nil
}

// side reads the one tensor of a file beside FILE: weights, quantiles, or
// isin's TEST. A table's column is named as a.csv:name.
func (f *opener) side(path string) (*ogive.Tensor, error) {
	in, err := f.operands(path, tensorio.Options{})
	if err != nil {
		return nil, err
	}
	if len(in.list) > 1 {
		return nil, usageError(fmt.Sprintf("name one: %s:%s", path, in.list[0].name), "%s holds %d columns of numbers", in.title, len(in.list))
	}
	return in.list[0].x, nil
}

// open opens a file or standard input.
func (f *opener) open(path string, o tensorio.Options) (*tensorio.File, error) {
	if path != stdinName {
		return await(f.ctx, func() (*tensorio.File, error) { return tensorio.Open(path, o) })
	}
	stdin := f.stdin
	if stdin == nil {
		return nil, usageError("", "standard input can be read once only")
	}
	f.stdin = nil
	return await(f.ctx, func() (*tensorio.File, error) { return tensorio.Read(stdin, stdinTitle, o) })
}

func (f *opener) tensor(file *tensorio.File, name string) (*ogive.Tensor, error) {
	return await(f.ctx, func() (*ogive.Tensor, error) { return file.Tensor(name) })
}

// splitMember splits a.npz:name, unless there is a file of that very name.
func splitMember(path string) (file, member string) {
	i := strings.LastIndexByte(path, ':')
	if i <= 0 || i == len(path)-1 {
		return path, ""
	}
	if _, err := os.Lstat(path); err == nil {
		return path, ""
	}
	if _, err := os.Lstat(path[:i]); err != nil {
		return path, ""
	}
	return path[:i], path[i+1:]
}

// archive returns what hints call an archive: standard input has no members
// by name.
func archive(path string) string {
	if path == stdinName {
		return "a.npz"
	}
	return path
}

// title returns what messages call a file.
func title(path string) string {
	if path == stdinName {
		return stdinTitle
	}
	return path
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// textPlace says where the first text of a column of text is: " (t.csv:2:1)".
func textPlace(file *tensorio.File, name string) string {
	_, err := file.Tensor(name)
	if err == nil {
		return ""
	}
	place, _, _ := strings.Cut(err.Error(), ": column ")
	return " (" + place + ")"
}
