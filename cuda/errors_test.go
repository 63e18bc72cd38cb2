package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/ptxemu"
)

// wantError fails the test unless err is an ogive.ErrDevice that wraps the others.
func wantError(t testing.TB, what string, err error, wrapped ...error) {
	t.Helper()
	for _, w := range append(wrapped, ogive.ErrDevice) {
		if !errors.Is(err, w) {
			t.Errorf("%s: %v, which is no %v", what, err, w)
		}
	}
}

// TestNoDriver: where there is no driver, that is what Open says.
func TestNoDriver(t *testing.T) {
	if os.Getenv("OGIVE_REQUIRE_GPU") == "1" {
		t.Skip("a GPU is said to be here")
	}
	t.Setenv("OGIVE_CUDA", "off")
	d, err := Open(0)
	wantError(t, "Open", err, ErrNoDriver)
	if d != nil {
		t.Error("a device beside the error")
	}
	_, err = Devices()
	wantError(t, "Devices", err, ErrNoDriver)
}

func TestOpenErrors(t *testing.T) {
	_, err := open(ptxemu.New(ptxemu.Options{}), 1)
	wantError(t, "device 1 of 1", err, ErrNoDevice)
	_, err = open(ptxemu.New(ptxemu.Options{Capability: 53}), 0)
	wantError(t, "an old device", err)
	if arch, ok := errors.AsType[*ArchError](err); !ok || arch.Have != 53 || arch.Need != 60 {
		t.Errorf("an old device: %v", err)
	}
}

// TestOutOfMemory names the sizes, and what was there before is still right.
func TestOutOfMemory(t *testing.T) {
	d := emulated(t, ptxemu.Options{Memory: 1 << 20})
	x := filled(t, "normal", dtype.Float32, 1, 1000)
	far := ogive.Must(x.To(d))
	_, err := filled(t, "normal", dtype.Float64, 1, 1<<18).To(d)
	wantError(t, "To", err)
	if oom, ok := errors.AsType[*OutOfMemoryError](err); !ok || oom.Want < 1<<21 || oom.Total != 1<<20 {
		t.Errorf("To: %v", err)
	}
	// Scratch memory that is not there.
	wide := ogive.Must(ogive.Must(far.Reshape(10, 100, 1)).BroadcastTo(10, 100, 400))
	_, err = wide.Median(ogive.Axis(0, 2))
	wantError(t, "Median", err)
	got, err := far.Median()
	same(t, "afterwards", got, err, ogive.Must(x.Median()))
}

// TestMemoryIsFreed: tensors that nobody holds do not fill the device, nor does scratch
// memory.
func TestMemoryIsFreed(t *testing.T) {
	d := emulated(t, ptxemu.Options{Memory: 4 << 20})
	x := filled(t, "normal", dtype.Float32, 1, 1<<16)
	for range 100 {
		far := ogive.Must(x.To(d))
		ogive.Must(far.Median())
	}
	far := ogive.Must(x.To(d))
	if err := Free(far); err != nil {
		t.Fatal(err)
	}
	if err := Free(far); err != nil {
		t.Error("a second Free:", err)
	}
	if err := Free(x); err != nil {
		t.Error("Free on the host:", err)
	}
}

// TestLost: after a kernel has failed the device says so for good.
func TestLost(t *testing.T) {
	d, err := open(ptxemu.New(ptxemu.Options{}), 0)
	if err != nil {
		t.Fatal(err)
	}
	far := ogive.Must(filled(t, "normal", dtype.Float32, 1, 100).To(d))
	d.dev.(*ptxemu.Device).Lose()
	for range 2 {
		_, err = far.Median()
		wantError(t, "Median", err, ErrDeviceLost)
	}
	_, err = far.ToHost()
	wantError(t, "ToHost", err, ErrDeviceLost)
	_, _, err = d.MemInfo()
	wantError(t, "MemInfo", err, ErrDeviceLost)
	_ = d.Close()
}

func TestClosed(t *testing.T) {
	d, err := open(ptxemu.New(ptxemu.Options{}), 0)
	if err != nil {
		t.Fatal(err)
	}
	far := ogive.Must(filled(t, "normal", dtype.Float32, 1, 100).To(d))
	ogive.Must(far.Median(ogive.KeepDims()))
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n, bytes := d.dev.(*ptxemu.Device).Allocations(); n != 0 {
		t.Errorf("%d pieces of memory are left, %d bytes", n, bytes)
	}
	_, err = far.Median()
	wantError(t, "Median", err, ErrClosed)
	_, err = far.ToHost()
	wantError(t, "ToHost", err, ErrClosed)
	_, err = filled(t, "normal", dtype.Float32, 1, 100).To(d)
	wantError(t, "To", err, ErrClosed)
	wantError(t, "Warm", d.Warm(), ErrClosed)
}

