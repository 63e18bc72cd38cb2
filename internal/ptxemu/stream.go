package ptxemu

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ogive-go/ogive/internal/cudrv"
)

// stream does what it is given at once.
type stream struct {
	device *Device
	closed bool
}

// enter is that of the device, for a stream that may be closed.
func (s *stream) enter(call string) error {
	if err := s.device.enter(call); err != nil {
		return err
	}
	if s.closed {
		s.device.leave()
		return cudrv.ErrClosed
	}
	return nil
}

// Launch runs a kernel. A [Fault] of it costs the device.
func (s *stream) Launch(l *cudrv.Launch) error {
	if err := s.enter("Launch"); err != nil {
		return err
	}
	defer s.device.leave()
	c := s.device.context
	k, ok := l.Function.(*kernel)
	if !ok || k.module.device.context != c {
		return &cudrv.LaunchError{Cause: fmt.Errorf("%w: a function of another device", ErrInvalidLaunch)}
	}
	x, err := newExecutor(c, k, l)
	if err != nil {
		return &cudrv.LaunchError{Kernel: k.prog.name, Cause: fmt.Errorf("%w: %w", ErrInvalidLaunch, err)}
	}
	err = x.launch(k, c.options.Processors, c.options.Budget)
	sum := c.stats.Kernels[k.prog.name]
	sum.add(x.stats)
	c.stats.Kernels[k.prog.name] = sum
	if fault, ok := errors.AsType[*Fault](err); ok {
		c.lost, c.fault = cudrv.ErrDeviceLost, fault
	}
	return err
}

// newExecutor checks a launch and makes what runs it.
func newExecutor(c *context, k *kernel, l *cudrv.Launch) (*executor, error) {
	p := k.prog
	x := &executor{
		prog: p, heap: &c.heap, threads: l.Block, dynamic: l.Shared, quantum: c.options.Quantum,
		random: rand.New(rand.NewPCG(c.options.Seed, c.launches)),
	}
	c.launches++
	blocks := uint64(1)
	for i, n := range l.Grid {
		x.grid[i] = max(n, 1)
		if limit := [3]int{math.MaxInt32, 65535, 65535}[i]; n < 0 || n > limit {
			return nil, fmt.Errorf("a grid of %v blocks", l.Grid)
		}
		blocks *= uint64(x.grid[i])
	}
	switch {
	case blocks > math.MaxInt32:
		return nil, fmt.Errorf("a grid of %v blocks", l.Grid)
	case l.Block < 1 || l.Block > maxThreads:
		return nil, fmt.Errorf("blocks of %d threads", l.Block)
	case p.maxThreads > 0 && l.Block > p.maxThreads:
		return nil, fmt.Errorf("blocks of %d threads: the kernel is compiled for %d", l.Block, p.maxThreads)
	case l.Shared < 0 || l.Shared > k.dynamic:
		return nil, fmt.Errorf("%d bytes of dynamic shared memory: %d are allowed", l.Shared, k.dynamic)
	case len(l.Args) != p.arguments:
		return nil, fmt.Errorf("%d arguments: the kernel has %d", len(l.Args), p.arguments)
	}
	x.stats = KernelStats{Launches: 1, Blocks: int64(blocks)}
	x.fillUniform(k, l.Args)
	if k.hints == nil {
		k.hints = make([]*region, len(p.code))
		for i := range k.hints {
			k.hints[i] = &region{}
		}
	}
	x.hints = k.hints
	return x, nil
}

// fillUniform collects the slots that are the same in all threads of the launch, and
// those that have a value from the start.
func (x *executor) fillUniform(k *kernel, args []uint64) {
	p := x.prog
	for _, a := range p.parameters {
		v := args[a.argument] >> a.shift & a.mask
		if a.sext != 0 {
			v = uint64(int64(v<<a.sext)>>a.sext) & a.regMask
		}
		x.uniform = append(x.uniform, constant{a.slot, v})
	}
	for _, s := range p.symbols {
		x.uniform = append(x.uniform, constant{s.slot, k.module.globals[s.symbol].base + s.add})
	}
	for _, s := range p.specials {
		if f, ok := launchSpecials[s.name]; ok {
			x.uniform = append(x.uniform, constant{s.slot, uint64(f(x))})
		}
		x.defined = append(x.defined, s.slot)
	}
	for _, c := range slices.Concat(x.uniform, p.constants) {
		x.defined = append(x.defined, c.slot)
	}
	x.defined = append(x.defined, noValue)
}

// Upload copies to the device.
func (s *stream) Upload(dst cudrv.Ptr, src []byte) error {
	if err := s.enter("Upload"); err != nil {
		return err
	}
	defer s.device.leave()
	c := s.device.context
	b, ok := c.heap.bytes(uint64(dst), uint64(len(src)))
	if !ok {
		return invalid("cuMemcpyHtoDAsync", "%d bytes at %#x", len(src), uint64(dst))
	}
	c.stats.Uploads++
	c.stats.BytesUploaded += uint64(copy(b, src))
	return nil
}

// Download copies from the device.
func (s *stream) Download(dst []byte, src cudrv.Ptr) error {
	if err := s.enter("Download"); err != nil {
		return err
	}
	defer s.device.leave()
	c := s.device.context
	b, ok := c.heap.bytes(uint64(src), uint64(len(dst)))
	if !ok {
		return invalid("cuMemcpyDtoHAsync", "%d bytes at %#x", len(dst), uint64(src))
	}
	c.stats.Downloads++
	c.stats.BytesDownloaded += uint64(copy(dst, b))
	return nil
}

// Copy copies within the device.
func (s *stream) Copy(dst, src cudrv.Ptr, bytes int) error {
	if err := s.enter("Copy"); err != nil {
		return err
	}
	defer s.device.leave()
	c := s.device.context
	to, ok1 := c.heap.bytes(uint64(dst), uint64(bytes))
	from, ok2 := c.heap.bytes(uint64(src), uint64(bytes))
	if bytes < 0 || !ok1 || !ok2 {
		return invalid("cuMemcpyDtoDAsync", "%d bytes from %#x to %#x", bytes, uint64(src), uint64(dst))
	}
	c.stats.Copies++
	copy(to, from)
	return nil
}

// Fill sets bytes.
func (s *stream) Fill(dst cudrv.Ptr, value byte, bytes int) error {
	if err := s.enter("Fill"); err != nil {
		return err
	}
	defer s.device.leave()
	c := s.device.context
	b, ok := c.heap.bytes(uint64(dst), uint64(bytes))
	if bytes < 0 || !ok {
		return invalid("cuMemsetD8Async", "%d bytes at %#x", bytes, uint64(dst))
	}
	c.stats.Fills++
	fill(b, value)
	return nil
}

// Synchronize has nothing to wait for.
func (s *stream) Synchronize() error {
	if err := s.enter("Synchronize"); err != nil {
		return err
	}
	s.device.leave()
	return nil
}

// Close ends the stream.
func (s *stream) Close() error {
	s.device.context.mu.Lock()
	defer s.device.leave()
	if s.closed {
		return cudrv.ErrClosed
	}
	s.closed = true
	return nil
}
