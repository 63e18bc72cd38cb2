package main

import (
	"fmt"
	"math"
	"sync"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/selection/bracket"
)

// shown is what one who knows where samples are taken puts there.
type shown string

const (
	high shown = "high"
	low  shown = "low"
)

// attackSeed is the seed that the attack knows.
const attackSeed = 42

// attack makes data misleading: it changes the elements of x at the places where the call
// takes samples of its lanes. The seed is known from now on.
func (c benchCase) attack(x, test *ogive.Tensor, workers int) error {
	var mu sync.Mutex
	sampled := map[int]bool{} // elements of a lane
	lane, stride := x.Len(), 1
	if c.call.axis != whole {
		lane, stride = x.Shape()[c.call.axis], x.Strides()[c.call.axis]
	}
	bracket.Seed(attackSeed)
	defer bracket.Watch(func(p bracket.Positions, m, n int) {
		if n != lane {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for range m {
			sampled[p.Next()] = true
		}
	})()
	call, err := c.call.prepared(x, test, workers)
	if err != nil {
		return err
	}
	for range 3 { // as what is shown may lead to other samples
		if err := call(); err != nil {
			return err
		}
		for first := range x.Len() {
			if first/stride%lane != 0 {
				continue // not the first element of a lane
			}
			for at := range sampled {
				if err := c.data.show(x, first+at*stride); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// show sets an element to what is shown.
func (d dataSpec) show(x *ogive.Tensor, at int) error {
	sign := 1
	if d.shown == low {
		sign = -1
	}
	switch d.dt {
	case dtype.Float64:
		return set(x, at, math.Inf(sign))
	case dtype.Float32:
		return set(x, at, float32(math.Inf(sign)))
	case dtype.Int32:
		return set(x, at, int32(sign*math.MaxInt32))
	case dtype.Int64:
		return set(x, at, int64(sign*math.MaxInt64))
	case dtype.Int16:
		return set(x, at, int16(sign*math.MaxInt16))
	}
	return fmt.Errorf("no attack on dtype %v", d.dt)
}

func set[T dtype.Element](x *ogive.Tensor, at int, v T) error {
	list, err := ogive.Values[T](x)
	if err != nil {
		return err
	}
	list[at] = v
	return nil
}
