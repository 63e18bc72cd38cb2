package selection

import "github.com/ogive-go/ogive/internal/kernel"

// networkMax is the longest lane that is selected by a network of
// compare-exchange steps, the same for each lane of a tile: from about 32 on,
// selection by partitioning does less work.
const networkMax = 32

// comparator is one step of a network: rows a and b are ordered, or only one
// of the two is computed if the other is not looked at again.
type comparator struct {
	a, b         uint8
	needA, needB bool
}

// network is a selection network with what it was made for.
type network struct {
	n     int
	need  uint64 // the rows to be right, a bit each
	steps []comparator
}

// build makes the network of n rows in which the rows of need end as order
// statistics: Batcher's odd-even merge sort (Knuth, TAOCP 3, 5.3.4) without the
// steps on which none of them depends.
func (net *network) build(n int, need uint64) {
	if net.n == n && net.need == need {
		return
	}
	net.n, net.need = n, need
	steps := net.steps[:0]
	for p := 1; p < n; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := 0; i < min(k, n-j-k); i++ {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						steps = append(steps, comparator{a: uint8(i + j), b: uint8(i + j + k)})
					}
				}
			}
		}
	}
	// Backwards from the wanted rows; the steps that stay gather at the end.
	live, first := need, len(steps)
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		s.needA, s.needB = live>>s.a&1 == 1, live>>s.b&1 == 1
		if s.needA || s.needB {
			live |= 1<<s.a | 1<<s.b
			first--
			steps[first] = s
		}
	}
	net.steps = steps[:copy(steps, steps[first:])]
}

// apply runs the network on the rows of a tile of keys, width keys each.
func apply[K kernel.Key](net *network, keys []K, width int) {
	for _, s := range net.steps {
		a := keys[int(s.a)*width:][:width]
		b := keys[int(s.b)*width:][:width]
		switch {
		case s.needA && s.needB:
			kernel.SortPairs(a, b)
		case s.needA:
			kernel.LowerPairs(a, b)
		default:
			kernel.RaisePairs(a, b)
		}
	}
}
