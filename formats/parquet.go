package formats

import (
	"cmp"
	"encoding/binary"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// readParquet reads an Apache Parquet file. Columns have the types they are stored in:
// bool, int8 to int64, uint8 to uint64, float16, float32 and float64. Dates, timestamps,
// times of day and durations are integers with their Unit.
// Decimals are the float64 nearest to each, and an error where more than 2^53 units
// make a value. Fields of groups are columns, their names joined by dots. Text is
// left out, but for File.Key, and so are lists, and fixed bytes that are no numbers.
//
// Only the pages of the columns that are asked for are read, row groups in parallel.
func readParquet(s *source, o tensorio.Options) (*tensorio.File, error) {
	at, size, err := s.random()
	if err != nil {
		return nil, err
	}
	p := &parquetFile{at: at, size: size, memory: s.memory}
	if err := p.open(); err != nil {
		return nil, err
	}
	all := make([]string, len(p.leaves))
	for i, l := range p.leaves {
		all[i] = l.name
	}
	if part := o.Part; part != (tensorio.Part{}) {
		if part.From < 0 || part.From > part.To || part.To > int64(len(p.groups)) {
			return nil, malformed("has no row groups from %d to %d; it had when it was divided", part.From, part.To)
		}
		p.groups = p.groups[part.From:part.To]
	}
	f := tensorio.Table{Name: s.name, Format: "parquet", Columns: all, Batches: p.batches, Parts: p.parts, Type: p.typeOf}
	for _, l := range p.leaves {
		f.Text = append(f.Text, l.reason)
	}
	if err := repeated(&f, o); err != nil {
		return nil, err
	}
	if err := f.Choose(o); err != nil {
		return nil, err
	}
	f.Load = func(i int) (tensorio.Column, error) { return p.load(i, p.groups) }
	return f.File(), nil
}

// parquetFile is an open Parquet file.
type parquetFile struct {
	at     io.ReaderAt
	size   int64
	memory int64 // Options.Memory
	leaves []*leaf
	groups []rowGroup
}

// rowGroup is a run of rows.
type rowGroup struct {
	number int
	rows   int
	meta   []format.ColumnChunk // what the footer says of them
	first  int                  // its first row, in the whole file
}

// footerTimes is how many times its size a footer takes, once it has been read.
const footerTimes = 16

// open reads the footer. Its sizes are checked before the library allocates by them.
func (p *parquetFile) open() error {
	if p.size < 12 {
		return malformed("%d bytes are no Parquet file", p.size)
	}
	var end [8]byte
	if _, err := p.at.ReadAt(end[:], p.size-8); err != nil && err != io.EOF {
		return err
	}
	if string(end[4:]) == "PARE" {
		return malformed("is encrypted")
	}
	if string(end[4:]) != "PAR1" {
		return malformed("byte %d: %q where a Parquet file ends with \"PAR1\"; it is truncated", p.size-4, end[4:])
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > p.size-12 {
		return malformed("byte %d: a footer of %d bytes in a file of %d", p.size-8, length, p.size)
	}
	if err := tensorio.TooLarge(length*footerTimes, p.memory); err != nil {
		return in("the footer", err)
	}
	footer := make([]byte, length)
	if _, err := p.at.ReadAt(footer, p.size-8-length); err != nil && err != io.EOF {
		return err
	}
	if _, err := thriftStruct(footer); err != nil {
		return in("the footer", err)
	}
	return guard("Parquet", func() error {
		f, err := parquet.OpenFile(p.at, p.size, &parquet.FileConfig{SkipPageIndex: true, SkipBloomFilters: true})
		if err != nil {
			return err
		}
		if p.leaves, err = leaves(f.Metadata().Schema); err != nil {
			return err
		}
		if text, ok := f.Lookup(arrowSchemaKey); ok {
			p.durations(text)
		}
		rows := 0
		for i, g := range f.RowGroups() {
			n := g.NumRows()
			if n < 0 || n > int64(maxRows) || rows > maxRows-int(n) {
				return malformed("row group %d: %d rows", i, n)
			}
			if len(g.ColumnChunks()) != len(p.leaves) {
				return malformed("row group %d: %d columns, the schema has %d", i, len(g.ColumnChunks()), len(p.leaves))
			}
			p.groups = append(p.groups, rowGroup{i, int(n), f.Metadata().RowGroups[i].Columns, rows})
			rows += int(n)
		}
		if int64(rows) != f.NumRows() {
			return malformed("the row groups hold %d rows, the file says %d", rows, f.NumRows())
		}
		return nil
	})
}

// maxRows is how many rows a column may have, so that its bytes can be addressed.
const maxRows = int(^uint(0)>>1) / 16

// load reads a column of some row groups, which follow one another.
func (p *parquetFile) load(i int, groups []rowGroup) (tensorio.Column, error) {
	l := p.leaves[i]
	if l.kind == leafNone {
		return tensorio.Column{}, l.reason
	}
	rows, pages := 0, int64(0) // of the group that takes most
	for _, g := range groups {
		err := guard("Parquet", func() error {
			need, err := p.check(l, i, g)
			pages = max(pages, need.total())
			return err
		})
		if err != nil {
			return tensorio.Column{}, in(l.place(g), err)
		}
		rows += g.rows
	}
	workers, room := min(runtime.GOMAXPROCS(0), len(groups)), (*textRoom)(nil)
	if p.memory > 0 {
		left := p.memory - int64(rows)*valueBytes - pages
		if err := tensorio.TooLarge(p.memory-left, p.memory); err != nil {
			return tensorio.Column{}, in(malformed("column %q of %d rows", l.name, rows).Detail, err)
		}
		if l.kind == leafText {
			room = newTextRoom(max(left, 1))
			left = 0
		}
		workers = min(workers, 1+int(left/max(pages, 1)))
	}
	c := newLeafColumn(l, len(groups), room)
	c.begin(rows)
	errs := make([]error, len(groups))
	var next atomic.Int64
	var failed atomic.Bool
	work := func() {
		for !failed.Load() {
			k := int(next.Add(1)) - 1
			if k >= len(groups) {
				return
			}
			g := groups[k]
			errs[k] = in(l.place(g), guard("Parquet", func() error {
				return readChunk(c, k, p.pages(i, g), g.first-groups[0].first, g.rows)
			}))
			if errs[k] != nil {
				failed.Store(true)
			}
		}
	}
	var helpers sync.WaitGroup
	for range workers - 1 {
		helpers.Go(work)
	}
	work()
	helpers.Wait()
	for _, err := range errs {
		if err != nil {
			return tensorio.Column{}, err
		}
	}
	return c.column()
}

// valueBytes is what a value takes, with whether it is missing.
const valueBytes = 9

// place says where a column of a row group is, for messages.
func (l *leaf) place(g rowGroup) string {
	return malformed("row group %d, column %q", g.number, l.name).Detail
}

// typeOf returns what a column is.
func (p *parquetFile) typeOf(i int) (dtype.DType, tensorio.Unit, error) {
	c, err := newLeafColumn(p.leaves[i], 0, nil).column()
	if err != nil {
		return 0, 0, err
	}
	return c.Values.DType(), c.Unit, nil
}

// parts divides the row groups by the share of the file that their rows have.
func (p *parquetFile) parts(bytes int64) (list []tensorio.Part, err error) {
	all, rows := 0, 0
	for _, g := range p.groups {
		all += g.rows
	}
	part := tensorio.Part{}
	for i, g := range p.groups {
		rows += g.rows
		part.To = int64(i) + 1
		if float64(rows)/float64(max(all, 1))*float64(p.size) >= float64(bytes) || i == len(p.groups)-1 {
			list = append(list, part)
			part.From, rows = part.To, 0
		}
	}
	if list == nil {
		list = []tensorio.Part{{}}
	}
	return list, nil
}

// readChunk reads the pages of a column of one row group, number k of those read, into
// rows from start on.
func readChunk(c leafColumn, k int, pages *pageReader, start, rows int) error {
	r := &chunkReader{pages: pages}
	if err := r.read(c, k, start, rows); err != nil {
		return err
	}
	if n, err := r.rest(); n > 0 || err != nil {
		return cmp.Or(err, error(malformed("its pages hold more than %d rows", rows)))
	}
	return nil
}
