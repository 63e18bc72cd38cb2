package main

import (
	"fmt"
	"math/big"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// noWeights is what --weights says where a FILE's own counts are not to be weights.
const noWeights = "none"

// valueWeights says what weights are that all values have.
const valueWeights = "a `column` of weights, or a file of FILE's shape, each value counting as often or as much; none (default none, the counts of an HdrHistogram log)"

// weightsFlag adds the flag of weights.
func weightsFlag(cmd *cobra.Command, to *string, usage string) {
	cmd.Flags().StringVar(to, "weights", "", usage)
}

// weighted reports whether a flag names weights.
func weighted(flag string) bool { return flag != "" && flag != noWeights }

// weightsName returns what the weights of open FILEs are called: as the flag says, or the
// counts that one of them has, which are then those of all that are joined.
func (f *opener) weightsName(list []input, flag string, perFile bool) (name string, err error) {
	switch flag {
	case "":
	case noWeights:
		return "", nil
	default:
		return flag, nil
	}
	var counted string
	for _, in := range list {
		if in.Counts() != "" {
			name, counted = in.Counts(), title(in.path)
		}
	}
	f.own = name != ""
	for _, in := range list {
		if f.own && !perFile && !in.HasColumn(name) {
			return "", usageError("--weights "+noWeights, "the counts of %s are weights, and %s has none", counted, title(in.path))
		}
	}
	return name, nil
}

// weights are those of an operand's elements; a nil one gives each 1.
type weights struct {
	of     *ogive.Tensor
	whole  []int64   // frequencies
	others []float64 // or what they are else
}

// tensor returns the weights as the library takes them.
func (w *weights) tensor() *ogive.Tensor {
	if w == nil {
		return nil
	}
	return w.of
}

// fractional reports whether the weights are not frequencies.
func (w *weights) fractional() bool { return w != nil && w.others != nil }

// weigh gives the operands their weights: those of a file, or of a column of FILE, which
// is then no operand unless columns were chosen. With --per-file it is that of each, and
// the counts are those of the FILEs that have some.
func (f *opener) weigh(in *operands, name string, all bool) error {
	if name == "" {
		return nil
	}
	if _, missing := os.Lstat(name); f.own || missing != nil && in.isColumn(name) {
		parts := in.parts()
		counted := func(i int) bool { return !f.own || len(parts) == 1 || parts[i].files[0].Counts() != "" }
		if all && slices.ContainsFunc(in.list, func(o operand) bool { return o.name != name }) {
			in.list = slices.DeleteFunc(in.list, func(o operand) bool { return o.name == name && counted(o.at) })
		}
		for i, of := range parts {
			if !counted(i) {
				continue
			}
			c, err := f.column(of, name)
			if err == nil && c.Labels != nil {
				err = fmt.Errorf("column %s holds text, not weights", name)
			}
			if err == nil {
				err = in.setWeights(&c, name, i)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	w, err := f.side(name)
	if err == nil {
		err = in.setWeights(&w, name, 0)
	}
	return err
}

// parts returns the operands of each FILE by itself, if answers are for each.
func (in *operands) parts() []*operands {
	if in.list[0].file == "" {
		return []*operands{in}
	}
	parts := make([]*operands, len(in.files))
	for i, file := range in.files {
		parts[i] = &operands{title: in.title, files: []*tensorio.File{file}}
	}
	return parts
}

// setWeights gives all operands, or those of a FILE by its number where answers are for
// each, the weights that a column holds.
func (in *operands) setWeights(c *operand, name string, file int) error {
	if n := c.missing(); n > 0 {
		return fmt.Errorf("%s: %d missing %s among the weights", name, n, plural(n, "cell"))
	}
	w := &weights{of: c.x}
	for i := range in.list {
		if o := &in.list[i]; o.file == "" || o.at == file {
			o.weights = w
		}
	}
	return nil
}

// weighEach reads the weights of the operands one by one, which commands that count need:
// they have the shape of the values.
func (in *operands) weighEach() error {
	for i := range in.list {
		o := &in.list[i]
		if o.weights == nil || o.weights.whole != nil || o.weights.others != nil {
			continue
		}
		if have, want := o.weights.of.Shape(), o.x.Shape(); !slices.Equal(have, want) {
			return inFile(usage{fmt.Sprintf("weights have shape %v, the values %v", have, want), ogive.ErrWeights}, in.title, o.name)
		}
		if err := o.weights.read(); err != nil {
			return inFile(err, in.title, o.name)
		}
	}
	return nil
}

// read reads the weights one by one, in C order.
func (w *weights) read() error {
	x, err := vectorOf(&operand{x: w.of})
	if err != nil {
		return err
	}
	for i, v := range x.floats {
		if !(v >= 0 && v-v == 0) {
			return usage{fmt.Sprintf("weight %d is %v; weights are finite and not negative", i, v), ogive.ErrWeights}
		}
	}
	if w.others = x.floats; x.floats != nil {
		return nil
	}
	w.whole = make([]int64, x.len())
	total := int64(0)
	for i := range w.whole {
		v, ok := x.whole(i)
		if !ok || v < 0 {
			return usage{fmt.Sprintf("weight %d is %v; weights are not negative, and add up to less than 2^53", i, v), ogive.ErrWeights}
		}
		if v >= 1<<53-total {
			return usage{"the weights add up to 2^53 or more", ogive.ErrWeights}
		}
		w.whole[i] = v
		total += v
	}
	return nil
}

// number returns a weight as a float, which holds it.
func (w *weights) number(i int) float64 {
	switch {
	case w == nil:
		return 1
	case w.whole != nil:
		return float64(w.whole[i])
	}
	return w.others[i]
}

// fractionalWeights reports whether an operand's weights are not frequencies, with which
// methods between two values have no meaning.
func (in *operands) fractionalWeights() bool {
	return slices.ContainsFunc(in.list, func(o operand) bool { return o.weights.fractional() })
}

// methodFor returns a method, or the one that has a meaning with the operands' weights.
func (in *operands) methodFor(m rank.Method) rank.Method {
	if in.fractionalWeights() {
		return rank.InvertedCDF
	}
	return m
}

// tally is how many values there are: the exact sum of their weights.
type tally struct {
	whole int64
	rest  *big.Float // of weights that are not frequencies
}

// tallyPrecision is enough for any sum of floats to be exact.
const tallyPrecision = 2200

// add counts a value.
func (t *tally) add(w *weights, i int) {
	switch {
	case w == nil:
		t.whole++
	case w.whole != nil:
		t.whole += w.whole[i]
	default:
		if t.rest == nil {
			t.rest = new(big.Float).SetPrec(tallyPrecision)
		}
		t.rest.Add(t.rest, big.NewFloat(w.others[i]))
	}
}

// rat returns the sum.
func (t *tally) rat() *big.Rat {
	sum := new(big.Rat).SetInt64(t.whole)
	if t.rest != nil {
		rest, _ := t.rest.Rat(nil)
		sum.Add(sum, rest)
	}
	return sum
}

// String writes the sum, rounded once.
func (t *tally) String() string {
	if t.rest == nil {
		return strconv.FormatInt(t.whole, 10)
	}
	f, _ := t.rat().Float64()
	return tensorio.FormatFloat(f, 64)
}

// countsIn counts the values of an operand in each group, those that are missing, NaNs
// among them, by themselves: place does not tell of them.
func countsIn(o *operand, g *grouping) (valid, missing []tally, err error) {
	count, of := groupsOf(g)
	valid, missing = make([]tally, count), make([]tally, count)
	there := make([]bool, o.x.Len())
	err = place(o, nil, func(i, _ int, _ bool) { there[i] = true })
	for i, is := range there {
		to := missing
		if is {
			to = valid
		}
		to[of(i)].add(o.weights, i)
	}
	return valid, missing, err
}
