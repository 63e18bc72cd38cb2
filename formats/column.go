package formats

import (
	"math"

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
}

// of returns the number of a text. Texts that come again allocate nothing.
func (c *codes) of(text []byte) int64 {
	if i, ok := c.index[string(text)]; ok {
		return i
	}
	if c.index == nil {
		c.index = map[string]int64{}
	}
	i, s := int64(len(c.labels)), string(text)
	c.index[s] = i
	c.labels = append(c.labels, s)
	return i
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
