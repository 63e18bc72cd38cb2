package main

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/ogive-go/ogive/capi/call"
)

// layout is what testdata/layout.c prints, of package call's structs.
func layout() string {
	var (
		t call.Tensor
		r call.Result
		c call.Call
		b strings.Builder
	)
	for _, f := range []struct {
		name string
		at   uintptr
	}{
		{"DLTensor data", unsafe.Offsetof(t.Data)}, {"DLTensor device", unsafe.Offsetof(t.DeviceType)},
		{"DLTensor ndim", unsafe.Offsetof(t.NDim)}, {"DLTensor dtype", unsafe.Offsetof(t.Code)},
		{"DLTensor shape", unsafe.Offsetof(t.Shape)}, {"DLTensor strides", unsafe.Offsetof(t.Strides)},
		{"DLTensor byte_offset", unsafe.Offsetof(t.ByteOffset)},
		{"ogive_result room", unsafe.Offsetof(r.Room)}, {"ogive_result given", unsafe.Offsetof(r.Given)},
		{"ogive_call size", unsafe.Offsetof(c.Size)}, {"ogive_call verb", unsafe.Offsetof(c.Verb)},
		{"ogive_call op", unsafe.Offsetof(c.Op)}, {"ogive_call flags", unsafe.Offsetof(c.Flags)},
		{"ogive_call method", unsafe.Offsetof(c.Method)}, {"ogive_call mode", unsafe.Offsetof(c.Mode)},
		{"ogive_call kind", unsafe.Offsetof(c.Kind)}, {"ogive_call workers", unsafe.Offsetof(c.Workers)},
		{"ogive_call axes", unsafe.Offsetof(c.Axes)}, {"ogive_call n_axes", unsafe.Offsetof(c.NAxes)},
		{"ogive_call q", unsafe.Offsetof(c.Q)}, {"ogive_call n_q", unsafe.Offsetof(c.NQ)},
		{"ogive_call num", unsafe.Offsetof(c.Num)}, {"ogive_call den", unsafe.Offsetof(c.Den)},
		{"ogive_call window", unsafe.Offsetof(c.Window)}, {"ogive_call min_count", unsafe.Offsetof(c.MinCount)},
		{"ogive_call budget", unsafe.Offsetof(c.Budget)}, {"ogive_call x", unsafe.Offsetof(c.X)},
		{"ogive_call weights", unsafe.Offsetof(c.Weights)}, {"ogive_call keys", unsafe.Offsetof(c.Keys)},
		{"ogive_call test", unsafe.Offsetof(c.Test)}, {"ogive_call upstream", unsafe.Offsetof(c.Upstream)},
		{"ogive_call results", unsafe.Offsetof(c.Results)}, {"ogive_call handle", unsafe.Offsetof(c.Handle)},
		{"ogive_call other", unsafe.Offsetof(c.Other)}, {"ogive_call number", unsafe.Offsetof(c.Number)},
		{"ogive_call cancel", unsafe.Offsetof(c.Cancel)}, {"ogive_call progress", unsafe.Offsetof(c.Progress)},
		{"ogive_call message", unsafe.Offsetof(c.Message)}, {"ogive_call message_room", unsafe.Offsetof(c.MessageRoom)},
	} {
		fmt.Fprintln(&b, f.name, f.at)
	}
	fmt.Fprintln(&b, unsafe.Sizeof(t), unsafe.Sizeof(r), unsafe.Sizeof(c))
	return b.String()
}
