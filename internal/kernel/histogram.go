package kernel

import (
	"encoding/binary"
	"unsafe"
)

// Histogram counts the keys of src, of 8 or 16 bits, by value: key k in
// counts[k-MinKey].
func Histogram[K Key](counts []uint32, src []K) {
	switch unsafe.Sizeof(K(0)) {
	case 1:
		c := (*[1 << 8]uint32)(counts)
		bytes := unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(src))), len(src))
		for _, b := range bytes[histogramTables(c, bytes):] {
			c[b^0x80]++
		}
	case 2:
		c := (*[1 << 16]uint32)(counts)
		for _, k := range src {
			c[uint16(k)^0x8000]++
		}
	default:
		panic("kernel: a histogram of wide keys")
	}
}

// tablesMin is the number of bytes from which tables are worth being cleared and added.
const tablesMin = 2048

// histogramTables counts the first done bytes, each of four that follow one another in
// a table of its own: an increment waits for the last one of the same count.
func histogramTables(counts *[1 << 8]uint32, src []uint8) (done int) {
	if len(src) < tablesMin {
		return 0
	}
	var tables [4][1 << 8]uint32
	done = len(src) &^ 7
	for ; len(src) >= 8; src = src[8:] {
		w := binary.LittleEndian.Uint64(src)
		tables[0][uint8(w)]++
		tables[1][uint8(w>>8)]++
		tables[2][uint8(w>>16)]++
		tables[3][uint8(w>>24)]++
		tables[0][uint8(w>>32)]++
		tables[1][uint8(w>>40)]++
		tables[2][uint8(w>>48)]++
		tables[3][uint8(w>>56)]++
	}
	for i := range counts {
		counts[i^0x80] += tables[0][i] + tables[1][i] + tables[2][i] + tables[3][i]
	}
	return done
}
