package testkit

import (
	"context"

	"github.com/ogive-go/ogive/dtype"
)

// Changer is a context for calls whose input somebody else writes to: it changes memory when
// it is asked for the given time whether it has ended, and ends a call that asks far more
// often than one of unchanged input does.
type Changer struct {
	context.Context
	At     int // the time at which it changes, counted from 1; 0 for never
	Most   int // how often it may be asked, 0 for any
	Asked  int
	Change func()
}

// Err is [context.Context].
func (c *Changer) Err() error {
	if c.Asked++; c.Asked == c.At {
		c.Change()
	}
	if c.Endless() {
		return context.Canceled
	}
	return nil
}

// Endless reports whether the call asked too often.
func (c *Changer) Endless() bool { return c.Most > 0 && c.Asked > c.Most }

// Changes turn the elements of memory into others, all of them or some.
var Changes = map[string]func(memory []byte, dt dtype.DType){
	"constant": changeTo("constant"),
	"others":   changeTo("bits"),
	"extremes": changeTo("extremes"),
	"reversed": changeTo("reversed"),
	"NaN": func(memory []byte, dt dtype.DType) {
		if dt.IsFloat() {
			changeTo("nanhalf")(memory, dt)
		}
	},
	"half": func(memory []byte, dt dtype.DType) {
		changeTo("two")(memory[:len(memory)/dt.Size()/2*dt.Size()], dt)
	},
}

// changeTo fills memory with elements of the named kind.
func changeTo(kind string) func([]byte, dtype.DType) {
	return func(memory []byte, dt dtype.DType) {
		copy(memory, Fill(kind, dt, len(memory)/dt.Size(), 4711))
	}
}
