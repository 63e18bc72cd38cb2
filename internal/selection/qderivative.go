package selection

import "github.com/ogive-go/ogive/rank"

// QDerivative returns what is asked of every lane for the derivative by the
// quantile; see [rank.Method.QDerivative].
func (w *Want) QDerivative() Want {
	d := NewWant(w.set.QDerivative(), w.skip)
	d.Number()
	return d
}

// Position returns where a quantile lies among n values, n > 0.
func (w *Want) Position(q int, n int64) rank.Position { return w.set.Position(q, n) }
