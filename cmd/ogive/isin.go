package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

const isinHelp = `Which elements of FILE are among the values of TEST, or of --values.

Values are compared exactly, across dtypes too: the integer 2^53+1 is not the
float 2^53. A NaN is in nothing, unless --equal-nan. TEST is a tensor of any
shape, one column of a table (ids.csv:id), or a list: a table of one column, or a text
of which every line is a value, but a first one that is the name of FILE's column or a
word above numbers. A column of text that -c names is looked up among
texts, numbers of TEST as they are written there. --values are read as cells of the
column are.
`

func newIsInCmd(s streams, run elementRun) *cobra.Command {
	o := &elementOptions{op: ogive.OpIsIn}
	cmd := &cobra.Command{
		Use:   "isin [FILE [TEST]]",
		Short: "Which elements are among the values of another file",
		Long:  isinHelp + elementHelp,
		Example: "  ogive isin latency.csv -c status --values 500,503 --rows\n" +
			"  ogive isin flights.csv -c carrier carriers.csv:code --invert\n  ogive isin stack.npy ids.npy -o out.npy",
		GroupID: groupTest,
	}
	var invert, unique bool
	var kind string
	flags := cmd.Flags()
	flags.BoolVar(&invert, "invert", false, "which elements are not")
	flags.BoolVar(&unique, "assume-unique", false, "a hint for speed that neither file repeats a value; the answer is the same")
	flags.StringVar(&kind, "kind", "auto", "how to look values up: auto|sort|table|hash; the answer is the same")
	flags.BoolVar(&o.equalNaN, "equal-nan", false, "all NaNs are equal")
	flags.StringSliceVar(&o.values, "values", nil, "`values` in place of TEST: 3,5 or AA,DL; several add up")
	rowsFlag(cmd, &o.rows, "where the answer is true")
	completes(cmd, "kind", []string{"auto", "sort", "table", "hash"})
	finishElement(cmd, s, o, run, func(args []string) error {
		switch given := flags.Changed("values"); {
		case given && len(args) > 1:
			return usageError("leave one out", "--values and TEST %s are both given", args[1])
		case given:
			o.files = filesOf(args)
		case len(args) != 2:
			return usageError("ogive isin FILE TEST, or FILE --values 3,5; - is standard input", "takes FILE and TEST, got %d", len(args))
		default:
			o.files, o.test = args[:1], args[1]
		}
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

// runIsIn looks the elements of a file up in another, or among values.
func runIsIn(ctx context.Context, o *elementOptions, s streams) error {
	files, err := newOpener(ctx, s, o.work)
	if err != nil {
		return err
	}
	files.keep, o.input.Text = o.rows, true
	var test lookup
	if o.values == nil {
		if test, err = files.lookup(o.test); err != nil {
			return err
		}
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
	for i := range in.list {
		e := &in.list[i]
		if o.values != nil {
			e.test, err = e.among(o.values)
		} else {
			e.test, err = test.of(e, o.equalNaN)
		}
		if err != nil {
			return err
		}
	}
	return answerElements(ctx, files, list, in, o, s)
}

// codes returns the indices of texts among the labels of a column.
func (e *operand) codes(texts []string) (*ogive.Tensor, error) {
	wanted := make(map[string]bool, len(texts))
	for _, text := range texts {
		wanted[text] = true
	}
	list := []int64{}
	for i, label := range e.Labels {
		if wanted[label] {
			list = append(list, int64(i))
		}
	}
	return ogive.FromSlice(list)
}

// among returns what to look for in a column of the values of the command line: those
// that its dtype holds.
func (e *operand) among(texts []string) (*ogive.Tensor, error) {
	if e.Labels != nil {
		return e.codes(texts)
	}
	var values []value
	for _, text := range texts {
		v, err := parseValue("--values", text)
		if _, not := strconv.ParseBool(text); not == nil && e.x.DType().IsBool() {
			v, err = value{text: text}, nil
		}
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return e.amongValues(values)
}

// amongValues is among, of what has been read; of bools the text counts.
func (e *operand) amongValues(values []value) (*ogive.Tensor, error) {
	dt := e.x.DType()
	floats, ints, uints, bools := []float64{}, []int64{}, []uint64{}, []bool{}
	for _, v := range values {
		if is, err := strconv.ParseBool(v.text); err == nil && dt.IsBool() {
			bools = append(bools, is)
			continue
		}
		v, err := v.in(e)
		if err != nil {
			return nil, err
		}
		switch {
		case dt.IsFloat():
			floats = append(floats, floatCut(v, dt).at)
		case dt.IsComplex():
			floats = append(floats, floatCut(v, dtype.Float64).at)
		case v.rat == nil || !v.rat.IsInt(): // is no integer
		case v.rat.Num().IsInt64():
			ints = append(ints, v.rat.Num().Int64())
		case v.rat.Num().IsUint64():
			uints = append(uints, v.rat.Num().Uint64())
		}
	}
	switch {
	case dt.IsFloat() || dt.IsComplex():
		return ogive.FromSlice(floats)
	case dt.IsBool():
		return ogive.FromSlice(bools)
	case dt == dtype.Uint64:
		for _, n := range ints {
			if n >= 0 {
				uints = append(uints, uint64(n))
			}
		}
		return ogive.FromSlice(uints)
	}
	return ogive.FromSlice(ints)
}
