package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/ogive-go/ogive/rank"
)

// elsewhere is what other programs call methods, beside R, which numbers them by their
// types.
var elsewhere = map[rank.Method]struct{ numpy, sql, excel string }{
	rank.Linear:      {sql: "percentile_cont", excel: "PERCENTILE.INC"},
	rank.NearestDown: {numpy: "-"},
	rank.InvertedCDF: {sql: "percentile_disc"},
	rank.Weibull:     {excel: "PERCENTILE.EXC"},
}

// methodsHelp is the help on the methods of quantiles.
func methodsHelp() string {
	var rules, names strings.Builder
	table := func(to *strings.Builder, row func(rank.Method) []string, header ...string) {
		w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, strings.Join(header, "\t"))
		for _, m := range rank.Methods() {
			fmt.Fprintln(w, strings.Join(row(m), "\t"))
		}
		w.Flush()
	}
	table(&rules, func(m rank.Method) []string { return []string{m.String(), typeOf(m), m.Rule()} }, "method", "type", "rule")
	table(&names, func(m rank.Method) []string {
		e := elsewhere[m]
		if e.numpy == "" {
			e.numpy = m.String()
		}
		r := "-"
		if m.Type() > 0 {
			r = "type=" + typeOf(m)
		}
		return []string{m.String(), e.numpy, r, dash(e.sql), dash(e.excel)}
	}, "method", "NumPy", "R", "SQL", "Excel")
	return `The methods of quantiles (--method), and what others call them.

v is the place of the quantile q among n ordered values, counted from 0. The answer
lies between the values at floor v and floor v + 1, or is one of them; outside of 0 to
n-1 it is the nearer end. The types are those of Hyndman and Fan (1996), and --method
takes them too: type1 to type9. With alpha and beta, v = nq + (alpha + q(1-alpha-beta))
- 1 and the weight is v - floor v.

` + rules.String() + `
` + wrapped("Methods that pick a value keep its type and have an index: "+strings.Join(discreteMethods(), ", ")+".", 88) + `
` + names.String() + `
Excel's PERCENTILE.EXC has no answer where weibull gives the nearer end. nearest_down is
what PyTorch's and OneFlow's pages describe; torch.quantile computes nearest.
`
}

// typeOf returns a method's number in Hyndman and Fan's list, or "-".
func typeOf(m rank.Method) string {
	if m.Type() == 0 {
		return "-"
	}
	return fmt.Sprint(m.Type())
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// describedMethods returns the names of the methods with their rules, for completion.
func describedMethods() (list []string) {
	for _, m := range rank.Methods() {
		text := m.Rule()
		if m.Type() > 0 {
			text = "type " + typeOf(m) + ": " + text
		}
		list = append(list, m.String()+"\t"+text)
	}
	return list
}
