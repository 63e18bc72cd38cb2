package main

import (
	"fmt"
	"math"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/tuning"
)

// elements is the size of the inputs of which only the shape matters: too much
// for the caches, as in the cases that the library is measured by.
const elements = 4_000_000

// now are the thresholds that are measured. This command alone changes them.
var now = &tuning.Default

var thresholds = []threshold{
	{
		name: "SoloWork, columns", value: &now.SoloWork,
		ways: [2]string{"one worker", "all workers"},
		work: func(size int) func() { return median[float32](0, 10, size/10) },
	},
	{
		name: "SoloWork, rows", value: &now.SoloWork,
		ways: [2]string{"one worker", "all workers"},
		work: func(size int) func() { return median[float32](1, size/100, 100) },
	},
	{
		name: "BigBytes", value: &now.BigBytes,
		ways: [2]string{"a lane each", "shared passes"},
		work: func(size int) func() { return median[float32](1, 8, size/4) },
	},
	{
		name: "HistogramQuantiles, int8", value: &now.HistogramQuantiles,
		ways: [2]string{"narrowed", "counted by value"},
		work: func(size int) func() { return quantiles[int8](size, 0, elements) },
	},
	{
		name: "HistogramQuantiles, int16", value: &now.HistogramQuantiles, from: now.HistogramQuantiles / 2,
		ways: [2]string{"narrowed", "counted by value"},
		work: func(size int) func() { return quantiles[int16](size, 0, elements) },
	},
	{
		name: "BitmapWords", value: &now.BitmapWords, upTo: true,
		ways: [2]string{"bitmap", "hash table"},
		work: func(size int) func() { return isIn(10_000, 64*size) },
	},
	{
		name: "RoomyBytes", value: &now.RoomyBytes, upTo: true,
		ways: [2]string{"a third full", "half full"},
		work: func(size int) func() { return isIn(size/24, math.MaxInt) },
	},
	{
		name: "FilterBytes", value: &now.FilterBytes,
		ways: [2]string{"no filter", "filter"},
		work: func(size int) func() { return isIn(size/24, math.MaxInt) },
	},
	{
		name: "SlowFilterBytes", value: &now.SlowFilterBytes,
		ways: [2]string{"no filter", "filter"},
		work: func(size int) func() { return isIn(size/24, math.MaxInt) },
	},
	{
		name: "PartedMembers", value: &now.PartedMembers,
		ways: [2]string{"member by member", "in parts"},
		work: func(size int) func() { return isIn(size, math.MaxInt) },
	},
	{
		name: "StreamAnswers", value: &now.StreamAnswers,
		ways: [2]string{"cached", "streamed"},
		work: func(size int) func() { return isPosInf(size) },
	},
	{
		name: "NetworkMax", value: &now.NetworkMax, upTo: true,
		ways:  [2]string{"network", "no network"},
		sizes: []int{4, 8, 16, 32},
		work:  func(size int) func() { return median[float32](1, elements/size, size) },
	},
	{
		name: "NetworkLanes", value: &now.NetworkLanes,
		ways: [2]string{"no network", "network"},
		work: func(size int) func() { return repeated(median[float32](1, size, 10)) },
	},
	{
		name: "SearchWork, float32", value: &now.SearchWork, upTo: true,
		ways: [2]string{"searched together", "each narrowed"},
		work: func(size int) func() { return median[float32](1, elements/size, size) },
	},
	{
		name: "SearchWork, float64", value: &now.SearchWork, upTo: true,
		ways: [2]string{"searched together", "each narrowed"},
		work: func(size int) func() { return median[float64](1, elements/size, size) },
	},
	{
		name: "SearchWork, columns", value: &now.SearchWork, upTo: true,
		ways:  [2]string{"searched together", "partitioned"},
		sizes: []int{2000, 4000, 8000, 16_000}, // in longer ones a block leaves the cache
		work:  func(size int) func() { return median[float32](0, size, elements/size) },
	},
	searchWork[float32]("float32", 2500), searchWork[float32]("float32", 10_000),
	searchWork[float64]("float64", 2500), searchWork[float64]("float64", 10_000),
	searchWork[int16]("int16", 2500),
	sortBytes[float32]("float32"), sortBytes[float64]("float64"),
	blockSort[float32]("float32", 100), blockSort[float32]("float32", 300), blockSort[float32]("float32", 1000), blockSort[float32]("float32", 2000),
	blockSort[float64]("float64", 100), blockSort[float64]("float64", 1000), blockSort[int16]("int16", 100), blockSort[int16]("int16", 1000),
	{
		name: "BlockSortMax", value: &now.BlockSortMax, upTo: true,
		ways: [2]string{"in blocks", "each by radix"},
		work: func(size int) func() { return quantiles[float32](30, 1, elements/size, size) },
	},
	{
		name: "RadixMin", value: &now.RadixMin,
		ways: [2]string{"partitioned", "sorted by radix"}, leads: [2]int{math.MaxInt / 8, 0},
		work: func(size int) func() { return quantiles[float32](100, 1, elements/(4*size), 4*size) },
	},
	{
		name: "SqueezeMin, float32", value: &now.SqueezeMin,
		ways: [2]string{"whole", "squeezed"},
		work: func(size int) func() { return median[float32](1, elements/size, size) },
	},
	{
		name: "SqueezeMin, float64", value: &now.SqueezeMin,
		ways: [2]string{"whole", "squeezed"},
		work: func(size int) func() { return median[float64](1, elements/size, size) },
	},
	// Where kernel.SearchesInCells these make no difference.
	{
		name: "SqueezeBytes, float32", value: &now.SqueezeBytes,
		ways: [2]string{"whole", "squeezed"},
		work: func(size int) func() { return median[float32](1, elements/(size/4), size/4) },
	},
	{
		name: "SqueezeBytes, float64", value: &now.SqueezeBytes,
		ways: [2]string{"whole", "squeezed"},
		work: func(size int) func() { return median[float64](1, elements/(size/8), size/8) },
	},
	{
		name: "SqueezeAgain", value: &now.SqueezeAgain,
		ways: [2]string{"searched", "squeezed again"},
		work: func(size int) func() { return median[float32](1, elements/(3*size), 3*size) },
	},
	{
		name: "NarrowMin", value: &now.NarrowMin,
		ways: [2]string{"partitioned", "narrowed"},
		work: func(size int) func() { return withoutSearch(median[float32](1, elements/size, size)) },
	},
	{
		name: "HistogramMin", value: &now.HistogramMin,
		ways: [2]string{"partitioned", "counted by value"},
		work: func(size int) func() { return withoutSearch(median[int8](1, elements/size, size)) },
	},
	{
		name: "WideHistogramMin", value: &now.WideHistogramMin,
		ways: [2]string{"sorted", "counted by value"},
		work: func(size int) func() { return quantiles[int16](now.HistogramQuantiles, 1, elements/size, size) },
	},
	{
		name: "HistogramQuantiles, rows", value: &now.HistogramQuantiles, from: now.HistogramQuantiles / 2,
		ways: [2]string{"narrowed", "counted by value"},
		work: func(size int) func() { return quantiles[int16](size, 1, 40, elements/40) },
	},
	{
		name: "BinsMin, float32", value: &now.BinsMin,
		ways: [2]string{"brackets", "bins"},
		work: func(size int) func() { return quantiles[float32](size/2, 0, elements) }, // each lies between two
	},
	{
		name: "BinsMin, int64", value: &now.BinsMin,
		ways: [2]string{"brackets", "bins"},
		work: func(size int) func() { return quantiles[int64](size/2, 0, elements) }, // each lies between two
	},
	{
		name: "GuessMin", value: &now.GuessMin, upTo: true,
		ways: [2]string{"whole", "near the targets"},
		work: func(size int) func() {
			n := 770 * size // normal elements with so many in each bin with targets
			return quantiles[float32](101, 1, max(elements/n, 1), n)
		},
	},
	{
		name: "HeavyShare", value: &now.HeavyShare,
		ways: [2]string{"counted apart", "collected"}, leads: [2]int{1 << 20, 1},
		work: func(size int) func() { return heavy(size) },
	},
	{
		name: "CloseMin", value: &now.CloseMin,
		ways: [2]string{"partitioned", "closed in"},
		work: func(size int) func() {
			n := int(math.Pow(float64(size)/3, 1/0.725)) // of which narrowing collects so many
			return narrowed(median[float32](1, elements/n, n))
		},
	},
}

