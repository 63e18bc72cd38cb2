//go:build !nocuda

package ogive_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/cuda"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/ptxemu"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
)

// deviceDTypes are those of the sweeps over lengths and regimes: a key of each width,
// or all.
func deviceDTypes() []dtype.DType {
	if testkit.Whole() {
		return ordered
	}
	return []dtype.DType{dtype.Uint8, dtype.BFloat16, dtype.Float32, dtype.Int64}
}

// onGPU returns the regime of a device: the one that OGIVE_REQUIRE_GPU=1 says is there,
// else one that interprets the kernels.
func onGPU(t *testing.T) []forced {
	t.Helper()
	if os.Getenv("OGIVE_REQUIRE_GPU") != "1" {
		t.Cleanup(cudrv.Use(ptxemu.New(ptxemu.Options{Seed: 1})))
	}
	d, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return []forced{{name: "on a GPU: ", tuned: tuning.Default, device: d}}
}

// TestDeviceSweep is a share of the sweeps on a device.
func TestDeviceSweep(t *testing.T) {
	gpu := onGPU(t)
	t.Run("calls", func(t *testing.T) { sweepOrderStatistics(t, 800/20, gpu) })
	t.Run("regimes", func(t *testing.T) { sweepRegimes(t, deviceDTypes(), gpu) })
	t.Run("lengths", func(t *testing.T) { sweepSmallLengths(t, deviceDTypes(), gpu) })
	t.Run("quantiles", func(t *testing.T) { sweepManyQuantiles(t, deviceDTypes(), gpu) })
	for _, dt := range []dtype.DType{dtype.Int64, dtype.Float64, dtype.Float32} {
		t.Run("fractions of "+dt.String(), func(t *testing.T) { fractionsInEveryWay(t, dt, 6, gpu) })
	}
}

// TestDeviceElements is every element test, and isin, on a device.
func TestDeviceElements(t *testing.T) {
	d := onGPU(t)[0].device
	tests := map[string]func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, error){
		"isposinf": ogive.IsPosInf, "isneginf": ogive.IsNegInf, "isinf": ogive.IsInf, "isnan": ogive.IsNaN,
		"isfinite": ogive.IsFinite, "signbit": ogive.SignBit, "isreal": ogive.IsReal,
	}
	shapes := [][]int{{}, {0}, {1}, {33}, {3, 17}, {4, 5, 6}, {2000}}
	for _, dt := range dtype.All() {
		t.Run(dt.String(), func(t *testing.T) {
			for i, kind := range testkit.Kinds(dt) {
				l := layouts[i%len(layouts)]
				shape := shapes[i%len(shapes)]
				in := l.lay(t, fill(kind, dt, uint64(i), shape...))
				x := in.on(t, d)
				for name, test := range tests {
					got, err := test(x)
					compare(t, fmt.Sprintf("%s of %s%v %s layout=%s", name, dt, shape, kind, l.name), read(t, got, nil, err), fromOracle(oracle.Predicate(name, in.ref)))
				}
				for bits := range 4 {
					test := layouts[0].lay(t, fill(kind, dt, uint64(i+bits%2), 1+7*bits*i))
					o := oracle.IsInOptions{Kind: "auto", Invert: bits&1 != 0, EqualNaN: bits&2 != 0}
					var opts []ogive.Option
					if o.Invert {
						opts = append(opts, ogive.Invert())
					}
					if o.EqualNaN {
						opts = append(opts, ogive.EqualNaN())
					}
					want := fromOracle(oracle.IsIn(in.ref, test.ref, o))
					what := fmt.Sprintf("isin %+v of %s%v %s layout=%s in %v", o, dt, shape, kind, l.name, test.ref.Shape)
					got, err := ogive.IsIn(x, test.tensor, opts...)
					compare(t, what, read(t, got, nil, err), want)
				}
			}
		})
	}
}
