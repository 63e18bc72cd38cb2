package main

import (
	"strconv"
	"strings"

	"github.com/ogive-go/ogive"
)

// device is where the answer is computed, with what gives it back; nil is the host.
type device struct {
	ogive.Device
	close func() error
}

// openDevice opens the device that --device names.
func openDevice(name string) (*device, error) {
	if name == "" {
		return nil, nil
	}
	kind, number, found := strings.Cut(name, ":")
	n := 0
	if found {
		var err error
		if n, err = strconv.Atoi(number); err != nil || n < 0 {
			return nil, usageError("for example --device=cuda:0", "--device %s: %q is not the number of a device", name, number)
		}
	}
	if kind != "cuda" {
		return nil, usageError("for example --device=cuda:0", "--device %s is not a device", name)
	}
	return openCUDA(n)
}

// run runs a plan there, with copies of the tensors.
func (d *device) run(plan *ogive.Plan, x, out, index *ogive.Tensor) error {
	far, err := x.To(d.Device)
	if err != nil {
		return err
	}
	values, err := out.To(d.Device)
	if err != nil {
		return err
	}
	if index == nil {
		if err = plan.Run(far, values); err != nil {
			return err
		}
		return fetch(out, values)
	}
	indices, err := index.To(d.Device)
	if err != nil {
		return err
	}
	if err = plan.RunIndex(far, values, indices); err != nil {
		return err
	}
	if err = fetch(index, indices); err != nil {
		return err
	}
	return fetch(out, values)
}

// fetch copies a tensor from a device to one on the host that is as large.
func fetch(to, from *ogive.Tensor) error {
	host, err := from.ToHost()
	if err != nil {
		return err
	}
	b, err := host.Bytes()
	if err != nil {
		return err
	}
	dst, err := to.Bytes()
	copy(dst, b)
	return err
}

// onHost refuses --device for what only the host computes.
func (f *workFlags) onHost(what string) error {
	if f.device == "" {
		return nil
	}
	return usageError("leave --device out", "%s are not computed on devices", what)
}
