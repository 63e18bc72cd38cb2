package partition

import (
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
)

// radixBits is the size of a digit of Sort: its counts are 8 KiB.
const radixBits = 11

// ByRadix reports whether Sort sorts so many keys by radix.
func ByRadix[K kernel.Key](n int, t *tuning.Thresholds) bool {
	return n >= max(t.RadixMin*int(unsafe.Sizeof(K(0))), 2)
}

// Sort sorts keys, with as many others for scratch: by radix, which takes a
// tenth of the time of comparing, if there are enough.
func Sort[K kernel.Key](keys, other []K, t *tuning.Thresholds) {
	width := 8 * int(unsafe.Sizeof(K(0)))
	if !ByRadix[K](len(keys), t) {
		slices.Sort(keys)
		return
	}
	if width == 8 {
		sortBytes(keys)
		return
	}
	other = other[:len(keys)]
	top := kernel.MinKey[K]()
	from, to := keys, other
	for shift := 0; shift < width; shift += radixBits {
		var at [1 << radixBits]int32
		for _, k := range from {
			at[uint64(int64(k^top))>>shift&(1<<radixBits-1)]++
		}
		if at[uint64(int64(from[0]^top))>>shift&(1<<radixBits-1)] == int32(len(from)) {
			continue
		}
		sum := int32(0)
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, k := range from {
			digit := uint64(int64(k^top)) >> shift & (1<<radixBits - 1)
			to[at[digit]] = k
			at[digit]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// sortBytes sorts 8-bit keys, by how many there are of each.
func sortBytes[K kernel.Key](keys []K) {
	var counts [1 << 8]uint32
	kernel.Histogram(counts[:], keys)
	at := 0
	for i, n := range counts {
		for range n {
			keys[at] = kernel.MinKey[K]() + K(i)
			at++
		}
	}
}
