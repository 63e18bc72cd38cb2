package formats

import (
	"math"
	"sync/atomic"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// column returns values as a column; missing is nil if all are there.
func column[T dtype.Element](values []T, missing []bool) (c tensorio.Column, err error) {
	if values == nil {
		values = []T{}
	}
	if c.Values, err = ogive.FromSlice(values); err != nil || missing == nil {
		return c, err
	}
	c.Missing, err = ogive.FromSlice(missing)
	return c, err
}

// codes numbers texts in order of appearance.
type codes struct {
	labels []string
	index  map[string]int64
	room   *textRoom
}

// textRoom is what texts may take together, those of several codes too; nil is no bound.
type textRoom struct {
	used atomic.Int64
	most int64
}

// newTextRoom returns the room of some bytes, of which 0 is no bound.
func newTextRoom(most int64) *textRoom {
	if most <= 0 {
		return nil
	}
	return &textRoom{most: most}
}

// take takes what a text needs, if that is there.
func (r *textRoom) take(text []byte) error {
	if r == nil {
		return nil
	}
	return in("texts", tensorio.TooLarge(r.used.Add(int64(len(text))+codeBytes), r.most))
}

// codeBytes is about what a text takes beside its bytes, in a list and a map that grow.
const codeBytes = 96

// of returns the number of a text. Texts that come again allocate nothing.
func (c *codes) of(text []byte) (int64, error) {
	if i, ok := c.index[string(text)]; ok {
		return i, nil
	}
	if err := c.room.take(text); err != nil {
		return 0, err
	}
	if c.index == nil {
		c.index = map[string]int64{}
	}
	i, s := int64(len(c.labels)), string(text)
	c.index[s] = i
	c.labels = append(c.labels, s)
	return i, nil
}

// tens are the powers of ten that float64 holds exactly.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimal returns unscaled / 10^scale as the float64 nearest to it, the one that its
// text stands for. ok says that both are held exactly, so that the division rounds once
// and different decimals of up to 15 digits give different floats.
func decimal(unscaled int64, scale int) (v float64, ok bool) {
	if unscaled < -1<<53 || unscaled > 1<<53 || scale < 0 || scale >= len(tens) {
		return math.NaN(), false
	}
	return float64(unscaled) / tens[scale], true
}
