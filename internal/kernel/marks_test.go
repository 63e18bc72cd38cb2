package kernel

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/testkit"
)

// checkMarks marks a text in so many marks between fences.
func checkMarks(t *testing.T, text []byte, size int, side testkit.Side, delim, eol, quote byte) {
	t.Helper()
	words := testkit.Fenced[uint64](t, 2*size, side)
	dst := unsafe.Slice((*Marks)(unsafe.Pointer(unsafe.SliceData(words))), size)
	MarkText(dst, text, delim, eol, quote)
	for i := range size * markBytes {
		var want Marks
		if i < len(text) {
			c := text[i]
			want = Marks{uint64(bit(c == delim)), uint64(bit(c == eol || c == quote))}
		}
		m := dst[i/markBytes]
		if got := (Marks{m.Delims >> (i % markBytes) & 1, m.Stops >> (i % markBytes) & 1}); got != want {
			t.Fatalf("byte %d of %d has the marks %v, want %v", i, len(text), got, want)
		}
	}
}

// MarkText marks each byte of texts of every length, and nothing past them.
func TestMarkText(t *testing.T) {
	eachImpl(t, "MarkText", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 1))
		for _, n := range lengths() {
			side := testkit.Sides[rng.IntN(2)]
			text := testkit.Fenced[uint8](t, n, side)
			for i := range text {
				text[i] = "\x00\x01\x80\x81\x7F\xFF\xFE,"[rng.IntN(8)]
			}
			checkMarks(t, text, n/markBytes+rng.IntN(3), side, 0, 0x80, 0xFF)
		}
	})
}

// fuzzMarks looks for bytes of the text, or others.
func fuzzMarks(t *testing.T, d drawn) {
	keys, side := elements[int8](t, d, d.n)
	size := d.n/markBytes + d.IntN(3)
	delim, eol, quote := byte(oneOf(d, keys)), byte(oneOf(d, keys)), byte(oneOf(d, keys))
	sameOnAll(t, "MarkText", func() []byte {
		checkMarks(t, testkit.Raw(keys), size, side, delim, eol, quote)
		return nil
	})
}

func FuzzMarkText(f *testing.F) { fuzz(f, fuzzMarks, fuzzMarks, fuzzMarks, fuzzMarks) }
