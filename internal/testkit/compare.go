package testkit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/dtype"
)

// shown is how many differing elements a message lists.
const shown = 5

// Diff compares elements bit for bit and describes the first differences, or
// returns "" when there are none.
func Diff(dt dtype.DType, got, want []byte) string {
	if bytes.Equal(got, want) {
		return ""
	}
	size := dt.Size()
	if len(got) != len(want) {
		return fmt.Sprintf("got %d elements of %s, want %d", len(got)/size, dt, len(want)/size)
	}
	var sb strings.Builder
	differ := 0
	for i := 0; i < len(got); i += size {
		g, w := got[i:i+size], want[i:i+size]
		if bytes.Equal(g, w) {
			continue
		}
		if differ++; differ <= shown {
			fmt.Fprintf(&sb, "\n  [%d] got %s, want %s", i/size, Format(dt, g), Format(dt, w))
		}
	}
	return fmt.Sprintf("%d of %d elements of %s differ:%s", differ, len(got)/size, dt, sb.String())
}

// Format prints one element with its bits.
func Format(dt dtype.DType, b []byte) string {
	switch dt {
	case dtype.Complex64, dtype.Complex128:
		p, h := realOf(dt).dt, len(b)/2
		return "(" + Format(p, b[:h]) + ", " + Format(p, b[h:]) + ")"
	case dtype.Float16:
		u := binary.NativeEndian.Uint16(b)
		return fmt.Sprintf("%v (%#04x)", dtype.F16FromBits(u).Float64(), u)
	case dtype.BFloat16:
		u := binary.NativeEndian.Uint16(b)
		return fmt.Sprintf("%v (%#04x)", dtype.BF16FromBits(u).Float64(), u)
	case dtype.Float32:
		u := binary.NativeEndian.Uint32(b)
		return fmt.Sprintf("%v (%#08x)", math.Float32frombits(u), u)
	case dtype.Float64:
		u := binary.NativeEndian.Uint64(b)
		return fmt.Sprintf("%v (%#016x)", math.Float64frombits(u), u)
	}
	var u uint64
	switch len(b) {
	case 1:
		u = uint64(b[0])
	case 2:
		u = uint64(binary.NativeEndian.Uint16(b))
	case 4:
		u = uint64(binary.NativeEndian.Uint32(b))
	default:
		u = binary.NativeEndian.Uint64(b)
	}
	if dt.IsSigned() {
		unused := 64 - 8*len(b)
		return fmt.Sprint(int64(u<<unused) >> unused)
	}
	return fmt.Sprint(u)
}

// Same fails the test when two slices differ in their bits.
func Same[T dtype.Element](tb testing.TB, got, want []T, format string, args ...any) {
	tb.Helper()
	if d := Diff(dtype.Of[T](), Raw(got), Raw(want)); d != "" {
		tb.Fatalf("%s: %s", fmt.Sprintf(format, args...), d)
	}
}
