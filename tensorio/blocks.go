package tensorio

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"sync"
)

// blockBytes is how much of a text is parsed at a time: small enough for a core's
// cache, large enough that handing it over costs nothing. Tests set less.
var blockBytes int64 = 1 << 19

// longestRow is how much of a text is searched for the end of a row.
const longestRow = 64 << 20

// block is a run of whole rows of a text.
type block struct {
	data    []byte
	memory  []byte   // of data, unless the text lies in memory
	first   bool     // of the text
	vectors []vector // of the columns that are parsed, in the order of their cells
	lines   int
	err     error
	parsed  chan struct{}
}

// blocks divides the text from start on.
type blocks struct {
	t     *textTable
	at    int64
	first bool
	size  int64 // of a block
	count int   // how many there are at a time
}

// blocks returns those for some columns.
func (t *textTable) blocks(columns []*textColumn) *blocks {
	size, count := t.divide(columns)
	return &blocks{t: t, at: t.start, first: true, size: size, count: count}
}

// A block of a table of wideColumns or more has some rows all the same, for each costs
// something for every column; but not more than wideBytes.
const (
	wideColumns = 2048
	wideCells   = 256
	wideBytes   = 16 << 20
)

// What a block takes: blockTimes its text, for cells of two bytes have eight in a vector
// that grows by a quarter, and labelTimes where they are labels; and vectorBytes for each
// column. Blocks are as small as leastBlock before there are fewer.
const (
	blockTimes  = 8
	labelTimes  = 24
	vectorBytes = 256
	leastBlock  = 1 << 15
)

// blockShare is which part of Options.Memory is for blocks, but for wide tables, of which
// they take half. The rest is for values, where they are kept.
const blockShare = 4

// divide returns how much of the text a block is of, and how many blocks there are at a
// time: one for each worker, one that is read and one that is yielded. With Options.Memory
// there are less where it holds no more, three at least.
func (t *textTable) divide(columns []*textColumn) (size int64, count int) {
	size, count = blockBytes, runtime.GOMAXPROCS(0)+2
	share := t.most / blockShare
	if t.width >= wideColumns {
		size, share = max(size, min(int64(t.width)*wideCells, wideBytes)), t.most/2
	}
	if t.most <= 0 {
		return size, count
	}
	times := int64(blockTimes)
	if slices.ContainsFunc(columns, func(c *textColumn) bool { return t.asText || c.kind >= textCell }) {
		times = labelTimes
	}
	least, vectors := min(leastBlock, size), int64(len(columns))*vectorBytes
	count = min(count, max(3, int(share/(times*least+vectors))))
	return max(min(size, (share/int64(count)-vectors)/times), least), count
}

// next fills b with the next rows, and reports whether there are any.
func (r *blocks) next(b *block) (bool, error) {
	if r.at >= r.t.size {
		return false, nil
	}
	t := r.t
	for n := r.size; ; n *= 2 {
		end := min(r.at+n, r.t.size)
		data, err := r.t.read(&b.memory, r.at, end)
		if err != nil {
			return false, err
		}
		whole := len(data)
		if end < r.t.size {
			whole = r.t.cut(data)
		}
		if whole == 0 && n < longestRow {
			if err := t.room(r.at, 2*n, r.count); err != nil {
				return false, err
			}
			continue
		}
		if whole == 0 { // parsing tells of a quote without end
			b.err = malformed("byte %d: a row of more than %d bytes", r.at, longestRow)
			whole = len(data)
		}
		b.data, b.first = data[:whole], r.first
		r.at += int64(whole)
		r.first = false
		return true, nil
	}
}

// room checks that n bytes from a place, which hold no whole row, may be held by each of
// some blocks, and what the last held before. If not the error says what the row needs.
func (t *textTable) room(at, n int64, blocks int) error {
	if TooLarge(n*int64(blocks)+n/2, t.most) == nil {
		return nil
	}
	for n < longestRow && !t.ends(at, n) {
		n *= 2
	}
	return in(Message("byte %d: a row", at), TooLarge(n*int64(blocks)+n/2, t.most))
}

