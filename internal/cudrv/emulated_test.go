//go:build cudaemu && linux && !android && (amd64 || arm64)

package cudrv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// TestEmulated builds the emulated libcuda and runs the tests on it: those for every
// device, and those of the table, each in a process of its own, as a driver is started
// once and its environment is read then.
func TestEmulated(t *testing.T) {
	if os.Getenv("OGIVE_EMU_TEST") != "" {
		t.Skip("this is the child")
	}
	library := buildEmulator(t)
	child := func(t *testing.T, run string, env ...string) {
		cmd := exec.Command(os.Args[0], "-test.run="+run, "-test.v")
		cmd.Env = append(os.Environ(), "OGIVE_LIBCUDA="+library, "OGIVE_REQUIRE_GPU=1", "OGIVE_EMU_TEST=any", "OGIVE_CUDA=")
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("--- SKIP")) || !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%v\n%s", err, out)
		}
	}
	t.Run("device", func(t *testing.T) { child(t, "^TestDevice") })
	t.Run("small memory", func(t *testing.T) { child(t, "^TestDevice", "OGIVE_EMU_MEMORY=134217728") })
	t.Run("old driver", func(t *testing.T) {
		child(t, "^TestDevice", "OGIVE_EMU_VERSION=11000", "OGIVE_LIBCUDA="+buildEmulator(t, "-DEMU_OLD"))
	})
	for _, s := range emulated {
		t.Run(s.name, func(t *testing.T) {
			child(t, "^TestEmulatedChild$", append(s.env, "OGIVE_EMU_TEST="+s.name)...)
		})
	}
}

