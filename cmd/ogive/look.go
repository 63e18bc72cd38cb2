package main

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ogive-go/ogive/tensorio"
)

// look is how text has the cells of a result.
type look struct {
	color  bool
	width  int    // of the terminal, 0 for no limit
	digits int    // significant ones of fractions, 0 for all
	nan    string // in place of NaN, empty for NaN
}

// maxDigits is how many significant digits a float64 may need.
const maxDigits = 17

// cell returns a value as text has it. Whole numbers are never shortened, so that
// --digits 2 of 1234.5 is 1234 and not 1200, and of 0.012345 is 0.012.
func (l look) cell(s string) string {
	if s == tensorio.TextNaN {
		if l.nan != "" {
			return l.nan
		}
		return s
	}
	whole, fraction, found := strings.Cut(s, ".")
	if l.digits == 0 || !found {
		return s
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil { // such as a date
		return s
	}
	digits := l.digits
	if !strings.ContainsAny(fraction, "e") {
		if n := len(strings.TrimLeft(whole, "-0")); n > digits {
			digits = n
		}
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	return tensorio.FormatFloat(short, 64)
}

// sheet returns a sheet whose values are as text has them.
func (l look) sheet(s *sheet) *sheet {
	if l.digits == 0 && l.nan == "" {
		return s
	}
	rows, shown := s.rows, *s
	shown.rows = func(yield func([]string) bool) {
		var line []string
		for row := range rows {
			line = append(line[:0], row...)
			for i := s.labels; i < len(line); i++ {
				line[i] = l.cell(line[i])
			}
			if !yield(line) {
				return
			}
		}
	}
	return &shown
}

// json returns a value as JSON has it. NaN is a string unless --nan gives a value of
// JSON, such as null.
func (l look) json(cell string) string {
	if cell == tensorio.TextNaN && l.nan != "" {
		return jsonText(l.nan)
	}
	return jsonNumber(l.cell(cell))
}

// jsonText returns a value of JSON as it is, and all other text as a string.
func jsonText(s string) string {
	if json.Valid([]byte(s)) {
		return s
	}
	b, err := encode(s)
	if err != nil {
		panic(err) // of a string there is none
	}
	return string(b)
}

// writeObject writes a line of cells as an object; the first labels are text, but for keys
// that are numbers.
func writeObject(b *bufio.Writer, names, row []string, labels int, numbers []bool, l look) error {
	for k, cell := range row {
		if k == 0 {
			b.WriteByte('{')
		} else {
			b.WriteByte(',')
		}
		name, err := encode(names[k])
		if err != nil {
			return err
		}
		b.Write(name)
		b.WriteByte(':')
		if k >= labels {
			b.WriteString(jsonText(l.json(cell)))
			continue
		}
		if k < len(numbers) && numbers[k] {
			b.WriteString(cell)
			continue
		}
		text, err := encode(cell)
		if err != nil {
			return err
		}
		b.Write(text)
	}
	return b.WriteByte('}')
}

// writeJSONLines writes an object for each line that text has, named as its header
// names the cells; what has no header is the one object of writeJSON.
func (r *result) writeJSONLines(w io.Writer, l look) error {
	s, err := r.sheet()
	if err != nil {
		return err
	}
	if s.header == nil {
		return r.writeJSON(w, l)
	}
	labels := s.labels
	if s.places {
		labels = 0
	}
	b, numbers := bufio.NewWriter(w), numbersAmong(s.rows, s.keys)
	for row := range s.rows {
		if err := writeObject(b, s.header, row, labels, numbers, l); err != nil {
			return err
		}
		if err := b.WriteByte('\n'); err != nil {
			return err
		}
	}
	return b.Flush()
}

// writePlain writes the one value that the sheet has, without its labels.
func (s *sheet) writePlain(w io.Writer) error {
	value, count := "", 0
	for row := range s.rows {
		count += len(row) - s.labels
		if count == 1 {
			value = row[len(row)-1]
		}
	}
	if count != 1 {
		return usageError("-f tsv, or ask for one", "plain is one bare value, and the answer has %d", count)
	}
	_, err := io.WriteString(w, oneLineCell(value)+"\n")
	return err
}

// mostAcross is how many lines a table may have to be transposed.
const mostAcross = 200

// blocks returns the sheet as a terminal of some width has it: as it is where it fits,
// and otherwise transposed, its lines side by side as columns and as many below each
// other as do not fit. Width 0 is no limit.
func (s *sheet) blocks(width int) []*sheet {
	narrow := width > 0 && s.header != nil && total(s.widths()) > width
	if s.bars || !s.across && !narrow {
		return []*sheet{s}
	}
	var rows [][]string
	for row := range s.rows {
		if len(rows) == mostAcross && !s.across {
			return []*sheet{s}
		}
		rows = append(rows, slices.Clone(row))
	}
	all := s.transposed(rows)
	if width == 0 || len(rows) == 0 || total(all.widths()) <= width {
		return []*sheet{all}
	}
	var list []*sheet
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && total(s.transposed(rows[:n+1]).widths()) <= width {
			n++
		}
		list, rows = append(list, s.transposed(rows[:n])), rows[n:]
	}
	return list
}

// transposed returns some lines of a sheet as columns, headed by their labels.
func (s *sheet) transposed(rows [][]string) *sheet {
	header := []string{strings.Join(s.header[:s.labels], " ")}
	for _, row := range rows {
		header = append(header, strings.Join(row[:s.labels], " "))
	}
	return &sheet{header: header, labels: 1, rows: func(yield func([]string) bool) {
		line := make([]string, len(header))
		for i, name := range s.header[s.labels:] {
			line[0] = name
			for k, row := range rows {
				line[k+1] = row[s.labels+i]
			}
			if !yield(line) {
				return
			}
		}
	}}
}
