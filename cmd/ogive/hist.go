package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
)

const histHelp = `How many values lie in each bin: a line for each bin, with a bar in a table.

A bin holds its lower edge and not its upper one, but for the last, which holds both:
the rules of numpy.histogram. Without --edges or --width there are --bins of equal width
from the smallest finite value to the largest, or over --range; with --log of equal
ratio, from the smallest positive value on. --width w has edges at multiples of w, and
no bin of it holds its upper edge.

Edges are exact, and so are the counts, also of integers beyond 2^53; an edge is written
rounded once. The groups of a column have the same bins. Values outside the bins, and
missing ones, are left out with a note.
`

// histOptions say which bins.
type histOptions struct {
	bins  int
	edges []string
	width string
	over  []string
	log   bool
}

// mostBins is how many bins there may be.
const mostBins = 1_000_000

func newHistCmd(s streams) *cobra.Command {
	var f survey
	var o histOptions
	cmd := &cobra.Command{
		Use:   "hist [FILE...]",
		Short: "How many values lie in each bin",
		Long:  histHelp + fileHelp,
		Example: "  ogive hist latency.csv -c ms --log\n  ogive hist flights.csv -c delay --width 15 --by origin -f csv\n" +
			"  ogive hist stack.npy --edges 0,0.5,1",
		GroupID: groupOrder,
	}
	flags := cmd.Flags()
	flags.IntVar(&o.bins, "bins", 10, "how many")
	flags.StringSliceVar(&o.edges, "edges", nil, "`edges` of the bins, ascending: 0,10,100")
	flags.StringVar(&o.width, "width", "", "`width` of each bin, its edges are multiples of it")
	flags.StringSliceVar(&o.over, "range", nil, "`ends` of the first bin and the last: 0,100")
	flags.BoolVar(&o.log, "log", false, "bins of equal ratio")
	cmd.MarkFlagsMutuallyExclusive("bins", "edges", "width")
	cmd.MarkFlagsMutuallyExclusive("edges", "width", "range")
	cmd.MarkFlagsMutuallyExclusive("edges", "width", "log")
	f.register(cmd, true)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		b, err := o.parse()
		if err != nil {
			return err
		}
		in, g, done, err := f.open(cmd, s, args, "histograms")
		if err != nil {
			return err
		}
		defer done()
		list, err := histograms(in, g, b)
		if err != nil {
			return err
		}
		in.tell(s, f.work)
		return f.out.write(cmd.Context(), s, &result{op: "hist", records: list})
	}
	return cmd
}

// parse checks the flags.
func (o *histOptions) parse() (b binning, err error) {
	b = binning{count: o.bins, log: o.log}
	if b.count < 1 || b.count > mostBins {
		return b, usageError("", "--bins is 1 to %d, got %d", mostBins, b.count)
	}
	if b.edges, err = ascending("--edges", o.edges); err != nil {
		return b, err
	}
	if b.over, err = ascending("--range", o.over); err != nil {
		return b, err
	}
	if b.over != nil && len(b.over) != 2 {
		return b, usageError("--range 0,100", "--range takes two values, got %d", len(b.over))
	}
	for _, v := range b.over {
		if v.rat == nil || b.log && v.rat.Sign() <= 0 {
			return b, usageError("", "--range ends at %s, which bins %s cannot", v.text, map[bool]string{true: "of equal ratio", false: "of equal width"}[b.log])
		}
	}
	if o.width != "" {
		w, err := parseValue("--width", o.width)
		if err != nil {
			return b, err
		}
		if w.date || w.rat == nil || w.rat.Sign() <= 0 {
			return b, usageError("", "--width is a positive number, got %s", o.width)
		}
		b.width = w.rat
	}
	return b, nil
}

// ascending reads two or more values, each above the one before.
func ascending(flag string, texts []string) (list []value, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	for _, text := range texts {
		v, err := parseValue(flag, text)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if len(list) < 2 {
		return nil, usageError("", "%s takes two values at least, got %s", flag, strings.Join(texts, ","))
	}
	for i, v := range list[1:] {
		if compareValues(list[i], v) >= 0 || list[i].date != v.date {
			return nil, usageError("", "%s must ascend: %s comes before %s", flag, list[i].text, v.text)
		}
	}
	return list, nil
}

// histograms makes a line for each bin of each operand and group.
func histograms(in *operands, g *grouping, b binning) (*records, error) {
	groups, of := groupsOf(g)
	counts := make([][][]tally, len(in.list)) // by operand, group, bin
	edges := make([][]value, len(in.list))
	for k := range in.list {
		o := &in.list[k]
		var err error
		if edges[k], err = b.of(o); err != nil {
			return nil, inFile(err, in.title, o.name)
		}
		last, outside, present := len(edges[k])-1, 0, 0
		list := make([][]tally, groups)
		for i := range list {
			list[i] = make([]tally, last)
		}
		err = place(o, edges[k], func(i, atMost int, equal bool) {
			present++
			switch {
			case atMost > 0 && atMost <= last:
				list[of(i)][atMost-1].add(o.weights, i)
			case atMost > last && equal:
				list[of(i)][last-1].add(o.weights, i)
			default:
				outside++
			}
		})
		if err != nil {
			return nil, inFile(err, in.title, o.name)
		}
		counts[k] = list
		if missing := o.x.Len() - present - o.Invalid; missing > 0 {
			in.note("%s: %d missing %s left out", noteName(o.name), missing, plural(missing, "value"))
		}
		in.noteCells(ogive.OpNaNQuantile, o.name, o.Invalid, o.Invalid, o.Rounded)
		if outside > 0 {
			in.note("%s: %d %s outside the bins", noteName(o.name), outside, plural(outside, "value"))
		}
	}
	names, about := subjects(in, g)
	r := &records{names: append(names, "from", "to", "count"), labels: len(names), bars: true}
	r.rows = func(yield func([]string) bool) {
		for _, a := range about {
			at := edges[a.of]
			for i, n := range counts[a.of][a.group] {
				if !yield(slices.Concat(a.labels, []string{at[i].text, at[i+1].text, n.String()})) {
					return
				}
			}
		}
	}
	return r, nil
}
