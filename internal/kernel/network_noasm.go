//go:build !amd64 || noasm

package kernel

// There is no vector code.

type networkStages struct{}

func (*networkStages) set(int, int, uint64, []comparator) {}

func networkVector[K Key](*Networks, Tile, Encoding[K], Picked[K], []K, *bool) bool { return false }

// NetworkMiddles reports that Network writes no middles.
func NetworkMiddles[K Key](int) bool { return false }
