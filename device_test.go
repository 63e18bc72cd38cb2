package ogive_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/rank"
)

// fakeDevice keeps copies of arrays in host memory that only its handles reach,
// and counts what it is asked to do.
type fakeDevice struct {
	name   string
	broken error // if set, every call fails

	mu     sync.Mutex
	memory map[uint64]nd.Array
	runs   int
}

func newFakeDevice(name string) *fakeDevice {
	return &fakeDevice{name: name, memory: map[uint64]nd.Array{}}
}

func (d *fakeDevice) Name() string            { return d.name }
func (d *fakeDevice) Backend() engine.Backend { return d }

// hold takes the host array into the device's memory.
func (d *fakeDevice) hold(h nd.Array) nd.Array {
	d.mu.Lock()
	defer d.mu.Unlock()
	handle := uint64(len(d.memory)+1) << 20 // an address; no array here is as large
	d.memory[handle] = h
	h.Buf = nd.Buffer{Device: d, Handle: handle}
	return h
}

// host returns the view of the device's memory that x describes.
func (d *fakeDevice) host(x *nd.Array) *nd.Array {
	if x == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	view := *x
	view.Buf = d.memory[x.Buf.Handle].Buf
	return &view
}

func (d *fakeDevice) Alloc(dt dtype.DType, shape ...int) (nd.Array, error) {
	h, err := nd.New(dt, shape...)
	if err = errors.Join(err, d.broken); err != nil {
		return nd.Array{}, err
	}
	return d.hold(h), nil
}

func (d *fakeDevice) Upload(x *nd.Array) (nd.Array, error) {
	if d.broken != nil {
		return nd.Array{}, d.broken
	}
	return d.hold(x.Clone()), nil
}

func (d *fakeDevice) Download(x *nd.Array) (nd.Array, error) {
	if d.broken != nil {
		return nd.Array{}, d.broken
	}
	return d.host(x).Clone(), nil
}

func (d *fakeDevice) Run(p *engine.Plan, x, out, indices *nd.Array) error {
	if d.broken != nil {
		return d.broken
	}
	d.runs++
	return p.Run(d.host(x), d.host(out), d.host(indices))
}

