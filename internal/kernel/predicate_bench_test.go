package kernel

import (
	"testing"

	"github.com/ogive-go/ogive/dtype"
)

func BenchmarkInWindow(b *testing.B) {
	b.Run("dtype=float32/n=65536", func(b *testing.B) { benchInWindow[uint32](b, dtype.Float32) })
	b.Run("dtype=float64/n=65536", func(b *testing.B) { benchInWindow[uint64](b, dtype.Float64) })
	b.Run("dtype=float16/n=65536", func(b *testing.B) { benchInWindow[uint16](b, dtype.Float16) })
}

func benchInWindow[B Bits](b *testing.B, dt dtype.DType) {
	src, dst := make([]B, 1<<16), make([]uint8, 1<<16)
	w := WindowsOf[B](dt).PosInf
	b.SetBytes(int64(len(src) * dt.Size()))
	for b.Loop() {
		InWindow(dst, src, w)
	}
}
