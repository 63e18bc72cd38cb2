package nd

import (
	"math"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

// TestNewDirty: the memory is the array's own, of the right size and aligned.
func TestNewDirty(t *testing.T) {
	for n := range 300 {
		var all [2]Array
		for i := range all {
			a, err := NewDirty(dtype.Float16, n)
			if err != nil {
				t.Fatal(err)
			}
			b := a.Bytes()
			if len(b) != 2*n || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 != 0 && n > 0 {
				t.Fatalf("%d elements: %d bytes at %p", n, len(b), unsafe.SliceData(b))
			}
			for j := range b {
				b[j] = byte(i + 1)
			}
			all[i] = a
		}
		for i, a := range all {
			for _, v := range a.Bytes() {
				if v != byte(i+1) {
					t.Fatalf("%d elements: array %d has %d", n, i, v)
				}
			}
		}
	}
	if _, err := NewDirty(dtype.Float64, math.MaxInt); err == nil {
		t.Fatal("more memory than any machine has")
	}
}
