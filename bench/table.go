package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ogive-go/ogive/internal/cpu"
)

// result is what was measured of a case, in milliseconds per call; NaN where
// there is no measurement.
type result struct {
	name   string
	ogive  float64
	spread float64            // of ogive, the distance of the quartiles over the median
	peers  map[string]float64 // by system; a missing one has no measurement
	levels map[string]float64 // ogive with the vector instructions of plainer levels
	read   float64            // reading the data once
	base   float64            // ogive on the base case's data
	notes  []string
}

// best returns the fastest peer, "" if there is none.
func (r result) best() (system string, ms float64) {
	ms = math.NaN()
	for _, s := range peerSystems {
		if v, ok := r.peers[s]; ok && (system == "" || v < ms) {
			system, ms = s, v
		}
	}
	return system, ms
}

// column is a column of the table.
type column struct {
	head string
	cell func(r result) string
	// optional columns are left out where no row fills them.
	optional bool
}

const none = "-"

// columns returns the columns of the table, in order.
func columns() []column {
	cols := []column{
		{head: "case", cell: func(r result) string { return r.name }},
		{head: "ogive ms", cell: func(r result) string { return number(r.ogive) }},
		{head: "±%", cell: func(r result) string { return fixed(100*r.spread, 0) }},
	}
	for _, s := range peerSystems {
		cols = append(cols, column{head: s, cell: func(r result) string {
			if v, ok := r.peers[s]; ok {
				return number(v)
			}
			return none
		}})
	}
	for _, level := range cpu.Levels() {
		of := func(r result) float64 {
			if v, ok := r.levels[level]; ok {
				return v
			}
			return math.NaN()
		}
		cols = append(cols,
			column{head: level + " ms", cell: func(r result) string { return number(of(r)) }, optional: true},
			column{head: "times", cell: func(r result) string { return ratio(of(r), r.ogive) }, optional: true})
	}
	return append(cols,
		column{head: "times faster", cell: func(r result) string { _, ms := r.best(); return ratio(ms, r.ogive) }},
		column{head: "than", cell: func(r result) string {
			if s, _ := r.best(); s != "" {
				return s
			}
			return none
		}},
		column{head: "read ms", cell: func(r result) string { return number(r.read) }},
		column{head: "times read", cell: func(r result) string { return ratio(r.ogive, r.read) }},
		column{head: "random ms", cell: func(r result) string { return number(r.base) }, optional: true},
		column{head: "times random", cell: func(r result) string { return ratio(r.ogive, r.base) }, optional: true},
	)
}

// number formats milliseconds with three significant digits, never with an
// exponent.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return none
	}
	if v >= 100 {
		return fixed(v, 0)
	}
	digits := 2
	for w := math.Abs(v); w < 1 && w > 0 && digits < 9; w *= 10 {
		digits++
	}
	if v >= 10 {
		digits = 1
	}
	return fixed(v, digits)
}

func fixed(v float64, digits int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return none
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// ratio formats a over b.
func ratio(a, b float64) string {
	r := a / b
	if r >= 100 {
		return fixed(r, 0)
	}
	return fixed(r, 1+btoi(r < 10))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// formats are the ways to print a table of cells, the first row being the heads.
var formats = map[string]func(w io.Writer, cells [][]string) error{
	"table":    writeTable,
	"markdown": writeMarkdown,
	"tsv":      writeTSV,
}

// cells lays the results out.
func cells(results []result) [][]string {
	rows := make([][]string, len(results)+1)
	for _, c := range columns() {
		filled := !c.optional
		column := []string{c.head}
		for _, r := range results {
			cell := c.cell(r)
			column = append(column, cell)
			filled = filled || cell != none
		}
		if !filled {
			continue
		}
		for i, cell := range column {
			rows[i] = append(rows[i], cell)
		}
	}
	return rows
}

func widths(cells [][]string) []int {
	w := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, c := range row {
			w[i] = max(w[i], utf8.RuneCountInString(c))
		}
	}
	return w
}

// pad returns the cell with spaces to its left, or for the first column to its
// right.
func pad(c string, width, column int) string {
	spaces := strings.Repeat(" ", width-utf8.RuneCountInString(c))
	if column == 0 {
		return c + spaces
	}
	return spaces + c
}

func writeTable(w io.Writer, cells [][]string) error {
	width := widths(cells)
	var b strings.Builder
	for _, row := range cells {
		for i, c := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(pad(c, width[i], i))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeMarkdown(w io.Writer, cells [][]string) error {
	width := widths(cells)
	var b strings.Builder
	for k, row := range cells {
		for i, c := range row {
			fmt.Fprintf(&b, "| %s ", pad(c, width[i], i))
		}
		b.WriteString("|\n")
		if k > 0 {
			continue
		}
		for i, n := range width {
			if i == 0 {
				fmt.Fprintf(&b, "|-%s-", strings.Repeat("-", n))
			} else {
				fmt.Fprintf(&b, "|-%s:", strings.Repeat("-", n))
			}
		}
		b.WriteString("|\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeTSV(w io.Writer, cells [][]string) error {
	var b strings.Builder
	for _, row := range cells {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
