//go:build !(amd64 || arm64) || noasm

package kernel

// There is no vector code.

func sortsInPlace[K Key](int) bool { return false }

func paddedRows[K Key](n int) int { return n }

func sortUnitsVector[K Key]([]K, Tile, Encoding[K]) (nan, ok bool) { return false, false }

func joinRowsVector[K Key](_, _, _ []K, _, _, _ int) bool { return false }

func countValuesVector[K Key](_, _ []K) bool { return false }

func pickRowsVector[K Key](_, _, _, _ []K, _ *PickTable) bool { return false }
