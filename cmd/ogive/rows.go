package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/formats"
	"github.com/ogive-go/ogive/tensorio"
)

// rowsFlag adds the flag that asks for rows in place of an answer about them.
func rowsFlag(cmd *cobra.Command, rows *bool, which string) {
	cmd.Flags().BoolVar(rows, "rows", false, "the rows of the table "+which+", as they stand in it")
}

// rowsOf returns the column whose rows are asked for, the only one.
func (in *operands) rowsOf(perFile bool) (*operand, error) {
	switch {
	case len(in.files) == 0 || !in.files[0].IsTable():
		return nil, usageError("", "--rows prints rows of a table, and %s is none", in.title)
	case perFile:
		return nil, usageError("several FILEs are joined without it", "--rows and --per-file exclude each other")
	case len(in.list) != 1:
		return nil, usageError("choose one with -c", "--rows goes by one column, and there are %d", len(in.list))
	}
	return &in.list[0], nil
}

// again opens a FILE once more: standard input from where it is kept.
func (f *opener) again(path string, o tensorio.Options) (*tensorio.File, error) {
	if path != stdinName {
		return f.open(path, o)
	}
	if _, err := f.kept.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return await(f.ctx, func() (*tensorio.File, error) { return formats.Read(f.kept, stdinTitle, o) })
}

// rows reads rows of the FILEs, counted through all of them, as records in the order
// in which they are asked for.
func (f *opener) rows(list []input, wanted []int64) (*records, error) {
	found := map[int64][]string{}
	for _, i := range wanted {
		found[i] = nil
	}
	var names []string
	first := int64(0)
	for _, in := range list {
		o := in.options
		o.Columns, o.Keys, o.Groups, o.Verbatim = nil, nil, nil, true
		file, err := f.again(in.path, o)
		if err != nil {
			return nil, err
		}
		if names == nil {
			names = file.Columns()
		}
		first, err = rowsFrom(file, names, first, found)
		f.close(file)
		if err != nil {
			return nil, err
		}
	}
	var lines [][]string
	for _, i := range wanted {
		if line := found[i]; line != nil {
			lines = append(lines, line)
		}
	}
	return &records{names: names, labels: len(names), rows: slices.Values(lines)}, nil
}

// rowsFrom finds rows of a file whose first one has a number, and returns that of the
// row after the last.
func rowsFrom(file *tensorio.File, names []string, first int64, found map[int64][]string) (next int64, err error) {
	for list, err := range file.Batches(names...) {
		if err != nil {
			return first, err
		}
		cells := make([]func(int) string, len(list))
		for k, c := range list {
			if cells[k], err = c.Cells(); err != nil {
				return first, err
			}
			if c.Missing != nil {
				gone, cell := ogive.Must(ogive.Values[bool](c.Missing)), cells[k]
				cells[k] = func(i int) string {
					if gone[i] {
						return ""
					}
					return cell(i)
				}
			}
		}
		n := list[0].Values.Len()
		for i := range n {
			if _, ok := found[first+int64(i)]; !ok {
				continue
			}
			line := make([]string, len(cells))
			for k, cell := range cells {
				line[k] = cell(i)
			}
			found[first+int64(i)] = line
		}
		first += int64(n)
	}
	return first, nil
}
