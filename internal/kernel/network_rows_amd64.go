//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var networkAVX2 = cpu.AVX2

func init() { cpu.Register("Network", "avx2", &networkAVX2) }

// paddedRows returns how many rows the memory of a network of n rows has: sixteen or eight
// are sorted in one go, but for fewRows.
func paddedRows[K Key](n int) int {
	switch last := n % sixteen; {
	case !networkAVX2 || last <= fewRows:
		return n
	case last <= 8:
		return n - last + 8
	default:
		return n - last + sixteen
	}
}

// sortSixteensVector sorts sixteen rows each, but for fewRows at the end, and reports
// whether there is vector code and enough lanes.
func sortSixteensVector[K Key](n int, keys []K, width int) bool {
	size := int(unsafe.Sizeof(K(0)))
	row := width * size
	if !networkAVX2 || row < 32 {
		return false
	}
	sort8, sort16 := sort8Rows32AVX2, sort16Rows32AVX2
	switch size {
	case 1:
		sort8, sort16 = sort8Rows8AVX2, sort16Rows8AVX2
	case 2:
		sort8, sort16 = sort8Rows16AVX2, sort16Rows16AVX2
	case 8:
		sort8, sort16 = sort8Rows64AVX2, sort16Rows64AVX2
	}
	for first := 0; n-first > fewRows; first += sixteen {
		p := (*byte)(unsafe.Pointer(&keys[first*width]))
		if n-first <= 8 {
			sort8(p, row, row)
		} else {
			sort16(p, row, row)
		}
	}
	return true
}

// countValuesVector counts the keys of each lane that are not the largest, and reports
// whether there is vector code and enough lanes.
func countValuesVector[K Key](counts, rows []K) bool {
	size := int(unsafe.Sizeof(K(0)))
	row := len(counts) * size
	if !networkAVX2 || row < 32 || size == 1 {
		return false
	}
	n := len(rows) / len(counts)
	c, r := unsafe.Pointer(unsafe.SliceData(counts)), unsafe.Pointer(unsafe.SliceData(rows))
	switch size {
	case 2:
		countValues16AVX2((*int16)(c), (*int16)(r), row, n, row, int16(n), int16(MaxKey[K]()))
	case 4:
		countValues32AVX2((*int32)(c), (*int32)(r), row, n, row, int32(n), int32(MaxKey[K]()))
	default:
		countValues64AVX2((*int64)(c), (*int64)(r), row, n, row, int64(n), int64(MaxKey[K]()))
	}
	return true
}

// pickRowsVector picks two elements of each lane by its count, and reports whether there is
// vector code and enough lanes.
func pickRowsVector[K Key](lo, hi, counts, rows []K, table []uint8) bool {
	size := int(unsafe.Sizeof(K(0)))
	row := len(counts) * size
	if !networkAVX2 || row < 32 || size == 1 {
		return false
	}
	n, t := len(rows)/len(counts), unsafe.SliceData(table[:pickBytes])
	l, h := unsafe.Pointer(unsafe.SliceData(lo[:len(counts)])), unsafe.Pointer(unsafe.SliceData(hi[:len(counts)]))
	c, r := unsafe.Pointer(unsafe.SliceData(counts)), unsafe.Pointer(unsafe.SliceData(rows))
	// All but the lowest byte of an index choose nothing.
	switch size {
	case 2:
		pickRows16AVX2((*int16)(l), (*int16)(h), (*int16)(c), (*int16)(r), row, n, row, t, -1<<15)
	case 4:
		pickRows32AVX2((*int32)(l), (*int32)(h), (*int32)(c), (*int32)(r), row, n, row, t, -0x7F7F_8000)
	default:
		pickRows64AVX2((*int64)(l), (*int64)(h), (*int64)(c), (*int64)(r), row, n, row, t, -0x7F7F_7F7F_7F7F_8000)
	}
	return true
}

// The functions sort8Rows… and sort16Rows… sort the keys at each place of eight and of
// sixteen rows, in the first bytes of rows that lie so many bytes apart. bytes is at least
// a vector.

//go:noescape
func sort8Rows8AVX2(keys *byte, row, bytes int)

//go:noescape
func sort8Rows16AVX2(keys *byte, row, bytes int)

//go:noescape
func sort8Rows32AVX2(keys *byte, row, bytes int)

//go:noescape
func sort8Rows64AVX2(keys *byte, row, bytes int)

//go:noescape
func sort16Rows8AVX2(keys *byte, row, bytes int)

//go:noescape
func sort16Rows16AVX2(keys *byte, row, bytes int)

//go:noescape
func sort16Rows32AVX2(keys *byte, row, bytes int)

//go:noescape
func sort16Rows64AVX2(keys *byte, row, bytes int)

// The functions countValues… set counts, for each place in the first bytes of n rows, to
// all less the keys equal to none. bytes is at least a vector.

//go:noescape
func countValues16AVX2(counts, keys *int16, row, n, bytes int, all, none int16)

//go:noescape
func countValues32AVX2(counts, keys *int32, row, n, bytes int, all, none int32)

//go:noescape
func countValues64AVX2(counts, keys *int64, row, n, bytes int, all, none int64)

// The functions pickRows… are, for each place j in the first bytes of n rows,
//
//	i := table[counts[j]-1]
//	lo[j], hi[j] = keys of rows i and i + table[32+counts[j]-1] at j
//
// and any of these where the count is 0. upper has the highest bit of each byte but the
// lowest. bytes is at least a vector, a count at most 32.

//go:noescape
func pickRows16AVX2(lo, hi, counts, keys *int16, row, n, bytes int, table *uint8, upper int16)

//go:noescape
func pickRows32AVX2(lo, hi, counts, keys *int32, row, n, bytes int, table *uint8, upper int32)

//go:noescape
func pickRows64AVX2(lo, hi, counts, keys *int64, row, n, bytes int, table *uint8, upper int64)
