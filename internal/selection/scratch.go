package selection

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
)

// Scratch is the memory of one worker: an arena for the arrays of the task at
// hand, and what is worth remembering from one task to the next. It grows to
// what its largest task needed. The zero value is ready.
type Scratch struct {
	words []uint64
	used  int
	ranks rankCache
	picks kernel.Picks
	// narrowing is a *Narrowing of the keys used last.
	narrowing any
}

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
	s.used += words
	return unsafe.Slice((*T)(p), n)
}
