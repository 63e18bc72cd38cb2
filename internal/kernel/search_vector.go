//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var searchShort = hasShort

func init() { cpu.Register("Search", shortLevel, &searchShort) }

func searchesOnVectors() bool { return searchesLong() || searchShort }

// searchVector is Search; it reports whether there is vector code. Keys of 8
// and 16 bits are searched bit by bit: there are few, and rows are short.
func searchVector[K Key](b Block[K], ranks, out, next []K) bool {
	row := len(ranks) * int(unsafe.Sizeof(K(0)))
	switch {
	case searchesLong() && row == 64:
		searchLong(b, ranks, out, next)
		return true
	case !searchShort || row%shortBytes != 0:
		return false
	}
	n, isFloat := b.N, 0
	if b.Float {
		isFloat = 1
	}
	for part := 0; part < row; part += shortBytes {
		k, r, o, f := at(b.Keys, part), at(ranks, part), at(out, part), at(next, part)
		switch unsafe.Sizeof(K(0)) {
		case 1:
			search8Short((*int8)(k), row, n, (*int8)(r), (*int8)(o), (*int8)(f))
		case 2:
			search16Short((*int16)(k), row, n, (*int16)(r), (*int16)(o), (*int16)(f))
		case 4:
			secant32Short((*int32)(k), row, n, (*int32)(r), isFloat, (*int32)(o), (*int32)(f))
		default:
			secant64Short((*int64)(k), row, n, (*int64)(r), isFloat, (*int64)(o), (*int64)(f))
		}
	}
	return true
}

// at returns the address of a byte of a slice.
func at[K Key](s []K, byte int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), byte)
}

// The functions search… are searchGeneric and successorGeneric for a block of
// n rows of 64 bytes, or of row bytes, of which short vectors look at the first.

//go:noescape
func search8Short(keys *int8, row, n int, ranks, out, next *int8)

//go:noescape
func search16Short(keys *int16, row, n int, ranks, out, next *int16)

// The functions secant… are Search, for the same rows.

//go:noescape
func secant32Short(keys *int32, row, n int, ranks *int32, float int, out, next *int32)

//go:noescape
func secant64Short(keys *int64, row, n int, ranks *int64, float int, out, next *int64)
