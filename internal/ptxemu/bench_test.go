package ptxemu_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/internal/ptxemu"
)

// BenchmarkRun reports PTX instructions of threads per second: of a kernel that spends
// itself on shared memory, one of floats, and one whose warps diverge.
func BenchmarkRun(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 1 << 18
	for _, c := range []struct {
		kernel string
		args   func(m *machine) []uint64
	}{
		{"histogram", func(m *machine) []uint64 {
			return []uint64{put(m, randoms(r, n)), n / 4, put(m, make([]uint32, 256))}
		}},
		{"lerp", func(m *machine) []uint64 {
			return []uint64{
				put(m, make([]float32, n)), put(m, make([]float64, n)), put(m, make([]float32, n)),
				put(m, make([]float64, n)), put(m, make([]int64, n)), n,
			}
		}},
		{"hash", func(m *machine) []uint64 { return []uint64{put(m, randoms(r, n)), put(m, make([]uint64, n)), n} }},
		{"squeeze", func(m *machine) []uint64 {
			return []uint64{put(m, randoms(r, n)), put(m, make([]uint32, n)), n}
		}},
	} {
		b.Run("kernel="+c.kernel, func(b *testing.B) {
			m := newMachine(b, sample, ptxemu.Options{})
			args := c.args(m)
			grid := n / 256
			if c.kernel == "histogram" {
				grid = 16
			}
			m.dev.ResetStats()
			for b.Loop() {
				m.run(c.kernel, grid, 256, 0, args...)
			}
			b.ReportMetric(float64(m.dev.Stats().Total().Instructions)/b.Elapsed().Seconds()/1e6, "Minstr/s")
		})
	}
}

// BenchmarkSmallLaunch is what a launch of one block costs.
func BenchmarkSmallLaunch(b *testing.B) {
	m := newMachine(b, sample, ptxemu.Options{})
	p := put(m, make([]uint32, 256))
	for b.Loop() {
		m.run("reverse", 1, 256, 1024, p)
	}
}
