//go:build linux || darwin || freebsd

package testkit

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"
)

// Gone returns n bytes of memory that a file was mapped to, of which all but the first
// page are gone: the file has been cut. It skips the test where the address of a fault is
// not told.
func Gone(tb testing.TB, n int) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "gone")
	if err := os.WriteFile(path, make([]byte, n), 0o666); err != nil {
		tb.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	mem, err := syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err != nil {
		tb.Skipf("testkit: mmap: %v", err)
	}
	if err := f.Truncate(1); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			tb.Errorf("testkit: munmap: %v", err)
		}
	})
	if !faultTold(mem) {
		tb.Skip("the system, an emulator perhaps, does not tell the address of a fault")
	}
	return mem
}

// faultTold reports whether an access to the last byte is a fault with an address in mem.
func faultTold(mem []byte) (told bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault, ok := recover().(interface{ Addr() uintptr })
		told = ok && fault.Addr()-uintptr(unsafe.Pointer(&mem[0])) < uintptr(len(mem))
	}()
	return mem[len(mem)-1] != 0
}
