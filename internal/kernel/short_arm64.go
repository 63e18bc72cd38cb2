//go:build !noasm

package kernel

import "github.com/ogive-go/ogive/internal/cpu"

// The short vectors are all that there are.
const (
	shortBytes = 16
	shortLevel = "neon"
)

var hasShort = cpu.NEON
