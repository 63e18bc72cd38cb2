package selection

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

func testShort[K kernel.Key](t *testing.T, dt dtype.DType) {
	rng := rand.New(rand.NewPCG(51, uint64(dt)))
	e := kernel.EncodingOf[K](dt)
	set := rank.NewSet(rank.Linear, []rank.Q{rank.At(0.9), rank.At(0), rank.At(0.5), rank.At(0.31)})
	skip, keep := NewWant(set, true, &tuning.Default), NewWant(set, false, &tuning.Default)
	for n := 1; n <= shortMax; n++ {
		for round := range 12 {
			lane := make([]K, n)
			for i := range lane {
				lane[i] = K(rng.Uint64())
				if round%2 == 0 {
					lane[i] = K(rng.IntN(5))
				}
				if round%3 == 0 && e.Code == kernel.Float && rng.IntN(4) == 0 {
					lane[i] = e.Inf + 1
				}
			}
			keys := slices.Clone(lane)
			nan := kernel.Encode(keys, lane, e)
			slices.Sort(keys)
			for _, w := range []*Want{&skip, &keep} {
				before := slices.Clone(lane)
				var r ShortResult[K]
				Short(w, e, lane, &r)
				if !slices.Equal(before, lane) {
					t.Fatalf("%v n=%d: the lane has changed", dt, n)
				}
				for q := range 4 {
					if nan == n || nan > 0 && !w.skip {
						if r.Lo[q] != kernel.MaxKey[K]() || r.Hi[q] != kernel.MaxKey[K]() {
							t.Fatalf("%v n=%d, %d NaN: quantile %d lies between %d and %d", dt, n, nan, q, r.Lo[q], r.Hi[q])
						}
						continue
					}
					p := set.Position(q, int64(n-nan))
					if r.Lo[q] != keys[p.Lo] || r.Hi[q] != keys[p.Hi] || r.G[q] != p.G {
						t.Fatalf("%v n=%d, %d NaN: quantile %d lies between %d and %d by %v, want %d and %d by %v", dt, n, nan, q, r.Lo[q], r.Hi[q], r.G[q], keys[p.Lo], keys[p.Hi], p.G)
					}
				}
			}
		}
	}
}

// Short finds the order statistics of every length, NaNs kept or dropped, and
// leaves the lane as it is.
func TestShort(t *testing.T) {
	testShort[int8](t, dtype.Uint8)
	testShort[int16](t, dtype.Float16)
	testShort[int32](t, dtype.Int32)
	testShort[int32](t, dtype.Float32)
	testShort[int64](t, dtype.Float64)
}

// BenchmarkShort takes other values each time: the processor would learn the
// order of the same.
func BenchmarkShort(b *testing.B) {
	for _, n := range []int{5, 16, 30, 64, 100} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			const lanes = 512
			rng := rand.New(rand.NewPCG(52, 1))
			all := make([]int64, lanes*n)
			for i := range all {
				all[i] = int64(rng.Uint64N(0x7FF << 52))
			}
			w := NewWant(rank.NewSet(rank.Midpoint, []rank.Q{rank.At(0.5)}), false, &tuning.Default)
			var r ShortResult[int64]
			e := kernel.EncodingOf[int64](dtype.Float64)
			for i := 0; b.Loop(); i++ {
				Short(&w, e, all[i%lanes*n:][:n], &r)
			}
		})
	}
}
