package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

const assertHelp = `Whether conditions hold, for scripts: exit status 0 and no word if all do; 3, and the
values of those that do not on standard error.

A condition compares one of

  p99, p99.9        a percentile         median
  q0.999, q1/3      a quantile           min, max
  count             the values that are not missing
  missing           those that are, NaNs too, which all others leave out

with a number or a date by < <= > >= == !=. Several are joined by 'and', or are
arguments of their own. Each must hold for every column, array and group; without values
none does but those on counts. Percentiles are those of --method; the comparison is
exact.
`

// errFalse says that a condition does not hold.
var errFalse = errors.New("a condition does not hold")

func newAssertCmd(s streams) *cobra.Command {
	var f survey
	var method string
	cmd := &cobra.Command{
		Use:   "assert CONDITION... [FILE...]",
		Short: "Whether conditions on quantiles and counts hold",
		Long:  assertHelp + fileHelp,
		Example: "  ogive assert 'p99 < 200 and max < 1000' latency.csv -c ms\n" +
			"  ogive assert 'median <= 15' 'missing == 0' flights.csv -c delay --by origin\n" +
			"  ogive assert 'min >= 0' stack.npy",
		GroupID:     groupOrder,
		Annotations: map[string]string{statusThree: "a condition does not hold"},
	}
	cmd.Flags().StringVar(&method, "method", "", "`name` of the rule between two elements (default linear); see 'ogive help methods'")
	completes(cmd, "method", describedMethods())
	f.register(cmd, false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		list, files, err := parseConditions(args)
		if err != nil {
			return err
		}
		as := rank.Linear
		if cmd.Flags().Changed("method") {
			if as, err = rank.Parse(method); err != nil {
				return err
			}
		}
		in, g, done, err := f.open(cmd, s, files, "conditions")
		if err != nil {
			return err
		}
		defer done()
		if !cmd.Flags().Changed("method") {
			as = in.methodFor(as)
		}
		return assert(cmd.Context(), in, g, list, as)
	}
	return cmd
}

// condition compares a quantity with a value.
type condition struct {
	text     string
	quantity string
	q        rank.Q // of a quantile
	ends     bool   // it is the smallest or the largest value
	compare  string
	with     value
}

// conditionForm are the parts of a condition.
var conditionForm = regexp.MustCompile(`^\s*([a-z]+|[pq][0-9][0-9.eE/+-]*)\s*(<=|>=|==|!=|<|>)\s*(\S+)\s*$`)

// parseConditions takes the conditions at the begin of the arguments; the rest are FILEs.
func parseConditions(args []string) (list []condition, files []string, err error) {
	for len(args) > 0 && strings.ContainsAny(args[0], "<>=!") {
		if _, err := os.Lstat(args[0]); err == nil && len(list) > 0 {
			break // a file of that name
		}
		for _, text := range regexp.MustCompile(`\band\b`).Split(args[0], -1) {
			c, err := parseCondition(text)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, c)
		}
		args = args[1:]
	}
	if len(list) == 0 {
		return nil, nil, usageError("ogive assert 'p99 < 200' FILE", "takes a condition before FILE")
	}
	return list, args, nil
}

func parseCondition(text string) (c condition, err error) {
	text = strings.Join(strings.Fields(text), " ")
	m := conditionForm.FindStringSubmatch(text)
	if m == nil {
		return c, usageError("such as p99 < 200, median >= 1.5 or missing == 0", "%q is no condition", text)
	}
	c = condition{text: text, quantity: m[1], compare: m[2]}
	if c.with, err = parseValue(text, m[3]); err != nil {
		return c, err
	}
	switch name := m[1]; {
	case name == "count" || name == "missing":
		if c.with.date {
			return c, usageError("", "%s: counts are no dates", text)
		}
	case name == "min":
		c.q, c.ends = rank.Ratio(0, 1), true
	case name == "max":
		c.q, c.ends = rank.Ratio(1, 1), true
	case name == "median":
		c.q = rank.Ratio(1, 2)
	case len(name) > 1 && strings.ContainsAny(name[1:2], "0123456789"):
		qs, err := parseQuantiles(name[:1], name[1:])
		if err != nil {
			return c, err
		}
		c.q = qs.list[0]
	default:
		return c, usageError("p99, q0.999, median, min, max, count and missing", "%s: there is no %q", text, name)
	}
	return c, nil
}

// counted reports whether the condition is on a count.
func (c *condition) counted() bool { return c.quantity == "count" || c.quantity == "missing" }

// holds reports whether the comparison does, of what compares with the value as sign.
func (c *condition) holds(sign int) bool {
	switch c.compare {
	case "<":
		return sign < 0
	case "<=":
		return sign <= 0
	case ">":
		return sign > 0
	case ">=":
		return sign >= 0
	case "==":
		return sign == 0
	}
	return sign != 0
}

