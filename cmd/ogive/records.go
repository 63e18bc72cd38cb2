package main

import (
	"bufio"
	"io"
	"iter"
	"slices"

	"github.com/ogive-go/ogive/tensorio"
)

// records are an answer of lines that are alike, each of named cells.
type records struct {
	names  []string
	labels int                // how many leading cells of a line say what it is about, as text
	keys   int                // how many of these are keys of groups, the first ones
	rows   iter.Seq[[]string] // the slice may be used again
	across bool               // people read it better with a line for each name
	bars   bool               // the last cell is a count, which a table shows as a bar too
}

// sheet lays the records out.
func (r *records) sheet() *sheet {
	return &sheet{header: r.names, labels: r.labels, keys: r.keys, rows: r.rows, across: r.across, bars: r.bars}
}

// writeJSON writes the records as one line: an object for each in "records".
func (r *records) writeJSON(w io.Writer, op string, l look) error {
	b := bufio.NewWriter(w)
	head, err := open(document{Schema: jsonSchema, Kind: "records", Op: op})
	if err != nil {
		return err
	}
	b.Write(head)
	b.WriteString(`,"records":[`)
	between, numbers := "", numbersAmong(r.rows, r.keys)
	for row := range r.rows {
		b.WriteString(between)
		between = ","
		if err := writeObject(b, r.names, row, r.labels, numbers, l); err != nil {
			return err
		}
	}
	b.WriteString("]}\n")
	return b.Flush()
}

// numbersAmong tells which of the leading cells of lines, keys of groups, are numbers on
// every line: JSON has them as such.
func numbersAmong(rows iter.Seq[[]string], keys int) []bool {
	numbers := slices.Repeat([]bool{true}, keys)
	if keys == 0 {
		return nil
	}
	for row := range rows {
		for k := range numbers {
			numbers[k] = numbers[k] && tensorio.IsNumber(row[k])
		}
	}
	return numbers
}
