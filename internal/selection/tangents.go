package selection

import "github.com/ogive-go/ogive/rank"

// Tangents returns what is asked of every lane for the derivative by the
// quantile: the ends of the linear pieces, and their slopes as weights.
func (w *Want) Tangents() Want {
	t := NewWant(w.set.Tangents(), w.skip)
	t.Number()
	return t
}

// Position returns where a quantile lies among n values, n > 0.
func (w *Want) Position(q int, n int64) rank.Position { return w.set.Position(q, n) }
