package cuda

// limits are the sizes at which the way of working changes, as selection/choose.go has
// them for the host. Tests have others, to lead small inputs into the regimes of large
// ones.
type limits struct {
	network      int // the longest lane that a thread sorts in its registers, wherever it lies; at most 64
	columns      int // the same of lanes that lie side by side
	warpBytes    int // the longest row that is the work of a warp, in bytes of keys
	rowBytes     int // the shared memory that the keys of a row may take: what a block has without asking for more, less its counters
	bracketFrom  int // the length from which a lane is worth a sample
	bracketLanes int // the most lanes that are bracketed, one after the other
	positions    int // the longest table of positions: where NaNs are skipped, a row for each number of values
	scratch      int // bytes that passes over long lanes take for their counters, about; more lanes are done group by group
	gridRows     int // the most rows of blocks, beyond which a row does several lanes: what devices have
	locateShort  int // the longest lane in which one thread looks for an element
}

var defaults = limits{
	network:      32,
	columns:      64,
	warpBytes:    8 << 10,
	rowBytes:     46 << 10,
	bracketFrom:  1 << 18,
	bracketLanes: 8,
	positions:    1 << 18,
	scratch:      256 << 20,
	gridRows:     1<<16 - 1,
	locateShort:  256,
}

// selectKeys finds the keys of all outputs, by the regime that lanes of that length ask
// for.
func (r *orderRun) selectKeys() {
	n := r.l.n
	small := r.setTable()
	inRows := r.l.count == 1 || r.l.element == 1 && r.l.inner == 1
	switch {
	case (n <= r.d.limits.network || n <= r.d.limits.columns && !inRows) && small:
		r.network()
	case n*r.code.size <= r.d.limits.rowBytes && small:
		r.row()
	case r.bracketed() && r.bracketAll():
	default:
		r.searchAll()
	}
}
