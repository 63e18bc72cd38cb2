package formats

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ogive-go/ogive/tensorio"
)

const (
	arrowMagic        = "ARROW1"
	arrowContinuation = "\xff\xff\xff\xff" // before each message of a stream
)

// isArrow knows a file and a stream by its begin. A stream begins with a message: the
// mark of one, its length, and a table of FlatBuffers.
func isArrow(head []byte) bool {
	if bytes.HasPrefix(head, []byte(arrowMagic)) {
		return true
	}
	if !bytes.HasPrefix(head, []byte(arrowContinuation)) || len(head) < 12 {
		return false
	}
	length, root := binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint32(head[8:])
	return length%8 == 0 && root%2 == 0 && root < length && length < math.MaxInt32
}

// readArrow reads an Apache Arrow file or stream, and so Feather version 2, whose
// buffers may be compressed. Columns have the types they are stored in, as those of
// Parquet: see readParquet. A column of dictionaries is one of their values. Columns
// of text are left out, but for File.Key, and those of structs, lists, maps and unions.
//
// A record batch is read as a whole; of a stream that is cut between two, without the
// mark of its end, nobody can tell.
func readArrow(s *source, o tensorio.Options) (*tensorio.File, error) {
	at, size, err := s.random()
	if err != nil {
		return nil, err
	}
	a := &arrowFile{at: at, size: size, memory: s.memory}
	if err := a.check(); err != nil {
		return nil, err
	}
	if a.memory > 0 {
		a.memory = max(a.memory-a.window, 1)
	}
	schema, err := a.schema()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, f := range schema.Fields() {
		all = append(all, f.Name)
		a.fields = append(a.fields, newArrowField(f, a.nulls()))
	}
	f := tensorio.Table{Name: s.name, Format: "arrow", Columns: all, Load: a.load, Batches: a.batches}
	for _, field := range a.fields {
		f.Text = append(f.Text, field.reason)
	}
	if err := repeated(&f, o); err != nil {
		return nil, err
	}
	if err := f.Choose(o); err != nil {
		return nil, err
	}
	for i := range a.fields {
		if f.Text[i] == nil && (f.Chosen == nil || slices.Contains(f.Chosen, i)) {
			a.numbers = append(a.numbers, i)
		}
	}
	return f.File(), nil
}

// arrowFile is an open Arrow file or stream.
type arrowFile struct {
	at      io.ReaderAt
	size    int64
	memory  int64 // Options.Memory, without what zstd takes
	window  int64 // the largest of zstd
	rows    int64 // of all record batches, as they say
	fields  []*arrowField
	numbers []int // the fields that are asked for and no text

	mu     sync.Mutex
	loaded map[int]tensorio.Column // those of numbers, once one was asked for
	held   int64                   // about what they take
}

// check checks the descriptions in the file against its size: the footer's and the
// blocks' of a file, the messages' of a stream.
func (a *arrowFile) check() error {
	mark := make([]byte, len(arrowMagic))
	if _, err := a.bytes(mark, 0); err != nil {
		return err
	}
	if string(mark) != arrowMagic {
		return a.checkStream()
	}
	var end [10]byte
	at := a.size - int64(len(end))
	if _, err := a.bytes(end[:], at); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != arrowMagic {
		return malformed("byte %d: %q where an Arrow file ends with %q; it is truncated", at+4, end[4:], arrowMagic)
	}
	if length > at-8 {
		return malformed("byte %d: a footer of %d bytes in a file of %d", at, length, a.size)
	}
	if err := in("the footer", tensorio.TooLarge(length*describedTimes, a.memory)); err != nil {
		return err
	}
	footer := make([]byte, length)
	if _, err := a.bytes(footer, at-length); err != nil {
		return err
	}
	if err := checkFlat(footer, arrowFooter); err != nil {
		return in("the footer", err)
	}
	return a.checkBlocks(footer)
}

// describedTimes is how many times its size a description takes, once it has been read.
const describedTimes = 8

// checkStream checks the messages of a stream.
func (a *arrowFile) checkStream() error {
	for at := int64(0); at <= a.size-4; {
		var head [8]byte
		n, err := a.at.ReadAt(head[:min(8, a.size-at)], at)
		if err != nil && err != io.EOF {
			return err
		}
		length := int64(binary.LittleEndian.Uint32(head[:]))
		begin := at + 4
		if length == math.MaxUint32 && n == 8 {
			length, begin = int64(binary.LittleEndian.Uint32(head[4:])), at+8
		}
		if length == 0 {
			return nil
		}
		if length > a.size-begin {
			return malformed("byte %d: a message of %d bytes where %d are left", at, length, a.size-begin)
		}
		place := malformed("byte %d: a message", at).Detail
		if err := in(place, tensorio.TooLarge(length*describedTimes, a.memory)); err != nil {
			return err
		}
		b := make([]byte, length)
		if _, err := a.bytes(b, begin); err != nil {
			return err
		}
		if err := in(place, checkFlat(b, arrowMessage)); err != nil {
			return err
		}
		w := &flatWalk{b, 1}
		root, _ := w.offset(0)
		body := int64(0)
		if p, ok := w.field(root, 3); !ok || p > len(b)-8 {
			return malformed("%s without the length of its body", place)
		} else if p > 0 {
			body = int64(binary.LittleEndian.Uint64(b[p:]))
		}
		at = begin + length
		if body < 0 || body > a.size-at {
			return malformed("%s: a body of %d bytes where %d are left", place, body, a.size-at)
		}
		if err := a.checkBody(b, at, body); err != nil {
			return in(place, err)
		}
		at += body
	}
	return nil
}

