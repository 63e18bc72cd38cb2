package tensorio

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
)

// isMapped reports whether the process has the file mapped.
func isMapped(t *testing.T, path string) bool {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	return strings.Contains(string(maps), path)
}

// TestMappingLifetime checks that a file stays mapped as long as a view of it
// is there, and not longer.
func TestMappingLifetime(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "x.npy")
	if err := Save(path, ogive.Must(ogive.FromSlice(make([]float64, 10_000), 100, 100))); err != nil {
		t.Fatal(err)
	}
	view := func() *ogive.Tensor {
		x := ogive.Must(only(Open(path, Options{})))
		return ogive.Must(ogive.Must(x.Transpose()).Slice(0, 50, 60, 1))
	}()
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if !isMapped(t, path) {
		t.Fatal("the file is not mapped while a view of it is there")
	}
	if v := ogive.Must(ogive.Values[float64](view)); len(v) != 1000 {
		t.Errorf("%d elements", len(v))
	}
	runtime.KeepAlive(view)
	for range 1000 {
		runtime.GC()
		if !isMapped(t, path) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("the file is still mapped")
}

func TestMappingPin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := Save(path, ogive.Must(ogive.FromSlice([]float64{1, 2, 3}))); err != nil {
		t.Fatal(err)
	}
	b := func() []byte {
		x := ogive.Must(only(Open(path, Options{})))
		tensors.Array(x).Buf.Owner.(interface{ Pin() }).Pin()
		return tensors.Array(x).Bytes()
	}()
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if !isMapped(t, path) || len(b) != 24 {
		t.Error("a pinned mapping is gone")
	}
}

func TestCopyOnWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := Save(path, ogive.Must(ogive.FromSlice([]float64{1, 2, 3}))); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	x := ogive.Must(only(Open(path, Options{})))
	copy(ogive.Must(ogive.Values[float64](x)), []float64{7, 8, 9})
	if v := ogive.Must(ogive.Values[float64](x)); v[0] != 7 {
		t.Errorf("the tensor holds %v", v)
	}
	runtime.KeepAlive(x)
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("writing to the tensor changed the file")
	}
}

// TestHugeFile maps a sparse file that is larger than memory.
func TestHugeFile(t *testing.T) {
	if ^uint(0)>>32 == 0 {
		t.Skip("a 32-bit platform")
	}
	size := int64(1) << 38
	n := int(size)
	path := filepath.Join(t.TempDir(), "huge.npy")
	header := npyHeader(ogive.Scalar(uint8(0)).DType(), false, []int{n})
	if err := errors.Join(os.WriteFile(path, []byte(header), 0o666), os.Truncate(path, size+int64(len(header)))); err != nil {
		t.Skip("no sparse files: ", err)
	}
	x, err := only(Open(path, Options{}))
	if errors.Is(err, syscall.ENOMEM) {
		t.Skip("an emulator without the address space: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if x.Len() != n || *(*uint8)(tensors.Array(x).Pointer(n - 1)) != 0 {
		t.Errorf("length %d", x.Len())
	}
	runtime.KeepAlive(x)
	for part, err := range Chunks(path, Options{}, 1<<16) {
		if err != nil || part.Len() != 1<<16 {
			t.Errorf("first block: %v", err)
		}
		break
	}
}
