//go:build !noasm

package kernel

import "unsafe"

// There are no vectors beyond the short ones: none of these is called but those that say so.

func transposesLong() bool { return false }
func packsLong() bool      { return false }
func searchesLong() bool   { return false }
func findsBinsLong() bool  { return false }
func fewLong() bool        { return false }
func bracketsLong() bool   { return false }
func bucketsLong() bool    { return false }

func transposeLong[K Key]([]K, int, Tile, int, int) (most K) { return -1 }

func packLong[K Key](_, _ unsafe.Pointer, _, _ int, _, _, _ K, _ int, _ unsafe.Pointer) bool {
	return false
}

func searchLong[K Key](Block[K], []K, []K, []K)          {}
func findBinsLong[K Key]([]uint16, []K, *Bins[K])        {}
func findBinsTreeLong[K Key]([]uint16, []K, []K, int)    {}
func (f *Few[P]) containsLong([]uint8, []P)              {}
func (s *Brackets[K]) collectLong([]K, []K) (inside int) { return 0 }
