package cuda

import "strconv"

// networks are the lengths of lanes that there are networks for: middles of odd and
// even lengths, and all order statistics.
var (
	middles   = []int{3, 4, 7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 63, 64}
	quantiles = []int{4, 8, 16, 24, 32, 48, 64}
)

// network sorts lanes in the registers of a thread each.
func (r *orderRun) network() {
	n := r.l.n
	p := r.task.Set.Position(0, int64(n))
	lower, upper := int64((n-1)/2), int64(n/2)
	if r.q == 1 && !r.task.SkipNaN && lower <= p.Lo && p.Hi <= upper {
		size := 0
		for _, m := range middles {
			if size == 0 && m >= n && m%2 == n%2 {
				size = m
			}
		}
		lo, hi := r.lo, r.hi
		if hi == 0 {
			hi = r.alloc(r.outputs() * r.code.size)
		}
		switch {
		case n%2 == 1:
			r.hi = 0 // they are one
		case p.Lo == upper:
			lo, hi = hi, lo
		}
		r.kernel(family(size), "middle"+strconv.Itoa(size), each(r.l.count, 128), r.l.args(r.code.word, uint64(lo), uint64(hi))...)
		return
	}
	size := 0
	for _, m := range quantiles {
		if size == 0 && m >= n {
			size = m
		}
	}
	args := append(r.l.args(r.code.word), r.wanted()...)
	r.kernel(family(size), "quantiles"+strconv.Itoa(size), each(r.l.count, 128), append(args, uint64(r.lo), uint64(r.hi), uint64(r.rows))...)
}

// family returns the module that has the network of a size.
func family(size int) string {
	if size > 32 {
		return "tall"
	}
	return "stack"
}
