package engine

import (
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/nd"
)

// fillNaN sets all elements of an array to NaN, where its dtype has one.
func fillNaN(a *nd.Array) {
	switch nan := dtype.CanonicalNaN(a.DType); a.DType.Size() {
	case 2:
		fill(nd.Slice[uint16](a), uint16(nan))
	case 4:
		fill(nd.Slice[uint32](a), uint32(nan))
	case 8:
		fill(nd.Slice[uint64](a), nan)
	}
}

func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}
