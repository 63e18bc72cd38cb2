package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/formats"
	"github.com/ogive-go/ogive/tensorio"
)

// inputFlags say how FILE is to be read.
type inputFlags struct {
	format      string
	columns     []string
	delimiter   string
	quote       string
	comment     string
	decimal     string
	thousands   string
	header      bool
	noHeader    bool
	na          []string
	skipInvalid bool
	dtype       string
	shape       string
	perFile     bool
}

func (f *inputFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.format, "input-format", "", "format of FILE, whatever its ending: "+strings.Join(inputFormats(), "|"))
	flags.StringSliceVarP(&f.columns, "columns", "c", nil, "`columns` of a table, by name, number or pattern (temp_*) (default all that hold numbers)")
	flags.StringVarP(&f.delimiter, "delimiter", "d", "", "character between the cells of a table, 'tab', or 'blanks' for runs of them (default found by looking)")
	flags.StringVar(&f.quote, "quote", "", "none: quotes are part of the cells of a table, as in tsv; double: cells may stand in them, as in csv")
	flags.StringVar(&f.comment, "comment", "", "what begins the lines of a table to leave out: '#'")
	flags.StringVar(&f.decimal, "decimal", "", "character in place of the decimal point: ,")
	flags.StringVar(&f.thousands, "thousands", "", "character between groups of three digits")
	flags.BoolVar(&f.header, "header", false, "the first line of a table holds names (default found by looking)")
	flags.BoolVar(&f.noHeader, "no-header", false, "the first line of a table holds data; columns are 1, 2, …")
	flags.StringArrayVar(&f.na, "na", nil, "more cells that mean a missing value, as they stand or in quotes, numbers by their value: -,none,-999")
	flags.BoolVar(&f.skipInvalid, "skip-invalid", false, "take cells that are not numbers as missing, and count them")
	flags.BoolVar(&f.perFile, "per-file", false, "an answer for each FILE, not for their rows together")
	flags.StringVar(&f.dtype, "dtype", "", "element type of raw data")
	flags.StringVar(&f.shape, "shape", "", "shape of raw data: 365,24")
	cmd.MarkFlagsMutuallyExclusive("header", "no-header")
	completes(cmd, "input-format", inputFormats())
	completes(cmd, "dtype", dtypeNames())
	completes(cmd, "quote", []string{"none", "double"})
	completesColumns(cmd, f)
	explainedBy(cmd, topicFiles, "input-format", "delimiter", "quote", "comment", "decimal", "thousands", "header", "no-header", "na",
		"skip-invalid", "per-file", "dtype", "shape")
}

