package kernel

import (
	"math"

	"github.com/ogive-go/ogive/dtype"
)

// widenGeneric is Widen.
func widenGeneric[K Key](dst []float64, keys []K, e Encoding[K]) {
	keys = keys[:len(dst)]
	if e.Code != Unsigned {
		for i, k := range keys {
			dst[i] = float64(k)
		}
		return
	}
	top := uint64(MaxKey[K]()) + 1
	for i, k := range keys {
		dst[i] = float64(uint64(int64(k)) + top)
	}
}

// widenHalfGeneric is WidenHalf.
func widenHalfGeneric(dst []int32, keys []int16, e Encoding[int16]) {
	keys = keys[:len(dst)]
	for i, k := range keys {
		if k < 0 {
			k ^= MaxKey[int16]()
		}
		if e.Inf == infF16 {
			dst[i] = int32(math.Float32bits(float32(dtype.F16FromBits(uint16(k)).Float64())))
		} else {
			dst[i] = int32(k) << 16
		}
	}
}

// narrowHalfGeneric is NarrowHalf.
func narrowHalfGeneric(dst []int16, src []int32, e Encoding[int16]) {
	src = src[:len(dst)]
	for i, b := range src {
		x := float64(math.Float32frombits(uint32(b)))
		if e.Inf == infF16 {
			dst[i] = int16(dtype.ToF16(x).Bits())
		} else {
			dst[i] = int16(dtype.ToBF16(x).Bits())
		}
	}
}
