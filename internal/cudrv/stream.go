//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"fmt"
	"unsafe"
)

// streamNonBlocking makes a stream that does not wait for the default stream, which
// other users of the context may have work on.
const streamNonBlocking = 1

// stream is a queue of work. Nothing of a device runs out of order with it but what is
// on other streams.
type stream struct {
	device *device
	handle uintptr
	args   *argBlock
	closed bool
}

func (d *device) NewStream() (Stream, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	s := &stream{device: d}
	if code := cuStreamCreate.callOut(uintptr(unsafe.Pointer(&s.handle)), streamNonBlocking); code != success {
		return nil, d.failed(cuStreamCreate, code)
	}
	s.args = newArgBlock()
	d.mu.Lock()
	d.streams[s] = struct{}{}
	d.mu.Unlock()
	return s, nil
}

// enter is the device's; a stream that is closed is like one of a closed device.
func (s *stream) enter() error {
	if s.closed {
		return ErrClosed
	}
	return s.device.enter()
}

func (s *stream) Launch(l *Launch) error {
	f, ok := l.Function.(*function)
	switch {
	case !ok || f.device != s.device:
		name := ""
		if l.Function != nil {
			name = l.Function.Name()
		}
		return &LaunchError{Kernel: name, Cause: fmt.Errorf("it is no kernel of this device")}
	case len(l.Args) > MaxArgs:
		return &LaunchError{Kernel: f.name, Cause: fmt.Errorf("%d arguments, more than %d", len(l.Args), MaxArgs)}
	}
	if err := s.enter(); err != nil {
		return err
	}
	s.args.set(l.Args)
	code := cuLaunchKernel.call(f.handle,
		uintptr(max(l.Grid[0], 1)), uintptr(max(l.Grid[1], 1)), uintptr(max(l.Grid[2], 1)),
		uintptr(l.Block), 1, 1,
		uintptr(l.Shared), s.handle, uintptr(unsafe.Pointer(&s.args.ptr)), 0)
	var err error
	if code != success {
		err = s.device.launchFailed(f.name, cuLaunchKernel, code)
	}
	s.device.leave()
	return err
}

func (s *stream) Copy(dst, src Ptr, bytes int) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.device.leave()
	if bytes == 0 {
		return nil
	}
	return s.device.failed(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync.call(uintptr(dst), uintptr(src), uintptr(bytes), s.handle))
}

func (s *stream) Fill(dst Ptr, value byte, bytes int) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.device.leave()
	if bytes == 0 {
		return nil
	}
	return s.device.failed(cuMemsetD8Async, cuMemsetD8Async.call(uintptr(dst), uintptr(value), uintptr(bytes), s.handle))
}

func (s *stream) Synchronize() error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.device.leave()
	return s.synchronize()
}

// synchronize waits. The context is current.
func (s *stream) synchronize() error {
	return s.device.failed(cuStreamSynchronize, cuStreamSynchronize.call(s.handle))
}

// Close is nothing on a closed device, which has closed the stream, and on a lost one,
// whose Close does.
func (s *stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	d := s.device
	if d.enter() != nil {
		return nil
	}
	defer d.leave()
	d.mu.Lock()
	delete(d.streams, s)
	d.mu.Unlock()
	err := s.synchronize()
	if code := cuStreamDestroy.call(s.handle); code != success && err == nil {
		err = d.failed(cuStreamDestroy, code)
	}
	s.args.release()
	return err
}
