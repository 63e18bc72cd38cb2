package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ogive-go/ogive/tensorio"
)

// leftOut is a column that is no operand, because it cannot be.
type leftOut struct {
	file, column string
	reason       error
}

// errDates is why columns of dates are left out of pictures.
var errDates = errors.New("dates are not drawn")

// apart returns the options of commands that leave out the columns which cannot be
// operands, unless columns are chosen.
func apart(o tensorio.Options) tensorio.Options {
	o.Apart = len(o.Columns) == 0
	return o
}

// without reports whether a column is to be left out, for an error of reading it, and
// takes note of it then.
func (in *operands) without(file input, column string, err error) bool {
	if !file.options.Apart || !errors.Is(err, tensorio.ErrColumn) {
		return false
	}
	in.leave(leftOut{title(file.path), column, err})
	return true
}

// leave takes note of a column that is left out, once.
func (in *operands) leave(l leftOut) {
	if !slices.ContainsFunc(in.left, func(o leftOut) bool { return o.file == l.file && o.column == l.column }) {
		in.left = append(in.left, l)
	}
}

// shared drops from both the columns that one of two tables has to leave out.
func (in *operands) shared(next *operands) error {
	for _, l := range next.left {
		in.leave(l)
	}
	gone := func(o operand) bool {
		return slices.ContainsFunc(in.left, func(l leftOut) bool { return l.column == o.name })
	}
	in.list, next.list = slices.DeleteFunc(in.list, gone), slices.DeleteFunc(next.list, gone)
	if len(in.list) == 0 && len(in.left) > 0 {
		return in.left[0].reason
	}
	return nil
}

// datesApart leaves out the columns of dates, which are not drawn. It is an error if one
// was chosen, and if none is left.
func (in *operands) datesApart(chosen bool) error {
	var err error
	list := slices.DeleteFunc(slices.Clone(in.list), func(o operand) bool {
		if o.Unit == tensorio.UnitNone {
			return false
		}
		of := in.title
		if o.file != "" {
			of = o.file
		}
		if err == nil {
			err = fmt.Errorf("%s holds dates, which are not drawn (%s)", columnTitle(&o), of)
		}
		if !chosen {
			in.leave(leftOut{of, o.name, errDates})
		}
		return true
	})
	if err == nil || !chosen && len(list) > 0 {
		in.list = list
		return nil
	}
	return err
}

// sayLeft says what was left out, in a line for each file.
func (in *operands) sayLeft() (list []string) {
	var files []string
	of := map[string][]leftOut{}
	for _, l := range in.left {
		if of[l.file] == nil {
			files = append(files, l.file)
		}
		of[l.file] = append(of[l.file], l)
	}
	for _, file := range files {
		var columns []string
		hint := ""
		for _, l := range of[file] {
			columns = append(columns, l.column+" ("+l.short()+")")
			if invalidCell.MatchString(l.reason.Error()) {
				hint = "; --skip-invalid takes such cells as missing"
			}
		}
		const most = 5
		n, more := len(columns), ""
		if n > most {
			columns, more = columns[:most-1], fmt.Sprintf(" and %d more", n-most+1)
		}
		list = append(list, fmt.Sprintf("%s: %d %s left out: %s%s%s", file, n, plural(n, "column"), strings.Join(columns, ", "), more, hint))
	}
	return list
}

// short is the reason without the names of the file and the column.
func (l *leftOut) short() string {
	text := strings.TrimPrefix(strings.TrimPrefix(l.reason.Error(), l.file), ":")
	return strings.TrimSpace(strings.Replace(text, fmt.Sprintf("column %q: ", l.column), "", 1))
}

// invalidCell finds a cell that --skip-invalid would take as missing.
var invalidCell = regexp.MustCompile(`column ".*": .* is not (a number|true or false|a date)`)
