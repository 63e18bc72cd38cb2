package cuda

// fewKeys is how many keys of a row are compared all with all, as the kernels have it.
const fewKeys = 32

// rowMemory returns the shared memory that a team needs for a row, in bytes.
func (r *orderRun) rowMemory() int {
	return (r.l.n*r.code.size+7)&^7 + fewKeys*r.code.size + 8
}

// row searches lanes in shared memory: a warp does a short one, a block the others.
func (r *orderRun) row() {
	n, each := r.l.n, r.rowMemory()
	args := append(r.l.args(r.code.word), r.wanted()...)
	args = append(args, uint64(r.lo), uint64(r.hi), uint64(r.rows))
	if n*r.code.size <= r.d.limits.warpBytes {
		teams := min(8, max(1, r.d.limits.rowBytes/each))
		r.kernel("rows", "warps", grid{blocks: (r.l.count + teams - 1) / teams, threads: 32 * teams, shared: teams * each}, args...)
		return
	}
	threads := 256
	if n > 1<<13 {
		threads = 512
	}
	r.kernel("rows", "rows", grid{blocks: r.l.count, threads: threads, shared: each + threads/32*8}, args...)
}
