package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ogive-go/ogive/internal/cpu"
)

// turn makes repeat measurements of loops calls each and returns the
// milliseconds per call of each.
type turn func(loops, repeat int) ([]float64, error)

// goTurn times calls of f.
func goTurn(f func() error) turn {
	return func(loops, repeat int) ([]float64, error) {
		ms := make([]float64, repeat)
		for i := range ms {
			start := time.Now()
			for range loops {
				if err := f(); err != nil {
					return nil, err
				}
			}
			ms[i] = milliseconds(time.Since(start)) / float64(loops)
		}
		return ms, nil
	}
}

// at is a turn with the vector instructions of a level.
func (t turn) at(level string) turn {
	return func(loops, repeat int) ([]float64, error) {
		defer cpu.Limit(level)()
		return t(loops, repeat)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// contestant is one way to do a case, or to read its data.
type contestant struct {
	column string
	label  string
	turn   turn

	loops, repeat int       // of a turn, from calibrate
	ms            []float64 // per call, the median of each turn
	err           error     // it failed, and is out
}

const (
	// A measurement holds so many calls that it takes at least shortest: the
	// clocks tell some tens of nanoseconds.
	shortest = 50 * time.Microsecond
	// A turn lasts about this long, that of a slow call: a fast one is measured
	// as a slow one is, with the caches, the clock and the threads as it leaves
	// them itself, and not as another contestant left them.
	turnTime = 100 * time.Millisecond
	// Between turns nothing runs. The threads of a contestant may wait for more
	// work in a loop for some milliseconds, and would slow the next.
	settle = 10 * time.Millisecond
)

// calibrate finds how many calls make a turn. Its calls also warm up, and the
// last is the first entry of ms until measure begins anew.
func (c *contestant) calibrate() {
	one := func(loops int) float64 {
		if c.err != nil {
			return math.Inf(1)
		}
		var ms []float64
		if ms, c.err = c.turn(loops, 1); c.err != nil {
			return math.Inf(1)
		}
		return ms[0]
	}
	c.loops = 1
	per := one(1)
	if per < 500 {
		per = min(per, one(1))
	}
	for c.err == nil && per*float64(c.loops) < milliseconds(shortest) && c.loops < 1<<20 {
		c.loops *= 4
		per = one(c.loops)
	}
	if c.err != nil {
		return
	}
	c.repeat = int(min(max(milliseconds(turnTime)/(per*float64(c.loops)), 1), 1000))
	c.ms = append(c.ms, per)
}

// cost is the time of a turn in milliseconds, as measured so far.
func (c *contestant) cost() float64 {
	return c.median()*float64(c.loops)*float64(c.repeat) + milliseconds(settle)
}

// take lets the contestant have its turn.
func (c *contestant) take() {
	if c.err != nil {
		return
	}
	time.Sleep(settle)
	ms, err := c.turn(c.loops, c.repeat)
	if err != nil {
		c.err = err
		return
	}
	c.ms = append(c.ms, quantile(ms, 0.5))
}

// pace says how many rounds there are: a number, or if that is 0 as many as
// fit into the time, three to thirty.
type pace struct {
	rounds int
	budget time.Duration
}

func (p pace) of(roundCost float64) int {
	if p.rounds > 0 {
		return p.rounds
	}
	return int(min(max(milliseconds(p.budget)/roundCost, 3), 30))
}

// measure lets the contestants take turns, round by round, each round
// beginning with another one.
func measure(ctx context.Context, cs []*contestant, p pace) error {
	cost := 0.0
	for _, c := range cs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.calibrate(); c.repeat > 1 {
			c.ms = c.ms[:0]
			c.take()
		}
		if c.err == nil {
			cost += c.cost()
		}
		c.ms = c.ms[:0]
	}
	for r := range p.of(cost) {
		for i := range cs {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			cs[(r+i)%len(cs)].take()
		}
	}
	return nil
}

// fastest returns the contestant with the smallest median, nil if none has one.
func fastest(cs []*contestant) (best *contestant) {
	for _, c := range cs {
		if c.err == nil && len(c.ms) > 0 && (best == nil || c.median() < best.median()) {
			best = c
		}
	}
	return best
}

func (c *contestant) median() float64 { return quantile(c.ms, 0.5) }

// spread is the distance between the quartiles over the median.
func (c *contestant) spread() float64 {
	return (quantile(c.ms, 0.75) - quantile(c.ms, 0.25)) / c.median()
}

// quantile returns the quantile q of v, linear between order statistics; NaN
// if v is empty. It stands on its own so that a fault in what is measured does
// not colour the measurement.
func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(v))
	h := q * float64(len(s)-1)
	lo := int(h)
	hi := min(lo+1, len(s)-1)
	return s[lo] + (h-float64(lo))*(s[hi]-s[lo])
}

func (c *contestant) String() string { return fmt.Sprintf("%s: %s", c.column, c.label) }
