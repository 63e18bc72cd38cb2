package main

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ogive-go/ogive/tensorio"
)

// sheet is a result laid out as lines of cells.
type sheet struct {
	header []string           // nil for none
	labels int                // how many leading cells of a line say where it belongs
	keys   int                // how many of these are keys of groups
	rows   iter.Seq[[]string] // the slice is reused
	across bool               // people read it better with a line for each column
	bars   bool               // a table has a bar after the last cell, which is a count
	places bool               // the labels are numbers, where they look so
}

// sheet lays r out; see layoutHelp.
func (r *result) sheet() (*sheet, error) {
	if r.records != nil {
		return r.records.sheet(), nil
	}
	format := make([]func(int) string, len(r.parts))
	for i, p := range r.parts {
		var err error
		if format[i], err = p.cells(); err != nil {
			return nil, err
		}
	}
	switch {
	case r.table && r.elementwise:
		return r.columnSheet(format), nil
	case r.table:
		return r.tableSheet(format), nil
	case r.list():
		return r.listSheet(format[0]), nil
	}
	return r.tensorSheet(format[0]), nil
}

// columnSheet has the columns of a table as columns.
func (r *result) columnSheet(format []func(int) string) *sheet {
	names, list := r.tensors(false)
	longest := 0
	for _, t := range list {
		longest = max(longest, t.Len())
	}
	return &sheet{header: names, rows: func(yield func([]string) bool) {
		row := make([]string, len(format))
		for i := range longest {
			for c, cell := range format {
				if row[c] = ""; i < list[c].Len() {
					row[c] = cell(i)
				}
			}
			if !yield(row) {
				return
			}
		}
	}}
}

// tableSheet has a line for each column of a table, and a column for each
// quantile.
func (r *result) tableSheet(format []func(int) string) *sheet {
	var header []string
	if r.perFile() {
		header = append(header, "file")
	}
	if r.columns() {
		header = append(header, "column")
	}
	labels := len(header)
	if r.qs != nil {
		header = append(header, r.qs.labels...)
	} else {
		header = append(header, r.op)
	}
	return &sheet{header: header, labels: labels, rows: func(yield func([]string) bool) {
		row := make([]string, len(header))
		for c, cell := range format {
			p := &r.parts[c]
			copy(row, labelsOf(r, p))
			for i := range row[labels:] {
				row[labels+i] = cell(i)
			}
			if !yield(row) {
				return
			}
		}
	}}
}

// labelsOf returns the cells that say which answer a line is.
func labelsOf(r *result, p *part) (labels []string) {
	if r.perFile() {
		labels = append(labels, p.file)
	}
	if r.columns() {
		labels = append(labels, p.name)
	}
	return labels
}

// listSheet has a column for each quantile and a line for each other element,
// or a line for each quantile if there is no other dimension.
func (r *result) listSheet(cell func(int) string) *sheet {
	p := r.parts[0]
	shape := p.values.Shape()[1:]
	n := product(shape)
	if len(shape) == 0 {
		return &sheet{header: []string{r.qs.name, r.op}, labels: 1, places: true, rows: func(yield func([]string) bool) {
			row := make([]string, 2)
			for i, label := range r.qs.labels {
				row[0], row[1] = label, cell(i)
				if !yield(row) {
					return
				}
			}
		}}
	}
	header := append(axisNames(p.axes), r.qs.labels...)
	return &sheet{header: header, labels: len(shape), places: true, rows: func(yield func([]string) bool) {
		row := make([]string, len(header))
		for i := range n {
			position(row[:len(shape)], shape, i)
			for k := range r.qs.labels {
				row[len(shape)+k] = cell(k*n + i)
			}
			if !yield(row) {
				return
			}
		}
	}}
}

// tensorSheet has up to two dimensions as a matrix, a vector as one column,
// and more dimensions as labelled rows.
func (r *result) tensorSheet(cell func(int) string) *sheet {
	p := r.parts[0]
	shape := p.values.Shape()
	across := 1
	if len(shape) > 1 {
		across = shape[len(shape)-1]
	}
	down := shape[:max(len(shape)-1, 0)]
	if len(shape) == 1 {
		down = shape
	}
	s := &sheet{places: true}
	if len(shape) > 2 {
		s.labels = len(down)
		s.header = axisNames(p.axes[:len(down)])
		for i := range across {
			s.header = append(s.header, strconv.Itoa(i))
		}
	}
	s.rows = func(yield func([]string) bool) {
		row := make([]string, s.labels+across)
		for i := range product(down) {
			position(row[:s.labels], down, i)
			for k := range across {
				row[s.labels+k] = cell(i*across + k)
			}
			if !yield(row) {
				return
			}
		}
	}
	return s
}

// axisNames returns the headings of index columns.
func axisNames(axes []int) []string {
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = "axis" + strconv.Itoa(a)
	}
	return names
}

// position writes the indices of element i of a shape, if labels has room for
// them.
func position(labels []string, shape []int, i int) {
	for d := len(labels) - 1; d >= 0; d-- {
		labels[d] = strconv.Itoa(i % shape[d])
		i /= shape[d]
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// oneLineCell makes text safe for a cell of a TSV line or of a table: white space becomes
// blanks, and other control characters are escaped.
func oneLineCell(cell string) string {
	if !strings.ContainsFunc(cell, isControl) {
		return cell
	}
	var b strings.Builder
	for i, r := range cell {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case isControl(r):
			b.WriteString(tensorio.Shown(string(r), len(`\u0000`)))
		default:
			_, n := utf8.DecodeRuneInString(cell[i:])
			b.WriteString(cell[i : i+n])
		}
	}
	return b.String()
}
