package main

import (
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// result is the answer of a command.
type result struct {
	op          string
	method      string     // of a quantile, else ""
	mode        string     // of a median, else ""
	qs          *quantiles // nil if the command takes none
	elementwise bool       // the answer has FILE's shape
	table       bool       // the parts are columns; otherwise there is one part
	parts       []part
	records     *records // in place of the parts
}

// part is the answer for one operand.
type part struct {
	file    string // of the answers for each FILE by itself
	name    string
	axes    []int // the axis of FILE that each dimension is, the quantile dimension excepted
	values  *ogive.Tensor
	indices *ogive.Tensor // nil unless asked for
	unit    tensorio.Unit // of values that are dates, durations or times of day
	of      dtype.DType   // of FILE; 0 if that is not known
}

// cells returns a function that writes value i of the answer, in C order.
func (p *part) cells() (func(i int) string, error) {
	return tensorio.Column{Values: p.values, Unit: p.unit}.Cells()
}

// list reports whether the answers have a quantile dimension.
func (r *result) list() bool { return r.qs != nil && !r.qs.scalar }

// perFile reports whether the answers are those of each FILE by itself.
func (r *result) perFile() bool { return r.parts[0].file != "" }

// columns reports whether the parts have names.
func (r *result) columns() bool {
	return !r.perFile() || slices.ContainsFunc(r.parts, func(p part) bool { return p.name != "" })
}

// tensors returns the named answers, or their indices.
func (r *result) tensors(indices bool) (names []string, list []*ogive.Tensor) {
	for _, p := range r.parts {
		name := p.name
		if p.file != "" && name != "" {
			name = p.file + ":" + name
		} else if p.file != "" {
			name = p.file
		}
		names = append(names, name)
		if indices {
			list = append(list, p.indices)
		} else {
			list = append(list, p.values)
		}
	}
	return names, list
}

// stack returns the only tensor, or several of one shape along a new first
// axis. Dtypes that differ become float64, if that changes no value.
func stack(names []string, list []*ogive.Tensor) (*ogive.Tensor, error) {
	if len(list) == 1 {
		return list[0], nil
	}
	dt, shape := list[0].DType(), list[0].Shape()
	for i, t := range list {
		if !slices.Equal(t.Shape(), shape) {
			return nil, fmt.Errorf("columns %s and %s give shapes %v and %v, which do not stack; write csv, json or npz", names[0], names[i], shape, t.Shape())
		}
		if t.DType() != dt {
			dt = dtype.Float64
		}
	}
	var data []byte
	for i, t := range list {
		same, err := t.Cast(dt)
		if err != nil {
			return nil, err
		}
		b, err := same.Bytes()
		if err != nil {
			return nil, err
		}
		if err := lossless(t, same); err != nil {
			return nil, fmt.Errorf("column %s: %w; choose columns of one dtype (-c), or write csv, json or npz", names[i], err)
		}
		data = append(data, b...)
	}
	out, err := ogive.Zeros(dt, append([]int{len(list)}, shape...)...)
	if err != nil {
		return nil, err
	}
	b, err := out.Bytes()
	copy(b, data)
	return out, err
}

// lossless checks that a cast changed no integer.
func lossless(t, cast *ogive.Tensor) error {
	if t.DType() == cast.DType() || t.DType().IsFloat() {
		return nil
	}
	back, err := cast.Cast(t.DType())
	if err != nil {
		return err
	}
	b, err := back.Bytes()
	if err != nil {
		return err
	}
	was, err := t.Bytes()
	if err != nil {
		return err
	}
	if !slices.Equal(b, was) {
		return fmt.Errorf("its %v values do not fit %v", t.DType(), cast.DType())
	}
	return nil
}
