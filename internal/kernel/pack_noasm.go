//go:build !(amd64 || arm64) || noasm

package kernel

func packVector[K Key](block []K, t Tile, e Encoding[K], ahead int, nans []K) (done, nan bool) {
	return false, false
}
