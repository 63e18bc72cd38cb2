package cuda

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cukern"
	"github.com/ogive-go/ogive/internal/ptxemu"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// A device gives the host's bits, whatever the sizes at which its way of working changes.
func TestPropDeviceIsHost(t *testing.T) { rapid.Check(t, propDeviceIsHost) }
func FuzzPropDeviceIsHost(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propDeviceIsHost)) }

// propDevice is one for all cases, which takes its time to read the kernels.
var propDevice = sync.OnceValues(func() (*Device, error) { return open(ptxemu.New(ptxemu.Options{Capability: cukern.Target}), 0) })

func propDeviceIsHost(t *rapid.T) {
	d, err := propDevice()
	if err != nil {
		t.Fatal(err)
	}
	l := &d.limits
	l.network = rapid.SampledFrom([]int{0, 5, 32}).Draw(t, "network")
	l.columns = rapid.SampledFrom([]int{0, 64}).Draw(t, "columns side by side")
	l.warpBytes = rapid.SampledFrom([]int{0, 100, 8 << 10}).Draw(t, "warpBytes")
	l.rowBytes = rapid.SampledFrom([]int{0, 500, 46 << 10}).Draw(t, "rowBytes")
	l.bracketFrom = rapid.SampledFrom([]int{1 << 12, 1 << 18}).Draw(t, "bracketFrom")
	l.positions = rapid.SampledFrom([]int{0, 1 << 18}).Draw(t, "positions")
	l.locateShort = rapid.SampledFrom([]int{0, 256}).Draw(t, "locateShort")

	ordered := slices.DeleteFunc(dtype.All(), dtype.DType.IsComplex)
	dt := rapid.SampledFrom(ordered).Draw(t, "dtype")
	kind := rapid.SampledFrom(testkit.Kinds(dt)).Draw(t, "kind")
	shape := []int{rapid.IntRange(1, 20).Draw(t, "rows"), rapid.IntRange(1, 80).Draw(t, "columns")}
	axes := [][]int{{1}, {0, 1}, {0}}
	if rapid.IntRange(0, 7).Draw(t, "long") == 0 {
		shape = []int{1, rapid.IntRange(1<<12, 1<<13).Draw(t, "length")}
		axes = axes[:2] // so many lanes take the emulator longer than a fuzz test may
	}
	seed := rapid.Uint64().Draw(t, "seed")
	b := testkit.Fill(kind, dt, shape[0]*shape[1], seed)
	x, err := ogive.FromBytes(dt, b, shape...)
	if err != nil {
		t.Fatal(err)
	}
	far, err := x.To(d)
	if err != nil {
		t.Fatal(err)
	}
	method := rapid.SampledFrom(rank.Methods()).Draw(t, "method")
	q := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 7).Draw(t, "q")
	opts := []ogive.Option{ogive.Method(method), ogive.Axis(rapid.SampledFrom(axes).Draw(t, "axes")...)}
	quantiles := ogive.Quantiles
	if rapid.Bool().Draw(t, "skip NaN") {
		quantiles = ogive.NaNQuantiles
	}
	compare := func(what string, got *ogive.Tensor, err error, want *ogive.Tensor, wantErr error) {
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: %v, on the host %v", what, err, wantErr)
		}
		if err != nil {
			return
		}
		host, err := got.ToHost()
		if err != nil {
			t.Fatal(err)
		}
		if diff := testkit.Diff(want.DType(), ogive.Must(host.Bytes()), ogive.Must(want.Bytes())); diff != "" {
			t.Fatalf("%s: %s", what, diff)
		}
	}
	got, err := quantiles(far, q, opts...)
	want, wantErr := quantiles(x, q, opts...)
	compare(fmt.Sprintf("%v of %v%v by %v", q, dt, shape, method), got, err, want, wantErr)
	if method.Discrete() {
		got, err = ogive.NaNArgQuantiles(far, q, opts...)
		want, wantErr = ogive.NaNArgQuantiles(x, q, opts...)
		compare("index", got, err, want, wantErr)
	}
}