// bytes fills b from a place.
func (a *arrowFile) bytes(b []byte, at int64) (int, error) {
	if at < 0 || at > a.size-int64(len(b)) {
		return 0, malformed("the file ends at byte %d: %d are no Arrow file", a.size, a.size)
	}
	n, err := a.at.ReadAt(b, at)
	if err == io.EOF && n == len(b) {
		err = nil
	}
	return n, err
}

// schema returns what columns there are.
func (a *arrowFile) schema() (schema *arrow.Schema, err error) {
	err = a.read(a.memory, func(s *arrow.Schema, _ func() (arrow.RecordBatch, error)) error {
		schema = s
		return nil
	})
	return schema, err
}

// read calls f with the schema and what returns the record batches, and io.EOF behind
// the last. The library may take so much memory, if that is not 0.
func (a *arrowFile) read(bound int64, f func(*arrow.Schema, func() (arrow.RecordBatch, error)) error) error {
	var bounded *limited
	err := guard("Arrow", func() error {
		var mark [len(arrowMagic)]byte
		if _, err := a.at.ReadAt(mark[:], 0); err != nil && err != io.EOF {
			return err
		}
		r := io.NewSectionReader(a.at, 0, a.size)
		most := freeBytes + maxExpansion*min(a.size, 1<<40)
		if bound > 0 {
			most = min(most, bound)
		}
		bounded = &limited{Allocator: memory.NewGoAllocator(), most: most, bound: bound}
		mem := ipc.WithAllocator(bounded)
		if string(mark[:]) == arrowMagic {
			// Its blocks are checked against the size of the file.
			file, err := ipc.NewFileReader(r, mem, ipc.WithMetadataSizeLimit(0), ipc.WithBodySizeLimit(0))
			if err != nil {
				return err
			}
			defer file.Close()
			next := 0
			return f(file.Schema(), func() (arrow.RecordBatch, error) {
				if next == file.NumRecords() {
					return nil, io.EOF
				}
				next++
				return file.RecordBatch(next - 1)
			})
		}
		messages := ipc.NewMessageReader(r, mem, ipc.WithMetadataSizeLimit(a.size), ipc.WithBodySizeLimit(a.size))
		stream, err := ipc.NewReaderFromMessageReader(messages, mem)
		if err != nil {
			return err
		}
		defer stream.Release()
		return f(stream.Schema(), stream.Read)
	})
	if err != nil && bounded != nil && bounded.err != nil {
		return bounded.err // which the library may have made a text of
	}
	return err
}

// nulls is how many values a column without values may have: they take nothing of the
// file.
func (a *arrowFile) nulls() int {
	n := freeValues + 8*min(a.size, math.MaxInt32)
	if a.memory > 0 {
		n = min(n, a.memory/16)
	}
	return int(min(n, math.MaxInt32))
}

// limited is an allocator for what a file of some size may ask for, and have at a time.
type limited struct {
	memory.Allocator
	most  int64
	bound int64 // of Options.Memory
	used  atomic.Int64
	err   error
}

func (l *limited) Allocate(n int) []byte {
	l.check(n, 0)
	return l.Allocator.Allocate(n)
}

func (l *limited) Free(b []byte) {
	l.used.Add(-int64(len(b)))
	l.Allocator.Free(b)
}

func (l *limited) Reallocate(n int, b []byte) []byte {
	l.check(n, len(b))
	return l.Allocator.Reallocate(n, b)
}

// check panics for a size that no file of this length needs, or that is not to be had
// any more; Arrow's reader, which takes sizes from the file, has no other way out of an
// allocation.
func (l *limited) check(n, before int) {
	switch {
	case n < 0 || int64(n) > l.most:
		l.refuse(int64(n), "a buffer of %d bytes")
	default:
		if used := l.used.Add(int64(n - before)); used > l.most {
			l.refuse(used, "buffers of %d bytes")
		}
	}
}

func (l *limited) refuse(n int64, format string) {
	if l.err = tensorio.TooLarge(n, l.bound); l.err == nil {
		l.err = malformed(format, n)
	}
	panic(l.err)
}

