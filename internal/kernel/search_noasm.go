//go:build !(amd64 || arm64) || noasm

package kernel

func searchesOnVectors() bool { return false }

func searchVector[K Key](b Block[K], ranks, out, next []K) bool { return false }

func searchesLong() bool { return false }
