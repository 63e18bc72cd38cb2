package main

import (
	"math"

	"github.com/ogive-go/ogive/internal/tuning"
)

// elements is the size of the inputs of which only the shape matters: too much
// for the caches, as in the cases that the library is measured by.
const elements = 4_000_000

// sel and eng are what is measured.
var sel, eng = &tuning.Default, &tuning.Default

var thresholds = []threshold{
	{
		name: "engine.Thresholds.SoloWork, columns", value: &eng.SoloWork,
		below: "one worker", from: "all workers",
		work: func(size int) func() { return median[float32](0, 10, size/10) },
	},
	{
		name: "engine.Thresholds.SoloWork, rows", value: &eng.SoloWork,
		below: "one worker", from: "all workers",
		work: func(size int) func() { return median[float32](1, size/100, 100) },
	},
	{
		name: "engine.Thresholds.BigBytes", value: &eng.BigBytes,
		below: "a lane each", from: "shared passes",
		work: func(size int) func() { return median[float32](1, 8, size/4) },
	},
	{
		name: "engine.Thresholds.HistogramQuantiles, int8", value: &eng.HistogramQuantiles,
		below: "narrowed", from: "counted by value",
		work: func(size int) func() { return quantiles[int8](size, 0, elements) },
	},
	{
		name: "engine.Thresholds.HistogramQuantiles, int16", value: &eng.HistogramQuantiles,
		below: "narrowed", from: "counted by value",
		work: func(size int) func() { return quantiles[int16](size, 0, elements) },
	},
	{
		name: "engine.Thresholds.BitmapWords", value: &eng.BitmapWords,
		below: "bitmap", from: "hash table",
		work: func(size int) func() { return isIn(10_000, 64*size) },
	},
	{
		name: "engine.Thresholds.RoomyBytes", value: &eng.RoomyBytes,
		below: "a third full", from: "half full",
		work: func(size int) func() { return isIn(size/24, math.MaxInt) },
	},
	{
		name: "engine.Thresholds.FilterBytes", value: &eng.FilterBytes,
		below: "no filter", from: "filter",
		work: func(size int) func() { return isIn(size/24, math.MaxInt) },
	},
	{
		name: "engine.Thresholds.SlowFilterBytes", value: &eng.SlowFilterBytes,
		below: "no filter", from: "filter",
		work: func(size int) func() { return isIn(size/24, math.MaxInt) },
	},
	{
		name: "engine.Thresholds.PartedMembers", value: &eng.PartedMembers,
		below: "member by member", from: "in parts",
		work: func(size int) func() { return isIn(size, math.MaxInt) },
	},
	{
		name: "engine.Thresholds.StreamAnswers", value: &eng.StreamAnswers,
		below: "cached", from: "streamed",
		work: func(size int) func() { return isPosInf(size) },
	},
	{
		name: "selection.Thresholds.NetworkMax", value: &sel.NetworkMax,
		below: "network", from: "no network",
		sizes: []int{4, 8, 16, 32},
		work:  func(size int) func() { return median[float32](1, elements/size, size) },
	},
	{
		name: "selection.Thresholds.NetworkLanes", value: &sel.NetworkLanes,
		below: "no network", from: "network",
		work: func(size int) func() { return repeated(median[float32](1, size, 10)) },
	},
	{
		name: "selection.Thresholds.DescentMax, float32", value: &sel.SearchMax,
		below: "searched together", from: "each narrowed",
		work: func(size int) func() { return median[float32](1, elements/size, size) },
	},
	{
		name: "selection.Thresholds.DescentMax, float64", value: &sel.SearchMax,
		below: "searched together", from: "each narrowed",
		work: func(size int) func() { return median[float64](1, elements/size, size) },
	},
	{
		name: "selection.Thresholds.DescentMax, columns", value: &sel.SearchMax,
		below: "searched together", from: "partitioned",
		work: func(size int) func() { return median[float32](0, size, elements/size) },
	},
	{
		name: "selection.Thresholds.DescentQuantiles, 1000", value: &sel.SearchQuantiles,
		below: "each searched", from: "sorted",
		work: func(size int) func() { return quantiles[float32](size, 1, elements/1000, 1000) },
	},
	{
		name: "selection.Thresholds.DescentQuantiles, 10000", value: &sel.SearchQuantiles,
		below: "each searched", from: "sorted",
		work: func(size int) func() { return quantiles[float32](size, 1, elements/10_000, 10_000) },
	},
	{
		name: "selection.Thresholds.SortQuantiles, float32 1000", value: &sel.SortQuantiles,
		below: "otherwise", from: "sorted",
		work: func(size int) func() { return quantiles[float32](size, 1, elements/1000, 1000) },
	},
	{
		name: "selection.Thresholds.SortQuantiles, float64 10000", value: &sel.SortQuantiles,
		below: "otherwise", from: "sorted",
		work: func(size int) func() { return quantiles[float64](size, 1, elements/10_000, 10_000) },
	},
	{
		name: "selection.Thresholds.SortLength, 100 quantiles", value: &sel.SortLength,
		below: "sorted", from: "narrowed", settings: [2]int{math.MaxInt / 100, 0},
		sizes: []int{100, 200, 400, 800, 1600},
		work:  func(size int) func() { return quantiles[float32](100, 1, elements/(100*size), 100*size) },
	},
	{
		name: "selection.Thresholds.BlockSortMax", value: &sel.BlockSortMax,
		below: "in blocks", from: "each by radix", settings: [2]int{math.MaxInt, 0},
		work: func(size int) func() { return quantiles[float32](30, 1, elements/size, size) },
	},
	{
		name: "selection.Thresholds.RadixMin", value: &sel.RadixMin,
		below: "partitioned", from: "sorted by radix", settings: [2]int{math.MaxInt / 8, 0},
		work: func(size int) func() { return quantiles[float32](100, 1, elements/(4*size), 4*size) },
	},
	{
		name: "selection.Thresholds.SqueezeMin, float32", value: &sel.SqueezeMin,
		below: "whole", from: "squeezed",
		work: func(size int) func() { return median[float32](1, elements/size, size) },
	},
	{
		name: "selection.Thresholds.SqueezeMin, float64", value: &sel.SqueezeMin,
		below: "whole", from: "squeezed",
		work: func(size int) func() { return median[float64](1, elements/size, size) },
	},
	// Where kernel.SearchesInCells these make no difference.
	{
		name: "selection.Thresholds.SqueezeBytes, float32", value: &sel.SqueezeBytes,
		below: "whole", from: "squeezed",
		work: func(size int) func() { return median[float32](1, elements/(size/4), size/4) },
	},
	{
		name: "selection.Thresholds.SqueezeBytes, float64", value: &sel.SqueezeBytes,
		below: "whole", from: "squeezed",
		work: func(size int) func() { return median[float64](1, elements/(size/8), size/8) },
	},
	{
		name: "selection.Thresholds.SqueezeAgain", value: &sel.SqueezeAgain,
		below: "searched", from: "squeezed again",
		work: func(size int) func() { return median[float32](1, elements/(3*size), 3*size) },
	},
	{
		name: "selection.Thresholds.NarrowMin", value: &sel.NarrowMin,
		below: "partitioned", from: "narrowed",
		work: func(size int) func() { return withoutDescent(median[float32](1, elements/size, size)) },
	},
	{
		name: "selection.Thresholds.HistogramMin", value: &sel.HistogramMin,
		below: "partitioned", from: "counted by value",
		work: func(size int) func() { return withoutDescent(median[int8](1, elements/size, size)) },
	},
	{
		name: "selection.Thresholds.WideHistogramMin", value: &sel.WideHistogramMin,
		below: "narrowed", from: "counted by value",
		work: func(size int) func() { return quantiles[int16](sel.HistogramQuantiles, 1, elements/size, size) },
	},
	{
		name: "selection.Thresholds.WideHistogramQuantiles", value: &sel.HistogramQuantiles,
		below: "narrowed", from: "counted by value",
		work: func(size int) func() { return quantiles[int16](size, 1, 40, elements/40) },
	},
	{
		name: "selection.Thresholds.ScaleMin, float32", value: &sel.BinsMin,
		below: "brackets", from: "cells",
		work: func(size int) func() { return quantiles[float32](size/2, 0, elements) }, // each lies between two
	},
	{
		name: "selection.Thresholds.ScaleMin, int64", value: &sel.BinsMin,
		below: "brackets", from: "cells",
		work: func(size int) func() { return quantiles[int64](size/2, 0, elements) }, // each lies between two
	},
	{
		name: "selection.Thresholds.GuessMin", value: &sel.GuessMin,
		below: "whole", from: "near the targets",
		work: func(size int) func() {
			n := 770 * size // normal elements with so many in each cell with targets
			return quantiles[float32](101, 1, max(elements/n, 1), n)
		},
	},
	{
		name: "selection.Thresholds.HeavyShare", value: &sel.HeavyShare,
		below: "counted apart", from: "collected", settings: [2]int{1 << 20, 1},
		work: func(size int) func() { return heavy(size) },
	},
	{
		name: "selection.Thresholds.CloseMin", value: &sel.CloseMin,
		below: "partitioned", from: "closed in",
		work: func(size int) func() {
			n := int(math.Pow(float64(size)/3, 1/0.725)) // of which narrowing collects so many
			return narrowed(median[float32](1, elements/n, n))
		},
	},
}

