package main

import (
	"math/rand/v2"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/selection"
)

// elements is the size of the inputs of which only the shape matters: too much
// for the caches, as in the cases that the library is measured by.
const elements = 4_000_000

var thresholds = []threshold{
	{
		name: "engine.Thresholds.SoloWork", value: &engine.Thresholds.SoloWork,
		below: "one worker", from: "all workers",
		work: func(size int) func() { return median[float32](0, size) },
	},
	{
		name: "engine.Thresholds.BigBytes", value: &engine.Thresholds.BigBytes,
		below: "a lane each", from: "shared passes",
		work: func(size int) func() { return median[float32](1, 8, size/4) },
	},
	{
		name: "selection.NarrowMin", value: &selection.NarrowMin,
		below: "partitioned", from: "narrowed",
		work: func(size int) func() { return withoutDescent(median[float32](1, elements/size, size)) },
	},
	{
		name: "selection.DescentMax", value: &selection.DescentMax,
		below: "searched together", from: "each narrowed",
		work: func(size int) func() { return median[float32](1, elements/size, size) },
	},
}

var amounts = []amount{
	{
		name: "engine.Thresholds.TaskElements", value: &engine.Thresholds.TaskElements,
		input: "median of float32 10x100000 along axis 0",
		call:  func() func() { return median[float32](0, 10, 100_000) },
	},
	{
		name: "engine.Thresholds.ChunkBytes", value: &engine.Thresholds.ChunkBytes,
		input: "median of 4M float32",
		call:  func() func() { return median[float32](0, elements) },
	},
}

// median returns a call of the median of random elements along an axis.
func median[T dtype.Element](axis int, shape ...int) func() {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 1
	for _, d := range shape {
		n *= d
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	x := ogive.Must(ogive.Must(ogive.FromSlice(v, shape...)).Cast(dtype.Of[T]()))
	out := ogive.Must(x.Median(ogive.Axis(axis)))
	return func() { ogive.Must(x.Median(ogive.Axis(axis), ogive.Out(out))) }
}

// withoutDescent returns a call during which lanes are not searched together.
func withoutDescent(call func()) func() {
	return func() {
		now := selection.DescentMax
		defer func() { selection.DescentMax = now }()
		selection.DescentMax = 0
		call()
	}
}
