package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

const mergeHelp = `The answer of the shards that ogive partial has made, or what their next pass begins with.

Merge takes the files of one pass over all shards, in any order. If the answer is known
it is written to standard output, as the command that partial --op names writes it for
all of the data in one file, to the bit. If another pass is needed nothing is written
there, -o is the file to give to partial --state, and the exit status is 3, so that a
script can tell:

  ogive merge *.ogive -o next.state > answer.tsv
  case $? in
  0) ;;  # done: answer.tsv
  3) ;;  # once more: ogive partial SHARD --state next.state -o SHARD.ogive, then merge
  *) exit 1 ;;
  esac

When the answer is known -o is not written. One shard given twice counts twice; a file
given twice is refused.
`

// errAgain says that another pass is needed.
var errAgain = errors.New("another pass")

// mergeOptions are a parsed command line of merge.
type mergeOptions struct {
	files  []string
	state  string
	output outputFlags
	quiet  bool
}

func newMergeCmd(s streams) *cobra.Command {
	o := &mergeOptions{}
	cmd := &cobra.Command{
		Use:     "merge SHARD...",
		Short:   "The answer of shards, or what their next pass begins with",
		Long:    mergeHelp,
		Example: "  ogive merge *.ogive -o next.state\n  ogive merge a.ogive b.ogive -o next.state -f json",
		GroupID: groupOrder,

		Annotations: map[string]string{statusThree: "another pass is needed"},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.state, "output", "o", "", "file to write if another pass is needed, for partial --state")
	o.output.registerForm(cmd)
	flags.BoolVar(&o.quiet, "quiet", false, "no notes on standard error")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if len(args) == 0 {
			return usageError("ogive merge a.ogive b.ogive -o next.state", "takes the files that partial has written")
		}
		if o.files, err = expand(args); err != nil {
			return err
		}
		if err = o.output.check(cmd, s); err != nil {
			return err
		}
		return runMerge(cmd.Context(), o, s)
	}
	return cmd
}

// runMerge joins shards, and writes the answer or what the next pass begins with.
func runMerge(ctx context.Context, o *mergeOptions, s streams) error {
	if o.state == stdinName {
		return usageError("for example -o next.state", "-o is a file")
	}
	if err := distinct(o.files); err != nil {
		return err
	}
	var all *shard
	for _, path := range o.files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		next, err := readShard(path)
		if err != nil {
			return err
		}
		if next.Begin {
			return usageError("partial --state takes it", "%s is what a pass begins with, no shard", path)
		}
		if all == nil {
			all = next
		} else if err := all.merge(next); err != nil {
			return err
		}
	}
	if len(o.files) > 1 {
		all.path = fmt.Sprintf("%d shards", len(o.files))
	}
	again, err := all.next()
	if err != nil {
		return err
	}
	if !again {
		return all.print(ctx, o, s)
	}
	if o.state == "" {
		return usageError("-o next.state, for ogive partial SHARD --state next.state", "another pass is needed, and -o is missing")
	}
	all.Begin = true
	if err := all.write(ctx, s, o.state); err != nil {
		return err
	}
	return usage{fmt.Sprintf("another pass: ogive partial SHARD --state %s -o …, then merge", o.state), errAgain}
}

// distinct refuses a file that is given twice.
func distinct(paths []string) error {
	seen := make([]os.FileInfo, 0, len(paths))
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if k := slices.IndexFunc(seen, func(other os.FileInfo) bool { return os.SameFile(info, other) }); k >= 0 {
			return usageError("each shard counts once", "%s and %s are one file", paths[k], paths[i])
		}
		seen = append(seen, info)
	}
	return nil
}

// merge adds what another shard of the same pass has seen, which is lost.
func (s *shard) merge(o *shard) error {
	differ := func(format string, args ...any) error {
		return usageError("merge takes the shards of one pass, made with the same flags", "%s and %s differ: %s", s.path, o.path, fmt.Sprintf(format, args...))
	}
	for _, c := range []struct {
		what        string
		here, there any
	}{
		{"operation", s.Op, o.Op}, {"pass", s.pass(), o.pass()}, {"quantiles", s.asked(), o.asked()}, {"method", s.Method, o.Method}, {"mode", s.Mode, o.Mode},
		{"arrays", s.Array, o.Array}, {"names of columns", s.Table, o.Table}, {"columns", s.names(), o.names()},
		{"weights", s.Weighed, o.Weighed}, {"column of weights", s.Weights, o.Weights}, {"memory in bytes", s.Budget, o.Budget},
	} {
		if c.here != c.there {
			return differ("%s: %v and %v", c.what, c.here, c.there)
		}
	}
	for _, note := range o.Notes {
		if !slices.Contains(s.Notes, note) {
			s.Notes = append(s.Notes, note)
		}
	}
	first := s.pass() == 1
	for i := range s.columns {
		c, d := &s.columns[i], &o.columns[i]
		of := ""
		if name := c.name(); name != "" {
			of = "column " + name + ": "
		}
		if first {
			switch {
			case d.Seen == 0:
				c.count(d)
				continue
			case c.Seen == 0:
				c.states, c.Unit = d.states, d.Unit
				c.count(d)
				continue
			}
			had := c.states[0].dt
			c.states = slices.DeleteFunc(c.states, func(a typedState) bool { return d.state(a.dt) == nil })
			if len(c.states) == 0 {
				return differ("%s%v and %v", of, had, d.states[0].dt)
			}
		}
		unit, joins := c.Unit.Join(d.Unit)
		if !joins {
			return differ("%s%s", of, apartUnits(c.Unit, d.Unit))
		}
		c.Unit = unit
		if !bytes.Equal(c.answer, d.answer) || len(c.states) > 0 && len(d.states) == 0 {
			return differ("%sthe first passes were of other data", of)
		}
		for _, a := range c.states {
			b := d.state(a.dt)
			if b == nil {
				return differ("%sthe first passes were of other data", of)
			}
			switch err := a.Merge(b.State); {
			case errors.Is(err, ogive.ErrOption):
				return differ("%sthe first passes were of other data", of)
			case err != nil:
				return inFile(err, o.path, c.name())
			}
		}
		if first {
			c.count(d)
		}
	}
	return nil
}