func inputFormats() (names []string) {
	for _, f := range formats.Formats() {
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
func (f *inputFlags) options() (o tensorio.Options, err error) {
	o = tensorio.Options{Format: f.format, SkipInvalid: f.skipInvalid, Columns: f.columns, Comment: f.comment, NA: naCells(f.na)}
	switch {
	case f.header:
		o.Header = tensorio.HeaderYes
	case f.noHeader:
		o.Header = tensorio.HeaderNo
	}
	switch f.quote {
	case "":
	case "none":
		o.Quote = tensorio.QuoteNone
	case "double":
		o.Quote = tensorio.QuoteDouble
	default:
		return o, usageError("", "--quote takes none or double, got %q", f.quote)
	}
	for _, c := range []struct {
		flag, text string
		to         *rune
	}{{"delimiter", f.delimiter, &o.Delimiter}, {"decimal", f.decimal, &o.Decimal}, {"thousands", f.thousands, &o.Thousands}} {
		if *c.to, err = parseCharacter(c.flag, c.text); err != nil {
			return o, err
		}
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

// naCells returns the cells that lists separated by commas name: what stands in quotes is
// a cell with them, and one without.
func naCells(lists []string) (cells []string) {
	for _, list := range lists {
		inside, from := false, 0
		for i := 0; i <= len(list); i++ {
			if i < len(list) && list[i] == '"' {
				inside = !inside
			}
			if i < len(list) && (inside || list[i] != ',') {
				continue
			}
			cell := list[from:i]
			cells = append(cells, cell)
			if n := len(cell); n >= 2 && cell[0] == '"' && cell[n-1] == '"' {
				cells = append(cells, strings.ReplaceAll(cell[1:n-1], `""`, `"`))
			}
			from = i + 1
		}
	}
	return cells
}

// parseCharacter returns the one character of s, 0 if there is none.
func parseCharacter(flag, s string) (rune, error) {
	switch s {
	case "":
		return 0, nil
	case "tab", `\t`:
		return '\t', nil
	case "blanks", "blank":
		return tensorio.Blanks, nil
	}
	r, n := utf8.DecodeRuneInString(s)
	if n != len(s) || r == utf8.RuneError {
		return 0, usageError("'tab' and \\t mean a tabulator, 'blanks' runs of blanks", "--%s takes one character, got %q", flag, s)
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
	file string // of the answers for each FILE by itself
	at   int    // which FILE that is
	name string // of the column; empty for a tensor, and for a lone column without a name
	x    *ogive.Tensor
	test *ogive.Tensor // what isin looks for in it
	tensorio.Column
	weights *weights // of the elements; nil if each counts once
	grown   *grown   // nil for one of a single FILE
}

// operands are what the FILEs hold.
type operands struct {
	title string // of the files, for messages
	table bool   // they are named columns
	alone bool   // there may be one column only
	list  []operand
	notes []string          // what the user may want to know of the files
	more  int               // notes beyond mostNotes
	cells []cellNote        // and of their columns' cells
	told  map[cellNote]bool // those of cells
	text  []string          // the columns of text, which are left out
	left  []leftOut         // and others
	files []*tensorio.File
	most  int64 // what the answers may take; 0 for no bound
}

// opener opens the files of one command line.
type opener struct {
	ctx    context.Context
	stdin  io.Reader // nil once it has been read
	budget budget
	s      streams
	quiet  bool
	meter  ogive.Meter // of what is parsed

	held    int64 // what has been read, in bytes
	spooled int64 // the size of standard input
	pipes   map[string]io.ReadSeeker
	own     bool // weights are the FILEs' own counts
	keep    bool // standard input is read again: see opener.again
	kept    io.ReadSeeker
}

// newOpener returns the opener of a command line.
func newOpener(ctx context.Context, s streams, work workFlags) (*opener, error) {
	b, err := parseBudget(work.memory)
	b.ceiling(ctx, s)
	return &opener{ctx: ctx, stdin: s.in, budget: b, s: s, quiet: work.quiet}, err
}

// input is an open FILE.
type input struct {
	*tensorio.File
	path    string
	member  string // of a.npz:name
	options tensorio.Options
}

// openAll opens the FILEs.
func (f *opener) openAll(paths []string, o tensorio.Options) (list []input, err error) {
	if paths, err = expand(paths); err != nil {
		return nil, err
	}
	o.Progress = &f.meter
	for _, path := range paths {
		in, err := f.input(path, o)
		if err != nil {
			closeAll(list)
			return nil, err
		}
		list = append(list, in)
	}
	return list, nil
}

func closeAll(list []input) {
	for _, in := range list {
		in.Close()
	}
}

// input opens a FILE, or the part of it that its name says.
func (f *opener) input(path string, o tensorio.Options) (in input, err error) {
	in.path, in.member = splitMember(path)
	if in.member != "" {
		if len(o.Columns) > 0 {
			return in, usageError("", "%s:%s names a part of the file, and so does -c %s", in.path, in.member, strings.Join(o.Columns, ","))
		}
		o.Columns = []string{in.member}
	}
	in.options = o
	in.File, err = f.open(in.path, o)
	return in, err
}

// inputs reads the FILEs: their columns joined, or those of each by itself.
func (f *opener) inputs(list []input, perFile bool) (all *operands, err error) {
	err = watch(f.ctx, f.s, f.quiet, "reading", &f.meter, func() error {
		all, err = f.joined(list, perFile)
		return err
	})
	return all, err
}

func (f *opener) joined(list []input, perFile bool) (all *operands, err error) {
	for i, file := range list {
		in, err := f.operands(file)
		if err != nil {
			return nil, err
		}
		if perFile {
			in.named(file.path, i)
		}
		switch {
		case i == 0:
			all = in
		case perFile:
			all.files, all.list = append(all.files, in.files...), append(all.list, in.list...)
			all.left = append(all.left, in.left...)
			for _, note := range in.notes {
				all.note("%s", note)
			}
		default:
			all.files = append(all.files, in.files...)
			if err := all.join(in); err != nil {
				return nil, err
			}
		}
	}
	if len(list) > 1 && !perFile {
		all.title = fmt.Sprintf("%d files", len(list))
	}
	return all, nil
}

// expand returns the paths, and in place of a pattern the files that it means.
func expand(paths []string) (all []string, err error) {
	for _, path := range paths {
		if !strings.ContainsAny(path, "*?[") {
			all = append(all, path)
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			all = append(all, path)
			continue
		}
		list, err := filepath.Glob(path)
		if err != nil || len(list) == 0 {
			return nil, fmt.Errorf("%s: no such file", path)
		}
		all = append(all, list...)
	}
	return all, nil
}

// named makes the operands those of a FILE by itself.
func (in *operands) named(path string, at int) {
	for i := range in.list {
		in.list[i].file, in.list[i].at = title(path), at
	}
}

// join appends the rows of another table's columns.
func (in *operands) join(next *operands) error {
	if !in.table && in.list[0].Values == nil || !next.table && next.list[0].Values == nil {
		return usageError("--per-file answers for each by itself", "several files are joined by the rows of their columns, and %s holds an array", next.title)
	}
	for _, note := range next.notes {
		in.note("%s", note)
	}
	if err := in.shared(next); err != nil {
		return err
	}
	at := make(map[string]int, len(next.list))
	for j, o := range next.list {
		at[o.name] = j
	}
	for i := range in.list {
		j, ok := at[in.list[i].name]
		if !ok {
			return fmt.Errorf("%s has no column %q of numbers, as %s has", next.title, in.list[i].name, in.title)
		}
		if err := in.list[i].append(&next.list[j]); err != nil {
			return fmt.Errorf("column %s: %w (%s)", in.list[i].name, err, next.title)
		}
	}
	if len(next.list) > len(in.list) {
		return fmt.Errorf("%s has columns that %s has not; choose some with -c", next.title, in.title)
	}
	return nil
}

// operands reads an open FILE.
func (f *opener) operands(file input) (*operands, error) {
	in := f.newOperands(file)
	return in, f.fill(in, file)
}

func (f *opener) newOperands(file input) *operands {
	return &operands{title: title(file.path), table: file.IsTable(), files: []*tensorio.File{file.File}, most: f.budget.answers()}
}

// fill reads what a file holds, if there is memory for it.
func (f *opener) fill(in *operands, file input) error {
	if err := f.fits(file); err != nil {
		return err
	}
	if err := f.read(in, file); err != nil {
		return err
	}
	return inFile(f.hold(in), in.title, "")
}

// read reads the tensors of a file.
func (f *opener) read(in *operands, file input) error {
	if !in.table {
		if file.member == "" && len(file.options.Columns) > 0 {
			return usageError("a.npz:name names an array", "-c chooses columns of a table, and %s is none", in.title)
		}
		x, err := await(f.ctx, func() (*ogive.Tensor, error) { return file.Tensor(file.member) })
		if err != nil {
			if names := file.Names(); file.member == "" && len(names) > 1 {
				err = hinted{err, fmt.Sprintf("name one: %s:%s", archive(file.path), names[0])}
			}
			return err
		}
		in.list = []operand{{x: x}}
		return nil
	}
	names := file.Names()
	if others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(file.options.Groups, name) }); len(others) > 0 {
		names = others // what makes the groups is no value, unless there is nothing else
	}
	for _, name := range names {
		c, err := await(f.ctx, func() (tensorio.Column, error) {
			if file.options.Text && len(file.options.Columns) > 0 {
				return orText(file.File, name, file.Column)
			}
			return file.Column(name)
		})
		if in.without(file, name, err) {
			continue
		}
		if err != nil {
			return err
		}
		in.list = append(in.list, operand{name: name, x: c.Values, Column: c})
		if in.alone && len(in.list) > 1 {
			return severalColumns(in, file)
		}
	}
	in.tellOf(file)
	switch {
	case len(in.list) == 0 && len(in.left) > 0:
		return in.left[0].reason
	case len(in.list) == 0:
		return noNumbers(file)
	}
	if len(in.list) == 1 && in.list[0].name == "1" && file.options.Header != tensorio.HeaderYes {
		in.table, in.list[0].name = false, "" // bare numbers, a column without a name
	}
	return nil
}

// severalColumns is the error of a table in the place of one column, of which two are
// known: of a million, none is read in vain.
func severalColumns(in *operands, file input) error {
	return usageError(fmt.Sprintf("name one: %s:%s", file.path, in.list[0].name), "%s holds several columns of numbers", in.title)
}

// noNumbers is the error of a table of text alone.
func noNumbers(file input) error {
	return fmt.Errorf("%s: no column holds numbers (text: %s)", title(file.path), tensorio.ShownList(file.Text()))
}

// tellOf takes note of what was left out of a table, and what may be taken otherwise.
func (in *operands) tellOf(file input) {
	o := file.options
	text := slices.DeleteFunc(file.Text(), func(name string) bool {
		_, err := file.Column(name)
		return in.without(file, name, err)
	})
	if len(o.Columns) == 0 {
		in.text = text
	}
	if len(o.Columns) == 0 && o.Decimal == 0 {
		for _, name := range text {
			_, err := file.Column(name)
			if err != nil && decimalComma.MatchString(err.Error()) {
				in.note("%s is text, for %s; --decimal ,", name, decimalComma.FindString(err.Error()))
				break
			}
		}
	}
	if d := file.HeaderDoubt(); d.Names {
		in.note("line %d taken as names; --no-header", d.Line)
	} else if d.Line > 0 {
		in.note("line %d taken as data; --header", d.Line)
	}
}

// decimalComma finds a cell that is a number where a comma is the decimal point.
var decimalComma = regexp.MustCompile(`"-?\d+,\d+" is not a number`)

// column returns a column of the FILEs by name, for weights and groups: those of
// several files joined.
func (f *opener) column(in *operands, name string) (operand, error) {
	return f.joinedColumn(in, name, func(file *tensorio.File) (tensorio.Column, error) { return file.Key(name) })
}

// joinedColumn is column, read by a function.
func (f *opener) joinedColumn(in *operands, name string, read func(*tensorio.File) (tensorio.Column, error)) (operand, error) {
	var all operand
	for i, file := range in.files {
		c, err := await(f.ctx, func() (tensorio.Column, error) { return read(file) })
		if err != nil {
			return all, err
		}
		next := operand{name: name, x: c.Values, Column: c}
		if i == 0 {
			all = next
		} else if err := all.append(&next); err != nil {
			return all, fmt.Errorf("column %s: %w", name, err)
		}
	}
	return all, nil
}

// side reads the one tensor of a file beside FILE: weights, quantiles, or
// isin's TEST. A table's column is named as a.csv:name.
func (f *opener) side(path string) (operand, error) {
	file, err := f.input(path, tensorio.Options{})
	if err != nil {
		return operand{}, err
	}
	return f.sideIn(file)
}

// sideIn is side, of an open file.
func (f *opener) sideIn(file input) (operand, error) {
	in := f.newOperands(file) // which may be a mapping: it stays open as long as that is read
	in.alone = true
	if err := f.fill(in, file); err != nil {
		return operand{}, err
	}
	return in.list[0], nil
}

// open opens a file or standard input.
func (f *opener) open(path string, o tensorio.Options) (*tensorio.File, error) {
	o.Memory = f.room()
	open := func() (*tensorio.File, error) { return f.openPath(path, o) }
	if path == stdinName {
		if err := f.spool(); err != nil {
			return nil, err
		}
		stdin := f.stdin
		f.stdin = nil
		if seeker, ok := stdin.(io.ReadSeeker); ok && f.keep {
			f.kept = seeker
		}
		open = func() (*tensorio.File, error) { return formats.Read(stdin, stdinTitle, o) }
	}
	file, err := await(f.ctx, open)
	if err == nil {
		f.s.read.add(file)
	}
	return file, err
}

// close closes a file of which nothing is read any more.
func (f *opener) close(file *tensorio.File) {
	f.s.read.forget(file)
	file.Close()
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
