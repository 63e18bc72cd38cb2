package formats

import (
	"io"
	"iter"

	"github.com/ogive-go/ogive/tensorio"
)

// runRows is how many rows of a row group are yielded at a time, where memory allows it,
// and leastRows how many at least.
const (
	runRows   = 1 << 16
	leastRows = 1 << 10
)

// batches yields some columns in runs of rows, page after page of each.
func (p *parquetFile) batches(columns []int) iter.Seq2[[]tensorio.Column, error] {
	return func(yield func([]tensorio.Column, error) bool) {
		for _, g := range p.groups {
			if g.rows == 0 {
				continue
			}
			err := p.runs(columns, g, yield)
			if err == errStop {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// runs yields some columns of a row group.
func (p *parquetFile) runs(columns []int, g rowGroup, yield func([]tensorio.Column, error) bool) error {
	var size int
	readers := make([]chunkReader, len(columns))
	parts := make([]leafColumn, len(columns))
	list := make([]tensorio.Column, len(columns))
	err := guard("Parquet", func() error {
		n, room, err := p.runOf(columns, g)
		if err != nil {
			return err
		}
		size = n
		for j, i := range columns {
			readers[j].pages, parts[j] = p.pages(i, g), newLeafColumn(p.leaves[i], 1, room)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for from := 0; from < g.rows; from += size {
		n := min(size, g.rows-from)
		for j, i := range columns {
			err := guard("Parquet", func() (err error) {
				parts[j].begin(n)
				if err = readers[j].read(parts[j], 0, 0, n); err == nil {
					list[j], err = parts[j].column()
				}
				return err
			})
			if err != nil {
				return in(p.leaves[i].place(g), err)
			}
		}
		if !yield(list, nil) {
			return errStop
		}
	}
	return nil
}

// runOf checks the pages of some columns in a row group, and returns how many rows are
// yielded at a time, for which there is memory beside a page of each, and the room of their
// texts.
func (p *parquetFile) runOf(columns []int, g rowGroup) (size int, room *textRoom, err error) {
	pages, row := int64(0), int64(0)
	for _, i := range columns {
		l := p.leaves[i]
		if l.kind == leafNone {
			return 0, nil, l.reason
		}
		need, err := p.check(l, i, g)
		if err != nil {
			return 0, nil, in(l.place(g), err)
		}
		pages += need.total()
		if row += valueBytes; l.kind == leafText {
			row += codeBytes
		}
	}
	size = min(runRows, g.rows)
	if p.memory > 0 {
		least := int64(min(leastRows, g.rows))
		if err := tensorio.TooLarge(pages+least*row, p.memory); err != nil {
			return 0, nil, in(malformed("row group %d: pages of %d columns", g.number, len(columns)).Detail, err)
		}
		size = int(min(int64(size), (p.memory-pages)/max(row, 1))) // there may be no columns
		room = newTextRoom(p.memory - pages - int64(size*len(columns))*valueBytes)
	}
	return size, room, nil
}

// chunkReader reads the rows of a column chunk, run after run.
type chunkReader struct {
	pages *pageReader
	page  *page // nil before the first
	at    int   // the row in page, and how many values are before it
	past  int
}

// read reads rows into those of a column from start on, those of row group k.
func (r *chunkReader) read(c leafColumn, k, start, rows int) error {
	for got := 0; got < rows; {
		left, err := r.rest()
		if err != nil {
			return err
		}
		if left == 0 {
			return malformed("its pages hold %d rows of %d", got, rows)
		}
		part := r.page.rowsFrom(r.at, min(left, rows-got), r.past)
		if err := c.page(k, part, start+got); err != nil {
			return err
		}
		got, r.at, r.past = got+part.rows, r.at+part.rows, r.past+part.there(r.pages.leaf.defined)
	}
	return nil
}

// rest returns how many rows the page has that have not been read, of the next page where
// it has none; 0 behind the last.
func (r *chunkReader) rest() (int, error) {
	for r.page == nil || r.page.rows == r.at {
		p, err := r.pages.next()
		if err == io.EOF {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		r.page, r.at, r.past = p, 0, 0
	}
	return r.page.rows - r.at, nil
}
