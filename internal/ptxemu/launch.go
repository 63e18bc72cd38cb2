package ptxemu

import (
	"math/rand/v2"
	"slices"
)

// executor is one launch of a kernel.
type executor struct {
	prog       *program
	heap       *heap
	grid       [3]int
	threads    int // of a block
	dynamic    int // bytes of dynamic shared memory
	quantum    int
	uniform    []constant // slots with the same value in all threads of this launch
	defined    []int32    // slots that have a value from the start
	hints      []*region  // by instruction, where it found its last address
	candidates []*warp
	scratch    lanes
	random     *rand.Rand
	stats      KernelStats
}

// Special registers, by what they depend on. A block has one dimension.
var (
	laneSpecials = map[string]func(warp, lane int) uint64{
		"%tid.x":       func(w, l int) uint64 { return uint64(w*warpSize + l) },
		"%laneid":      func(_, l int) uint64 { return uint64(l) },
		"%warpid":      func(w, _ int) uint64 { return uint64(w) },
		"%lanemask_eq": func(_, l int) uint64 { return 1 << l },
		"%lanemask_lt": func(_, l int) uint64 { return 1<<l - 1 },
		"%lanemask_le": func(_, l int) uint64 { return 2<<l - 1 },
		"%lanemask_gt": func(_, l int) uint64 { return 0xFFFFFFFF &^ (2<<l - 1) },
		"%lanemask_ge": func(_, l int) uint64 { return 0xFFFFFFFF &^ (1<<l - 1) },
	}
	blockSpecials = map[string]func(b *block) int{
		"%ctaid.x": func(b *block) int { return b.index[0] },
		"%ctaid.y": func(b *block) int { return b.index[1] },
		"%ctaid.z": func(b *block) int { return b.index[2] },
	}
	launchSpecials = map[string]func(x *executor) int{
		"%tid.y":             func(*executor) int { return 0 },
		"%tid.z":             func(*executor) int { return 0 },
		"%ntid.x":            func(x *executor) int { return x.threads },
		"%ntid.y":            func(*executor) int { return 1 },
		"%ntid.z":            func(*executor) int { return 1 },
		"%nctaid.x":          func(x *executor) int { return x.grid[0] },
		"%nctaid.y":          func(x *executor) int { return x.grid[1] },
		"%nctaid.z":          func(x *executor) int { return x.grid[2] },
		"%nwarpid":           func(x *executor) int { return (x.threads + warpSize - 1) / warpSize },
		"%dynamic_smem_size": func(x *executor) int { return x.dynamic },
		"%total_smem_size":   func(x *executor) int { return x.prog.static + x.dynamic },
		"WARP_SZ":            func(*executor) int { return warpSize },
	}
)

// isSpecial reports whether a name is a special register.
func isSpecial(name string) bool {
	_, lane := laneSpecials[name]
	_, block := blockSpecials[name]
	_, launch := launchSpecials[name]
	return lane || block || launch
}

// launch runs all blocks of the grid: so many at a time as the device has processors,
// begun in random order, whose warps take turns in random order.
func (x *executor) launch(k *kernel, processors int, budget int64) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Fault:
			err = r
		default:
			panic(r)
		}
	}()
	order := x.random.Perm(x.grid[0] * x.grid[1] * x.grid[2])
	running := slices.Clone(x.places(k, min(processors, len(order))))
	for _, b := range running {
		x.prepare(b)
		x.start(b, order[0])
		order = order[1:]
	}
	for len(running) > 0 {
		i := x.random.IntN(len(running))
		b := running[i]
		switch {
		case x.turn(b):
			if x.stats.WarpInstructions > budget {
				w := b.warps[0]
				x.fault(w, w.groups[0].pc, 0, ErrEndless, "%d instructions of warps", budget)
			}
		case len(order) > 0:
			x.start(b, order[0])
			order = order[1:]
		default:
			running = append(running[:i], running[i+1:]...)
		}
	}
	return nil
}

// places returns n places for blocks, those of the last launch if they fit.
func (x *executor) places(k *kernel, n int) []*block {
	if k.threads != x.threads {
		k.places, k.threads = nil, x.threads
	}
	for len(k.places) < n {
		k.places = append(k.places, x.newBlock())
	}
	return k.places[:n]
}
