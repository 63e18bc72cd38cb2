//go:build !noasm

package kernel

import "github.com/ogive-go/ogive/internal/cpu"

// Short vectors are those that the plainer vector code of an architecture works with: of
// kernels whose code for them is the same, but for its assembly.
const (
	shortBytes = 32
	shortLevel = "avx2"
)

var hasShort = cpu.AVX2
