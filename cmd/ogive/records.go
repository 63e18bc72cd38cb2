package main

import (
	"bufio"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"
)

// records are an answer of lines that are alike, each of named cells.
type records struct {
	names  []string
	labels int                // how many leading cells of a line say what it is about, as text
	rows   iter.Seq[[]string] // the slice may be used again
	across bool               // people read it better with a line for each name
}

// sheet lays the records out, for people with a line for each name where that is
// narrower.
func (r *records) sheet(people bool) *sheet {
	if !people || !r.across {
		return &sheet{header: r.names, labels: r.labels, rows: r.rows}
	}
	header := []string{strings.Join(r.names[:r.labels], " ")}
	var rows [][]string
	for row := range r.rows {
		header = append(header, strings.Join(row[:r.labels], " "))
		rows = append(rows, slices.Clone(row))
	}
	return &sheet{header: header, labels: 1, rows: func(yield func([]string) bool) {
		line := make([]string, len(header))
		for i, name := range r.names[r.labels:] {
			line[0] = name
			for k, row := range rows {
				line[k+1] = row[r.labels+i]
			}
			if !yield(line) {
				return
			}
		}
	}}
}

// writeJSON writes the records as one line: an object for each in "records".
func (r *records) writeJSON(w io.Writer, op string) error {
	b := bufio.NewWriter(w)
	head, err := open(document{Schema: jsonSchema, Kind: "records", Op: op})
	if err != nil {
		return err
	}
	b.Write(head)
	b.WriteString(`,"records":[`)
	between := ""
	for row := range r.rows {
		for k, cell := range row {
			b.WriteString(between)
			if between = ","; k == 0 {
				b.WriteByte('{')
			}
			name, err := encode(r.names[k])
			if err != nil {
				return err
			}
			b.Write(name)
			b.WriteByte(':')
			value := []byte(jsonNumber(cell))
			if k < r.labels || !json.Valid(value) {
				if value, err = encode(cell); err != nil {
					return err
				}
			}
			b.Write(value)
		}
		b.WriteByte('}')
	}
	b.WriteString("]}\n")
	return b.Flush()
}
