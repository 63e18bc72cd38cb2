package testkit

import (
	"math/rand/v2"
	"unsafe"
)

// key is kernel.Key.
type key interface{ int8 | int16 | int32 | int64 }

// Keys returns inputs of n keys that have broken or slowed selection somewhere.
func Keys[K key](n int, rng *rand.Rand) map[string][]K {
	make := func(f func(i int) int64) []K {
		keys := make([]K, n)
		for i := range keys {
			keys[i] = K(f(i))
		}
		return keys
	}
	one := K(1)
	least := one << (8*unsafe.Sizeof(K(0)) - 1)
	killer := make(func(i int) int64 { // median of three
		if i%2 == 0 {
			return int64(i + 1)
		}
		return int64(n + i)
	})
	return map[string][]K{
		"random":     make(func(int) int64 { return int64(rng.Uint64()) }),
		"narrow":     make(func(int) int64 { return rng.Int64N(1000) }),
		"few":        make(func(int) int64 { return rng.Int64N(5) }),
		"two":        make(func(int) int64 { return rng.Int64N(2) }),
		"constant":   make(func(int) int64 { return 7 }),
		"sorted":     make(func(i int) int64 { return int64(i) }),
		"reversed":   make(func(i int) int64 { return int64(-i) }),
		"organ pipe": make(func(i int) int64 { return int64(min(i, n-i)) }),
		"killer":     killer,
		"one off": make(func(i int) int64 {
			if i == n/2 {
				return -3
			}
			return 7
		}),
		"ends": make(func(int) int64 {
			if rng.Int64N(2) == 0 {
				return int64(least)
			}
			return int64(^least)
		}),
	}
}
