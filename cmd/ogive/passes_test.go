package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// Columns computed in passes have the answers, and the notes, of columns in memory,
// also where what comes late needs a wider dtype than what came before.
func TestPasses(t *testing.T) {
	const rows = 300_000 // some blocks of text
	column := func(cell func(i int) string) string {
		b := []byte("v,w\n")
		for i := range rows {
			b = append(b, cell(i)...)
			b = fmt.Appendf(b, ",%d\n", i%5)
		}
		return string(b)
	}
	late := func(first, last string) string {
		return column(func(i int) string {
			if i == rows-1 {
				return last
			}
			return first + fmt.Sprint(i*7919%rows)
		})
	}
	for name, text := range map[string]string{
		"integers":                    late("", "5"),
		"a fraction at the end":       late("90071992547", "0.5"),
		"over int64 at the end":       late("", "18446744073709551615"),
		"over int64 behind negatives": late("-1", "18446744073709551615"),
		"only missing at first":       column(func(i int) string { return []string{"", "7"}[min(i/(rows-9), 1)] }),
		"only missing":                column(func(int) string { return "" }),
		"missing among integers":      column(func(i int) string { return []string{"NA", "3", "9007199254740993"}[i%3] }),
		"fractions":                   column(func(i int) string { return fmt.Sprint(float64(i*7919%rows) / 8) }),
	} {
		for _, r := range []*request{
			{op: ogive.OpNaNQuantile, options: []ogive.Option{ogive.Fractions(rank.Ratio(1, 3), rank.Ratio(1, 1))}},
			{op: ogive.OpQuantile, options: []ogive.Option{ogive.Ratio(9, 10), ogive.Method(rank.Lower)}},
			{op: ogive.OpNaNMedian},
		} {
			for _, weights := range []string{"", "w"} {
				r.as = r.op
				o := tensorio.Options{Columns: []string{"v"}}
				answers := func(inMemory bool) string {
					f := &opener{ctx: context.Background(), s: streams{in: strings.NewReader(text), out: io.Discard, err: io.Discard}, budget: budget{bytes: leastMemory}}
					f.stdin = bytes.NewReader([]byte(text))
					list, err := f.openAll([]string{stdinName}, o)
					if err != nil {
						t.Fatal(err)
					}
					defer closeAll(list)
					request := *r
					var in *operands
					var parts []part
					if inMemory {
						if in, err = f.inputs(list, false); err == nil {
							if err = f.weigh(in, weights, false); err == nil {
								parts, err = compute(f.ctx, f.s, &request, in)
							}
						}
					} else {
						var answer *result
						if answer, in, err = f.passes(list, &orderOptions{op: r.op, input: o, weights: weights}, &request); err == nil {
							parts = answer.parts
						}
					}
					if err != nil {
						t.Fatalf("%s, %v: %v", name, r.op, err)
					}
					cell, err := parts[0].cells()
					if err != nil {
						t.Fatal(err)
					}
					s := fmt.Sprint(parts[0].values.DType(), parts[0].values.Shape())
					for i := range parts[0].values.Len() {
						s += " " + cell(i)
					}
					return s + strings.ReplaceAll(fmt.Sprint(in.said()), "may be rounded", "rounded") // which passes cannot tell
				}
				want := answers(true)
				if got := answers(false); got != want {
					t.Errorf("%s, %v, weights %q: %s, want %s", name, r.op, weights, got, want)
				}
			}
		}
	}
}
