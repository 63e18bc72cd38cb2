package tensorio

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// cut returns a tensor over a mapped file of float64 that has been cut to its first page
// since.
func cut(t *testing.T, shape ...int) *ogive.Tensor {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cut.npy")
	whole := ogive.Must(ogive.Zeros(dtype.Float64, shape...))
	list := ogive.Must(ogive.Values[float64](whole))
	for i := range list {
		list[i] = math.Sqrt(float64(i * 7919 % len(list)))
	}
	if err := Save(path, whole); err != nil {
		t.Fatal(err)
	}
	x := ogive.Must(only(Open(path, Options{})))
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	return x
}

// discard writes in a way that reads what it is given.
type discard struct{ sum int }

func (d *discard) Write(b []byte) (int, error) {
	d.sum += bytes.Count(b, []byte{1})
	return len(b), nil
}

// TestCutMapping reads memory that is gone in every way in which the module reads
// tensors, by one goroutine and by several.
func TestCutMapping(t *testing.T) {
	if !canMap {
		t.Skip("files are not mapped here")
	}
	testkit.Gone(t, 1<<16) // or skip
	one := func(_ any, err error) error { return err }
	two := func(_, _ any, err error) error { return err }
	like := func(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(ogive.Zeros(dtype.Float64, x.Shape()...)) }
	keys := func(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(ogive.Zeros(dtype.Int64, x.Shape()[0])) }
	hundred := make([]float64, 101)
	for i := range hundred {
		hundred[i] = float64(i) / 100
	}
	bools := func(x *ogive.Tensor) *ogive.Tensor {
		return ogive.Must(ogive.FromBytes(dtype.Bool, ogive.Must(x.Bytes())))
	}
	last := func(x *ogive.Tensor) *ogive.Tensor {
		flat := ogive.Must(x.Reshape(-1))
		return ogive.Must(flat.At(x.Len() - 1))
	}
	calls := map[string]func(x *ogive.Tensor) error{
		"Median":          func(x *ogive.Tensor) error { return one(ogive.Median(x)) },
		"NaNMedian":       func(x *ogive.Tensor) error { return one(ogive.NaNMedian(x)) },
		"axis 0":          func(x *ogive.Tensor) error { return one(ogive.Quantile(x, 0.9, ogive.Axis(0))) },
		"axis -1":         func(x *ogive.Tensor) error { return one(ogive.Quantile(x, 0.9, ogive.Axis(-1))) },
		"101 quantiles":   func(x *ogive.Tensor) error { return one(ogive.Quantiles(x, hundred)) },
		"101 along axis":  func(x *ogive.Tensor) error { return one(ogive.Quantiles(x, hundred, ogive.Axis(-1))) },
		"MedianWithIndex": func(x *ogive.Tensor) error { return two(ogive.MedianWithIndex(x, ogive.Axis(0))) },
		"ArgQuantile": func(x *ogive.Tensor) error {
			return one(ogive.ArgQuantile(x, 0.5, ogive.Method(rank.Lower)))
		},
		"one worker": func(x *ogive.Tensor) error { return one(ogive.Median(x, ogive.Workers(1))) },
		"eight":      func(x *ogive.Tensor) error { return one(ogive.Median(x, ogive.Workers(8))) },
		"MedianOf": func(x *ogive.Tensor) error {
			return one(ogive.MedianOf(ogive.Must(ogive.Values[float64](x))))
		},
		"MedianBy": func(x *ogive.Tensor) error { return two(ogive.MedianBy(x, keys(x))) },
		"IsNaN":    func(x *ogive.Tensor) error { return one(ogive.IsNaN(x)) },
		"IsIn":     func(x *ogive.Tensor) error { return one(ogive.IsIn(x, ogive.Scalar(3.0))) },
		"IsIn its": func(x *ogive.Tensor) error { return one(ogive.IsIn(ogive.Scalar(3.0), x)) },
		"Weights": func(x *ogive.Tensor) error {
			return one(ogive.Quantile(like(x), 0.5, ogive.Weights(x), ogive.Method(rank.InvertedCDF)))
		},
		"Prepare": func(x *ogive.Tensor) error {
			return one(ogive.Prepare(ogive.OpIsIn, dtype.Float64, []int{3}, ogive.Test(x)))
		},
		"Plan.Run": func(x *ogive.Tensor) error {
			p := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, x.Shape()))
			err := p.Run(x, ogive.Must(ogive.Zeros(dtype.Float64)))
			if again := p.Run(like(x), ogive.Must(ogive.Zeros(dtype.Float64))); again != nil {
				t.Error("the plan after a fault:", again)
			}
			return err
		},
		"Cast": func(x *ogive.Tensor) error { return one(x.Cast(dtype.Float32)) },
		"Copy": func(x *ogive.Tensor) error {
			return one(ogive.Must(x.BroadcastTo(append([]int{2}, x.Shape()...)...)).Contiguous())
		},
		"rolling": func(x *ogive.Tensor) error { return one(ogive.RollingMedian(x, 5)) },
		"rolling wide": func(x *ogive.Tensor) error {
			return one(ogive.NaNRollingQuantile(x, 0.3, 40, ogive.MinCount(2), ogive.Axis(-1)))
		},
		"Float64s": func(x *ogive.Tensor) error { return one(x.Float64s()) },
		"All": func(x *ogive.Tensor) (err error) {
			defer func() { err, _ = recover().(error) }()
			sum := 0.0
			for _, v := range ogive.All[float64](x) {
				sum += v
			}
			return nil
		},
		"FromRows": func(x *ogive.Tensor) error {
			return one(ogive.FromRows([][]float64{ogive.Must(ogive.Values[float64](x))}))
		},
		"Item":       func(x *ogive.Tensor) error { return one(ogive.Item[float64](last(x))) },
		"Select":     func(x *ogive.Tensor) error { return one(ogive.Select(x, ogive.Must(ogive.IsFinite(like(x))))) },
		"Select its": func(x *ogive.Tensor) error { return one(ogive.Select(bools(like(x)), bools(x))) },
		"CountTrue":  func(x *ogive.Tensor) error { return one(bools(x).CountTrue()) },
		"Out":        func(x *ogive.Tensor) error { return one(ogive.Median(like(x), ogive.Out(last(x)))) },
		"WriteNPZ":   func(x *ogive.Tensor) error { return WriteNPZ(&discard{}, []string{"x"}, []*ogive.Tensor{x}) },
		"QuantilesBy": func(x *ogive.Tensor) error {
			return two(ogive.QuantilesBy(like(x), keys(x), hundred, ogive.Weights(x), ogive.Method(rank.InvertedCDF)))
		},
		"keys": func(x *ogive.Tensor) error {
			k := ogive.Must(ogive.FromBytes(dtype.Int64, ogive.Must(x.Bytes())))
			return two(ogive.MedianBy(ogive.Must(like(x).Reshape(-1)), k))
		},
		"String": func(x *ogive.Tensor) error { return &ogive.Error{Kind: ogive.ErrFormat, Detail: x.String()} },
		"WriteNPY": func(x *ogive.Tensor) error {
			return WriteNPY(&discard{}, x)
		},
		"Save":  func(x *ogive.Tensor) error { return Save(filepath.Join(t.TempDir(), "y.npy"), x) },
		"npz":   func(x *ogive.Tensor) error { return Save(filepath.Join(t.TempDir(), "y.npz"), x) },
		"table": func(x *ogive.Tensor) error { return Write(io.Discard, "csv", ogive.Must(x.Reshape(-1))) },
		"raw": func(x *ogive.Tensor) error {
			f, err := os.Create(filepath.Join(t.TempDir(), "y.raw"))
			if err == nil {
				err = Write(f, "raw", x) // the system reads the memory
			}
			return errors.Join(err, f.Close())
		},
		"Guard": func(x *ogive.Tensor) error {
			return Guard(func() error {
				return WriteNPY(&discard{}, ogive.Must(ogive.FromSlice(ogive.Must(ogive.Values[float64](x)))))
			})
		},
	}
	for _, shape := range [][]int{{1100}, {40, 50}, {2_000_000}, {1500, 1000}, {1000, 1500}} {
		x := cut(t, shape...)
		for name, call := range calls {
			err := call(x)
			if err == nil || !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), "cut.npy: byte ") {
				t.Errorf("%s of %v: %v", name, shape, err)
			}
		}
	}
	if v, err := ogive.MedianOf([]float64{1, 2, 4}); err != nil || v != 2 {
		t.Error("after all of these:", v, err)
	}
}

