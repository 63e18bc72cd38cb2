//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"fmt"
	"math/bits"
	"sync"
)

const (
	// alignment of every block; cuMemAlloc gives no less.
	alignment = 256
	// Up to smallBlock, sizes are powers of two: few classes, so that blocks are
	// found again. Above, there are classesPerDouble between a power of two and the
	// next, so that rounding costs at most an eighth of a large array.
	smallBlock       = 1 << 20
	classesPerDouble = 8
)

// classSize returns the size of the smallest class that has room for so many bytes.
func classSize(bytes int) int {
	if bytes <= alignment {
		return alignment
	}
	power := 1 << (bits.Len(uint(bytes-1)) - 1) // power < bytes <= 2·power
	step := power
	if bytes > smallBlock {
		step = power / classesPerDouble
	}
	return roundUp(bytes, step)
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }

// cache keeps the blocks of a device's memory: those that are lent, and those that came
// back and wait to be lent again.
//
// It stands before cuMemAlloc, which takes many microseconds, and cuMemFree, which
// waits for the device. cuMemAllocAsync does neither, but orders a block with one
// stream, so that each use on another needs an event. Free's contract, that no queued
// work uses the block, makes this simpler: a block that came back is free for every
// stream at once, and lending it costs a lock and a map.
type cache struct {
	mu     sync.Mutex
	lent   map[Ptr]int   // sizes
	idle   map[int][]Ptr // by class
	unused uint64        // bytes of idle
}

func newCache() *cache { return &cache{lent: map[Ptr]int{}, idle: map[int][]Ptr{}} }

// take lends a block of a class, if one is idle.
func (c *cache) take(size int) (Ptr, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.idle[size]
	if len(list) == 0 {
		return 0, false
	}
	p := list[len(list)-1]
	c.idle[size] = list[:len(list)-1]
	c.unused -= uint64(size)
	c.lent[p] = size
	return p, true
}

// lend notes a new block.
func (c *cache) lend(p Ptr, size int) {
	c.mu.Lock()
	c.lent[p] = size
	c.mu.Unlock()
}

// put takes a block back. Where its size is no class it could not be found again: keep
// is false, and the caller frees it.
func (c *cache) put(p Ptr) (keep bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size, ok := c.lent[p]
	if !ok {
		return false, fmt.Errorf("address %#x is not allocated", uint64(p))
	}
	delete(c.lent, p)
	if size != classSize(size) {
		return false, nil
	}
	c.idle[size] = append(c.idle[size], p)
	c.unused += uint64(size)
	return true, nil
}

// trim returns all idle blocks, which the caller frees.
func (c *cache) trim() []Ptr {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Ptr
	for _, list := range c.idle {
		all = append(all, list...)
	}
	clear(c.idle)
	c.unused = 0
	return all
}

// idleBytes returns how many bytes trim would give.
func (c *cache) idleBytes() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unused
}
