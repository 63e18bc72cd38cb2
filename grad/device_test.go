package grad_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/oracle"
)

// farMemory is a device that keeps copies of arrays behind handles and runs
// nothing.
type farMemory struct {
	mu     sync.Mutex
	arrays []nd.Array
	broken error
}

func (d *farMemory) Name() string            { return "far" }
func (d *farMemory) Backend() engine.Backend { return d }

func (d *farMemory) Alloc(dt dtype.DType, shape ...int) (nd.Array, error) {
	return nd.Array{}, errors.New("nothing is allocated here")
}

func (d *farMemory) Upload(x *nd.Array) (nd.Array, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := x.Clone()
	d.arrays = append(d.arrays, a)
	a.Buf = nd.Buffer{Device: d, Handle: uint64(len(d.arrays)) << 20}
	return a, d.broken
}

func (d *farMemory) Download(x *nd.Array) (nd.Array, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	view := *x
	view.Buf = d.arrays[x.Buf.Handle>>20-1].Buf
	return view.Clone(), d.broken
}

func (d *farMemory) Run(*engine.Plan, *nd.Array, *nd.Array, *nd.Array) error {
	return errors.New("nothing is run here")
}

// TestDevice: results lie where the input does, and the upstream gradient may
// lie anywhere.
func TestDevice(t *testing.T) {
	d := new(farMemory)
	x := ogive.Must(vec(3, 1, 2).To(d))
	for name, c := range map[string]struct {
		run  pulled
		want []float64
	}{
		"quantile": {quantile(.75), []float64{.5, 0, .5}},
		"median":   {median(), []float64{0, 0, 1}},
		"index":    {withIndex(), []float64{0, 0, 1}},
	} {
		y, pull, err := c.run(x)
		if err != nil {
			t.Fatal(err)
		}
		for _, dy := range []*ogive.Tensor{ogive.Scalar(1.0), ogive.Must(ogive.Scalar(1.0).To(d))} {
			dx, err := pull(dy)
			if err != nil {
				t.Fatal(err)
			}
			if y.Device() != ogive.Device(d) || dx.Device() != ogive.Device(d) {
				t.Errorf("%s: a result lies elsewhere", name)
			}
			same(t, name, ogive.Must(dx.ToHost()), oracle.Floats(dtype.Float64, c.want))
		}
	}
	slope, err := grad.QuantileQ(x, .75)
	if err != nil || slope.Device() != ogive.Device(d) {
		t.Errorf("the slope: %v, %v", slope, err)
	}
	_, pull, err := grad.Quantile(x, .5)
	if err != nil {
		t.Fatal(err)
	}
	d.broken = errors.New("burnt")
	if _, _, err := grad.Quantile(x, .5); !errors.Is(err, ogive.ErrDevice) {
		t.Errorf("a broken device: %v", err)
	}
	if _, err := pull(ogive.Scalar(1.0)); !errors.Is(err, ogive.ErrDevice) {
		t.Errorf("a broken device, pulling back: %v", err)
	}
}