var amounts = []threshold{
	{
		name: "TaskElements", value: &now.TaskElements,
		input: "median of float32 10x100000 along axis 0",
		work:  func(int) func() { return median[float32](0, 10, 100_000) },
	},
	{
		name: "ChunkBytes", value: &now.ChunkBytes,
		input: "median of 4M float32",
		work:  func(int) func() { return median[float32](0, elements) },
	},
	{
		name: "CollectBytes", value: &now.CollectBytes,
		input: "1000 quantiles of 4M float64",
		work:  func(int) func() { return quantiles[float64](1000, 0, elements) },
	},
	{
		name: "LocateCounts", value: &now.LocateCounts,
		input: "indices of 100 quantiles of float32 20000x200 along axis 0",
		work:  func(int) func() { return indices[float32](100, 0, 20_000, elements/20_000) },
	},
	{
		name: "CollectWhole", value: &now.CollectWhole,
		input: "median of float32 400x10000 with a thousand distinct values, narrowed",
		work:  func(int) func() { return narrowed(distinct(1000, 400, 10_000)) },
	},
}

// blockSort returns the threshold of sorting lanes side by side for rows of n keys.
func blockSort[T dtype.Element](name string, n int) threshold {
	return threshold{
		name: fmt.Sprintf("BlockSortShare, %s %d", name, n), value: &now.BlockSortShare,
		ways: [2]string{"each searched", "sorted in blocks"}, leads: [2]int{0, 1 << 20},
		sizes: []int{3, 6, 12, 24},
		from:  now.BlockSortMin(n, dtype.Of[T]().Size()),
		work:  func(size int) func() { return quantiles[T](size, 1, elements/n, n) },
	}
}

