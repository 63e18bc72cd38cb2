package ogive_test

import (
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/tuning"
)

// forcedDTypes are those that forced regimes are tried with: selection knows of a
// dtype only the width of its keys and how they are encoded.
var forcedDTypes = []dtype.DType{dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Float16, dtype.BFloat16,
	dtype.Int32, dtype.Uint32, dtype.Float32, dtype.Int64, dtype.Uint64, dtype.Float64}

// forced are thresholds that lead small inputs into a regime of large ones, or a device.
type forced struct {
	name   string
	tuned  tuning.Thresholds
	device ogive.Device // nil for the host
}

// force returns the thresholds that set makes of the default ones.
func force(name string, set func(*tuning.Thresholds)) forced {
	f := forced{name: name + ": ", tuned: tuning.Default}
	set(&f.tuned)
	return f
}

// forcedRegimes have shared passes over long lanes, several workers, memory that is too
// small for what a pass collects.
var forcedRegimes = []forced{
	force("narrowed rows", func(h *tuning.Thresholds) {
		h.NarrowMin, h.SearchWork = 9, 0
	}),
	force("rows narrowed by bins", func(h *tuning.Thresholds) {
		h.NarrowMin, h.SearchWork = 9, 0
		h.BinsMin, h.GuessMin, h.HeavyShare = 2, 0, 4
	}),
	force("rows narrowed to the end", func(h *tuning.Thresholds) {
		h.NarrowMin, h.SearchWork = 9, 0
		h.CollectWhole, h.CloseMin = 8, 0
	}),
	force("squeezed rows", func(h *tuning.Thresholds) {
		h.SqueezeMin, h.SqueezeBytes, h.SqueezeAgain = 0, 0, 0
	}),
	force("partitioned lanes", func(h *tuning.Thresholds) {
		h.SearchWork, h.NetworkMax, h.HistogramMin = 0, 0, 0
	}),
	force("sorted lanes", func(h *tuning.Thresholds) {
		h.SearchWork, h.BlockSortMax = 0, 0
		h.SortQuantiles, h.RadixMin = 0, 0
	}),
	force("lanes sorted in blocks", func(h *tuning.Thresholds) {
		h.BlockSortShare, h.NetworkMax = 1<<20, 0
	}),
	force("many tasks", func(h *tuning.Thresholds) {
		h.SoloWork, h.TaskElements = 0, 8
	}),
	force("long lanes", func(h *tuning.Thresholds) {
		h.SoloWork, h.BigBytes, h.ChunkBytes = 0, 0, 64
	}),
	force("long lanes and little memory", func(h *tuning.Thresholds) {
		h.BigBytes, h.CollectBytes, h.LocateCounts = 0, 0, 1
	}),
}

// TestSweepForcedRegimes leads the inputs of other sweeps into all regimes.
func TestSweepForcedRegimes(t *testing.T) {
	t.Run("regimes", func(t *testing.T) { sweepRegimes(t, forcedDTypes, forcedRegimes) })
	t.Run("lengths", func(t *testing.T) { sweepSmallLengths(t, forcedDTypes, forcedRegimes) })
	t.Run("quantiles", func(t *testing.T) { sweepManyQuantiles(t, forcedDTypes, forcedRegimes) })
}

// TestSweepForcedStreams stores the answers of small inputs past the caches.
func TestSweepForcedStreams(t *testing.T) {
	tuned := tuning.Default
	tuned.StreamAnswers = 0
	t.Run("predicates", func(t *testing.T) { sweepPredicates(t, ogive.Tuned(&tuned)) })
	t.Run("out", func(t *testing.T) { sweepPredicateOut(t, ogive.Tuned(&tuned)) })
}

// TestSweepForcedSets makes hash tables of few members as of many: in parts, by
// several workers, with a filter.
func TestSweepForcedSets(t *testing.T) {
	tuned := tuning.Default
	tuned.PartedMembers, tuned.SoloWork = 1, 0
	tuned.FilterBytes, tuned.SlowFilterBytes = 0, 0
	// A pattern of each width, and one that makes others.
	dtypes := []dtype.DType{dtype.Uint8, dtype.Float16, dtype.Int32, dtype.Float64, dtype.Complex64, dtype.Complex128}
	sweepIsIn(t, dtypes, ogive.Tuned(&tuned))
}