// collect reads some columns of so many rows from the batches that next returns, up to the
// last. Their texts may take what the room has.
func (a *arrowFile) collect(fields []int, rows int64, room *textRoom, next func() (arrow.RecordBatch, error)) ([]tensorio.Column, error) {
	columns := make([]arrowColumn, len(fields))
	for k, i := range fields {
		if a.fields[i].column == nil {
			return nil, a.fields[i].reason
		}
		columns[k] = a.fields[i].column(int(rows), room)
	}
	for {
		batch, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for k, i := range fields {
			values := batch.Column(i)
			if values.Len() != int(batch.NumRows()) {
				return nil, malformed("column %q holds %d values in %d rows", a.fields[i].name, values.Len(), batch.NumRows())
			}
			if err := columns[k].add(values); err != nil {
				return nil, in(malformed("column %q", a.fields[i].name).Detail, err)
			}
		}
	}
	list := make([]tensorio.Column, len(fields))
	for k, c := range columns {
		var err error
		if list[k], err = c.finish(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// load returns a column. The first one of numbers is read together with the others,
// since a batch is read as a whole.
func (a *arrowFile) load(i int) (tensorio.Column, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, ok := a.loaded[i]; ok {
		return c, nil
	}
	fields := []int{i}
	if slices.Contains(a.numbers, i) {
		fields = a.numbers
	}
	list, err := a.whole(fields)
	if len(fields) > 1 && errors.Is(err, tensorio.ErrColumn) { // maybe of another
		fields = []int{i}
		list, err = a.whole(fields)
	}
	if err != nil {
		return tensorio.Column{}, err
	}
	if a.loaded == nil {
		a.loaded = map[int]tensorio.Column{}
	}
	for k, i := range fields {
		a.loaded[i] = list[k]
		a.held += a.rows * valueBytes
	}
	return a.loaded[i], nil
}

// whole reads some columns. With Options.Memory there is room for their rows, of which half
// of what is left is for texts, or they are refused.
func (a *arrowFile) whole(fields []int) (list []tensorio.Column, err error) {
	bound, rows, room := a.memory, int64(0), (*textRoom)(nil)
	if bound > 0 {
		rows = a.rows
		if int64(math.MaxInt64)/valueBytes/int64(max(len(fields), 1)) < rows {
			return nil, malformed("%d rows", rows)
		}
		need := rows*valueBytes*int64(len(fields)) + a.held
		if err := tensorio.TooLarge(need, bound); err != nil {
			return nil, in(malformed("%d columns of %d rows", len(fields), rows).Detail, err)
		}
		bound -= need
		if slices.ContainsFunc(fields, func(i int) bool { return a.fields[i].text }) {
			room = newTextRoom(max(bound/2, 1))
			bound -= bound / 2
		}
		bound = max(bound, 1)
	}
	err = a.read(bound, func(_ *arrow.Schema, next func() (arrow.RecordBatch, error)) (err error) {
		list, err = a.collect(fields, rows, room, next)
		return err
	})
	return list, err
}

// batches yields some columns in runs of rows of the batches. With Options.Memory, a quarter
// is for these.
func (a *arrowFile) batches(fields []int) iter.Seq2[[]tensorio.Column, error] {
	return func(yield func([]tensorio.Column, error) bool) {
		size, bound, room := int64(runRows), a.memory, (*textRoom)(nil)
		if bound > 0 {
			row := max(int64(len(fields)), 1) * valueBytes // of which there may be none
			for _, i := range fields {
				if a.fields[i].text {
					row += codeBytes
				}
			}
			if err := tensorio.TooLarge(4*leastRows*row, bound); err != nil {
				yield(nil, in(malformed("%d columns", len(fields)).Detail, err))
				return
			}
			size, room = min(size, bound/4/row), newTextRoom(bound/4)
			bound -= bound / 4
		}
		err := a.read(bound, func(_ *arrow.Schema, next func() (arrow.RecordBatch, error)) error {
			for {
				batch, err := next()
				if err == io.EOF {
					return nil
				}
				if err != nil {
					return err
				}
				if err := a.runs(batch, fields, size, room, yield); err != nil {
					return err
				}
			}
		})
		if err != nil && err != errStop {
			yield(nil, err)
		}
	}
}

// runs yields some columns of a batch in runs of some rows.
func (a *arrowFile) runs(batch arrow.RecordBatch, fields []int, size int64, room *textRoom, yield func([]tensorio.Column, error) bool) error {
	for from := int64(0); from < batch.NumRows(); from += size {
		to := min(from+size, batch.NumRows())
		part := batch.NewSlice(from, to)
		if room != nil {
			room.used.Store(0)
		}
		given := false
		list, err := a.collect(fields, to-from, room, func() (arrow.RecordBatch, error) {
			if given {
				return nil, io.EOF
			}
			given = true
			return part, nil
		})
		part.Release()
		if err != nil {
			return err
		}
		if !yield(list, nil) {
			return errStop
		}
	}
	return nil
}
