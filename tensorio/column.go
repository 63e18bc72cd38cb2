package tensorio

import (
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// Column is a vector of a table.
type Column struct {
	// Values is 1-d. Integers stay integers: a column of text has int64, uint64
	// (where a value is over the largest int64, and none is negative) or float64;
	// formats with types have their own.
	Values *ogive.Tensor
	// Missing is bool and as long as Values, true where the table holds no value;
	// nil if all are there. What Values holds at such a place says nothing, but for
	// a float, where it is NaN.
	Missing *ogive.Tensor
	// Unit is what integers count, of dates, times, durations and times of day.
	Unit Unit
	// Invalid is how many of the missing values stand for cells that hold something:
	// under Options.SkipInvalid.
	Invalid int
	// Rounded is how many integers float64 does not hold: those of a column of text
	// that has fractions too, or integers beyond 64 bits.
	Rounded int
	// Labels are the distinct texts of a column of text, in order of appearance;
	// Values are int64 indices of them.
	Labels []string
}

// Table is a table as the reader of a format hands it over: see Table.File.
type Table struct {
	Name    string   // of the file, for messages
	Format  string   // its name
	Columns []string // the names, all different
	// Chosen are the columns that Options.Columns chose, in its order; nil for all. The
	// others are read by File.Key and File.Batches alone.
	Chosen []int
	// Text tells, for each column, why it holds no numbers; nil if it does, or all do.
	Text []error
	// Counts names the column that says how often each row counts; empty if none does.
	Counts string
	// Load reads a column. Of a column of text it returns Labels.
	Load func(column int) (Column, error)
	// Batches yields some columns in consecutive runs of rows, with little memory
	// beside them; it ends at the first error. A run may lie in memory that the next one
	// uses again. A column has the same dtype in all
	// runs but for text tables, whose runs may have int64, uint64 and float64 each.
	// Labels, of a column of text, are those of the run. nil where only Load reads.
	Batches func(columns []int) iter.Seq2[[]Column, error]
	// Type returns the dtype and the unit of a column of numbers, which no value changes;
	// nil where the values decide.
	Type func(column int) (dtype.DType, Unit, error)
	// Parts divides the rows: see File.Parts. nil where only all of them can be read.
	Parts func(bytes int64) ([]Part, error)
	// Group reads a column that makes groups: see File.Group. nil where Load does.
	Group func(column int) (Column, error)
	// Close is what File.Close does beside; nil for nothing.
	Close func() error
}

// Choose sets Chosen to the columns that Options.Columns asks for; nil is all. One of
// text is the error that Text holds, unless Options.Text allows it, and left out where a
// pattern chose it.
func (t *Table) Choose(o Options) error {
	asked := o.Columns
	if asked == nil {
		return nil
	}
	if o.Text {
		t.Text = slices.Clone(t.Text)
	}
	t.Chosen = []int{}
	var place places
	chosen := make([]bool, len(t.Columns))
	for _, want := range asked {
		list, named, err := chooseColumns(t.Columns, &place, want)
		if err != nil {
			return err
		}
		for _, i := range list {
			switch {
			case named && chosen[i]:
				return misused("column %q is asked for twice", t.Columns[i])
			case named && t.Text[i] != nil && !o.Text:
				return t.Text[i]
			case named && t.Text[i] != nil:
				t.Text[i] = nil
				chosen[i] = true
				t.Chosen = append(t.Chosen, i)
			case t.Text[i] == nil && !chosen[i]:
				chosen[i] = true
				t.Chosen = append(t.Chosen, i)
			}
		}
	}
	return nil
}

// chosen returns the columns that are: all of them if Chosen is nil.
func (t *Table) chosen() []int {
	if t.Chosen != nil {
		return t.Chosen
	}
	list := make([]int, len(t.Columns))
	for i := range list {
		list[i] = i
	}
	return list
}

// File returns the table as an open file.
func (t Table) File() *File {
	f := &File{name: t.Name, format: t.Format, table: &t, text: map[string]error{}}
	for _, i := range t.chosen() {
		name := t.Columns[i]
		if t.Text != nil && t.Text[i] != nil {
			f.textual = append(f.textual, name)
			f.text[name] = t.Text[i]
			continue
		}
		f.names = append(f.names, name)
		f.columns = append(f.columns, i)
	}
	f.load = func(i int) (*ogive.Tensor, error) {
		c, err := t.Load(f.columns[i])
		if err != nil {
			return nil, err
		}
		return c.Tensor()
	}
	return f
}

// ArraysFile returns a file of arrays by name that load reads when they are asked
// for, for the readers of formats elsewhere.
func ArraysFile(name, format string, arrays []string, load func(i int) (*ogive.Tensor, error)) *File {
	return &File{name: name, format: format, names: slices.Clone(arrays), load: load}
}

// Tensor returns the values, NaN where one is missing: those of a column of integers
// with missing values become float64, which is ErrFormat if it does not hold them all
// exactly.
func (c Column) Tensor() (*ogive.Tensor, error) {
	if c.Missing == nil || c.Values.DType().IsFloat() {
		return c.Values, nil
	}
	missing, err := ogive.Values[bool](c.Missing)
	if err != nil {
		return nil, err
	}
	t, err := c.Values.Cast(dtype.Float64)
	if err != nil {
		return nil, err
	}
	floats, err := ogive.Values[float64](t)
	if err != nil {
		return nil, err
	}
	if _, i := c.Inexact(); i >= 0 {
		return nil, malformed("value %d is an integer that float64, with NaN for missing values, does not hold", i)
	}
	for i, gone := range missing {
		if gone {
			floats[i] = math.NaN()
		}
	}
	return t, nil
}

// Inexact returns how many of the values that are not missing are integers that float64
// does not hold, and where the first is; -1 if there is none.
func (c Column) Inexact() (count, first int) {
	var gone []bool
	if c.Missing != nil {
		gone = ogive.Must(ogive.Values[bool](c.Missing))
	}
	first = -1
	add := func(i int, magnitude uint64) {
		if holds53(magnitude) || gone != nil && gone[i] {
			return
		}
		if count++; first < 0 {
			first = i
		}
	}
	switch c.Values.DType() {
	case dtype.Int64:
		for i, v := range ogive.Must(ogive.Values[int64](c.Values)) {
			add(i, magnitude(v))
		}
	case dtype.Uint64:
		for i, v := range ogive.Must(ogive.Values[uint64](c.Values)) {
			add(i, v)
		}
	}
	return count, first
}

// magnitude returns |n|, 1<<63 for the smallest n.
func magnitude(n int64) uint64 { return uint64(max(n, -n)) }

// holds53 reports whether float64 holds an integer exactly.
func holds53(u uint64) bool {
	return u>>53 == 0 || bits.Len64(u)-bits.TrailingZeros64(u) <= 53
}
