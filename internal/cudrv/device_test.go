//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

// These tests run on a device, or on the emulated library (see emulated_test.go), and
// are left out where there is none; OGIVE_REQUIRE_GPU=1 makes that a failure.

//go:embed testdata/kernels.ptx
var testKernels []byte

// checkLibrary looks for misuse of the API, which the emulated library notes.
var checkLibrary = func(testing.TB) {}

func openDriver(tb testing.TB) Driver {
	tb.Helper()
	d, err := Open()
	if err == nil && d.Devices() > 0 {
		return d
	}
	if os.Getenv("OGIVE_REQUIRE_GPU") == "1" {
		tb.Fatalf("a device is required: %v", err)
	}
	tb.Skipf("no device: %v", err)
	return nil
}

// openDevice opens device 0 for one test. Its memory must be given back.
func openDevice(tb testing.TB) Device {
	tb.Helper()
	dev, err := openDriver(tb).Open(0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := dev.Close(); err != nil {
			tb.Errorf("Close: %v", err)
		}
		checkLibrary(tb)
	})
	return dev
}

func must[T any](tb testing.TB) func(T, error) T {
	return func(v T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func kernel(tb testing.TB, dev Device, name string, shared int) Function {
	tb.Helper()
	m := must[Module](tb)(dev.Load(testKernels))
	return must[Function](tb)(m.Function(name, shared))
}

// alloc is Alloc, freed at the end of the test, before the device is closed.
func alloc(tb testing.TB, dev Device, bytes int) Ptr {
	tb.Helper()
	p := must[Ptr](tb)(dev.Alloc(bytes))
	tb.Cleanup(func() {
		if err := dev.Free(p); err != nil && !errors.Is(err, ErrClosed) {
			tb.Errorf("Free: %v", err)
		}
	})
	return p
}

func random(n int) []byte {
	b := make([]byte, n)
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], rand.Uint64())
	rand.NewChaCha8(seed).Read(b)
	return b
}

func TestDeviceInfo(t *testing.T) {
	d, dev := openDriver(t), openDevice(t)
	info := dev.Info()
	t.Logf("CUDA %d: %+v", d.Version(), info)
	if d.Version() < oldest || info.Name == "" || info.UUID == [16]byte{} || info.Capability < oldestCapability ||
		info.Processors < 1 || info.SharedMemory < 48<<10 || info.Memory < 1<<26 {
		t.Errorf("%+v", info)
	}
	for _, i := range []int{-1, d.Devices()} {
		if _, err := d.Open(i); !errors.Is(err, ErrNoDevice) {
			t.Errorf("device %d: %v", i, err)
		}
	}
}