// count adds the counts of a first pass.
func (c *shardColumn) count(d *shardColumn) {
	c.Seen += d.Seen
	c.Missing += d.Missing
	c.Invalid += d.Invalid
	c.Rounded += d.Rounded
	c.Inexact += d.Inexact
}

// state returns the state of a dtype, nil if there is none.
func (c *shardColumn) state(dt dtype.DType) *typedState {
	for i := range c.states {
		if c.states[i].dt == dt {
			return &c.states[i]
		}
	}
	return nil
}

// asked returns the quantiles, for messages and to be compared.
func (s *shard) asked() string {
	if s.qs == nil {
		return ""
	}
	return fmt.Sprintf("%s (%v, one number: %t)", s.qs.labels, s.qs.list, s.qs.scalar)
}

// names returns the names of the columns, for messages and to be compared.
func (s *shard) names() string {
	var names []string
	for i := range s.columns {
		names = append(names, s.columns[i].name())
	}
	return fmt.Sprint(names)
}

// next ends the pass: columns get their answers, and what the next pass begins with if
// one is needed, which it reports.
func (s *shard) next() (again bool, err error) {
	for i := range s.columns {
		c := &s.columns[i]
		if len(c.answer) > 0 || c.waits {
			continue
		}
		more, err := s.nextOf(c)
		if err != nil {
			return false, inFile(s.named(err), s.path, c.name())
		}
		again = again || more
	}
	return again, nil
}

// named gives an error the operation that the user has asked for.
func (s *shard) named(err error) error { return (&request{op: s.op, as: s.as}).named(err) }

// nextOf is next for a column. One with missing values, but for invalid ones that are
// skipped, is one with NaN, and of the dtype of a NaN unless it is one of floats without
// weights, as in memory.
func (s *shard) nextOf(c *shardColumn) (again bool, err error) {
	state := c.states[0]
	c.states = c.states[:1]
	if state.dt == dtype.Float64 {
		c.Rounded, c.Inexact = c.Rounded+c.Inexact, 0
	}
	if c.Missing > 0 && (c.Missing > c.Invalid && !s.op.Facts().SkipNaN || state.Pass() == 1 && state.Count() == 0) {
		dt := dtype.Float64
		if state.dt.IsFloat() && !s.Weighed {
			dt = state.dt
		}
		return false, s.answerNaN(c, dt)
	}
	if again, err = state.Next(); again || err != nil {
		return again, err
	}
	x, err := state.Result()
	if err == nil && c.Unit != 0 {
		x, err = x.Cast(dtype.Int64) // as dates are written
	}
	if err != nil {
		return false, err
	}
	if beyondExact(state.dt, x) != nil {
		s.Notes = append(s.Notes, noteName(c.name())+": answers between integers beyond 2^53 may be rounded to float64")
	}
	return false, c.settle(x)
}

// answerNaN settles a column as one NaN.
func (s *shard) answerNaN(c *shardColumn, dt dtype.DType) error {
	plan, err := ogive.Prepare(s.as, dt, []int{1}, s.options...)
	if err != nil {
		return err
	}
	out, err := ogive.Zeros(plan.DType(), plan.Shape()...)
	if err != nil {
		return err
	}
	nan, err := ogive.Must(ogive.FromSlice([]float64{nanValue})).Cast(dt)
	if err == nil {
		err = plan.Run(nan, out)
	}
	if err != nil {
		return err
	}
	return c.settle(out)
}

// settle makes x the answer of a column.
func (c *shardColumn) settle(x *ogive.Tensor) error {
	var b bytes.Buffer
	err := tensorio.WriteNPY(&b, x)
	c.answer, c.states = b.Bytes(), nil
	return err
}

// print writes the answers and the notes.
func (s *shard) print(ctx context.Context, o *mergeOptions, st streams) error {
	r, in, err := s.result()
	if err != nil {
		return err
	}
	in.tell(st, workFlags{quiet: o.quiet})
	return o.output.write(ctx, st, r)
}

// result returns the answers, all of which are known, and the notes.
func (s *shard) result() (*result, *operands, error) {
	want, err := ogive.Prepare(s.as, dtype.Float64, []int{1}, s.options...)
	if err != nil {
		return nil, nil, err
	}
	r := &result{op: s.op.String(), method: s.Method, mode: s.Mode, qs: s.qs, table: s.Table}
	in := &operands{text: s.Text, notes: slices.Clone(s.Notes)}
	for i := range s.columns {
		c := &s.columns[i]
		x, err := tensorio.ReadNPY(bytes.NewReader(c.answer))
		if err == nil && !slices.Equal(x.Shape(), want.Shape()) {
			err = usage{fmt.Sprintf("an answer of shape %v", x.Shape()), ogive.ErrFormat}
		}
		if err != nil {
			return nil, nil, inFile(err, s.path, c.name())
		}
		name := c.name()
		if !s.Table {
			name = ""
		}
		r.parts = append(r.parts, part{name: name, values: x, unit: c.Unit})
		in.noteCells(s.op, name, int(c.Missing), int(c.Invalid), int(c.Rounded))
	}
	return r, in, nil
}
