package crew

import (
	"sync/atomic"
	"unsafe"
)

// poison fills memory with unspecified contents, so that what depends on them differs
// from call to call: tests switch it on.
var poison poisoner

type poisoner struct {
	on    atomic.Bool
	calls atomic.Uint64
}

// Poison says whether Alloc and Resize fill the memory they return with values that change
// from one call to the next and would be noticed if they were taken for data: NaNs, extremes
// and zeros of every width, and random ones. It takes time as memory does; tests have it on.
func Poison(on bool) { poison.on.Store(on) }

// poisons are words that are special as elements, keys or counts of one width or another.
var poisons = [...]uint64{
	0x7FF8_0000_0000_0001, 0xFFF0_0000_0000_0000, 0x7FF0_0000_0000_0000, // float64: NaN, -Inf, +Inf
	0x7FC0_0001_7FC0_0001, 0xFF80_0000_7F80_0000, // float32
	0x7E01_7E01_7E01_7E01, 0x7FC1_7FC1_7FC1_7FC1, // float16, bfloat16: NaN
	0x7FFF_FFFF_FFFF_FFFF, 0x7FFF_FFFF_7FFF_FFFF, 0x7FFF_7FFF_7FFF_7FFF, 0x7F7F_7F7F_7F7F_7F7F, // the largest keys
	0x8000_0000_0000_0000, 0x8000_0000_8000_0000, 0x8000_8000_8000_8000, 0x8080_8080_8080_8080, // the smallest keys
	0, 1, 0x0001_0001_0001_0001, ^uint64(0),
}

// fill fills words with what no call before had.
func (p *poisoner) fill(words []uint64) { poisoned(words, p.calls.Add(1)) }

// poisoned fills words with one of the poisons, or with random values, as the number of
// the call says.
func poisoned(words []uint64, call uint64) {
	call *= 0x9E3779B97F4A7C15
	which := int(call >> 32 % uint64(len(poisons)*3/2))
	if which < len(poisons) {
		for i := range words {
			words[i] = poisons[which]
		}
		return
	}
	for i := range words {
		call = call*6364136223846793005 + 1442695040888963407
		words[i] = call ^ call>>29
	}
}

// poisonAll fills the elements of s.
func poisonAll[T any](s []T) {
	size := len(s) * int(unsafe.Sizeof(*new(T)))
	Spoil(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size), poison.calls.Add(1))
}

// Spoil fills memory as Poison has it, with the contents that a number says: for memory
// that is no scratch memory of this package.
func Spoil(bytes []byte, number uint64) {
	var block [64]uint64
	poisoned(block[:], number)
	from := unsafe.Slice((*byte)(unsafe.Pointer(&block)), len(block)*8)
	for len(bytes) > 0 {
		bytes = bytes[copy(bytes, from):]
	}
}
