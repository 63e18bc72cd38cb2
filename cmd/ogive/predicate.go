package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// elementOptions are a parsed command line of an element test.
type elementOptions struct {
	op       ogive.Op
	files    []string
	test     string   // isin's TEST, or
	values   []string // those of the command line
	rows     bool     // where the answer is true, in place of it
	input    tensorio.Options
	options  []ogive.Option
	output   outputFlags
	work     workFlags
	perFile  bool
	equalNaN bool
}

// elementRun carries out a command line.
type elementRun func(context.Context, *elementOptions, streams) error

const elementHelp = fileHelp + `
The answer is bool, of FILE's shape. The columns of a table stay columns.
`

// predicateRows are the element tests without a second operand.
var predicateRows = []struct {
	op    ogive.Op
	short string
	long  string
}{
	{ogive.OpIsPosInf, "Which elements are +Inf", "Complex numbers are refused: test their real or imaginary part."},
	{ogive.OpIsNegInf, "Which elements are -Inf", "Complex numbers are refused: test their real or imaginary part."},
	{ogive.OpIsInf, "Which elements are infinite", "A complex number is infinite if either part is."},
	{ogive.OpIsNaN, "Which elements are NaN", "A complex number is NaN if either part is. Missing cells of a table are NaN."},
	{ogive.OpIsFinite, "Which elements are finite", "Neither infinite nor NaN; both parts, of a complex number."},
	{ogive.OpSignBit, "Which elements have the sign bit set", "-0 and NaNs with a sign included; integers below 0. Complex numbers are refused."},
	{ogive.OpIsReal, "Which elements are real numbers", "A complex number is real if its imaginary part is 0; all others are."},
}

func newPredicateCmds(s streams, run elementRun) (cmds []*cobra.Command) {
	for _, row := range predicateRows {
		o := &elementOptions{op: row.op}
		name := row.op.String()
		cmd := &cobra.Command{
			Use:     name + " [FILE...]",
			Short:   row.short,
			Long:    row.short + ".\n\n" + row.long + "\n" + elementHelp,
			Example: "  ogive " + name + " latency.csv -c ms\n  ogive " + name + " stack.npy -o out.npy",
			GroupID: groupTest,
		}
		finishElement(cmd, s, o, run, func(args []string) error {
			o.files = filesOf(args)
			return nil
		})
		cmds = append(cmds, cmd)
	}
	return cmds
}

// finishElement adds the flags that all element tests take, and what happens
// when the command is called.
func finishElement(cmd *cobra.Command, s streams, o *elementOptions, run elementRun, parse func(args []string) error) {
	var in inputFlags
	o.output.register(cmd)
	in.register(cmd)
	o.work.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if o.input, err = in.options(); err != nil {
			return err
		}
		o.perFile = in.perFile
		if err = parse(args); err != nil {
			return err
		}
		o.output.records = o.rows
		if err = o.output.check(cmd, s); err != nil {
			return err
		}
		return run(cmd.Context(), o, s)
	}
}

// runPredicate tests the elements of a file.
func runPredicate(ctx context.Context, o *elementOptions, s streams) error {
	files, err := newOpener(ctx, s, o.work)
	if err != nil {
		return err
	}
	list, err := files.openAll(o.files, o.input)
	if err != nil {
		return err
	}
	defer closeAll(list)
	in, err := files.inputs(list, o.perFile)
	if err != nil {
		return err
	}
	return answerElements(ctx, files, list, in, o, s)
}

// answerElements tests the elements of what has been read.
func answerElements(ctx context.Context, files *opener, list []input, in *operands, o *elementOptions, s streams) error {
	if o.rows {
		if _, err := in.rowsOf(o.perFile); err != nil {
			return err
		}
	}
	parts, err := compute(ctx, s, &request{op: o.op, as: o.op, options: o.options, work: o.work}, in)
	if err != nil {
		return err
	}
	if o.rows {
		var at []int64
		for i, is := range ogive.Must(ogive.Values[bool](parts[0].values)) {
			if is {
				at = append(at, int64(i))
			}
		}
		rows, err := files.rows(list, at)
		if err != nil {
			return err
		}
		return o.output.write(ctx, s, &result{op: o.op.String(), records: rows})
	}
	return o.output.write(ctx, s, &result{op: o.op.String(), elementwise: true, table: in.table || o.perFile, parts: parts})
}
