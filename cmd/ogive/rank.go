package main

import (
	"math/big"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

const rankHelp = `Which quantile a value is: the inverse of quantile. A line for each value, with

  count    the values that are not missing
  missing  those that are, NaNs too, which are left out
  below    those less than the value
  equal    those that are it
  strict   below / count
  mean     (below + equal/2) / count
  weak     (below + equal) / count

The counts are exact, also for integers beyond 2^53, and the fractions are rounded once:
those of scipy.stats.percentileofscore by these names, whose percentages are 100 times
as much. A value is read as a cell of the column is: 0.1 is the float32 0.1 of a float32
array. All axes of an array are taken together.
`

func newRankCmd(s streams) *cobra.Command {
	var f survey
	var at []string
	cmd := &cobra.Command{
		Use:   "rank [FILE...]",
		Short: "Which quantile a value is",
		Long:  rankHelp + fileHelp,
		Example: "  ogive rank latency.csv -c ms --at 200,500\n  ogive rank flights.csv -c delay --at 60 --by origin --sort\n" +
			"  ogive rank stack.npy --at 0.5",
		GroupID: groupOrder,
	}
	cmd.Flags().StringSliceVar(&at, "at", nil, "`values`, numbers or dates: 3.5,7; several add up")
	f.register(cmd, true)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(at) == 0 {
			return usageError("for example --at 3.5", "--at is missing")
		}
		values := make([]value, len(at))
		for i, text := range at {
			var err error
			if values[i], err = parseValue("--at", text); err != nil {
				return err
			}
		}
		in, g, done, err := f.open(cmd, s, args, "ranks")
		if err != nil {
			return err
		}
		defer done()
		list, err := ranks(in, g, values)
		if err != nil {
			return err
		}
		in.tell(s, f.work)
		return f.out.write(cmd.Context(), s, &result{op: "rank", records: list})
	}
	return cmd
}

// rankCounts are how many values of a group are less than a value, and how many are it.
type rankCounts struct{ count, below, equal tally }

// ranks makes a line for each value of each operand and group.
func ranks(in *operands, g *grouping, values []value) (*records, error) {
	groups, of := groupsOf(g)
	counts := make([][][]rankCounts, len(in.list)) // by operand, value, group
	missing := make([][]tally, len(in.list))
	for k := range in.list {
		o := &in.list[k]
		for _, v := range values {
			list := make([]rankCounts, groups)
			err := place(o, []value{v}, func(i, atMost int, equal bool) {
				c := &list[of(i)]
				c.count.add(o.weights, i)
				switch {
				case equal:
					c.equal.add(o.weights, i)
				case atMost == 0:
					c.below.add(o.weights, i)
				}
			})
			if err != nil {
				return nil, inFile(err, in.title, o.name)
			}
			counts[k] = append(counts[k], list)
		}
		var err error
		if _, missing[k], err = countsIn(o, g); err != nil {
			return nil, err
		}
		in.noteCells(ogive.OpNaNQuantile, o.name, o.Invalid, o.Invalid, o.Rounded)
	}
	names, about := subjects(in, g)
	r := &records{names: append(names, "value", "count", "missing", "below", "equal", "strict", "mean", "weak"), labels: len(names) + 1}
	r.rows = func(yield func([]string) bool) {
		for _, a := range about {
			for i, v := range values {
				c := counts[a.of][i][a.group]
				line := slices.Concat(a.labels, []string{v.text}, []string{c.count.String(), missing[a.of][a.group].String(), c.below.String(), c.equal.String()}, c.fractions())
				if !yield(line) {
					return
				}
			}
		}
	}
	return r, nil
}

// fractions writes the parts of the values strictly below, below but for half of the equal
// ones, and at most the value, each rounded once; NaN of none.
func (c *rankCounts) fractions() (cells []string) {
	below, equal, all := c.below.rat(), c.equal.rat(), c.count.rat()
	for _, half := range []int64{0, 1, 2} {
		part := new(big.Rat).Mul(equal, big.NewRat(half, 2))
		text := tensorio.TextNaN
		if all.Sign() > 0 {
			f, _ := part.Add(part, below).Quo(part, all).Float64()
			text = tensorio.FormatFloat(f, 64)
		}
		cells = append(cells, text)
	}
	return cells
}