func TestDeviceMemory(t *testing.T) {
	dev := openDevice(t)
	free, total, err := dev.MemInfo()
	if err != nil || free > total || total == 0 {
		t.Fatalf("%d of %d, %v", free, total, err)
	}
	seen := map[Ptr]bool{}
	for _, n := range []int{0, 1, 255, 256, 257, 4096, 1 << 20, 3<<20 + 1} {
		p := alloc(t, dev, n)
		if p == 0 || p%alignment != 0 || seen[p] {
			t.Errorf("%d bytes at %#x", n, p)
		}
		seen[p] = true
		if !dev.Owns(p) || n > 0 && !dev.Owns(p+Ptr(n-1)) {
			t.Errorf("%d bytes at %#x are of no device", n, p)
		}
	}
	if dev.Owns(0) || dev.Owns(0x1234) {
		t.Error("it owns what is no memory")
	}

	p := must[Ptr](t)(dev.Alloc(5000))
	check(t, dev.Free(p))
	if again := alloc(t, dev, 5001); again != p {
		t.Error("a block of the same class is not used again")
	}
	if dev.Free(0) != nil || dev.Free(p+256) == nil || dev.Free(0x1234) == nil {
		t.Error("Free of what was not allocated")
	}
	if _, err := dev.Alloc(-1); err == nil {
		t.Error("-1 bytes were allocated")
	}
	for _, n := range []int{int(total) + 1, math.MaxInt} {
		_, err = dev.Alloc(n)
		var oom *OutOfMemoryError
		if !errors.As(err, &oom) || oom.Want != uint64(n) || oom.Total != total || oom.Free == 0 || oom.Free > total {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestDeviceTransfers(t *testing.T) {
	dev := openDevice(t)
	s := must[Stream](t)(dev.NewStream())
	const guard = 64
	for _, n := range []int{0, 1, 7, 4096, smallSlot, smallSlot + 1, largeSlot - 1, largeSlot, largeSlot + 1, 40 << 20} {
		p := must[Ptr](t)(dev.Alloc(n + 2*guard))
		check(t, s.Fill(p, 0x5A, n+2*guard))
		src := random(n)
		want := append(append(bytes.Repeat([]byte{0x5A}, guard), src...), bytes.Repeat([]byte{0x5A}, guard)...)
		check(t, s.Upload(p+guard, src))
		clear(src) // it may be changed
		got := make([]byte, n+2*guard)
		check(t, s.Download(got, p))
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes came back different", n)
		}
		q := must[Ptr](t)(dev.Alloc(n))
		check(t, s.Copy(q, p+guard, n))
		got = make([]byte, n)
		check(t, s.Download(got, q))
		if !bytes.Equal(got, want[guard:guard+n]) {
			t.Errorf("%d bytes were copied to others", n)
		}
		check(t, dev.Free(p))
		check(t, dev.Free(q))
	}
}

// Many uploads are queued at once, of both kinds, from one buffer that changes.
func TestDeviceQueuedUploads(t *testing.T) {
	dev := openDevice(t)
	s := must[Stream](t)(dev.NewStream())
	for _, c := range []struct{ size, count int }{{1000, 5 * smallSlots}, {smallSlot + 1, 9}} {
		p := alloc(t, dev, c.size*c.count)
		var want []byte
		buffer := make([]byte, c.size)
		for i := range c.count {
			copy(buffer, random(c.size))
			want = append(want, buffer...)
			check(t, s.Upload(p+Ptr(i*c.size), buffer))
			clear(buffer)
		}
		got := make([]byte, len(want))
		check(t, s.Download(got, p))
		if !bytes.Equal(got, want) {
			t.Errorf("%d uploads of %d bytes came back different", c.count, c.size)
		}
	}
}

func TestDeviceArguments(t *testing.T) {
	dev := openDevice(t)
	s := must[Stream](t)(dev.NewStream())
	out := alloc(t, dev, 8*MaxArgs)
	result := make([]byte, 8*MaxArgs)
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(result[8*i:]) }

	minusThree, minusFour := int16(-3), int32(-4)
	l := &Launch{Function: kernel(t, dev, "test_mix", 0), Block: 1, Args: []uint64{uint64(out), 200, uint64(uint16(minusThree)),
		1 << 31, uint64(uint32(minusFour)), 1<<63 + 5, uint64(math.Float32bits(1.5)), math.Float64bits(math.Pi)}}
	check(t, s.Launch(l))
	clear(l.Args) // they may be changed
	check(t, s.Download(result, out))
	for i, want := range []uint64{200, uint64(minusThree) | 0xFFFFFFFFFFFF0000, 1 << 31, uint64(int64(minusFour)), 1<<63 + 5, math.Float64bits(1.5), math.Float64bits(math.Pi)} {
		if word(i) != want {
			t.Errorf("argument %d arrived as %#x, want %#x", i+1, word(i), want)
		}
	}

	l = &Launch{Function: kernel(t, dev, "test_words", 0), Block: 1, Args: make([]uint64, MaxArgs)}
	for i := range l.Args {
		l.Args[i] = rand.Uint64()
	}
	l.Args[0] = uint64(out)
	check(t, s.Launch(l))
	check(t, s.Download(result, out))
	for i, want := range l.Args[1:] {
		if word(i) != want {
			t.Errorf("argument %d arrived as %#x, want %#x", i+1, word(i), want)
		}
	}

	l.Args = make([]uint64, MaxArgs+1)
	var failure *LaunchError
	if err := s.Launch(l); !errors.As(err, &failure) || failure.Kernel != "test_words" {
		t.Errorf("%d arguments: %v", len(l.Args), err)
	}
}

func TestDeviceGrid(t *testing.T) {
	dev := openDevice(t)
	s := must[Stream](t)(dev.NewStream())
	out := alloc(t, dev, 20)
	large := dev.Info().SharedMemory
	f := kernel(t, dev, "test_grid", large)
	for _, c := range []struct {
		grid          [3]int
		block, shared int
	}{
		{[3]int{}, 1, 0},
		{[3]int{3, 0, 0}, 32, 1024},
		{[3]int{70000, 3, 5}, 128, 0},
		{[3]int{1, 1, 1}, 1024, 48 << 10},
		{[3]int{2}, 64, large},
	} {
		check(t, s.Launch(&Launch{Function: f, Grid: c.grid, Block: c.block, Shared: c.shared, Args: []uint64{uint64(out)}}))
		var b [20]byte
		check(t, s.Download(b[:], out))
		for i, want := range []int{max(c.grid[0], 1), max(c.grid[1], 1), max(c.grid[2], 1), c.block, c.shared} {
			if got := int(binary.LittleEndian.Uint32(b[4*i:])); got != want {
				t.Errorf("%+v: word %d is %d, want %d", c, i, got, want)
			}
		}
	}

	var failure *LaunchError
	var call *CallError
	for _, l := range []*Launch{
		{Function: f, Block: 0, Args: []uint64{uint64(out)}},
		{Function: f, Block: 1025, Args: []uint64{uint64(out)}},
		{Function: f, Grid: [3]int{1, 70000}, Block: 1, Args: []uint64{uint64(out)}},
		{Function: f, Block: 1, Shared: large + 1, Args: []uint64{uint64(out)}},
	} {
		if err := s.Launch(l); !errors.As(err, &failure) || failure.Kernel != "test_grid" || !errors.As(err, &call) || call.Call != "cuLaunchKernel" {
			t.Errorf("%+v: %v", l, err)
		}
	}
	if err := s.Launch(&Launch{Block: 1}); !errors.As(err, &failure) {
		t.Errorf("no kernel: %v", err)
	}
	check(t, s.Synchronize()) // nothing is lost
}

func TestDeviceModules(t *testing.T) {
	dev := openDevice(t)
	m := must[Module](t)(dev.Load(testKernels))
	f := must[Function](t)(m.Function("test_add", 0))
	if f.Name() != "test_add" {
		t.Errorf("the kernel is called %s", f.Name())
	}
	var failure *LaunchError
	if _, err := m.Function("test_none", 0); !errors.As(err, &failure) || failure.Kernel != "test_none" || !strings.Contains(err.Error(), "cuModuleGetFunction") {
		t.Errorf("a kernel that is not there: %v", err)
	}
	if _, err := m.Function("test_add", 1<<30); !errors.As(err, &failure) || !strings.Contains(err.Error(), "cuFuncSetAttribute") {
		t.Errorf("1 GiB of shared memory: %v", err)
	}
	_, err := dev.Load([]byte(".version 6.3\n.target sm_75\n.address_size 64\nno directive\n"))
	if !errors.As(err, &failure) || failure.Log == "" || !strings.Contains(err.Error(), failure.Log) || strings.ContainsRune(failure.Log, 0) {
		t.Errorf("no PTX: %q", err)
	}
	_, err = dev.Load(bytes.Replace(testKernels, []byte(".version 6.3"), []byte(".version 99.0"), 1))
	if !errors.Is(err, ErrPTXVersion) {
		t.Errorf("PTX of the future: %v", err)
	}
}

// Goroutines launch on streams of their own, on one device, sharing kernels, memory
// blocks and staging.
func TestDeviceConcurrent(t *testing.T) {
	dev := openDevice(t)
	f := kernel(t, dev, "test_add", 0)
	const n = 20000 // more than a small slot
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			s, err := dev.NewStream()
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for round := range 6 {
				words := make([]byte, 8*n)
				for i := range n {
					binary.LittleEndian.PutUint64(words[8*i:], uint64(i*g))
				}
				p, err := dev.Alloc(len(words))
				if err == nil {
					err = s.Upload(p, words)
				}
				for k := range 10 {
					if err == nil {
						err = s.Launch(&Launch{Function: f, Grid: [3]int{(n + 255) / 256}, Block: 256, Args: []uint64{uint64(p), n, uint64(k + round)}})
					}
				}
				if err == nil {
					clear(words)
					err = s.Download(words, p)
				}
				if err == nil {
					err = dev.Free(p)
				}
				if err != nil {
					t.Error(err)
					return
				}
				for i := range n {
					if got, want := binary.LittleEndian.Uint64(words[8*i:]), uint64(i*g+45+10*round); got != want {
						t.Errorf("goroutine %d: element %d is %d, want %d", g, i, got, want)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// After Close, every method says so, and closing again is nothing.
func TestDeviceClosed(t *testing.T) {
	dev := openDevice(t)
	m := must[Module](t)(dev.Load(testKernels))
	f := must[Function](t)(m.Function("test_add", 0))
	s, other := must[Stream](t)(dev.NewStream()), must[Stream](t)(dev.NewStream())
	p := must[Ptr](t)(dev.Alloc(64))
	check(t, s.Upload(p, make([]byte, 64)))
	check(t, other.Close())
	check(t, other.Close())
	if err := other.Synchronize(); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed stream: %v", err)
	}
	check(t, dev.Free(p))
	check(t, dev.Close())
	check(t, dev.Close())
	_, e1 := dev.Alloc(1)
	_, _, e2 := dev.MemInfo()
	_, e3 := dev.Load(testKernels)
	_, e4 := dev.NewStream()
	_, e5 := m.Function("test_add", 0)
	for i, err := range []error{e1, e2, e3, e4, e5, dev.Free(p), s.Launch(&Launch{Function: f, Block: 1, Args: []uint64{uint64(p), 1, 1}}),
		s.Upload(p, []byte{1}), s.Download([]byte{1}, p), s.Copy(p, p, 1), s.Fill(p, 1, 1), s.Synchronize()} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("method %d: %v", i+1, err)
		}
	}
	check(t, s.Close())
	if dev.Owns(p) {
		t.Error("a closed device owns memory")
	}
	if dev.Info().Name == "" {
		t.Error("a closed device has no name")
	}
	// The driver goes on.
	again := openDevice(t)
	if _, err := again.NewStream(); err != nil {
		t.Error(err)
	}
}

// A kernel that fails ends the device for the process, which is therefore another one.
func TestDeviceLost(t *testing.T) {
	const key = "OGIVE_TEST_LOST"
	if os.Getenv(key) == "" {
		openDriver(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestDeviceLost$", "-test.v")
		cmd.Env = append(os.Environ(), key+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("--- SKIP")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dev := openDevice(t)
	p := must[Ptr](t)(dev.Alloc(64))
	m := must[Module](t)(dev.Load(testKernels))
	s, other := must[Stream](t)(dev.NewStream()), must[Stream](t)(dev.NewStream())
	f := must[Function](t)(m.Function("test_fail", 0))
	check(t, s.Launch(&Launch{Function: f, Block: 1}))
	err := s.Synchronize()
	var call *CallError
	if !errors.Is(err, ErrDeviceLost) || !errors.As(err, &call) || call.Code != 700 && call.Code != 719 {
		t.Fatalf("%v", err)
	}
	_, e1 := dev.Alloc(64)
	_, _, e2 := dev.MemInfo()
	_, e3 := dev.Load(testKernels)
	_, e4 := dev.NewStream()
	_, e5 := m.Function("test_add", 0)
	for i, err := range []error{e1, e2, e3, e4, e5, dev.Free(p), s.Launch(&Launch{Function: f, Block: 1}), other.Upload(p, []byte{1}),
		other.Download([]byte{1}, p), s.Copy(p, p, 1), s.Fill(p, 1, 1), other.Synchronize()} {
		if !errors.Is(err, ErrDeviceLost) || !errors.As(err, &call) {
			t.Errorf("method %d: %v", i+1, err)
		}
	}
	check(t, s.Close())
	check(t, dev.Close())
	if _, err := dev.Alloc(1); !errors.Is(err, ErrClosed) {
		t.Errorf("closed and lost: %v", err)
	}
}

// What is called once for each operation does not allocate, but under the race detector,
// with which a sync.Pool forgets.
func TestDeviceAllocations(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return
	}
	dev := openDevice(t)
	s := must[Stream](t)(dev.NewStream())
	p := alloc(t, dev, 4096)
	l := &Launch{Function: kernel(t, dev, "test_add", 0), Block: 64, Args: []uint64{uint64(p), 64, 1}}
	buffer := make([]byte, 512)
	for name, f := range map[string]func() error{
		"Launch":      func() error { return s.Launch(l) },
		"Fill":        func() error { return s.Fill(p, 1, 8) },
		"Copy":        func() error { return s.Copy(p, p+2048, 8) },
		"Synchronize": s.Synchronize,
		"Upload":      func() error { return s.Upload(p, buffer) },
		"Download":    func() error { return s.Download(buffer, p) },
		"Alloc": func() error {
			q, err := dev.Alloc(1000)
			if err != nil {
				return err
			}
			return dev.Free(q)
		},
	} {
		check(t, f())
		if n := testing.AllocsPerRun(100, func() { check(t, f()) }); n >= 1 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	check(t, s.Synchronize())
}
