//go:build !amd64 || noasm

package kernel

// There is no vector code: package rank does all lanes.

func blendsOnVectors() bool                                            { return false }
func middle32(_, _, _ []int32, _ int32)                                {}
func middle64(_, _, _ []int64, _ int64)                                {}
func blend32(_, _, _ []int32, _ int32, _ spreadWeights, _ *Format) int { return 0 }
func blend64(_, _, _ []int64, _ int64, _ spreadWeights) int            { return 0 }
