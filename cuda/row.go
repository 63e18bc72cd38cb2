package cuda

// row searches lanes in shared memory: a warp does a short one, a block a long one.
func (r *orderRun) row() {
	n := r.l.n
	words := (n*r.code.size + 7) / 8
	const counters = 129 // words: a counter of 32 bits for each of 256 digits, and two answers
	args := append(r.l.args(r.code.word), r.wanted()...)
	args = append(args, uint64(r.lo), uint64(r.hi), uint64(r.rows))
	if n <= r.d.limits.warpRow {
		teams := min(8, r.d.limits.rowBytes/(8*(words+counters)))
		r.kernel("rows", "warps", grid{blocks: (r.l.count + teams - 1) / teams, threads: 32 * teams, shared: 8 * teams * (words + counters)}, args...)
		return
	}
	const threads, sums = 256, 8 // a word for each warp
	r.kernel("rows", "rows", grid{blocks: r.l.count, threads: threads, shared: 8 * (words + counters + sums)}, args...)
}
