//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var blendAVX512, blendAVX2 = cpu.AVX512, cpu.FMA

func init() {
	cpu.Register("Blend", "avx512", &blendAVX512)
	cpu.Register("Blend", "avx2", &blendAVX2)
}

func blendsOnVectors() bool { return blendAVX512 || blendAVX2 }

// middle32 sets the lanes of dst, at least BlendMin, to the middles. The last
// vector overlaps the one before it, if they are no multiple. On longer vectors
// float64 take as long, and float32 0.16 ns each, not 0.21: a small part of what
// finding the ends takes.
func middle32(dst, lo, hi []int32, low int32) {
	const lanes = 8
	last := len(dst) - lanes
	middle32AVX2(&dst[0], &lo[0], &hi[0], len(dst)&^(lanes-1), low)
	middle32AVX2(&dst[last], &lo[last], &hi[last], lanes, low)
}

// middle64 is middle32 for float64.
func middle64(dst, lo, hi []int64, low int64) {
	const lanes = 4
	last := len(dst) - lanes
	middle64AVX2(&dst[0], &lo[0], &hi[0], len(dst)&^(lanes-1), low)
	middle64AVX2(&dst[last], &lo[last], &hi[last], lanes, low)
}

// blend32 sets the lanes of dst, a multiple of blendStep, up to the first
// vector that is not proven.
func blend32(dst, lo, hi []int32, low int32, w spreadWeights, f *Format) (done int) {
	table := (*int64)(unsafe.Pointer(f))
	if blendAVX512 {
		return blend32AVX512(&dst[0], &lo[0], &hi[0], len(dst), low, &w.w[0], 64*w.step, &w.low[0], 64*w.stepLow, table)
	}
	return blend32AVX2(&dst[0], &lo[0], &hi[0], len(dst), low, &w.w[0], 32*w.step, &w.low[0], 32*w.stepLow, table)
}

// blend64 is blend32 for float64.
func blend64(dst, lo, hi []int64, low int64, w spreadWeights) (done int) {
	if blendAVX512 {
		return blend64AVX512(&dst[0], &lo[0], &hi[0], len(dst), low, &w.w[0], 64*w.step, &w.low[0], 64*w.stepLow, &bounds64[0][0])
	}
	return blend64AVX2(&dst[0], &lo[0], &hi[0], len(dst), low, &w.w[0], 32*w.step, &w.low[0], 32*w.stepLow, &bounds64[0][0])
}

// The functions below compute with n lanes, a positive multiple of a vector:
// those of dst, lo and hi. Elements are keys where low is the largest key, and
// bits where it is 0. Vectors of weights are step bytes apart, and those of what they lack
// stepLacking; f points to a Format, or to bounds64.

//go:noescape
func middle32AVX2(dst, lo, hi *int32, n int, low int32)

//go:noescape
func middle64AVX2(dst, lo, hi *int64, n int, low int64)

//go:noescape
func blend32AVX512(dst, lo, hi *int32, n int, low int32, w *float64, step int, lacking *float64, stepLacking int, f *int64) (done int)

//go:noescape
func blend32AVX2(dst, lo, hi *int32, n int, low int32, w *float64, step int, lacking *float64, stepLacking int, f *int64) (done int)

//go:noescape
func blend64AVX512(dst, lo, hi *int64, n int, low int64, w *float64, step int, lacking *float64, stepLacking int, f *int64) (done int)

//go:noescape
func blend64AVX2(dst, lo, hi *int64, n int, low int64, w *float64, step int, lacking *float64, stepLacking int, f *int64) (done int)
