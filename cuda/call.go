package cuda

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cudrv"
)

// call is an operation on a device: a stream, scratch memory, and the first error,
// after which nothing is done any more.
type call struct {
	d     *Device
	s     cudrv.Stream
	temps []cudrv.Ptr
	err   error
}

// do runs f as a call, and waits for it.
func (d *Device) do(f func(c *call)) error {
	c := call{d: d}
	if c.s, c.err = d.stream(); c.err != nil {
		return c.err
	}
	f(&c)
	if err := c.s.Synchronize(); c.err == nil {
		c.err = err
	}
	for _, p := range c.temps {
		if err := d.dev.Free(p); c.err == nil {
			c.err = err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams = append(d.streams, c.s)
	return c.err
}

// stream returns an idle stream.
func (d *Device) stream() (cudrv.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	if n := len(d.streams); n > 0 {
		s := d.streams[n-1]
		d.streams = d.streams[:n-1]
		return s, nil
	}
	return d.dev.NewStream()
}

// alloc returns scratch memory, freed after the call.
func (c *call) alloc(bytes int) cudrv.Ptr {
	if c.err != nil || bytes == 0 {
		return 0
	}
	p, err := c.d.reserve(bytes)
	if err != nil {
		c.err = err
		return 0
	}
	c.temps = append(c.temps, p)
	return p
}

// zeroed returns scratch memory of zeros.
func (c *call) zeroed(bytes int) cudrv.Ptr {
	p := c.alloc(bytes)
	c.fill(p, 0, bytes)
	return p
}

// fill sets bytes.
func (c *call) fill(p cudrv.Ptr, value byte, bytes int) {
	if c.err == nil && bytes > 0 {
		c.err = c.s.Fill(p, value, bytes)
	}
}

// raw returns the memory of a slice.
func raw[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// upload returns scratch memory with a copy of the numbers.
func upload[T any](c *call, s []T) cudrv.Ptr {
	b := raw(s)
	p := c.alloc(len(b))
	if c.err == nil && len(b) > 0 {
		c.err = c.s.Upload(p, b)
	}
	return p
}

// download waits and returns n numbers.
func download[T any](c *call, p cudrv.Ptr, n int) []T {
	s := make([]T, n)
	if c.err == nil && n > 0 {
		c.err = c.s.Download(raw(s), p)
	}
	return s
}

// grid is how a kernel is launched.
type grid struct {
	blocks, rows int // rows of blocks, 0 for one
	threads      int
	shared       int // bytes of dynamic shared memory
}

// each is a grid with a thread for each of n.
func each(n, threads int) grid { return grid{blocks: (n + threads - 1) / threads, threads: threads} }

// run enqueues a kernel of a module.
func (c *call) run(module, kernel string, g grid, args ...uint64) {
	if c.err != nil || g.blocks == 0 {
		return
	}
	f, err := c.d.function(function{module, kernel, g.shared})
	if err != nil {
		c.err = err
		return
	}
	c.err = c.s.Launch(&cudrv.Launch{Function: f, Grid: [3]int{g.blocks, max(g.rows, 1), 1}, Block: g.threads, Shared: g.shared, Args: args})
}
