//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"runtime"
	"sync"
	"unsafe"
)

// argBlock holds the parameters of a launch as cuLaunchKernel takes them: an array of
// pointers to the values. The driver copies the values before it returns, so one block
// serves all launches of a stream, and a launch allocates nothing.
//
// A parameter narrower than a word is read from its low bytes, which come first: the
// platforms of the binding are little-endian.
type argBlock struct {
	ptr [MaxArgs]unsafe.Pointer // ptr[i] = &val[i], always
	val [MaxArgs]uint64
}

func (b *argBlock) set(args []uint64) { copy(b.val[:], args) }

// argBlocks lends blocks to streams. A block is pinned for the rest of the process, as
// it holds pointers to Go memory that C follows, and is reused: a stream that is
// dropped without Close costs one block.
var argBlocks struct {
	mu     sync.Mutex
	pinner runtime.Pinner
	all    []*argBlock
	idle   []*argBlock
}

func newArgBlock() *argBlock {
	a := &argBlocks
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.idle); n > 0 {
		b := a.idle[n-1]
		a.idle = a.idle[:n-1]
		return b
	}
	b := new(argBlock)
	a.pinner.Pin(b)
	for i := range b.ptr {
		b.ptr[i] = unsafe.Pointer(&b.val[i])
	}
	a.all = append(a.all, b)
	return b
}

// release gives the block back. It must not be used after.
func (b *argBlock) release() {
	argBlocks.mu.Lock()
	argBlocks.idle = append(argBlocks.idle, b)
	argBlocks.mu.Unlock()
}
