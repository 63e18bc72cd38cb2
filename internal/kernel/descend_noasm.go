//go:build !amd64 || noasm

package kernel

func descendsOnVectors() bool { return false }

func descendVector[K Key](b Block[K], ranks, out, next []K) bool { return false }

func descendsInCells() bool { return false }
