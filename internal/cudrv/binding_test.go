//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"
)

// The driver follows the pointers of a block: each must lead to its value, also in a
// block that was used before.
func TestArgBlock(t *testing.T) {
	check := func(b *argBlock, args []uint64) {
		t.Helper()
		b.set(args)
		for i, want := range args {
			if got := *(*uint64)(b.ptr[i]); got != want {
				t.Errorf("argument %d is %#x, want %#x", i, got, want)
			}
			if want := uintptr(unsafe.Pointer(&b.ptr[0])) + uintptr(8*i); uintptr(unsafe.Pointer(&b.ptr[i])) != want {
				t.Errorf("pointer %d is at %#x, want %#x", i, uintptr(unsafe.Pointer(&b.ptr[i])), want)
			}
		}
	}
	args := make([]uint64, MaxArgs)
	for i := range args {
		args[i] = rand.Uint64()
	}
	a, b := newArgBlock(), newArgBlock()
	if a == b {
		t.Fatal("one block for two streams")
	}
	check(a, args)
	check(b, args[:3])
	check(a, args[1:])
	a.release()
	if c := newArgBlock(); c != a {
		t.Error("the block that was released is not used")
	} else {
		check(c, args)
		c.release()
	}
	b.release()
}

// A class has room for what it is for, wastes no more than it may, and is its own.
func TestClassSize(t *testing.T) {
	check := func(n int) {
		size := classSize(n)
		limit := max(alignment, 2*n)
		if n > smallBlock {
			limit = n + n/classesPerDouble
		}
		if size < n || size > limit || size%alignment != 0 || classSize(size) != size {
			t.Errorf("%d bytes: a block of %d, whose class is %d", n, size, classSize(size))
		}
	}
	for n := range 5000 {
		check(n)
	}
	for range 10000 {
		check(int(rand.Uint64() >> (20 + rand.IntN(44))))
	}
	for shift := 8; shift < 44; shift++ {
		check(1<<shift - 1)
		check(1 << shift)
		check(1<<shift + 1)
	}
	if got := classSize(1 << 32); got != 1<<32 {
		t.Errorf("4 GiB take %d", got)
	}
}

func TestCache(t *testing.T) {
	c := newCache()
	if _, ok := c.take(256); ok {
		t.Fatal("an empty cache lends")
	}
	c.lend(0x1000, 256)
	c.lend(0x2000, 1<<20+256) // no class
	if keep, err := c.put(0x1000); !keep || err != nil {
		t.Errorf("put: %v, %v", keep, err)
	}
	if _, err := c.put(0x1000); err == nil || !strings.Contains(err.Error(), "0x1000") {
		t.Errorf("freed twice: %v", err)
	}
	if keep, err := c.put(0x2000); keep || err != nil {
		t.Errorf("a block of no class: %v, %v", keep, err)
	}
	if got := c.idleBytes(); got != 256 {
		t.Errorf("%d bytes idle", got)
	}
	if p, ok := c.take(256); !ok || p != 0x1000 || c.idleBytes() != 0 {
		t.Errorf("take: %#x, %v, %d", p, ok, c.idleBytes())
	}
	c.put(0x1000)
	if list := c.trim(); len(list) != 1 || list[0] != 0x1000 || c.idleBytes() != 0 {
		t.Errorf("trim: %v", list)
	}
	if _, ok := c.take(256); ok {
		t.Error("what was trimmed is lent")
	}
}

// The codes after which nothing works end the device; the others do not.
func TestLostResults(t *testing.T) {
	for _, code := range []result{214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 912} {
		if !code.lost() {
			t.Errorf("%d is no loss", code)
		}
	}
	for _, code := range []result{success, 1, outOfMemory, 3, stubLibrary, noDevice, 201, 218, unsupportedPTXVersion, 400, 500, 600, 701, 703, 720, 800, 900, 999} {
		if code.lost() {
			t.Errorf("%d is a loss", code)
		}
	}
}

// The libraries that were tried are all named, and what they said can be asked for.
func TestNoDriverError(t *testing.T) {
	call := &CallError{Call: "cuInit", Code: 999, Name: "CUDA_ERROR_UNKNOWN", Text: "unknown error"}
	err := error(&noDriverError{[]error{errors.New("a: no such file"), call}})
	if !errors.Is(err, ErrNoDriver) || !errors.Is(err, error(call)) {
		t.Error("it hides what it wraps")
	}
	if got, want := err.Error(), "no CUDA driver: a: no such file; cuInit: CUDA_ERROR_UNKNOWN (999): unknown error"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