// mostFalse is how many conditions that do not hold are told.
const mostFalse = 10

// assert returns an error that tells which conditions do not hold.
func assert(ctx context.Context, in *operands, g *grouping, list []condition, method rank.Method) error {
	names, about := subjects(in, g)
	var told []string
	count := 0
	for i := range list {
		c := &list[i]
		actual, err := c.values(ctx, in, g, method)
		if err != nil {
			return err
		}
		for _, a := range about {
			v := actual[a.of][a.group]
			if v.comparable && c.holds(v.sign) {
				continue
			}
			if count++; count > mostFalse {
				continue
			}
			var labels []string
			for k, label := range a.labels {
				labels = append(labels, names[k]+" "+label)
			}
			where := strings.Join(labels, ", ")
			if where != "" {
				where += ": "
			}
			told = append(told, fmt.Sprintf("%s%s is %s, not %s %s", where, c.quantity, v.text, c.compare, c.with.text))
		}
	}
	switch {
	case count == 0:
		return nil
	case count > mostFalse:
		told = append(told, fmt.Sprintf("and %d more", count-mostFalse))
	}
	return usage{strings.Join(told, "; "), errFalse}
}

// actual is the value of a quantity, and how it compares with that of a condition.
type actual struct {
	text       string
	sign       int
	comparable bool // it is no NaN
}

// values returns the quantity of a condition, by operand and group.
func (c *condition) values(ctx context.Context, in *operands, g *grouping, method rank.Method) ([][]actual, error) {
	if c.ends {
		method = in.methodFor(rank.Lower)
	}
	r := &request{op: ogive.OpNaNQuantile, as: ogive.OpNaNQuantile, options: []ogive.Option{ogive.Fractions(c.q), ogive.Method(method), ogive.Context(ctx)}}
	all := make([][]actual, len(in.list))
	for k := range in.list {
		o := &in.list[k]
		var err error
		if c.counted() {
			all[k], err = c.counts(o, g)
		} else {
			all[k], err = c.quantiles(r, o, g)
		}
		if err != nil {
			return nil, inFile(r.named(err), in.title, o.name)
		}
	}
	return all, nil
}

// counts returns how many values are missing in each group, or are not.
func (c *condition) counts(o *operand, g *grouping) ([]actual, error) {
	list, missing, err := countsIn(o, g)
	if err != nil {
		return nil, err
	}
	if c.quantity == "missing" {
		list = missing
	}
	counts := make([]actual, len(list))
	for i := range list {
		sign := -c.with.inf
		if c.with.rat != nil {
			sign = list[i].rat().Cmp(c.with.rat)
		}
		counts[i] = actual{list[i].String(), sign, true}
	}
	return counts, nil
}

// quantiles returns the quantile in each group.
func (c *condition) quantiles(r *request, o *operand, g *grouping) ([]actual, error) {
	if g == nil {
		var j job
		err := j.prepare(r, o)
		if errors.Is(err, ogive.ErrEmpty) {
			return []actual{{text: tensorio.TextNaN}}, nil
		}
		if err != nil {
			return nil, err
		}
		p, err := j.part(r, o)
		if err == nil {
			err = j.run(nil, &p)
		}
		if err != nil {
			return nil, err
		}
		return c.compared(&p, o, []int{0})
	}
	a, err := r.byGroup(o, g)
	if err != nil {
		return nil, err
	}
	places := make([]int, len(a.place))
	for group := range places {
		if places[group] = a.place[group]; a.none[group] {
			places[group] = -1
		}
	}
	return c.compared(&part{values: a.values, unit: o.Unit}, o, places)
}

// compared compares the values of an answer at some places with that of the condition;
// at -1 there is none.
func (c *condition) compared(p *part, o *operand, places []int) ([]actual, error) {
	cell, err := p.cells()
	if err != nil {
		return nil, err
	}
	list := make([]actual, len(places))
	signs := map[int]int{}
	of := operand{name: o.name, x: p.values, Column: tensorio.Column{Values: p.values, Unit: p.unit}}
	if p.unit == tensorio.UnitNone && o.Unit != tensorio.UnitNone { // NaN of dates
		of.Unit = o.Unit
	}
	err = place(&of, []value{c.with}, func(i, atMost int, equal bool) {
		switch {
		case equal:
			signs[i] = 0
		case atMost == 0:
			signs[i] = -1
		default:
			signs[i] = 1
		}
	})
	for i, at := range places {
		list[i].text = tensorio.TextNaN
		if at >= 0 {
			list[i].text = cell(at)
			list[i].sign, list[i].comparable = signs[at]
		}
	}
	return list, err
}