// ends reports whether a line ends within n bytes from a place.
func (t *textTable) ends(at, n int64) bool {
	var memory []byte
	for to := min(at+n, t.size); at < to; at += blockBytes {
		b, err := t.read(&memory, at, min(at+blockBytes, to))
		if err != nil || bytes.IndexByte(b, t.eol) >= 0 {
			return true
		}
	}
	return at >= t.size
}

// read returns a part of the text, in memory where it does not lie in any.
func (t *textTable) read(memory *[]byte, from, to int64) ([]byte, error) {
	if t.data != nil {
		return t.data[from:to], nil
	}
	n := int(to - from)
	if cap(*memory) < n {
		*memory = make([]byte, n)
	}
	got, err := t.file.ReadAt((*memory)[:n], from)
	if got < n && (err == nil || err == io.EOF) {
		err = malformed("byte %d: the file ends; it had %d bytes when it was opened", from+int64(got), t.size)
	}
	if got == n {
		err = nil
	}
	return (*memory)[:got], err
}

// cut returns the length of the whole rows that data begins with.
func (d *dialect) cut(data []byte) int {
	if !d.quotes || bytes.IndexByte(data, '"') < 0 {
		return bytes.LastIndexByte(data, d.eol) + 1
	}
	if len(d.comment) > 0 {
		return d.cutLines(data)
	}
	within := bytes.Count(data, []byte{'"'})%2 == 1
	for end := len(data); ; {
		i := bytes.LastIndexByte(data[:end], d.eol)
		if i < 0 {
			return 0
		}
		within = within != (bytes.Count(data[i:end], []byte{'"'})%2 == 1)
		if !within {
			return i + 1
		}
		end = i
	}
}

// cutLines is cut where comments may hold quotes.
func (d *dialect) cutLines(data []byte) (whole int) {
	within := false
	for at := 0; ; {
		n := bytes.IndexByte(data[at:], d.eol) + 1
		if n == 0 {
			return whole
		}
		line := data[at : at+n]
		if within || !bytes.HasPrefix(line, d.comment) {
			within = within != (bytes.Count(line, []byte{'"'})%2 == 1)
		}
		at += n
		if !within {
			whole = at
		}
	}
}

// each parses some columns, by all processors, and yields the blocks in the order of
// the text, valid until yield returns. It ends when yield returns false.
func (t *textTable) each(columns []*textColumn, yield func(*block) bool) error {
	if t.meter != nil {
		t.meter.Total.Add(t.size - t.start)
		one := yield
		yield = func(b *block) bool {
			t.meter.Done.Add(int64(len(b.data)))
			return one(b)
		}
	}
	source := t.blocks(columns)
	if t.size-t.start <= source.size {
		var b block
		if ok, err := source.next(&b); !ok || err != nil {
			return err
		}
		newParser(t, columns).parse(&b, t.line)
		if b.err == nil {
			yield(&b)
		}
		return b.err
	}
	spare := make(chan *block, source.count) // all there are
	for range cap(spare) {
		spare <- &block{}
	}
	todo, order := make(chan *block, cap(spare)), make(chan *block, cap(spare))
	quit := make(chan struct{})
	var group sync.WaitGroup
	defer group.Wait()
	defer close(quit)
	var failed error // of reading; set before order is closed
	group.Go(func() {
		defer close(order)
		defer close(todo)
		for {
			var b *block
			select {
			case b = <-spare:
			case <-quit:
				return
			}
			ok, err := source.next(b)
			if !ok || err != nil {
				failed = err
				return
			}
			b.parsed = make(chan struct{})
			todo <- b
			order <- b
		}
	})
	for range source.count - 2 {
		p := newParser(t, columns)
		group.Go(func() {
			for b := range todo {
				p.parse(b, 1)
				close(b.parsed)
			}
		})
	}
	line := t.line
	for b := range order {
		<-b.parsed
		if b.err != nil { // now that its first line is known
			newParser(t, columns).parse(b, line)
			return b.err
		}
		for i := range b.vectors {
			if bad := b.vectors[i].bad; bad != nil {
				bad.line += line - 1
			}
		}
		line += b.lines
		if !yield(b) {
			return nil
		}
		spare <- b
	}
	return failed
}