// buildEmulator compiles the library into a folder of the test.
func buildEmulator(t *testing.T, flags ...string) string {
	t.Helper()
	compiler := os.Getenv("CXX")
	if compiler == "" {
		compiler = "c++"
	}
	if _, err := exec.LookPath(compiler); err != nil {
		if os.Getenv("OGIVE_REQUIRE_EMU") == "1" {
			t.Fatalf("the emulated library is required: %v", err)
		}
		t.Skipf("the emulated library cannot be built: %v", err)
	}
	sources, err := filepath.Glob("testdata/emu/*.cpp")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	library := filepath.Join(t.TempDir(), "libcuda.so.1")
	args := append([]string{"-std=c++17", "-Wall", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden", "-o", library}, flags...)
	if out, err := exec.Command(compiler, append(args, sources...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return library
}

// emulator asks the emulated library of this process.
type emulator struct {
	calls, pushed, complaint uintptr
}

func openEmulator(tb testing.TB) emulator {
	tb.Helper()
	handle, err := purego.Dlopen(os.Getenv("OGIVE_LIBCUDA"), purego.RTLD_NOW)
	check(tb, err)
	symbol := func(name string) uintptr {
		p, err := purego.Dlsym(handle, name)
		check(tb, err)
		return p
	}
	return emulator{symbol("emuCalls"), symbol("emuPushed"), symbol("emuComplaint")}
}

// count returns how often a function was called.
func (e emulator) count(function string) int {
	name := append([]byte(function), 0)
	n, _, _ := purego.SyscallN(e.calls, uintptr(unsafe.Pointer(&name[0])))
	return int(n)
}

// complaints returns what the library noted.
func (e emulator) complaints() []string {
	var list []string
	for {
		text := make([]byte, 200)
		n, _, _ := purego.SyscallN(e.complaint, uintptr(len(list)), uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
		if int(n) < 0 {
			return list
		}
		list = append(list, string(text[:min(int(n), len(text))]))
	}
}

func init() {
	if os.Getenv("OGIVE_EMU_TEST") == "" {
		return
	}
	checkLibrary = func(tb testing.TB) {
		e := openEmulator(tb)
		for _, c := range e.complaints() {
			tb.Errorf("the library complains: %s", c)
		}
		if n, _, _ := purego.SyscallN(e.pushed); n != 0 {
			tb.Errorf("%d contexts are left on threads", n)
		}
	}
}

func TestEmulatedChild(t *testing.T) {
	name := os.Getenv("OGIVE_EMU_TEST")
	for _, s := range emulated {
		if s.name == name {
			s.run(t)
			if cuInit.addr != 0 {
				checkLibrary(t)
			}
			return
		}
	}
	t.Skip("it is run by TestEmulated")
}

// emulated are the tests that need a driver of some kind.
var emulated = []struct {
	name string
	env  []string
	run  func(t *testing.T)
}{
	{"off", []string{"OGIVE_CUDA=off"}, func(t *testing.T) {
		if _, err := Open(); !errors.Is(err, ErrNoDriver) || cuInit.addr != 0 {
			t.Errorf("%v, the library was loaded: %v", err, cuInit.addr != 0)
		}
	}},
	{"lazy", nil, func(t *testing.T) {
		if n := openEmulator(t).count("cuInit"); n != 0 {
			t.Errorf("cuInit was called %d times before Open", n)
		}
		first, second := must[Driver](t)(Open()), must[Driver](t)(Open())
		if n := openEmulator(t).count("cuInit"); n != 1 || first != second {
			t.Errorf("cuInit was called %d times", n)
		}
		if first.Version() != 12040 || first.Devices() != 2 {
			t.Errorf("version %d, %d devices", first.Version(), first.Devices())
		}
	}},
	{"no such library", []string{"OGIVE_LIBCUDA=/nowhere/libcuda.so.1"}, func(t *testing.T) {
		_, err := Open()
		if !errors.Is(err, ErrNoDriver) || strings.Count(err.Error(), "/nowhere/libcuda.so.1") != 1 || strings.Contains(err.Error(), "nvidia") {
			t.Errorf("%v", err)
		}
	}},
	{"another library", []string{"OGIVE_LIBCUDA=libc.so.6"}, func(t *testing.T) {
		if _, err := Open(); !errors.Is(err, ErrNoDriver) || !strings.Contains(err.Error(), "cuDriverGetVersion") {
			t.Errorf("%v", err)
		}
	}},
	{"stub", []string{"OGIVE_EMU_INIT=34"}, func(t *testing.T) { startFails(t, 34, "CUDA_ERROR_STUB_LIBRARY") }},
	{"broken", []string{"OGIVE_EMU_INIT=803"}, func(t *testing.T) { startFails(t, 803, "unknown code") }},
	{"no device", []string{"OGIVE_EMU_INIT=100"}, func(t *testing.T) {
		d := must[Driver](t)(Open())
		_, err := d.Open(0)
		var call *CallError
		if d.Devices() != 0 || !errors.Is(err, ErrNoDevice) || !errors.As(err, &call) || call.Code != 100 {
			t.Errorf("%d devices: %v", d.Devices(), err)
		}
	}},
	{"zero devices", []string{"OGIVE_EMU_DEVICES=0"}, func(t *testing.T) {
		d := must[Driver](t)(Open())
		if _, err := d.Open(0); d.Devices() != 0 || !errors.Is(err, ErrNoDevice) {
			t.Errorf("%d devices: %v", d.Devices(), err)
		}
	}},
	{"too old", []string{"OGIVE_EMU_VERSION=10020"}, func(t *testing.T) {
		_, err := Open()
		var old *DriverTooOldError
		if !errors.As(err, &old) || *old != (DriverTooOldError{10020, 11000}) {
			t.Errorf("%v", err)
		}
		if n := openEmulator(t).count("cuInit"); n != 0 {
			t.Error("it was started")
		}
	}},
	{"old device", []string{"OGIVE_EMU_ARCH=52"}, func(t *testing.T) {
		_, err := must[Driver](t)(Open()).Open(0)
		var old *ArchError
		if !errors.As(err, &old) || *old != (ArchError{52, 60}) {
			t.Errorf("%v", err)
		}
		if n := openEmulator(t).count("cuDevicePrimaryCtxRetain"); n != 0 {
			t.Error("its context was made")
		}
	}},
	{"PTX version", []string{"OGIVE_EMU_PTX=62"}, func(t *testing.T) {
		dev := openDevice(t)
		_, err := dev.Load(testKernels)
		var call *CallError
		if !errors.Is(err, ErrPTXVersion) || !errors.As(err, &call) || call.Code != 222 {
			t.Errorf("%v", err)
		}
		_, err = dev.Load(bytes.Replace(testKernels, []byte(".version 6.3"), []byte(".version 6.2"), 1))
		check(t, err)
	}},
	{"memory", []string{"OGIVE_EMU_MEMORY=100000000"}, emulatedMemory},
	{"cache", nil, emulatedCache},
	{"two devices", nil, emulatedTwoDevices},
	{"another context", nil, emulatedOtherContext},
	{"late failure", nil, emulatedLateFailure},
}

func startFails(t *testing.T, code int, name string) {
	for range 2 {
		_, err := Open()
		var call *CallError
		if !errors.Is(err, ErrNoDriver) || !errors.As(err, &call) || call.Code != code || call.Name != name || !strings.Contains(err.Error(), os.Getenv("OGIVE_LIBCUDA")) {
			t.Errorf("%v", err)
		}
	}
	if n := openEmulator(t).count("cuInit"); n != 1 {
		t.Errorf("cuInit was called %d times", n)
	}
}

// A device that is full gives what the cache keeps, then what is there but for rounding,
// then an error with the figures.
func emulatedMemory(t *testing.T) {
	const total = 100000000
	dev := openDevice(t)
	var blocks []Ptr
	for range 9 {
		blocks = append(blocks, must[Ptr](t)(dev.Alloc(10<<20)))
	}
	for _, p := range blocks[1:] {
		check(t, dev.Free(p))
	}
	free, all, err := dev.MemInfo()
	if free != total-10<<20 || all != total || err != nil {
		t.Errorf("%d of %d bytes free, %v", free, all, err)
	}
	const rest = total - 10<<20
	_, err = dev.Alloc(rest + 1)
	var oom *OutOfMemoryError
	if !errors.As(err, &oom) || *oom != (OutOfMemoryError{rest + 1, rest, total}) {
		t.Errorf("one byte too many: %v", err)
	}
	// All of it, whose class would have no room.
	p := must[Ptr](t)(dev.Alloc(rest / alignment * alignment))
	if classSize(rest/alignment*alignment) <= rest {
		t.Error("the class has room")
	}
	if _, err = dev.Alloc(1000); !errors.As(err, &oom) || oom.Free != rest%alignment {
		t.Errorf("a full device: %v", err)
	}
	check(t, dev.Free(p))
	check(t, dev.Free(blocks[0]))
	if n := openEmulator(t).count("cuMemFree_v2"); n != 9 {
		t.Errorf("%d blocks were freed, want 9: the cache's 8, and that of no class", n)
	}
}

// A block that came back is lent again without the driver.
func emulatedCache(t *testing.T) {
	dev := openDevice(t)
	for range 100 {
		a, b := must[Ptr](t)(dev.Alloc(1<<20)), must[Ptr](t)(dev.Alloc(5<<20))
		check(t, dev.Free(a))
		check(t, dev.Free(b))
	}
	if n := openEmulator(t).count("cuMemAlloc_v2"); n != 2 {
		t.Errorf("cuMemAlloc was called %d times", n)
	}
}

// Devices and openings of one are apart: kernels and memory belong to theirs.
func emulatedTwoDevices(t *testing.T) {
	d := must[Driver](t)(Open())
	first, second, again := must[Device](t)(d.Open(0)), must[Device](t)(d.Open(1)), must[Device](t)(d.Open(0))
	if first.Info().UUID == second.Info().UUID || first.Info().UUID != again.Info().UUID {
		t.Error("UUIDs")
	}
	p := must[Ptr](t)(first.Alloc(100))
	if !first.Owns(p) || !again.Owns(p) || second.Owns(p) {
		t.Error("memory of the wrong device")
	}
	s := must[Stream](t)(second.NewStream())
	f := kernel(t, first, "test_add", 0)
	var failure *LaunchError
	if err := s.Launch(&Launch{Function: f, Block: 1, Args: []uint64{uint64(p), 1, 1}}); !errors.As(err, &failure) {
		t.Errorf("a kernel of another device: %v", err)
	}
	var call *CallError
	if err := s.Upload(p, []byte{1}); !errors.As(err, &call) || call.Call != "cuMemcpyHtoDAsync_v2" {
		t.Errorf("memory of another device: %v", err)
	}
	check(t, again.Close())
	if _, err := first.NewStream(); err != nil {
		t.Errorf("the other opening is closed too: %v", err)
	}
	check(t, first.Free(p))
	check(t, first.Close())
	check(t, second.Close())
}

// The context that someone else made current on the thread is current afterwards.
func emulatedOtherContext(t *testing.T) {
	dev, other := openDevice(t), must[Device](t)(must[Driver](t)(Open()).Open(1))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	context := other.(*device).context
	if code := cuCtxPushCurrent.call(context); code != success {
		t.Fatal(code)
	}
	s := must[Stream](t)(dev.NewStream())
	p := must[Ptr](t)(dev.Alloc(8))
	check(t, s.Upload(p, make([]byte, 8)))
	check(t, s.Launch(&Launch{Function: kernel(t, dev, "test_add", 0), Block: 1, Args: []uint64{uint64(p), 1, 7}}))
	var got [8]byte
	check(t, s.Download(got[:], p))
	check(t, dev.Free(p))
	if n := binary.LittleEndian.Uint64(got[:]); n != 7 {
		t.Errorf("got %d", n)
	}
	var now uintptr
	if code := cuCtxPopCurrent.callOut(uintptr(unsafe.Pointer(&now))); code != success || now != context {
		t.Errorf("context %#x is current, want %#x: code %d", now, context, code)
	}
	check(t, other.Close())
}

// A failure shows at whatever call comes after it, here the wait for a staging slot, and
// a device that is not waited for closes all the same.
func emulatedLateFailure(t *testing.T) {
	dev := openDevice(t)
	s := must[Stream](t)(dev.NewStream())
	p := must[Ptr](t)(dev.Alloc(16))
	check(t, s.Launch(&Launch{Function: kernel(t, dev, "test_fail", 0), Block: 1}))
	var err error
	uploads := 0
	for ; err == nil && uploads < 10*smallSlots; uploads++ {
		err = s.Upload(p, make([]byte, 16))
	}
	var call *CallError
	if uploads != smallSlots+1 || !errors.Is(err, ErrDeviceLost) || !errors.As(err, &call) || call.Call != "cuEventSynchronize" {
		t.Errorf("upload %d: %v", uploads, err)
	}
	again := must[Device](t)(must[Driver](t)(Open()).Open(0))
	if _, err := again.NewStream(); !errors.Is(err, ErrDeviceLost) {
		t.Errorf("opened again: %v", err)
	}
	check(t, again.Close())
}