// TestTensorsMoveBetweenDevices there and back, by way of the host.
func TestTensorsMoveBetweenDevices(t *testing.T) {
	a, b := newFakeDevice("a"), newFakeDevice("b")
	x := of([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	if got := ogive.Must(x.To(nil)); got != x || x.Device() != nil {
		t.Error("the host is not where x is")
	}
	if got := ogive.Must(x.ToHost()); got != x {
		t.Error("ToHost copies on the host")
	}
	far := ogive.Must(x.To(a))
	if far == x || far.Device() != ogive.Device(a) || ogive.Must(far.To(a)) != far {
		t.Error("To does not move once")
	}
	turned := ogive.Must(ogive.Must(far.Transpose()).Slice(0, 2, -1, -1))
	if turned.Device() != ogive.Device(a) {
		t.Error("a view lies elsewhere")
	}
	farther := ogive.Must(turned.To(b))
	back, err := farther.ToHost()
	if farther.Device() != ogive.Device(b) || back.Device() != nil {
		t.Error("a tensor lies on the wrong device")
	}
	wantFloats(t, "by way of two devices", back, err, []int{3, 2}, 3, 6, 2, 5, 1, 4)
	back, err = far.To(nil)
	wantFloats(t, "To(nil)", back, err, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	ogive.Must(ogive.Values[float64](x))[0] = 9
	wantFloats(t, "a copy", ogive.Must(far.ToHost()), nil, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	if far.String() != ogive.Must(far.ToHost()).String() {
		t.Errorf("printed as %s", far)
	}
}

// TestOperationsRunWhereTheTensorLies: results stay on the device, and are the
// host's.
func TestOperationsRunWhereTheTensorLies(t *testing.T) {
	d := newFakeDevice("a")
	x := of([]float64{4, nan, 3, 2, 8, 5, 7, 6}, 2, 4)
	far := ogive.Must(x.To(d))
	for name, run := range map[string]func(*ogive.Tensor) (*ogive.Tensor, error){
		"quantile":    func(x *ogive.Tensor) (*ogive.Tensor, error) { return x.Quantiles([]float64{0, 0.3}, ogive.Axis(1)) },
		"nanmedian":   func(x *ogive.Tensor) (*ogive.Tensor, error) { return x.NaNMedian(ogive.KeepDims()) },
		"argquantile": func(x *ogive.Tensor) (*ogive.Tensor, error) { return x.ArgQuantile(0.5, ogive.Method(rank.Lower)) },
		"isnan":       func(x *ogive.Tensor) (*ogive.Tensor, error) { return x.IsNaN() },
		"isin":        func(x *ogive.Tensor) (*ogive.Tensor, error) { return x.IsIn(vec(8.0, 3)) },
		"a view": func(x *ogive.Tensor) (*ogive.Tensor, error) {
			return ogive.Must(x.Transpose()).NaNMedian(ogive.Axis(0))
		},
		"the index of": func(x *ogive.Tensor) (*ogive.Tensor, error) {
			_, i, err := x.MedianWithIndex(ogive.Axis(1))
			return i, err
		},
	} {
		want := ogive.Must(run(x))
		runs := d.runs
		got, err := run(far)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Device() != ogive.Device(d) || d.runs != runs+1 {
			t.Errorf("%s: %d runs, the result lies on %v", name, d.runs-runs, got.Device())
		}
		wantBits(t, name, ogive.Must(got.ToHost()), nil, want.DType(), want.Shape(), bitsOf(t, want)...)
	}
	test := ogive.Must(vec(8.0, 3).To(d))
	got, err := far.IsIn(test)
	if err != nil {
		t.Fatal(err)
	}
	wantBools(t, "test on the device", ogive.Must(got.ToHost()), nil, []int{2, 4}, "00101000")

	out, index := ogive.Must(ogive.Must(ogive.Zeros(dtype.Float32, 2)).To(d)), ogive.Must(ogive.Must(ogive.Zeros(dtype.Int64, 2)).To(d))
	got, place, err := far.NaNMedianWithIndex(ogive.Axis(1), ogive.Out(out), ogive.OutIndices(index))
	if got != out || place != index || err != nil {
		t.Errorf("outputs on the device: %v", err)
	}
	wantBits(t, "out", ogive.Must(out.ToHost()), nil, dtype.Float32, []int{2}, 0x40400000, 0x40C00000)
	wantInts(t, "indices", ogive.Must(index.ToHost()), nil, []int{2}, 2, 3)
	p := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{2, 4}, ogive.Axis(0)))
	result := ogive.Must(ogive.Must(ogive.Zeros(dtype.Float64, 4)).To(d))
	if err := p.Run(far, result); err != nil {
		t.Fatal(err)
	}
	wantFloats(t, "prepared", ogive.Must(result.ToHost()), nil, []int{4}, 6, nan, 5, 4)
}

// TestWeightsOnADevice lie where x does, and work there.
func TestWeightsOnADevice(t *testing.T) {
	d := newFakeDevice("a")
	x, w := vec(3.0, 1, 2), vec[int64](1, 1, 3)
	farX, farW := ogive.Must(x.To(d)), ogive.Must(w.To(d))
	for name, c := range map[string]struct{ x, w *ogive.Tensor }{"x": {farX, w}, "weights": {x, farW}} {
		t.Run(name+" alone", func(t *testing.T) {
			defer noPanic(t)
			_, err := c.x.Median(ogive.Weights(c.w))
			wantError(t, name, err, ogive.ErrDevice, `median: x and the weights lie on different devices`)
		})
	}
	t.Run("both", func(t *testing.T) {
		defer noPanic(t)
		got, err := farX.Median(ogive.Weights(farW))
		if err != nil {
			t.Fatal(err)
		}
		wantFloats(t, "weighted", ogive.Must(got.ToHost()), nil, scalar, 2)
	})
}

// nameOnly is a Device that is not of this module.
type nameOnly struct{}

func (nameOnly) Name() string { return "nowhere" }

// noPanic turns a panic into a failure of the test, so that others still run.
func noPanic(t *testing.T) {
	if r := recover(); r != nil {
		t.Errorf("panic: %v", r)
	}
}

// TestDeviceErrors: nothing is moved silently, and a device that fails says
// why.
func TestDeviceErrors(t *testing.T) {
	a, b := newFakeDevice("a"), newFakeDevice("b")
	x := vec(3.0, 1, 2)
	far := ogive.Must(x.To(a))
	outA, outB, out := ogive.Must(ogive.Scalar(0.0).To(a)), ogive.Must(ogive.Scalar(0.0).To(b)), ogive.Scalar(0.0)
	index := ogive.Scalar(int64(0))
	fails := func(_ *ogive.Tensor, err error) error { return err }
	both := func(_, _ *ogive.Tensor, err error) error { return err }
	p := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{3}))
	for _, c := range []struct {
		name, message string
		err           error
	}{
		{"x far, out here", `median: x lies on device a, the result on the host`, fails(far.Median(ogive.Out(out)))},
		{"x here, out far", `median: x lies on the host, the result on device a`, fails(x.Median(ogive.Out(outA)))},
		{"two devices", `median: x lies on device a, the result on device b`, fails(far.Median(ogive.Out(outB)))},
		{"indices here", `median: x lies on device a, the result on the host`, both(far.MedianWithIndex(ogive.OutIndices(index)))},
		{"prepared", `median: x lies on the host, the result on device b`, p.Run(x, outB)},
		{"prepared, x far", `median: x lies on device a, the result on the host`, p.Run(far, out)},
		{"Bytes", `Bytes: the tensor lies on device a; copy it with ToHost`, func() error { _, err := far.Bytes(); return err }()},
		{"Values", `Values: the tensor lies on device a; copy it with ToHost`, func() error { _, err := ogive.Values[float64](far); return err }()},
		{"Item", `Item: the tensor lies on device a; copy it with ToHost`, func() error { _, err := ogive.Item[float64](outA); return err }()},
		{"Cast", `Cast: the tensor lies on device a; copy it with ToHost`, fails(far.Cast(dtype.Float32))},
		{"Contiguous", `Contiguous: the tensor lies on device a; copy it with ToHost`, fails(ogive.Must(far.Slice(0, 2, -1, -1)).Contiguous())},
	} {
		wantError(t, c.name, c.err, ogive.ErrDevice, c.message)
	}
	wantFloats(t, "out stays", out, nil, scalar, 0)

	_, err := x.To(nameOnly{})
	wantError(t, "no backend", err, ogive.ErrDevice, `To: device nowhere has no backend: it is not one of this module's`)

	a.broken = errors.New("it melted")
	y := ogive.Must(ogive.Zeros(dtype.Float64, 3))
	for name, err := range map[string]error{
		"To": fails(y.To(a)), "ToHost": fails(far.ToHost()), "median": fails(far.Median(ogive.Out(outA))), "isnan": fails(far.IsNaN()),
	} {
		if !errors.Is(err, ogive.ErrDevice) || !errors.Is(err, a.broken) {
			t.Errorf("%s of a broken device: %v", name, err)
		}
		if e := (*ogive.Error)(nil); !errors.As(err, &e) || e.Op != name {
			t.Errorf("%s: the operation is missing from %q", name, err)
		}
	}
	if far.String() == "" || !slices.Equal(far.Shape(), []int{3}) {
		t.Error(fmt.Sprint(far))
	}
}
