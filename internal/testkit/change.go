package testkit

import (
	"context"
	"maps"
	"slices"

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

// EachChange runs a call as it is, and then with each of Changes made to memory at some of the
// times at which it asks its Changer, at each of them where Whole says so. most is how often
// a call may ask that asks so often of what is unchanged; endless is told of one that asks
// more. Afterwards memory is as before.
func EachChange(memory []byte, dt dtype.DType, most func(asked int) int, run func(c *Changer), endless func(change string, at, asked int)) {
	before := slices.Clone(memory)
	plain := &Changer{Context: context.Background()}
	run(plain)
	step := 1
	if !Whole() {
		step += plain.Asked / 4
	}
	for i, change := range slices.Sorted(maps.Keys(Changes)) {
		for at := 1 + i%step; at <= plain.Asked; at += step {
			c := &Changer{Context: context.Background(), At: at, Most: most(plain.Asked)}
			c.Change = func() { Changes[change](memory, dt) }
			run(c)
			if c.Endless() {
				endless(change, at, plain.Asked)
			}
			copy(memory, before)
		}
	}
}

// ChangeMeanwhile makes Changes to memory, one after the other and again, while f runs, and
// calls then after each with its number.
func ChangeMeanwhile(memory []byte, dt dtype.DType, then func(i int), f func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		names := slices.Sorted(maps.Keys(Changes))
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				Changes[names[i%len(names)]](memory, dt)
				then(i)
			}
		}
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	f()
}

// changeTo fills memory with elements of the named kind.
func changeTo(kind string) func([]byte, dtype.DType) {
	return func(memory []byte, dt dtype.DType) {
		copy(memory, Fill(kind, dt, len(memory)/dt.Size(), 4711))
	}
}
