package ogive_test

import (
	"testing"

	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/selection"
)

// TestSweepForcedRegimes leads small inputs into the regimes of large ones:
// shared passes over long lanes, several workers, memory that is too small for
// what a pass collects.
func TestSweepForcedRegimes(t *testing.T) {
	engines, selections := engine.Thresholds, selection.Thresholds
	restore := func() { engine.Thresholds, selection.Thresholds = engines, selections }
	defer restore()
	for _, forced := range []struct {
		name string
		set  func()
	}{
		{"narrowed rows", func() {
			selection.Thresholds.NarrowMin, selection.Thresholds.DescentMax = 33, 0
		}},
		{"rows narrowed by cells", func() {
			selection.Thresholds.NarrowMin, selection.Thresholds.DescentMax = 33, 0
			selection.Thresholds.ScaleMin, selection.Thresholds.GuessMin, selection.Thresholds.HeavyShare = 2, 0, 4
		}},
		{"rows narrowed to the end", func() {
			selection.Thresholds.NarrowMin, selection.Thresholds.DescentMax = 33, 0
			selection.Thresholds.CollectWhole, selection.Thresholds.CloseMin, selection.Thresholds.PlacesMin = 8, 0, 0
		}},
		{"squeezed rows", func() {
			selection.Thresholds.SqueezeMin, selection.Thresholds.SqueezeBytes, selection.Thresholds.SqueezeAgain = 0, 0, 0
		}},
		{"partitioned lanes", func() {
			selection.Thresholds.DescentMax, selection.Thresholds.NetworkMax = 0, 0
			selection.Thresholds.HistogramMin, selection.Thresholds.InsertionMax = 0, 3
		}},
		{"sorted lanes", func() {
			selection.Thresholds.DescentMax, selection.Thresholds.BlockSortMax = 0, 0
			selection.Thresholds.SortQuantiles, selection.Thresholds.RadixMin = 0, 0
		}},
		{"lanes sorted in blocks", func() {
			selection.Thresholds.BlockSortQuantiles, selection.Thresholds.NetworkMax = 0, 0
		}},
		{"many tasks", func() {
			engine.Thresholds.SoloWork, engine.Thresholds.TaskElements = 0, 8
		}},
		{"long lanes", func() {
			engine.Thresholds.SoloWork, engine.Thresholds.BigBytes = 0, 0
			engine.Thresholds.ChunkBytes = 64
		}},
		{"long lanes and little memory", func() {
			engine.Thresholds.BigBytes, engine.Thresholds.CollectBytes, engine.Thresholds.TallyMax = 0, 0, 1
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
	defer func(saved int) { engine.Thresholds.StreamAnswers = saved }(engine.Thresholds.StreamAnswers)
	engine.Thresholds.StreamAnswers = 0
	t.Run("predicates", TestSweepPredicates)
	t.Run("out", TestSweepPredicateOut)
}

// TestSweepForcedSets makes hash tables of few members as of many: in parts, by
// several workers, with a filter.
func TestSweepForcedSets(t *testing.T) {
	saved := engine.Thresholds
	defer func() { engine.Thresholds = saved }()
	engine.Thresholds.PartedMembers, engine.Thresholds.SoloWork = 1, 0
	engine.Thresholds.FilterBytes, engine.Thresholds.SlowFilterBytes = 0, 0
	t.Run("isin", TestSweepIsIn)
}