var amounts = []amount{
	{
		name: "engine.Thresholds.TaskElements", value: &eng.TaskElements,
		input: "median of float32 10x100000 along axis 0",
		call:  func() func() { return median[float32](0, 10, 100_000) },
	},
	{
		name: "engine.Thresholds.ChunkBytes", value: &eng.ChunkBytes,
		input: "median of 4M float32",
		call:  func() func() { return median[float32](0, elements) },
	},
	{
		name: "engine.Thresholds.CollectBytes", value: &eng.CollectBytes,
		input: "1000 quantiles of 4M float64",
		call:  func() func() { return quantiles[float64](1000, 0, elements) },
	},
	{
		name: "engine.Thresholds.TallyMax", value: &eng.LocateCounts,
		input: "indices of 100 quantiles of float32 20000x200 along axis 0",
		call:  func() func() { return indices[float32](100, 0, 20_000, elements/20_000) },
	},
	{
		name: "selection.Thresholds.CollectWhole", value: &sel.CollectWhole,
		input: "median of float32 400x10000 with a thousand distinct values, narrowed",
		call:  func() func() { return narrowed(distinct(1000, 400, 10_000)) },
	},
}

// withoutDescent returns a call during which lanes are not searched together.
func withoutDescent(call func()) func() {
	return func() {
		now := sel.SearchMax
		defer func() { sel.SearchMax = now }()
		sel.SearchMax = 0
		call()
	}
}

// narrowed returns a call during which lanes of every length are narrowed.
func narrowed(call func()) func() {
	return withoutDescent(func() {
		now := sel.NarrowMin
		defer func() { sel.NarrowMin = now }()
		sel.NarrowMin = 0
		call()
	})
}

// repeated returns a hundred calls: one is too short for a clock.
func repeated(call func()) func() {
	return func() {
		for range 100 {
			call()
		}
	}
}
