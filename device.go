package ogive

import (
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// Device is a place other than the host where tensors can lie. An operation
// runs where its tensors are, and its result stays there; nothing is moved
// silently. Devices come from packages of this module; another Device holds no
// tensors, and [Tensor.To] it is ErrDevice.
type Device interface {
	Name() string
}

// Device returns the device that holds t, or nil for the host.
func (t *Tensor) Device() Device {
	d, _ := t.arr.Buf.Device.(Device)
	return d
}

// backend returns the backend of the device that holds t: one without cannot.
func (t *Tensor) backend() engine.Backend { return t.arr.Buf.Device.(bridge.Device).Backend() }

// To returns a copy of t on the device, in C order, or t itself if it is
// there; a nil device is the host. A tensor moves between two devices by way
// of the host.
func (t *Tensor) To(d Device) (*Tensor, error) {
	if t.Device() == d {
		return t, nil
	}
	h, err := t.ToHost()
	if err != nil || d == nil {
		return h, err
	}
	to, ok := d.(bridge.Device)
	if !ok {
		return nil, errs.New(errs.ErrDevice, "device %s has no backend: it is not one of this module's", d.Name()).In("To")
	}
	return nd.Guarded("To", func() (*Tensor, error) {
		a, err := to.Backend().Upload(&h.arr)
		if err != nil {
			return nil, deviceError("To", d, err)
		}
		return &Tensor{a}, nil
	})
}

// ToHost returns a copy of t on the host, in C order, or t itself if it is
// there.
func (t *Tensor) ToHost() (*Tensor, error) {
	d := t.Device()
	if d == nil {
		return t, nil
	}
	a, err := t.backend().Download(&t.arr)
	if err != nil {
		return nil, deviceError("ToHost", d, err)
	}
	return &Tensor{a}, nil
}

// deviceError is the error of a device.
func deviceError(op string, d Device, err error) error {
	return &Error{Op: op, Kind: errs.ErrDevice, Detail: "device " + d.Name(), Cause: err}
}

// onHost checks that the elements of t can be read by the processor.
func onHost(t *Tensor) error {
	if !t.DType().Valid() {
		return errs.New(errs.ErrDType, "an empty Tensor value, of no dtype")
	}
	if d := t.Device(); d != nil {
		return errs.New(errs.ErrDevice, "the tensor lies on device %s; copy it with ToHost", d.Name())
	}
	return nil
}

// allOnHost checks that tensors, some of which may be nil, are where an operation that no
// device has can read them.
func allOnHost(which string, ts ...*Tensor) error {
	for _, t := range ts {
		if t != nil && t.Device() != nil {
			return errs.New(errs.ErrDevice, "%s holds %s; copy them with ToHost", deviceName(t.Device()), which)
		}
	}
	return nil
}

// executeOn runs the plan on the device of x.
func executeOn(eng *engine.Plan, x, out, indices *Tensor) error {
	d := x.Device()
	for _, t := range []*Tensor{out, indices} {
		if t != nil && t.Device() != d {
			return errs.New(errs.ErrDevice, "x lies on %s, the result on %s", deviceName(d), deviceName(t.Device()))
		}
	}
	var o, i *nd.Array
	if out != nil {
		o = &out.arr
	}
	if indices != nil {
		i = &indices.arr
	}
	if err := x.backend().Run(eng, &x.arr, o, i); err != nil {
		return deviceError("", d, err)
	}
	return nil
}

// deviceName is the name of a device, or of the host.
func deviceName(d Device) string {
	if d == nil {
		return "the host"
	}
	return "device " + d.Name()
}
