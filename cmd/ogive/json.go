package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/ogive-go/ogive/tensorio"
)

// jsonSchema is the version of the JSON document. It grows when a member
// changes its meaning or goes away.
const jsonSchema = 1

// document is the head of the JSON document. Of a tensor, the members of
// answer follow at the top level; of a table, "columns" holds one for each.
type document struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"` // "tensor" or "columns"
	Op     string `json:"op"`
	Method string `json:"method,omitempty"`
	Mode   string `json:"mode,omitempty"`
	Q      any    `json:"q,omitempty"` // a number, a fraction in a string, or a list of them
	P      any    `json:"p,omitempty"`
}

// answer is the head of one tensor; "values" follows, nested as the shape is.
type answer struct {
	File   string `json:"file,omitempty"`
	Column string `json:"column,omitempty"`
	Shape  []int  `json:"shape"`
	DType  string `json:"dtype"`
}

// writeJSON writes r as one line. NaN and infinities are the strings "NaN",
// "Infinity" and "-Infinity", as in Protocol Buffers' JSON.
func (r *result) writeJSON(w io.Writer, l look) error {
	if r.records != nil {
		return r.records.writeJSON(w, r.op, l)
	}
	b := bufio.NewWriter(w)
	doc := document{Schema: jsonSchema, Kind: "tensor", Op: r.op, Method: r.method, Mode: r.mode}
	if r.table {
		doc.Kind = "columns"
	}
	switch {
	case r.qs == nil:
	case r.qs.name == "p":
		doc.P = r.qs.json()
	default:
		doc.Q = r.qs.json()
	}
	head, err := open(doc)
	if err != nil {
		return err
	}
	b.Write(head)
	if r.table {
		b.WriteString(`,"columns":[`)
	}
	for i, p := range r.parts {
		if i > 0 {
			b.WriteByte(',')
		}
		a := answer{File: p.file, Column: p.name, Shape: p.values.Shape(), DType: p.values.DType().String()}
		head, err := open(a)
		if err != nil {
			return err
		}
		if !r.table {
			head[0] = ',' // the members continue the document's
		}
		b.Write(head)
		cell, err := p.cells()
		if err != nil {
			return err
		}
		b.WriteString(`,"values":`)
		form := l.json
		if p.unit != 0 {
			form = strconv.Quote
		}
		writeNested(b, a.Shape, 0, func(i int) string { return form(cell(i)) })
		if r.table {
			b.WriteByte('}')
		}
	}
	if r.table {
		b.WriteByte(']')
	}
	b.WriteString("}\n")
	return b.Flush()
}

// encode returns v as JSON of which a terminal shows no control characters: those beyond
// ASCII, which json.Marshal leaves, are escaped too.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil || !bytes.ContainsFunc(b, isControl) {
		return b, err
	}
	var safe []byte
	for _, r := range string(b) {
		if isControl(r) {
			safe = fmt.Appendf(safe, "\\u%04x", r)
		} else {
			safe = utf8.AppendRune(safe, r)
		}
	}
	return safe, nil
}

// isControl reports whether a character is a control character, ends a line or turns the
// direction of text around.
func isControl(r rune) bool {
	return unicode.IsControl(r) || 0x2028 <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}

// open returns v, an object with members, without its closing brace.
func open(v any) ([]byte, error) {
	b, err := encode(v)
	if err != nil {
		return nil, err
	}
	return b[:len(b)-1], nil
}

// writeNested writes the elements from i on as nested lists of the shape, and
// returns the index after the last. The writer keeps its first error.
func writeNested(b *bufio.Writer, shape []int, i int, cell func(int) string) int {
	if len(shape) == 0 {
		b.WriteString(cell(i))
		return i + 1
	}
	b.WriteByte('[')
	for k := range shape[0] {
		if k > 0 {
			b.WriteByte(',')
		}
		i = writeNested(b, shape[1:], i, cell)
	}
	b.WriteByte(']')
	return i
}

// jsonNumber returns JSON's form of a cell.
func jsonNumber(cell string) string {
	switch cell {
	case tensorio.TextNaN:
		return `"NaN"`
	case tensorio.TextPosInf:
		return `"Infinity"`
	case tensorio.TextNegInf:
		return `"-Infinity"`
	}
	return cell
}
