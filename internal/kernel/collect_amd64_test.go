//go:build !noasm

package kernel

import (
	"testing"

	"github.com/ogive-go/ogive/internal/cpu"
)

// TestCollectWithoutVBMI2: 16-bit elements are narrowed on processors that have
// AVX-512 but cannot compress them.
func TestCollectWithoutVBMI2(t *testing.T) {
	defer func(has bool) { cpu.AVX512VBMI2 = has }(cpu.AVX512VBMI2)
	cpu.AVX512VBMI2 = false
	testCollect[int16](t)
}
