package crew

import (
	"sync"
	"unsafe"
)

// Scratch is the memory of one worker: an arena for the arrays of the task at
// hand, which grows to what its largest task needed. The zero value is ready.
type Scratch struct {
	words []uint64
	used  int

	// Memo is what tasks remember from one to the next, whatever phase they are
	// of: it belongs to package selection.
	Memo any
}

var scratches = sync.Pool{New: func() any { return new(Scratch) }}

// Borrow returns scratch memory of which no arrays are given out. Return gives
// it back.
func Borrow() *Scratch {
	s := scratches.Get().(*Scratch)
	s.Reset()
	return s
}

// Return gives borrowed memory back, and all its arrays.
func (s *Scratch) Return() { scratches.Put(s) }

// Reset gives all arrays back.
func (s *Scratch) Reset() { s.used = 0 }

// Mark returns a mark of the arrays given out, for Release.
func (s *Scratch) Mark() int { return s.used }

// Release gives back the arrays given out since the mark.
func (s *Scratch) Release(mark int) { s.used = mark }

// lineWords is the size of a cache line, to which arrays are rounded up so
// that no two of them share one.
const lineWords = 8

// Alloc returns an array of n elements with unspecified contents, valid until
// the next Reset. T holds no pointers.
func Alloc[T any](s *Scratch, n int) []T {
	if n == 0 {
		return nil
	}
	words := (n*int(unsafe.Sizeof(*new(T)))+63)/64*lineWords + lineWords
	if s.used+words > len(s.words) {
		// Earlier arrays keep the old block alive for as long as they are used.
		s.words = make([]uint64, max(words, 2*len(s.words), 1<<10))
		s.used = 0
	}
	p := unsafe.Pointer(&s.words[s.used])
	if poison.on.Load() {
		poison.fill(s.words[s.used:][:words])
	}
	s.used += words
	return unsafe.Slice((*T)(p), n)
}

// Resize returns a slice of length n, reusing the memory of s; its contents
// are unspecified. T holds no pointers.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n)
	}
	s = s[:n]
	if poison.on.Load() {
		poisonAll(s)
	}
	return s
}
