//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var networkRows = hasShort

func init() { cpu.Register("Network", shortLevel, &networkRows) }

// paddedRows returns how many rows the memory of a network of n rows has: eight are sorted in
// one go, but for fewRows after sixteens.
func paddedRows[K Key](n int) int {
	switch last := n % unitOf(n); {
	case !networkRows || last <= fewRows:
		return n
	case last <= 8:
		return n - last + 8
	default:
		return n - last + sixteen
	}
}

// sortsInPlace reports whether sortUnitsVector works on so many lanes where their elements
// lie: no vector overlaps another.
func sortsInPlace[K Key](lanes int) bool {
	row := lanes * int(unsafe.Sizeof(K(0)))
	return networkRows && row > 0 && row%shortBytes == 0
}

// sortUnitsVector sets keys to those of a tile's lanes, row by row, of which each unit is
// sorted, but for fewRows at the end; behind keys there is memory for one row. It reports
// whether any lane has a NaN, and whether there is vector code for the tile.
func sortUnitsVector[K Key](keys []K, t Tile, e Encoding[K]) (nan, ok bool) {
	size := int(unsafe.Sizeof(K(0)))
	row, stride := t.Lanes*size, t.Stride*size
	if !networkRows || row < shortBytes || t.LaneStride != 1 {
		return false, false
	}
	flip, pads := K(0), keys[len(keys):][:t.Lanes]
	if e.Code == Unsigned {
		flip = MinKey[K]()
	}
	if t.N%8 != 0 {
		pads[0] = MaxKey[K]() ^ flip
		for n := 1; n < len(pads); n *= 2 {
			copy(pads[n:], pads[:n])
		}
	}
	first, unit := 0, unitOf(t.N)
	for ; t.N-first > fewRows; first += unit {
		rows := min(t.N-first, unit)
		to := unsafe.Pointer(&keys[first*t.Lanes])
		for eight := 0; eight < rows; eight += 8 {
			var from [8]*byte
			for i := range from {
				at := unsafe.Pointer(&pads[0])
				if eight+i < rows {
					at = unsafe.Add(t.Base, (first+eight+i)*stride)
				}
				from[i] = (*byte)(at)
			}
			half := (*byte)(unsafe.Add(to, eight*row))
			if e.Code == Float {
				nan = sortFloats(half, row, &from[0], min(rows-eight-1, 7)*row, e.Inf) || nan
			} else {
				sortIntegers[K](half, row, &from[0], replicate(flip))
			}
		}
		if rows > 8 {
			mergeEights[K]((*byte)(to), row)
		}
	}
	if first < t.N {
		part := t.part(first, 0, t.N-first, t.Lanes, uintptr(size))
		nan = EncodeTile(keys[first*t.Lanes:], t.Lanes, 1, part, e) > 0 || nan
	}
	return nan, true
}

// replicate returns eight bytes of copies of k.
func replicate[K Key](k K) (bits uint64) {
	width := 8 * int(unsafe.Sizeof(k))
	for at := 0; at < 64; at += width {
		bits |= uint64(k) << (64 - width) >> (64 - width) << at
	}
	return bits
}

// sortIntegers sorts eight rows of integers.
func sortIntegers[K Key](to *byte, row int, from **byte, flip uint64) {
	switch unsafe.Sizeof(K(0)) {
	case 1:
		sortRows8(to, row, row, from, flip)
	case 2:
		sortRows16(to, row, row, from, flip)
	case 4:
		sortRows32(to, row, row, from, flip)
	case 8:
		sortRows64(to, row, row, from, flip)
	}
}

// sortFloats sorts eight rows of floats, whose +Inf has the key inf, and reports
// whether any is NaN.
func sortFloats[K Key](to *byte, row int, from **byte, last int, inf K) bool {
	nan := 0
	switch unsafe.Sizeof(inf) {
	case 2:
		nan = sortRowsFloat16(to, row, row, from, last, int16(inf))
	case 4:
		nan = sortRowsFloat32(to, row, row, from, last, int32(inf))
	case 8:
		nan = sortRowsFloat64(to, row, row, from, last, int64(inf))
	}
	return nan != 0
}

// mergeEights merges eight sorted rows with the next eight.
func mergeEights[K Key](keys *byte, row int) {
	switch unsafe.Sizeof(K(0)) {
	case 1:
		mergeRows8(keys, row, row)
	case 2:
		mergeRows16(keys, row, row)
	case 4:
		mergeRows32(keys, row, row)
	case 8:
		mergeRows64(keys, row, row)
	}
}

// joinRowsVector sets lo and hi to rows k and k+1 of all, as joined finds them, and reports
// whether there is vector code and enough lanes. Both may be one.
func joinRowsVector[K Key](lo, hi, keys []K, first, k, others int) bool {
	size := int(unsafe.Sizeof(K(0)))
	row := len(lo) * size
	if !networkRows || row < shortBytes {
		return false
	}
	l, h := (*byte)(unsafe.Pointer(unsafe.SliceData(lo))), (*byte)(unsafe.Pointer(unsafe.SliceData(hi)))
	a, b := (*byte)(unsafe.Pointer(&keys[k*len(lo)])), (*byte)(unsafe.Pointer(&keys[first*len(lo)]))
	switch size {
	case 1:
		joinRows8(l, h, a, b, row, others, row)
	case 2:
		joinRows16(l, h, a, b, row, others, row)
	case 4:
		joinRows32(l, h, a, b, row, others, row)
	default:
		joinRows64(l, h, a, b, row, others, row)
	}
	return true
}

