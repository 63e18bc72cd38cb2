package ogivebeam

import (
	"cmp"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

func init() {
	register.Function2x0(normal)
	register.Function2x1(less)
	register.Function1x0(keepApproximate)
	register.Emitter1[float64]()
}

const benchBlocks, benchBlock = 16, 1 << 16

// normal makes values in the pipeline.
func normal(seed int, emit func(float64)) {
	rng := rand.New(rand.NewPCG(uint64(seed), 1))
	for range benchBlock {
		emit(rng.NormFloat64())
	}
}

func less(a, b float64) bool { return a < b }

var approximate []float64

func keepApproximate(list []float64) { approximate = list }

func benchValues(s beam.Scope) beam.PCollection {
	seeds := make([]int, benchBlocks)
	for i := range seeds {
		seeds[i] = i
	}
	return beam.ParDo(s, normal, beam.Reshuffle(s, beam.CreateList(s, seeds)))
}

// BenchmarkValues computes the percentiles 1 to 99 of values in a pipeline, exactly and by
// Beam's own approximation, whose error is given in ranks of a thousand.
func BenchmarkValues(b *testing.B) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	b.Run("FromPCollection", func(b *testing.B) {
		o := Options{}
		for p := range int64(99) {
			o.Q = append(o.Q, rank.Ratio(p+1, 100))
		}
		for b.Loop() {
			if _, err := answersOf(b, func(s beam.Scope) beam.PCollection { return FromPCollection(s, benchValues(s), o) }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ApproximateQuantiles", func(b *testing.B) {
		for b.Loop() {
			p, s := beam.NewPipelineWithRoot()
			beam.ParDo0(s, keepApproximate, stats.ApproximateQuantiles(s, benchValues(s), less, stats.Opts{K: 200, NumQuantiles: 100}))
			if err := ptest.Run(p); err != nil {
				b.Fatal(err)
			}
		}
		var all []float64
		for seed := range benchBlocks {
			normal(seed, func(v float64) { all = append(all, v) })
		}
		slices.Sort(all)
		worst := 0.0
		for i, v := range approximate {
			at, _ := slices.BinarySearchFunc(all, v, cmp.Compare[float64])
			worst = max(worst, math.Abs(float64(at)/float64(len(all))-float64(i+1)/100))
		}
		b.ReportMetric(1000*worst, "error/1000")
	})
}

// BenchmarkShards computes two quantiles of 256 MiB in 16 files.
func BenchmarkShards(b *testing.B) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	folder := b.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	list := make([]float64, 32<<20)
	for i := range list {
		list[i] = rng.NormFloat64()
	}
	shardsOf(b, folder, ogive.Must(ogive.FromSlice(list)), 0, 16)
	b.SetBytes(8 * int64(len(list)))
	for b.Loop() {
		if _, err := answersOf(b, func(s beam.Scope) beam.PCollection {
			return Quantiles(s, []string{folder + "/*.npy"}, Options{Q: someQ[2:4]})
		}); err != nil {
			b.Fatal(err)
		}
	}
}