// searchWork returns the threshold of searching lanes side by side for rows of n keys,
// of several quantiles.
func searchWork[T dtype.Element](name string, n int) threshold {
	most := now.SearchWork / n
	return threshold{
		name: fmt.Sprintf("SearchWork, %s %d", name, n), value: &now.SearchWork, upTo: true,
		ways:  [2]string{"each searched", "narrowed"},
		sizes: around(most), from: most,
		work: func(size int) func() { return quantiles[T](size, 1, elements/n, n) },
	}
}

// sortBytes returns the threshold of sorting lanes for a hundred quantiles.
func sortBytes[T dtype.Element](name string) threshold {
	size := dtype.Of[T]().Size()
	return threshold{
		name: fmt.Sprintf("SortBytes, %s", name), value: &now.SortBytes, upTo: true,
		ways: [2]string{"sorted", "narrowed"}, leads: [2]int{math.MaxInt / 100, 0},
		work: func(bytes int) func() {
			n := 100 * bytes / size
			return quantiles[T](100, 1, elements/n, n)
		},
	}
}

// withoutSearch returns a call during which lanes are not searched together.
func withoutSearch(call func()) func() { return with(&now.SearchWork, 0, call) }

// narrowed returns a call during which lanes of every length are narrowed.
func narrowed(call func()) func() { return withoutSearch(with(&now.NarrowMin, 0, call)) }

// with returns a call during which a threshold has another value.
func with(value *int, setting int, call func()) func() {
	return func() {
		saved := *value
		defer func() { *value = saved }()
		*value = setting
		call()
	}
}

// repeated returns a hundred calls: one is too short for a clock.
func repeated(call func()) func() {
	return func() {
		for range 100 {
			call()
		}
	}
}
