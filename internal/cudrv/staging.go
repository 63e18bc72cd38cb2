//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"runtime"
	"sync"
	"unsafe"
)

// The driver copies asynchronously only from and to memory that is pinned, which Go's is
// not; and Go's memory must not be used after a call has returned. So transfers go
// through pinned memory: two large slots, of which the host fills one while the device
// reads the other, and small ones, so that many small uploads can be queued.
const (
	largeSlot  = 16 << 20
	largeSlots = 2
	smallSlot  = 64 << 10
	smallSlots = 32
)

// slot is a piece of pinned memory.
type slot struct {
	memory []byte  // of C
	event  uintptr // after the last copy from or to memory
	busy   bool    // the event was recorded, and not waited for
}

// ring is slots that are used in turn.
type ring struct {
	slots []slot
	next  int
	base  unsafe.Pointer // of all slots' memory
}

// staging is the pinned memory of one transfer at a time. A transfer borrows it from
// the device, not the stream, so that there is as much as there are transfers at once;
// the copies that are under way when it goes back are guarded by their events, whatever
// stream they are on.
type staging struct{ small, large ring }

// borrowStaging returns staging that no one uses, without memory if it is new.
func (d *device) borrowStaging() *staging {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.staging); n > 0 {
		s := d.staging[n-1]
		d.staging = d.staging[:n-1]
		return s
	}
	return new(staging)
}

func (d *device) returnStaging(s *staging) {
	d.mu.Lock()
	d.staging = append(d.staging, s)
	d.mu.Unlock()
}

// ring returns the slots for a transfer of so many bytes, which have memory. The
// context is current.
func (s *staging) ring(d *device, bytes int) (*ring, error) {
	r, n, size := &s.large, largeSlots, largeSlot
	if bytes <= smallSlot {
		r, n, size = &s.small, smallSlots, smallSlot
	}
	if r.base != nil {
		return r, nil
	}
	return r, r.alloc(d, n, size)
}

// eventDisableTiming makes an event cheaper.
const eventDisableTiming = 2

// alloc gives the ring its memory and events.
func (r *ring) alloc(d *device, n, size int) error {
	if code := cuMemHostAlloc.callOut(uintptr(unsafe.Pointer(&r.base)), uintptr(n*size), 0); code != success {
		r.base = nil
		return d.failed(cuMemHostAlloc, code)
	}
	r.slots = make([]slot, n)
	for i := range r.slots {
		s := &r.slots[i]
		s.memory = unsafe.Slice((*byte)(unsafe.Add(r.base, i*size)), size)
		if code := cuEventCreate.callOut(uintptr(unsafe.Pointer(&s.event)), eventDisableTiming); code != success {
			err := d.failed(cuEventCreate, code)
			r.free(func(*proc, result) {})
			return err
		}
	}
	return nil
}

// free gives back what the ring has, and tells note of each call. The copies are over.
func (r *ring) free(note func(*proc, result)) {
	for _, s := range r.slots {
		if s.event != 0 {
			note(cuEventDestroy, cuEventDestroy.call(s.event))
		}
	}
	if r.base != nil {
		note(cuMemFreeHost, cuMemFreeHost.call(uintptr(r.base)))
	}
	*r = ring{}
}

func (s *staging) free(note func(*proc, result)) {
	s.small.free(note)
	s.large.free(note)
}

// take returns the next slot, after the copy that last used it.
func (r *ring) take(d *device) (*slot, error) {
	s := &r.slots[r.next]
	r.next = (r.next + 1) % len(r.slots)
	return s, s.wait(d)
}

// wait returns when the slot's copy is over.
func (s *slot) wait(d *device) error {
	if !s.busy {
		return nil
	}
	if code := cuEventSynchronize.call(s.event); code != success {
		return d.failed(cuEventSynchronize, code)
	}
	s.busy = false
	return nil
}

// mark notes that the slot is in use until what is on the stream now is done.
func (s *slot) mark(on *stream) error {
	if code := cuEventRecord.call(s.event, on.handle); code != success {
		err := on.device.failed(cuEventRecord, code)
		on.synchronize() // nothing else says when the slot is free
		return err
	}
	s.busy = true
	return nil
}

func (s *stream) Upload(dst Ptr, src []byte) error {
	if err := s.enter(); err != nil {
		return err
	}
	d := s.device
	defer d.leave()
	if len(src) == 0 {
		return nil
	}
	st := d.borrowStaging()
	defer d.returnStaging(st)
	r, err := st.ring(d, len(src))
	if err != nil {
		return err
	}
	for len(src) > 0 {
		slot, err := r.take(d)
		if err != nil {
			return err
		}
		n := copyBytes(slot.memory, src)
		if code := cuMemcpyHtoDAsync.call(uintptr(dst), uintptr(unsafe.Pointer(&slot.memory[0])), uintptr(n), s.handle); code != success {
			return d.failed(cuMemcpyHtoDAsync, code)
		}
		if err := slot.mark(s); err != nil {
			return err
		}
		dst, src = dst+Ptr(n), src[n:]
	}
	return nil
}

func (s *stream) Download(dst []byte, src Ptr) error {
	if err := s.enter(); err != nil {
		return err
	}
	d := s.device
	defer d.leave()
	if len(dst) == 0 {
		return s.synchronize()
	}
	st := d.borrowStaging()
	defer d.returnStaging(st)
	r, err := st.ring(d, len(dst))
	if err != nil {
		return err
	}
	// The device copies into one slot while the host empties the one before.
	var before *slot
	for rest := dst; ; {
		var slot *slot
		var n int
		if len(rest) > 0 {
			if slot, err = r.take(d); err != nil {
				return err
			}
			n = min(len(rest), len(slot.memory))
			if code := cuMemcpyDtoHAsync.call(uintptr(unsafe.Pointer(&slot.memory[0])), uintptr(src), uintptr(n), s.handle); code != success {
				return d.failed(cuMemcpyDtoHAsync, code)
			}
			if err := slot.mark(s); err != nil {
				return err
			}
			src, rest = src+Ptr(n), rest[n:]
		}
		if before != nil {
			if err := before.wait(d); err != nil {
				return err
			}
			dst = dst[copyBytes(dst, before.memory):]
		}
		if slot == nil {
			return nil
		}
		before = slot
	}
}

// parallelCopy is the least share of a copy that is worth a goroutine. One core copies
// more slowly than a device takes data.
const parallelCopy = 1 << 20

// copyBytes is copy, by several goroutines if it is long.
func copyBytes(dst, src []byte) int {
	n := min(len(dst), len(src))
	workers := min(n/parallelCopy, runtime.GOMAXPROCS(0), 8)
	if workers < 2 {
		return copy(dst, src)
	}
	var wg sync.WaitGroup
	for w := range workers {
		from, to := n*w/workers, n*(w+1)/workers
		wg.Go(func() { copy(dst[from:to], src[from:to]) })
	}
	wg.Wait()
	return n
}
