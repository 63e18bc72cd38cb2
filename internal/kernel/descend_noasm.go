//go:build !amd64 || noasm

package kernel

func descendsOnVectors() bool { return false }

func descendVector[K Key](keys []K, n int, ranks []K, float bool, out, next, memory []K) bool {
	return false
}

func descendsInCells() bool { return false }
