package cuda

import "github.com/ogive-go/ogive/internal/cudrv"

// locateChunk is the part of a longer lane that a block counts.
const locateChunk = 1 << 13

// locate writes the indices of the elements that were selected.
func (r *orderRun) locate(to cudrv.Ptr) {
	n := r.outputs()
	if r.l.n <= r.d.limits.locateShort {
		args := append(r.l.args(r.code.word), r.wanted()...)
		r.kernel("locate", "locate", each(n, 128), append(args, uint64(r.rows), uint64(r.lo), uint64(to))...)
		return
	}
	chunks := (r.l.n + locateChunk - 1) / locateChunk
	less, equal := r.alloc(4*n*chunks), r.alloc(4*n*chunks)
	r.kernel("locate", "chunks", grid{blocks: chunks, rows: min(n, r.d.limits.gridRows), threads: 256},
		r.l.args(r.code.word, uint64(r.q), locateChunk, uint64(r.lo), uint64(less), uint64(equal))...)
	args := append(r.l.args(r.code.word), r.wanted()...)
	r.kernel("locate", "find", each(32*n, 128), append(args, uint64(r.rows), locateChunk, uint64(r.lo), uint64(less), uint64(equal), uint64(to))...)
}