// countValuesVector counts the keys of each lane that are not the largest, and reports
// whether there is vector code and enough lanes.
func countValuesVector[K Key](counts, rows []K) bool {
	size := int(unsafe.Sizeof(K(0)))
	row := len(counts) * size
	if !networkRows || row < shortBytes || size == 1 {
		return false
	}
	n := len(rows) / len(counts)
	c, r := unsafe.Pointer(unsafe.SliceData(counts)), unsafe.Pointer(unsafe.SliceData(rows))
	switch size {
	case 2:
		countValues16((*int16)(c), (*int16)(r), row, n, row, int16(n), int16(MaxKey[K]()))
	case 4:
		countValues32((*int32)(c), (*int32)(r), row, n, row, int32(n), int32(MaxKey[K]()))
	default:
		countValues64((*int64)(c), (*int64)(r), row, n, row, int64(n), int64(MaxKey[K]()))
	}
	return true
}

// pickRowsVector picks two elements of each lane by its count, and reports whether there is
// vector code and enough lanes.
func pickRowsVector[K Key](lo, hi, counts, rows []K, table *PickTable) bool {
	size := int(unsafe.Sizeof(K(0)))
	row := len(counts) * size
	if !networkRows || row < shortBytes || size == 1 {
		return false
	}
	n, t := len(rows)/len(counts), &table[0]
	l, h := unsafe.Pointer(unsafe.SliceData(lo[:len(counts)])), unsafe.Pointer(unsafe.SliceData(hi[:len(counts)]))
	c, r := unsafe.Pointer(unsafe.SliceData(counts)), unsafe.Pointer(unsafe.SliceData(rows))
	// All but the lowest byte of an index choose nothing.
	switch size {
	case 2:
		pickRows16((*int16)(l), (*int16)(h), (*int16)(c), (*int16)(r), row, n, row, t, -1<<15)
	case 4:
		pickRows32((*int32)(l), (*int32)(h), (*int32)(c), (*int32)(r), row, n, row, t, -0x7F7F_8000)
	default:
		pickRows64((*int64)(l), (*int64)(h), (*int64)(c), (*int64)(r), row, n, row, t, -0x7F7F_7F7F_7F7F_8000)
	}
	return true
}

// The functions sortRows… sort the keys at each place in the first bytes of eight rows, and
// write them to rows of keys, row bytes apart. They come from the elements of rows at the
// addresses in src: floats, or integers to be flipped. nan is not 0 if the row of keys that
// begins last bytes after the first, behind which is padding alone, has that of NaN. bytes
// is at least a vector; a row may lie where its keys are written if nothing is changed on
// the way.

//go:noescape
func sortRows8(keys *byte, row, bytes int, src **byte, flip uint64)

//go:noescape
func sortRows16(keys *byte, row, bytes int, src **byte, flip uint64)

//go:noescape
func sortRowsFloat16(keys *byte, row, bytes int, src **byte, last int, inf int16) (nan int)

//go:noescape
func sortRows32(keys *byte, row, bytes int, src **byte, flip uint64)

//go:noescape
func sortRowsFloat32(keys *byte, row, bytes int, src **byte, last int, inf int32) (nan int)

//go:noescape
func sortRows64(keys *byte, row, bytes int, src **byte, flip uint64)

//go:noescape
func sortRowsFloat64(keys *byte, row, bytes int, src **byte, last int, inf int64) (nan int)

// The functions mergeRows… merge the keys at each place in the first bytes of eight sorted
// rows with those of the eight after them. bytes is at least a vector.

//go:noescape
func mergeRows8(keys *byte, row, bytes int)

//go:noescape
func mergeRows16(keys *byte, row, bytes int)

//go:noescape
func mergeRows32(keys *byte, row, bytes int)

//go:noescape
func mergeRows64(keys *byte, row, bytes int)

// The functions joinRows… set, for each place in the first bytes of rows, hi to the least of
// the keys of row a+1 and max(a[-i], b[i]) for i < n, and lo, which may be hi, to the
// greatest of those of row a-n and min(a[-i], b[i]). bytes is at least a vector.

//go:noescape
func joinRows8(lo, hi, a, b *byte, row, n, bytes int)

//go:noescape
func joinRows16(lo, hi, a, b *byte, row, n, bytes int)

//go:noescape
func joinRows32(lo, hi, a, b *byte, row, n, bytes int)

//go:noescape
func joinRows64(lo, hi, a, b *byte, row, n, bytes int)

// The functions countValues… set counts, for each place in the first bytes of n rows, to
// all less the keys equal to none. bytes is at least a vector.

//go:noescape
func countValues16(counts, keys *int16, row, n, bytes int, all, none int16)

//go:noescape
func countValues32(counts, keys *int32, row, n, bytes int, all, none int32)

//go:noescape
func countValues64(counts, keys *int64, row, n, bytes int, all, none int64)

// The functions pickRows… are, for each place j in the first bytes of n rows,
//
//	i := table[counts[j]-1]
//	lo[j], hi[j] = keys of rows i and i + table[32+counts[j]-1] at j
//
// and any of these where the count is 0. upper has the highest bit of each byte but the
// lowest. bytes is at least a vector, a count at most 32.

//go:noescape
func pickRows16(lo, hi, counts, keys *int16, row, n, bytes int, table *uint8, upper int16)

//go:noescape
func pickRows32(lo, hi, counts, keys *int32, row, n, bytes int, table *uint8, upper int32)

//go:noescape
func pickRows64(lo, hi, counts, keys *int64, row, n, bytes int, table *uint8, upper int64)
