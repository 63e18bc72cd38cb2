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
	a := &arrowFile{at: at, size: size, memory: o.Memory}
	if err := a.check(); err != nil {
		return nil, err
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
	memory  int64 // Options.Memory
	fields  []*arrowField
	numbers []int // the fields that are asked for and no text

	mu     sync.Mutex
	loaded map[int]tensorio.Column // those of numbers, once one was asked for
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
	footer := make([]byte, length)
	if _, err := a.bytes(footer, at-length); err != nil {
		return err
	}
	if err := checkFlat(footer, arrowFooter); err != nil {
		return in("the footer", err)
	}
	return a.checkBlocks(footer)
}

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
		b := make([]byte, length)
		if _, err := a.bytes(b, begin); err != nil {
			return err
		}
		place := malformed("byte %d: a message", at).Detail
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
	err = a.read(func(s *arrow.Schema, _ func() (arrow.RecordBatch, error)) error {
		schema = s
		return nil
	})
	return schema, err
}

// read calls f with the schema and what returns the record batches, and io.EOF behind
// the last.
func (a *arrowFile) read(f func(*arrow.Schema, func() (arrow.RecordBatch, error)) error) error {
	return guard("Arrow", func() error {
		var mark [len(arrowMagic)]byte
		if _, err := a.at.ReadAt(mark[:], 0); err != nil && err != io.EOF {
			return err
		}
		r := io.NewSectionReader(a.at, 0, a.size)
		most := freeBytes + maxExpansion*min(a.size, 1<<40)
		if a.memory > 0 {
			most = min(most, a.memory)
		}
		bounded := &limited{Allocator: memory.NewGoAllocator(), most: most, bound: a.memory}
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
				bounded.used.Store(0)
				return file.RecordBatch(next - 1)
			})
		}
		messages := ipc.NewMessageReader(r, mem, ipc.WithMetadataSizeLimit(a.size), ipc.WithBodySizeLimit(a.size))
		stream, err := ipc.NewReaderFromMessageReader(messages, mem)
		if err != nil {
			return err
		}
		defer stream.Release()
		return f(stream.Schema(), func() (arrow.RecordBatch, error) {
			bounded.used.Store(0)
			return stream.Read()
		})
	})
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

// limited is an allocator for what a file of some size may ask for, in one record batch
// together.
type limited struct {
	memory.Allocator
	most  int64
	bound int64 // Options.Memory
	used  atomic.Int64
}

func (l *limited) Allocate(n int) []byte {
	l.check(n, 0)
	return l.Allocator.Allocate(n)
}

func (l *limited) Reallocate(n int, b []byte) []byte {
	l.check(n, len(b))
	return l.Allocator.Reallocate(n, b)
}

// check panics for a size that no file of this length needs, or that is not to be had
// any more; Arrow's reader, which takes sizes from the file, has no other way out of an
// allocation.
func (l *limited) check(n, before int) {
	if n < 0 || int64(n) > l.most {
		if err := tensorio.TooLarge(int64(n), l.bound); err != nil {
			panic(err)
		}
		panic(malformed("a buffer of %d bytes", n))
	}
	if used := l.used.Add(int64(n - before)); used > l.most {
		if err := tensorio.TooLarge(used, l.bound); err != nil {
			panic(err)
		}
		panic(malformed("buffers of %d bytes", used))
	}
}

// collect reads some columns of the batches that next returns, up to the last or as
// many as are asked for.
func (a *arrowFile) collect(fields []int, next func() (arrow.RecordBatch, error), most int) ([]tensorio.Column, error) {
	columns := make([]arrowColumn, len(fields))
	for k, i := range fields {
		if columns[k] = a.fields[i].column(); columns[k] == nil {
			return nil, a.fields[i].reason
		}
	}
	for n := 0; n < most; n++ {
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
	}
	return a.loaded[i], nil
}

// whole reads some columns.
func (a *arrowFile) whole(fields []int) (list []tensorio.Column, err error) {
	err = a.read(func(_ *arrow.Schema, next func() (arrow.RecordBatch, error)) (err error) {
		list, err = a.collect(fields, next, math.MaxInt)
		return err
	})
	return list, err
}

// batches yields some columns batch by batch.
func (a *arrowFile) batches(fields []int) iter.Seq2[[]tensorio.Column, error] {
	return func(yield func([]tensorio.Column, error) bool) {
		err := a.read(func(_ *arrow.Schema, next func() (arrow.RecordBatch, error)) error {
			for {
				batch, err := next()
				if err == io.EOF {
					return nil
				}
				if err != nil {
					return err
				}
				list, err := a.collect(fields, func() (arrow.RecordBatch, error) { return batch, nil }, 1)
				if err != nil {
					return err
				}
				if batch.NumRows() > 0 && !yield(list, nil) {
					return errStop
				}
			}
		})
		if err != nil && err != errStop {
			yield(nil, err)
		}
	}
}
