//go:build !(amd64 || arm64) || noasm

package kernel

// There is no vector code.

// SlowScreen reports whether vector code reads the table but not the filter.
func SlowScreen[P Pattern]() bool { return false }

func (t *Buckets[P]) probeVector(_ []uint8, _ []P, _ []uint64) (done int)               { return 0 }
func (t *Buckets[P]) probeAtVector(_ []uint8, _ []P, _ []uint32, _ []uint64) (done int) { return 0 }
func (t *Buckets[P]) fetchVector(_ []uint64)                                            {}
