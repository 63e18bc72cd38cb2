//go:build !amd64 || noasm

package kernel

// There is no vector code.

func (t *Buckets[P]) homesVector(_ []uint32, _ []P) (done int)                 { return 0 }
func (t *Buckets[P]) probeVector(_ []uint8, _ []P, _ []uint32) (done int)      { return 0 }
func (t *Buckets[P]) screenVector(_, _ []uint32, _ []P) (done, n int)          { return 0, 0 }
func (t *Buckets[P]) probeAtVector(_ []uint8, _ []P, _, _ []uint32) (done int) { return 0 }
func (t *Buckets[P]) fetchVector(_ []uint64)                                   {}
func (t *Buckets[P]) insertVector(_ []P, _ []uint64) (done int)                { return 0 }
