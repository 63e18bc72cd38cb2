package ogivebeam

import (
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

// collector holds the tallies of one worker in one pass, until they are emitted.
type collector struct {
	o      *Options
	open   map[string]tally // what a later pass begins with; nil in the first
	protos map[proto]*stream.State
	held   map[string]*tally
	size   int
}

// proto says for what a state begins.
type proto struct {
	what what
	dt   dtype.DType
}

// keyBytes is about what a key takes in a map beside its state.
const keyBytes = 1 << 10

// options returns the operation that a tally is for.
func (w what) options(o *Options) *Options {
	of := Options{Budget: o.Budget, Weights: o.Weights}
	switch w {
	case asked:
		return o
	case ends:
		of.Op, of.Method = ogive.OpNaNQuantile, rank.Lower
		of.Q = []rank.Q{rank.Ratio(0, 1), rank.Ratio(1, 4), rank.Ratio(1, 2), rank.Ratio(3, 4), rank.Ratio(1, 1)}
	case above:
		of.Op, of.Method = ogive.OpNaNQuantile, rank.Higher
		of.Q = []rank.Q{rank.Ratio(1, 4), rank.Ratio(1, 2), rank.Ratio(3, 4)}
	case middle:
		of.Op = ogive.OpNaNQuantile
		for _, p := range DescribedPercentiles {
			of.Q = append(of.Q, rank.Ratio(p, 100))
		}
	case away:
		of.Op = ogive.OpNaNMedian
	case awayLower:
		of.Op, of.Mode = ogive.OpNaNMedian, ogive.ModeLower
	case awayHigher:
		of.Op, of.Mode = ogive.OpNaNMedian, ogive.ModeUpper
	}
	return &of
}

// tally returns that of a key for values of a dtype, nil if this pass is not about it.
func (c *collector) tally(k string, w what) *tally {
	if t := c.held[k]; t != nil {
		return t
	}
	t := new(tally)
	if c.open != nil {
		begin, ok := c.open[k]
		if !ok {
			return nil
		}
		t.unit, t.state = begin.unit, begin.state.Fork()
	}
	if c.held == nil {
		c.held = map[string]*tally{}
	}
	c.held[k] = t
	c.size += keyBytes + len(k)
	return t
}

// add adds values to the tally of a key. weights may be nil.
func (c *collector) add(k string, w what, x, weights *ogive.Tensor, unit tensorio.Unit) error {
	t := c.tally(k, w)
	if t == nil || x.Len() == 0 {
		return nil
	}
	if t.state == nil {
		of := proto{w, x.DType()}
		if c.protos[of] == nil {
			s, err := w.options(c.o).state(of.dt)
			if err != nil {
				return err
			}
			if c.protos == nil {
				c.protos = map[proto]*stream.State{}
			}
			c.protos[of] = s
		}
		t.unit, t.state = unit, c.protos[of].Fork()
	}
	if t.unit != unit {
		return fmt.Errorf("%w: values of one unit, and of another or none", ogive.ErrFormat)
	}
	before := t.state.Size()
	err := t.state.Add(x, weights)
	c.size += t.state.Size() - before
	return err
}

// count adds counts to the tally of a key, in the first pass.
func (c *collector) count(k string, w what, n Counts) {
	if c.open == nil {
		c.tally(k, w).Counts.add(n)
	}
}

// emitFull emits everything if the tallies have grown to the budget.
func (c *collector) emitFull(emit func(string, tally)) {
	if c.size > c.o.Budget {
		c.emit(emit)
	}
}

// emit emits the tallies, and forgets them.
func (c *collector) emit(emit func(string, tally)) {
	for k, t := range c.held {
		emit(k, *t)
	}
	c.held, c.size = nil, 0
}

// begin reads what a later pass begins with.
func (c *collector) begin(next func(*string, *tally) bool) {
	c.open = map[string]tally{}
	var k string
	for t := (tally{}); next(&k, &t); t = (tally{}) {
		c.open[k] = t
	}
}

// pick returns the values of a vector at some places.
func pick(x *ogive.Tensor, places []int) (*ogive.Tensor, error) {
	x, err := x.Contiguous()
	if err != nil {
		return nil, err
	}
	from, err := x.Bytes()
	if err != nil {
		return nil, err
	}
	out, err := ogive.Zeros(x.DType(), len(places))
	if err != nil {
		return nil, err
	}
	to, err := out.Bytes()
	if err != nil {
		return nil, err
	}
	switch size := x.DType().Size(); size {
	case 8: // most, and worth a loop of its own
		for i, at := range places {
			copy(to[8*i:8*i+8], from[8*at:8*at+8])
		}
	default:
		for i, at := range places {
			copy(to[size*i:][:size], from[size*at:][:size])
		}
	}
	return out, nil
}

// flags returns a column's missing values, nil if there are none.
func flags(c tensorio.Column) []bool {
	if c.Missing == nil {
		return nil
	}
	if gone := ogive.Must(ogive.Values[bool](c.Missing)); slices.Contains(gone, true) {
		return gone
	}
	return nil
}
