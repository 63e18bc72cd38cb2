package kernel

import (
	"math"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

// middleIntGeneric is MiddleInt; offset is added to each middle of keys, or for
// keys of 64 bits taken from 2^52 and the sum of the upper halves of keys with
// the top bits flipped. That and the sum of the lower halves are exact, and so
// are the halves of both, so that there is one rounding.
func middleIntGeneric[K Key](dst []float64, lo, hi []K, offset float64) {
	lo, hi = lo[:len(dst)], hi[:len(dst)]
	if unsafe.Sizeof(K(0)) < 8 {
		for i := range dst {
			dst[i] = float64((float64(lo[i])+float64(hi[i]))*0.5) + offset
		}
		return
	}
	const top, lower = 1 << 63, 1<<32 - 1
	for i := range dst {
		a, b := uint64(int64(lo[i]))^top, uint64(int64(hi[i]))^top
		high := 0x1p52 + float64(a>>32+b>>32) - offset
		dst[i] = float64(high*0x1p31) + float64(float64(a&lower+b&lower)*0.5)
	}
}

// widen16Generic is Widen16.
func widen16Generic(dst []int32, keys []int16, e Encoding[int16]) {
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

// round16Generic is Round16.
func round16Generic(dst []int16, src []int32, e Encoding[int16]) {
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
