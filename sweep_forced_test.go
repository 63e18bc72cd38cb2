package ogive_test

import (
	"testing"

	"github.com/ogive-go/ogive/internal/tuning"
)

// TestSweepForcedRegimes leads small inputs into the regimes of large ones:
// shared passes over long lanes, several workers, memory that is too small for
// what a pass collects.
func TestSweepForcedRegimes(t *testing.T) {
	saved := tuning.Default
	restore := func() { tuning.Default = saved }
	defer restore()
	for _, forced := range []struct {
		name string
		set  func()
	}{
		{"narrowed rows", func() {
			tuning.Default.NarrowMin, tuning.Default.SearchMax = 33, 0
		}},
		{"rows narrowed by cells", func() {
			tuning.Default.NarrowMin, tuning.Default.SearchMax = 33, 0
			tuning.Default.BinsMin, tuning.Default.GuessMin, tuning.Default.HeavyShare = 2, 0, 4
		}},
		{"rows narrowed to the end", func() {
			tuning.Default.NarrowMin, tuning.Default.SearchMax = 33, 0
			tuning.Default.CollectWhole, tuning.Default.CloseMin = 8, 0
		}},
		{"squeezed rows", func() {
			tuning.Default.SqueezeMin, tuning.Default.SqueezeBytes, tuning.Default.SqueezeAgain = 0, 0, 0
		}},
		{"partitioned lanes", func() {
			tuning.Default.SearchMax, tuning.Default.NetworkMax = 0, 0
			tuning.Default.HistogramMin = 0
		}},
		{"sorted lanes", func() {
			tuning.Default.SearchMax, tuning.Default.BlockSortMax = 0, 0
			tuning.Default.SortQuantiles, tuning.Default.RadixMin = 0, 0
		}},
		{"lanes sorted in blocks", func() {
			tuning.Default.BlockSortShare, tuning.Default.NetworkMax = 1<<20, 0
		}},
		{"many tasks", func() {
			tuning.Default.SoloWork, tuning.Default.TaskElements = 0, 8
		}},
		{"long lanes", func() {
			tuning.Default.SoloWork, tuning.Default.BigBytes = 0, 0
			tuning.Default.ChunkBytes = 64
		}},
		{"long lanes and little memory", func() {
			tuning.Default.BigBytes, tuning.Default.CollectBytes, tuning.Default.LocateCounts = 0, 0, 1
		}},
	} {
		t.Run(forced.name, func(t *testing.T) {
			restore()
			forced.set()
			t.Run("regimes", TestSweepRegimes)
			t.Run("lengths", TestSweepSmallLengths)
			t.Run("quantiles", TestSweepManyQuantiles)
		})
	}
}

// TestSweepForcedStreams stores the answers of small inputs past the caches.
func TestSweepForcedStreams(t *testing.T) {
	defer func(saved int) { tuning.Default.StreamAnswers = saved }(tuning.Default.StreamAnswers)
	tuning.Default.StreamAnswers = 0
	t.Run("predicates", TestSweepPredicates)
	t.Run("out", TestSweepPredicateOut)
}

// TestSweepForcedSets makes hash tables of few members as of many: in parts, by
// several workers, with a filter.
func TestSweepForcedSets(t *testing.T) {
	saved := tuning.Default
	defer func() { tuning.Default = saved }()
	tuning.Default.PartedMembers, tuning.Default.SoloWork = 1, 0
	tuning.Default.FilterBytes, tuning.Default.SlowFilterBytes = 0, 0
	t.Run("isin", TestSweepIsIn)
}
