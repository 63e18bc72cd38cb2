package main

import (
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// cellNote says what some cells of a column were taken for.
type cellNote struct {
	kind   noteKind
	column string
	count  int
	op     ogive.Op
}

// noteKind is what cells were taken for.
type noteKind uint8

const (
	noteMissing noteKind = iota
	noteInvalid
	noteRounded
)

// mostNotes is how many notes are told: a table of 10^5 columns may have one for each.
const mostNotes = 100

// note takes note of something, once.
func (in *operands) note(format string, args ...any) {
	note := tensorio.Message(format, args...)
	switch {
	case slices.Contains(in.notes, note):
	case len(in.notes) < mostNotes:
		in.notes = append(in.notes, note)
	default:
		in.more++
	}
}

// noteColumn takes note of what a column's cells were taken for.
func (in *operands) noteColumn(r *request, o *operand) {
	missing := o.missing()
	if r.counts {
		missing = o.Invalid
	}
	in.noteCells(r.op, o.name, missing, o.Invalid, o.Rounded)
}

// noteCells takes note of how many cells of a column are missing, invalid ones among
// them, and how many integers were rounded.
func (in *operands) noteCells(op ogive.Op, name string, missing, invalid, rounded int) {
	name = noteName(name)
	for _, n := range []cellNote{{noteMissing, name, missing - invalid, op}, {noteInvalid, name, invalid, op}, {noteRounded, name, rounded, op}} {
		if n.count > 0 && !in.told[n] {
			if in.told == nil {
				in.told = map[cellNote]bool{}
			}
			in.told[n] = true
			in.cells = append(in.cells, n)
		}
	}
}

// noteName is what notes call a column.
func noteName(name string) string {
	if name == "" {
		return "the column"
	}
	return name
}

// tell writes the notes, each in one short line.
func (in *operands) tell(s streams, work workFlags) {
	if work.quiet {
		return
	}
	for _, note := range in.said() {
		s.note(note)
	}
	if in.more > 0 {
		s.note(fmt.Sprintf("and %d more notes", in.more))
	}
}

// said returns the notes: one for each kind, with the first columns that it is about.
func (in *operands) said() (list []string) {
	if n := len(in.text); n > 0 {
		list = append(list, fmt.Sprintf("%d text %s left out: %s", n, plural(n, "column"), firstOf(in.text)))
	}
	list = append(list, in.sayLeft()...)
	list = append(list, in.notes...)
	for kind := noteMissing; kind <= noteRounded; kind++ {
		var of []cellNote
		for _, n := range in.cells {
			if n.kind == kind {
				of = append(of, n)
			}
		}
		if len(of) > 0 {
			list = append(list, sayCells(of))
		}
	}
	return list
}

// sayCells says what cells of some columns were taken for, all for the same.
func sayCells(of []cellNote) string {
	var columns []string
	count := 0
	for _, n := range of {
		columns = append(columns, fmt.Sprintf("%s %d", n.column, n.count))
		count += n.count
	}
	where, what := of[0].column+": "+fmt.Sprint(count)+" ", ""
	if len(of) > 1 {
		where, what = fmt.Sprintf("%d columns: %d ", len(of), count), " ("+firstOf(columns)+")"
	}
	switch of[0].kind {
	case noteInvalid:
		return where + "invalid " + plural(count, "cell") + " skipped" + what
	case noteRounded:
		return where + plural(count, "integer") + " rounded to float64" + what
	}
	return where + "missing " + plural(count, "cell") + what + missingEffect(of[0].op, count)
}

// missingEffect says what an operation does with missing cells.
func missingEffect(op ogive.Op, count int) string {
	them := map[bool]string{true: "it", false: "them"}[count == 1]
	switch {
	case op.Facts().SkipNaN:
		return "; " + op.String() + " drops " + them
	case !op.Facts().Order:
		return ""
	}
	return "; nan" + op.String() + " would drop " + them
}

// firstOf lists the first of some names, so that they are a short line.
func firstOf(names []string) string {
	const most = 5
	if len(names) <= most {
		return tensorio.ShownList(names)
	}
	return fmt.Sprintf("%s and %d more", tensorio.ShownList(names[:most-1]), len(names)-most+1)
}
