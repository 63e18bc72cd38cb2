package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	ogivebeam "github.com/ogive-go/ogive/beam"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	beam.RegisterFunction(encodeLine)
	beam.RegisterFunction(decodeLine)
	beam.RegisterCoder(reflect.TypeFor[line](), encodeLine, decodeLine)
	beam.RegisterFunction(lineOfAnswer)
	beam.RegisterFunction(lineOfDescription)
	beam.RegisterType(reflect.TypeFor[writeFn]())
}

// table says how answers are written.
type table struct {
	Op       string
	Labels   []string // of the values of a line
	IsScalar bool     // a line has one value
	By       []string
	Axis     []int
	Along    int
	Format   string
}

// line is an answer as it is written.
type line struct {
	File     string
	Group    []string
	Missing  []bool // which of Group are, if any
	Column   string
	Index    int64
	Position []int64
	Shape    []int64 // of Cells
	Cells    []string
}

func encodeLine(l line) ([]byte, error) { return json.Marshal(l) }

func decodeLine(b []byte) (l line, err error) {
	err = json.Unmarshal(b, &l)
	return l, err
}

func lineOfAnswer(a ogivebeam.Answer) (line, error) {
	l := line{File: a.File, Group: a.Group, Missing: a.MissingKeys, Column: a.Column, Index: a.Index, Position: a.Position}
	x, err := a.Tensor()
	if err != nil {
		return l, err
	}
	for _, n := range x.Shape() {
		l.Shape = append(l.Shape, int64(n))
	}
	l.Cells, err = a.Cells()
	return l, err
}

func lineOfDescription(d ogivebeam.Description) (line, error) {
	cells, err := d.Cells()
	return line{Group: d.Group, Missing: d.MissingKeys, Column: d.Column, Index: d.Index, Cells: cells}, err
}

// write writes a collection of Answers or Descriptions to a file.
func (t *table) write(s beam.Scope, answers beam.PCollection, described bool, path string) {
	s = s.Scope("write")
	of := any(lineOfAnswer)
	if described {
		of, t.Labels = lineOfDescription, ogivebeam.DescribeNames()
	}
	lines := beam.ParDo(s, of, answers)
	beam.ParDo(s, &writeFn{*t, path}, beam.GroupByKey(s, beam.AddFixedKey(s, lines)))
}

// writeFn writes all lines.
type writeFn struct {
	Table table
	Path  string
}

func (fn *writeFn) ProcessElement(ctx context.Context, _ int, next func(*line) bool, emit func(int)) error {
	var lines []line
	for l := (line{}); next(&l); l = (line{}) {
		lines = append(lines, l)
	}
	var b bytes.Buffer
	if err := fn.Table.print(&b, lines); err != nil {
		return err
	}
	if !strings.Contains(fn.Path, "://") {
		return tensorio.WriteFile(fn.Path, func(w io.Writer) error {
			_, err := w.Write(b.Bytes())
			return err
		})
	}
	fs, err := filesystem.New(ctx, fn.Path)
	if err != nil {
		return err
	}
	defer fs.Close()
	w, err := fs.OpenWrite(ctx, fn.Path)
	if err != nil {
		return err
	}
	if _, err = w.Write(b.Bytes()); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}

// print writes lines in ascending order of groups, columns and places.
func (t *table) print(w io.Writer, lines []line) error {
	lines = unfold(lines, t)
	compare := groupOrder(lines)
	slices.SortFunc(lines, func(a, b line) int {
		for i := range a.Group {
			if c := compare[i](&a, &b); c != 0 {
				return c
			}
		}
		return cmp.Or(cmp.Compare(a.Index, b.Index), slices.Compare(a.Position, b.Position))
	})
	var head []string
	isTable := len(lines) > 0 && (lines[0].Column != "" || len(lines[0].Group) > 0)
	head = append(head, t.By...)
	if isTable {
		head = append(head, "column")
	}
	dims := 0
	if len(lines) > 0 {
		dims = len(lines[0].Position)
	}
	for a := range dims + len(t.Axis) {
		if dims > 0 && !slices.Contains(t.axes(dims+len(t.Axis)), a) {
			head = append(head, "axis"+strconv.Itoa(a))
		}
	}
	rows := [][]string{append(head, t.Labels...)}
	for _, l := range lines {
		row := slices.Clone(l.Group)
		if isTable {
			row = append(row, l.Column)
		}
		for _, i := range l.Position {
			row = append(row, strconv.FormatInt(i, 10))
		}
		rows = append(rows, append(row, l.Cells...))
	}
	if t.Format == "json" {
		return t.printJSON(w, rows, len(head))
	}
	switch {
	case isTable || t.Op == "describe" || dims > 0 && (!t.IsScalar || dims > 2):
	case dims == 0 && t.IsScalar: // the bare value
		rows = rows[1:]
	case dims == 0:
		across := [][]string{{"q", t.Op}}
		for i, label := range t.Labels {
			for _, row := range rows[1:] {
				across = append(across, []string{label, row[i]})
			}
		}
		rows = across
	default: // a matrix, or a vector
		rows = matrix(rows[1:], dims)
	}
	return writeRows(w, rows, t.Format)
}

