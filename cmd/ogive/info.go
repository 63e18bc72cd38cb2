package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

func newInfoCmd(s streams) *cobra.Command {
	var in inputFlags
	var out outputFlags
	cmd := &cobra.Command{
		Use:   "info [FILE...]",
		Short: "Format, shape, and columns with dtype and missing values",
		Long: "Format, shape, and columns with dtype and missing values.\n\nA line for each array or column of each FILE; columns of text, and dates unless\n" +
			"-c names them, are text.\n" + fileHelp,
		Example: "  ogive info weather.csv\n  ogive info a.npz -f json",
		GroupID: groupOther,
	}
	out.records = true
	out.register(cmd)
	in.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		options, err := in.options()
		if err != nil {
			return err
		}
		if err := out.check(cmd, s); err != nil {
			return err
		}
		paths, err := expand(filesOf(args))
		if err != nil {
			return err
		}
		files, err := newOpener(cmd.Context(), s, workFlags{})
		if err != nil {
			return err
		}
		list := &records{names: []string{"file", "format", "name", "dtype", "shape", "missing"}, labels: 5}
		var lines [][]string
		in := &operands{}
		for _, path := range paths {
			more, err := files.info(in, path, apart(options))
			if err != nil {
				return err
			}
			lines = append(lines, more...)
		}
		in.tell(s, workFlags{})
		list.rows = slices.Values(lines)
		return out.write(cmd.Context(), s, &result{op: "info", records: list})
	}
	return cmd
}

// info returns a line for each tensor of a file, and takes note in in of those that are
// left out.
func (f *opener) info(in *operands, path string, o tensorio.Options) (lines [][]string, err error) {
	open, err := f.open(path, o)
	if err != nil {
		return nil, err
	}
	defer f.close(open)
	file, before := input{File: open, path: path, options: o}, len(in.left)
	add := func(name, dt, shape string, missing int) {
		lines = append(lines, []string{title(path), file.Format(), name, dt, shape, strconv.Itoa(missing)})
	}
	rows := -1
	for _, name := range file.Names() {
		if !file.IsTable() {
			x, err := await(f.ctx, func() (*ogive.Tensor, error) { return file.Tensor(name) })
			if err != nil {
				return nil, err
			}
			missing := 0
			if x.DType().IsFloat() || x.DType().IsComplex() {
				missing = countTrue(ogive.Must(x.IsNaN()))
			}
			add(name, x.DType().String(), shapeText(x.Shape()), missing)
			continue
		}
		c, err := await(f.ctx, func() (tensorio.Column, error) { return file.Column(name) })
		if in.without(file, name, err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		o := operand{x: c.Values, Column: c}
		rows = c.Values.Len()
		dt := c.Values.DType().String()
		if c.Unit != tensorio.UnitNone {
			dt = map[bool]string{true: "date", false: "time"}[c.Unit == tensorio.UnitDay]
		}
		add(name, dt, shapeText(c.Values.Shape()), o.missing())
	}
	for _, name := range file.Text() {
		if _, err := file.Column(name); in.without(file, name, err) {
			continue
		}
		c, err := await(f.ctx, func() (tensorio.Column, error) { return file.Key(name) })
		if err != nil {
			add(name, "text", "", 0) // such as one of lists
			continue
		}
		o := operand{x: c.Values, Column: c}
		rows = c.Values.Len()
		add(name, "text", shapeText(c.Values.Shape()), o.missing())
	}
	if len(lines) == 0 && len(in.left) > before {
		return nil, in.left[before].reason
	}
	if file.IsTable() && rows < 0 {
		return nil, fmt.Errorf("%s: the table has no columns", title(path))
	}
	return lines, nil
}

// shapeText writes a shape as flags take it: 365,24; () of a scalar.
func shapeText(shape []int) string {
	if len(shape) == 0 {
		return "()"
	}
	text := ""
	for i, d := range shape {
		if i > 0 {
			text += ","
		}
		text += strconv.Itoa(d)
	}
	return text
}

// countTrue returns how many elements are true.
func countTrue(x *ogive.Tensor) (n int) {
	for _, is := range ogive.Must(ogive.Values[bool](x)) {
		if is {
			n++
		}
	}
	return n
}