// TestRefused: what a device does not do is said, and nothing moves silently.
func TestRefused(t *testing.T) {
	a, b := opened(t, ptxemu.Options{}), opened(t, ptxemu.Options{})
	x := filled(t, "normal", dtype.Float32, 1, 10)
	far := ogive.Must(x.To(a))
	ones := ogive.Must(ogive.Must(ogive.FromSlice([]int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})).To(a))
	_, err := far.Quantile(0.5, ogive.Weights(ones))
	wantError(t, "weights", err, ErrUnsupported)
	_, err = far.Quantile(0.5, ogive.Weights(ogive.Must(ones.ToHost())))
	wantError(t, "weights on the host", err)
	_, _, err = ogive.MedianBy(far, ones)
	wantError(t, "groups", err)
	_, err = far.Median(ogive.Out(ogive.Must(ogive.Zeros(dtype.Float32))))
	wantError(t, "out on the host", err)
	_, err = far.Median(ogive.Out(ogive.Must(ogive.Must(ogive.Zeros(dtype.Float32)).To(b))))
	wantError(t, "out on another device", err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = far.Median(ogive.Context(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestGoroutines: operations of many goroutines do not disturb each other.
func TestGoroutines(t *testing.T) {
	d := opened(t, ptxemu.Options{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			x := filled(t, "normal", dtype.Float64, uint64(g), 3, 500+g)
			for i := range 10 {
				far, err := x.To(d)
				if err != nil {
					t.Error(err)
					return
				}
				q := float64(i) / 10
				got, err := far.Quantile(q, ogive.Axis(1))
				same(t, fmt.Sprint(g, i), got, err, ogive.Must(x.Quantile(q, ogive.Axis(1))))
			}
		})
	}
	wg.Wait()
}

// TestFromPointer: memory that others own is read where it is, and checked.
func TestFromPointer(t *testing.T) {
	d := opened(t, ptxemu.Options{})
	x := filled(t, "normal", dtype.Float32, 1, 6, 4)
	owner := ogive.Must(x.To(d))
	at, err := Pointer(owner)
	if err != nil {
		t.Fatal(err)
	}
	far, err := FromPointer(d, at+4, dtype.Float32, []int{3, 6}, []int{1, 4}, owner)
	if err != nil {
		t.Fatal(err)
	}
	want := ogive.Must(ogive.Must(ogive.Must(x.Slice(1, 1, 4, 1)).Transpose()).Median(ogive.Axis(1)))
	got, err := far.Median(ogive.Axis(1))
	same(t, "a view of foreign memory", got, err, want)
	if err := Free(far); err != nil {
		t.Error(err)
	}
	got, err = owner.Median()
	same(t, "its owner", got, err, ogive.Must(x.Median()))

	_, err = FromPointer(d, at+1, dtype.Float32, []int{3}, nil, nil)
	wantError(t, "misaligned", err)
	_, err = FromPointer(d, 4096, dtype.Float32, []int{3}, nil, nil)
	wantError(t, "memory of nobody", err)
	if _, err = FromPointer(d, at, dtype.Float32, []int{-3}, nil, nil); !errors.Is(err, ogive.ErrShape) {
		t.Errorf("a negative shape: %v", err)
	}
	if _, err = FromPointer(d, at, dtype.Float32, []int{3, 1}, []int{1}, nil); !errors.Is(err, ogive.ErrShape) {
		t.Errorf("too few strides: %v", err)
	}
	if _, err = Pointer(x); !errors.Is(err, ogive.ErrDevice) {
		t.Errorf("a pointer on the host: %v", err)
	}
}

// TestNames: a device says what it is.
func TestNames(t *testing.T) {
	d := opened(t, ptxemu.Options{})
	if d.Name() != "cuda:0" || d.Model() == "" {
		t.Errorf("%q %q", d.Name(), d.Model())
	}
	free, total, err := d.MemInfo()
	if err != nil || free == 0 || free > total {
		t.Error(free, total, err)
	}
	if err := d.Warm(); err != nil {
		t.Error(err)
	}
	far := ogive.Must(filled(t, "normal", dtype.Float32, 1, 3).To(d))
	if s := far.String(); !strings.HasPrefix(s, "[") {
		t.Error(s)
	}
}
