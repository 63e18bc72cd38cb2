package tensorio

import (
	"bytes"
	"io"
	"runtime"
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
}

// A block of a table of wideColumns or more has some rows all the same, for each costs
// something for every column; but not more than wideBytes, nor a wideShare of the memory.
const (
	wideColumns = 2048
	wideCells   = 256
	wideBytes   = 16 << 20
	wideShare   = 16
)

// blockSize is how much of the text a block is of.
func (t *textTable) blockSize() int64 {
	if t.width < wideColumns {
		return blockBytes
	}
	most := int64(wideBytes)
	if t.most > 0 {
		most = min(most, t.most/wideShare)
	}
	return max(blockBytes, min(int64(t.width)*wideCells, most))
}

// next fills b with the next rows, and reports whether there are any.
func (r *blocks) next(b *block) (bool, error) {
	if r.at >= r.t.size {
		return false, nil
	}
	t := r.t
	for n := t.blockSize(); ; n *= 2 {
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
			if err := t.room(r.at, 2*n); err != nil {
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
// the blocks.
func (t *textTable) room(at, n int64) error {
	return in(Message("byte %d: a row", at), TooLarge(2*n, t.most))
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
	source := &blocks{t: t, at: t.start, first: true}
	if t.size-t.start <= blockBytes {
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
	workers := runtime.GOMAXPROCS(0)
	spare := make(chan *block, workers+2) // all there are
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
	for range workers {
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