// axes returns the axes that are reduced, of arrays of so many dimensions.
func (t *table) axes(dims int) []int {
	out := make([]int, len(t.Axis))
	for i, a := range t.Axis {
		out[i] = (a + dims) % dims
	}
	return out
}

// unfold makes the answers of files by themselves, which follow each other along a kept
// axis, lines of one array.
func unfold(lines []line, t *table) (out []line) {
	if len(lines) == 0 || lines[0].File == "" {
		return lines
	}
	slices.SortFunc(lines, func(a, b line) int { return strings.Compare(a.File, b.File) })
	offset := int64(0)
	for _, l := range lines {
		shape := l.Shape
		qs := 1
		if len(t.Labels) > 0 && !(len(t.Labels) == 1 && t.Op != "quantile" && strings.HasSuffix(t.Op, "median")) {
			qs, shape = int(shape[0]), shape[1:]
		}
		dims := len(shape) + len(t.Axis)
		at := (t.Along + dims) % dims // among the kept ones:
		for _, a := range t.axes(dims) {
			if a < (t.Along+dims)%dims {
				at--
			}
		}
		n := len(l.Cells) / max(qs, 1)
		for i := range n {
			one := line{Position: make([]int64, len(shape))}
			rest := int64(i)
			for d, size := range slices.Backward(shape) {
				one.Position[d] = rest % size
				rest /= size
			}
			one.Position[at] += offset
			for q := range qs {
				one.Cells = append(one.Cells, l.Cells[q*n+i])
			}
			out = append(out, one)
		}
		offset += shape[at]
	}
	return out
}

// matrix lays out the values of a vector or a matrix.
func matrix(rows [][]string, dims int) [][]string {
	if dims == 1 {
		for i, row := range rows {
			rows[i] = row[1:]
		}
		return rows
	}
	var out [][]string
	for i, row := range rows {
		if i == 0 || row[0] != rows[i-1][0] {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], row[2])
	}
	return out
}

// isMissing reports whether a column that makes groups has no value.
func (l *line) isMissing(i int) bool { return l.Missing != nil && l.Missing[i] }

// groupOrder returns, for each column that makes groups, how lines are ordered by it: as
// ogive --sort does, and what is missing last.
func groupOrder(lines []line) (compare []func(a, b *line) int) {
	if len(lines) == 0 {
		return nil
	}
	for i := range lines[0].Group {
		var texts []string
		for _, l := range lines {
			if !l.isMissing(i) {
				texts = append(texts, l.Group[i])
			}
		}
		order := tensorio.KeyOrder(texts)
		compare = append(compare, func(a, b *line) int {
			switch goneA, goneB := a.isMissing(i), b.isMissing(i); {
			case goneA && goneB:
				return 0
			case goneA:
				return 1
			case goneB:
				return -1
			}
			return order(a.Group[i], b.Group[i])
		})
	}
	return compare
}

// writeRows writes rows of cells.
func writeRows(w io.Writer, rows [][]string, format string) error {
	if format == "csv" {
		out := csv.NewWriter(w)
		if err := out.WriteAll(rows); err != nil {
			return err
		}
		return out.Error()
	}
	clean := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	for _, row := range rows {
		for i, cell := range row {
			row[i] = clean.Replace(cell)
		}
		if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// printJSON writes a record for each line, whose first cells are labels.
func (t *table) printJSON(w io.Writer, rows [][]string, labels int) error {
	var b bytes.Buffer
	b.WriteString(`{"schema":1,"kind":"records","op":`)
	quote := func(s string) { text, _ := json.Marshal(s); b.Write(text) }
	quote(t.Op)
	b.WriteString(`,"records":[`)
	numbers := slices.Repeat([]bool{true}, len(t.By)) // which keys of groups are
	for _, row := range rows[1:] {
		for k := range numbers {
			numbers[k] = numbers[k] && tensorio.IsNumber(row[k])
		}
	}
	for i, row := range rows[1:] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		for j, cell := range row {
			if j > 0 {
				b.WriteByte(',')
			}
			quote(rows[0][j])
			b.WriteByte(':')
			if j < len(numbers) && numbers[j] {
				b.WriteString(cell)
			} else if _, err := strconv.ParseFloat(cell, 64); j < labels || err != nil || strings.Trim(cell, "+-0123456789.eE") != "" {
				quote(cell)
			} else {
				b.WriteString(cell)
			}
		}
		b.WriteByte('}')
	}
	b.WriteString("]}\n")
	_, err := w.Write(b.Bytes())
	return err
}