// TestCutWhileOpened cuts files that are mapped before their arrays are asked for.
func TestCutWhileOpened(t *testing.T) {
	if !canMap {
		t.Skip("files are not mapped here")
	}
	testkit.Gone(t, 1<<16) // or skip
	path := filepath.Join(t.TempDir(), "cut.npz")
	bools := ogive.Must(ogive.Zeros(dtype.Bool, 20_000))
	if err := Save(path, bools); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	_, err = f.Tensor("arr_0")
	if !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), "cut.npz: byte ") {
		t.Error(err)
	}
}

// TestGuardPassesOn lets all but faults in mapped memory through.
func TestGuardPassesOn(t *testing.T) {
	want := errors.New("its own")
	if err := Guard(func() error { return want }); err != want {
		t.Error(err)
	}
	defer func() {
		if p := recover(); p != "its own" {
			t.Error(p)
		}
	}()
	_ = Guard(func() error { panic("its own") })
}

// TestUnchanged: a File and an Array tell of what happened to their files.
func TestUnchanged(t *testing.T) {
	for _, name := range []string{"x.npy", "x.npz", "x.csv", "x.raw"} {
		for what, c := range map[string]struct {
			do      func(path string) error
			changed bool
		}{
			"nothing": {func(string) error { return nil }, false},
			"read":    {func(path string) error { _, err := os.ReadFile(path); return err }, false},
			"cut":     {func(path string) error { return os.Truncate(path, 3) }, true},
			"replaced": {func(path string) error {
				return Save(path, ogive.Must(ogive.FromSlice([]float64{4, 5})))
			}, false},
			"written to": {func(path string) error {
				raw, err := os.ReadFile(path)
				if err == nil {
					err = os.WriteFile(path, raw, 0o666)
				}
				now, _ := os.Stat(path)
				return errors.Join(err, os.Chtimes(path, now.ModTime().Add(time.Second), now.ModTime().Add(time.Second)))
			}, true},
		} {
			path := filepath.Join(t.TempDir(), name)
			if err := Save(path, ogive.Must(ogive.FromSlice([]float64{1, 2, 3}))); err != nil {
				t.Fatal(err)
			}
			o := Options{DType: dtype.Float64}
			f, err := Open(path, o)
			if err != nil {
				t.Fatal(err)
			}
			unchanged := []func() error{f.Unchanged}
			if a, err := OpenArray(path, o); err == nil {
				unchanged = append(unchanged, a.Unchanged)
				defer a.Close()
			}
			if err := c.do(path); err != nil {
				t.Fatal(err)
			}
			for _, u := range unchanged {
				err := u()
				if c.changed != (err != nil) || err != nil && (!errors.Is(err, ogive.ErrFormat) || !strings.HasPrefix(err.Error(), path)) {
					t.Errorf("%s, %s: %v", name, what, err)
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if err := f.Unchanged(); !errors.Is(err, os.ErrClosed) {
				t.Error("closed:", err)
			}
		}
	}
}
