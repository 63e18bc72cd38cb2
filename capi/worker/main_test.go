//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/capi/call"
)

// message returns a message, and what follows it.
func message(verb, segment uint32, value uint64, more string) []byte {
	b := binary.NativeEndian.AppendUint32(nil, verb)
	b = binary.NativeEndian.AppendUint32(b, segment)
	return append(binary.NativeEndian.AppendUint64(b, value), more...)
}

// TestServe: a segment is mapped, a call in it is done, and what is written lies in the file.
func TestServe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "segment")
	const segment = 5
	address := func(distance uintptr) uintptr { return segment<<48 | distance }
	memory := make([]byte, 4096)
	c := (*call.Call)(unsafe.Pointer(&memory[0]))
	*c = call.Call{Size: uint32(unsafe.Sizeof(*c)), Op: 5, Method: -1, Mode: -1, NQ: -1, X: address(1024), Results: address(2048)}
	*(*call.Tensor)(unsafe.Pointer(&memory[1024])) = call.Tensor{Data: address(1100), DeviceType: 1, NDim: 1, Code: 1, Bits: 8, Lanes: 1, Shape: address(1088)}
	*(*int64)(unsafe.Pointer(&memory[1088])) = 3
	copy(memory[1100:], []byte{3, 1, 2})
	*(*call.Result)(unsafe.Pointer(&memory[2048])) = call.Result{Tensor: call.Tensor{Data: address(3072)}, Room: 8}
	if err := os.WriteFile(path, memory, 0o600); err != nil {
		t.Fatal(err)
	}
	in := bytes.Join([][]byte{
		message(3, 0, uint64(address(0)), ""), // before there is such a segment
		message(1, segment, uint64(len(path)), path),
		message(3, 0, uint64(address(0)), ""),
		message(3, 0, uint64(address(4095)), ""),
		message(2, segment, 0, ""),
		message(2, 77, 0, ""),
		message(3, 0, uint64(address(0)), ""),
	}, nil)
	var out bytes.Buffer
	if err := serve(bytes.NewReader(in), &out); err != io.EOF {
		t.Fatal(err)
	}
	var statuses []uint64
	for b := out.Bytes(); len(b) > 0; b = b[8:] {
		statuses = append(statuses, binary.NativeEndian.Uint64(b))
	}
	if len(statuses) != 7 || statuses[0] == 0 || statuses[1]|statuses[2]|statuses[4]|statuses[5] != 0 || statuses[3] == 0 || statuses[6] == 0 {
		t.Errorf("statuses %v", statuses)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if answer := *(*float64)(unsafe.Pointer(&after[3072])); answer != 2 {
		t.Errorf("the median of 3, 1, 2 is %v", answer)
	}
}

// TestServeEnds: messages that are none, and files that are not there, end the worker.
func TestServeEnds(t *testing.T) {
	for name, in := range map[string][]byte{
		"verb 9":      message(9, 0, 0, ""),
		"no file":     message(1, 1, 8, "/nowhere"),
		"half a path": message(1, 1, 8, "/no"),
		"half":        message(3, 0, 0, "")[:5],
	} {
		if err := serve(bytes.NewReader(in), io.Discard); err == nil || err == io.EOF {
			t.Errorf("%s: %v", name, err)
		}
	}
}
