package formats

import (
	"errors"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/ogive-go/ogive/tensorio"
)

// bareColumn is the name of the column of numbers that stand in no object.
const bareColumn = "value"

// maxKept is how many values are kept while a file is looked through for its columns.
// A larger one is parsed once more when a column is asked for, and again for each
// Batches, so that these need little memory.
const maxKept = 1 << 22

// Options.Memory has memoryShares: one for what the parser takes, two for values that are
// kept or in a run, one for their texts, and one for the names of columns. The parser takes
// parserTimes what it has read of a row.
const (
	memoryShares = 5
	parserTimes  = 4
)

// keptBytes is what a kept value may take while its list grows, and keyBytes what a key takes
// beside its name, with the column.
const (
	keptBytes = 32
	keyBytes  = 512
)

// batchRows is how many rows there are in a run.
const batchRows = 1 << 16

// readJSON reads JSON: objects one after the other (JSON lines, however they are
// broken), an array of objects, an array of numbers, or one object of arrays.
//
// A key is a column, in the order of appearance; those of an object in an object are
// joined by a dot. null and an absent key are missing values. A column is of the type
// of its first value that is there: numbers (int64; uint64 or float64 where they are
// needed), true and false, or text. The strings "NaN", "Infinity" and "-Infinity" are
// numbers, those of Options.NA missing. Any other value is an error that names the
// line, or missing and counted under Options.SkipInvalid, but in a column of text, where
// it is the text of its JSON. A key with an array is left out.
func readJSON(s *source, o tensorio.Options) (*tensorio.File, error) {
	t := &jsonTable{source: s, o: o}
	first := &jsonScan{jsonTable: t, keep: true, budget: maxKept}
	if s.at == nil {
		first.budget = math.MaxInt // a stream comes only once
	}
	if s.memory > 0 {
		first.budget = min(first.budget, int(min(t.share()/keptBytes, math.MaxInt)))
	}
	first.room = newTextRoom(t.share())
	if err := first.all(); err != nil {
		return nil, err
	}
	if !first.keep && s.at == nil {
		return nil, tensorio.TooLarge(s.memory+1, s.memory)
	}
	t.rows = first.rows
	return t.file(first)
}

// share is a share of Options.Memory, 0 where that is no bound.
func (t *jsonTable) share() int64 {
	if t.memory <= 0 {
		return 0
	}
	return max(t.memory/memoryShares, parserTimes)
}

// jsonTable is a table of JSON after it has been looked through.
type jsonTable struct {
	*source
	o     tensorio.Options
	types map[string]*jsonColumn // the columns without their values; nil before
	rows  int

	mu   sync.Mutex
	kept *jsonScan // the values, nil as long as they are to be read
	held int64     // what they take, if they have been read again
}

// file returns the table.
func (t *jsonTable) file(first *jsonScan) (*tensorio.File, error) {
	all := make([]string, len(first.columns))
	for i, c := range first.columns {
		all[i] = c.name
	}
	f := tensorio.Table{Name: t.name, Format: "json", Columns: all}
	for _, c := range first.columns {
		f.Text = append(f.Text, c.reason)
	}
	if err := f.Choose(t.o); err != nil {
		return nil, err
	}
	var numbers []string // and truth values, of those that are chosen, and the groups
	for i, c := range first.columns {
		if c.group || c.reason == nil && (f.Chosen == nil || slices.Contains(f.Chosen, i)) {
			numbers = append(numbers, c.name)
		}
	}
	f.Load = func(i int) (tensorio.Column, error) { return t.load(f.Columns[i], numbers) }
	if first.keep {
		t.kept = first
		return f.File(), nil
	}
	t.types = map[string]*jsonColumn{}
	for _, c := range first.columns {
		t.types[c.name] = c
	}
	f.Batches = func(columns []int) iter.Seq2[[]tensorio.Column, error] {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = f.Columns[c]
		}
		return t.batches(names)
	}
	return f.File(), nil
}

// load returns a column. The first that is not of text is read together with all others.
func (t *jsonTable) load(name string, numbers []string) (tensorio.Column, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept != nil && t.kept.named(name) != nil {
		return t.kept.named(name).column(t.kept.rows)
	}
	if !slices.Contains(numbers, name) {
		numbers = []string{name}
	}
	again := t.again(numbers)
	need, err := again.reserve(t.rows, 2*t.share()-t.held)
	if err == nil {
		err = again.all()
	}
	if err != nil {
		return tensorio.Column{}, err
	}
	if len(numbers) > 1 {
		t.kept, t.held = again, need
	}
	return again.named(name).column(again.rows)
}

// again returns a scan that keeps the values of some columns.
func (t *jsonTable) again(names []string) *jsonScan {
	s := &jsonScan{jsonTable: t, keep: true, budget: math.MaxInt, room: newTextRoom(t.share())}
	for _, name := range names {
		c := t.types[name].typed()
		c.codes.room = s.room
		s.columns = append(s.columns, c)
	}
	return s
}

// reserve gives the columns memory for some rows, if so much suffices, and returns how much.
func (s *jsonScan) reserve(rows int, most int64) (need int64, err error) {
	if s.memory <= 0 {
		return 0, nil
	}
	for _, c := range s.columns {
		if need += int64(rows) * valueBytes; c.kind == jsonUint {
			need += int64(rows) * 8 // it is copied in the end
		}
	}
	if err := tensorio.TooLarge(need, max(most, 1)); err != nil {
		return 0, in(malformed("%d columns of %d rows", len(s.columns), rows).Detail, err)
	}
	for _, c := range s.columns {
		switch c.kind {
		case jsonInt, jsonUint, jsonText:
			c.ints = make([]int64, 0, rows)
		case jsonBool:
			c.bools = make([]bool, 0, rows)
		default:
			c.floats = make([]float64, 0, rows)
		}
	}
	return need, nil
}

// errStop ends a scan whose rows nobody wants any more.
var errStop = errors.New("stop")

// batches yields some columns in runs of rows.
func (t *jsonTable) batches(names []string) iter.Seq2[[]tensorio.Column, error] {
	return func(yield func([]tensorio.Column, error) bool) {
		s := t.again(names)
		most := batchRows
		if t.memory > 0 {
			most = int(max(1, min(batchRows, t.share()/int64(max(1, len(names)))/keptBytes)))
		}
		flush := func() error {
			list := make([]tensorio.Column, len(s.columns))
			for i, c := range s.columns {
				var err error
				if list[i], err = c.column(s.rows); err != nil {
					return err
				}
				c.n, c.values, c.codes, c.kind = 0, values{}, codes{room: s.room}, t.types[c.name].kind
			}
			s.rows = 0
			if s.room != nil {
				s.room.used.Store(0)
			}
			if !yield(list, nil) {
				return errStop
			}
			return nil
		}
		s.row = func() error {
			if s.rows < most {
				return nil
			}
			return flush()
		}
		err := s.all()
		if err == nil && s.rows > 0 {
			err = flush()
		}
		if err != nil && err != errStop {
			yield(nil, err)
		}
	}
}
