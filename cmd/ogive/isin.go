package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
)

func newIsInCmd(s streams, run elementRun) *cobra.Command {
	o := &elementOptions{op: ogive.OpIsIn}
	cmd := &cobra.Command{
		Use:   "isin FILE TEST",
		Short: "Which elements are among the values of another file",
		Long: `Which elements of FILE are among the values of TEST.

Values are compared exactly, across dtypes too: the integer 2^53+1 is not the
float 2^53. A NaN is in nothing, unless --equal-nan. TEST is a tensor of any
shape, or one column of a table (ids.csv:id).
` + elementHelp,
		Example: "  ogive isin x.npy ids.npy -o out.npy\n  ogive isin flights.csv -c carrier_id ids.csv:id --invert",
		GroupID: groupTest,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError("ogive isin FILE TEST; - is standard input", "takes FILE and TEST, got %d", len(args))
			}
			return maxArgs(2)(cmd, args)
		},
	}
	var invert, unique bool
	var kind string
	flags := cmd.Flags()
	flags.BoolVar(&invert, "invert", false, "which elements are not")
	flags.BoolVar(&unique, "assume-unique", false, "a hint for speed that neither file repeats a value; the answer is the same")
	flags.StringVar(&kind, "kind", "auto", "how to look values up: auto|sort|table|hash; the answer is the same")
	flags.BoolVar(&o.equalNaN, "equal-nan", false, "all NaNs are equal")
	completes(cmd, "kind", []string{"auto", "sort", "table", "hash"})
	finishElement(cmd, s, o, run, func(args []string) error {
		o.files, o.test = args[:1], args[1]
		if flags.Changed("kind") {
			k, err := ogive.ParseKind(kind)
			if err != nil {
				return err
			}
			o.options = append(o.options, ogive.Kind(k))
		}
		for _, f := range []struct {
			set    bool
			option ogive.Option
		}{{invert, ogive.Invert()}, {unique, ogive.AssumeUnique()}, {o.equalNaN, ogive.EqualNaN()}} {
			if f.set {
				o.options = append(o.options, f.option)
			}
		}
		return nil
	})
	return cmd
}

// runIsIn looks the elements of a file up in another.
func runIsIn(ctx context.Context, o *elementOptions, s streams) error {
	files, err := newOpener(ctx, s, o.work)
	if err != nil {
		return err
	}
	test, err := files.side(o.test)
	if err != nil {
		return err
	}
	values, err := test.values(o.equalNaN)
	if err != nil {
		return err
	}
	o.options = append(o.options, ogive.Test(values))
	return runElement(ctx, files, o, s)
}
