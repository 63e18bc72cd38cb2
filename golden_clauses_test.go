package ogive_test

import (
	"math"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
)

// clause is a choice of the specification that a peer makes otherwise.
type clause struct {
	name   string // the section, and what it says
	covers func(d difference) bool
}

// clauses lists all of them; the first that covers a difference explains it.
var clauses = []clause{
	{"1.2: every NaN is the canonical one", func(d difference) bool {
		return d.value() && math.IsNaN(d.float(d.got)) && math.IsNaN(d.float(d.peer))
	}},
	{"1.2: -0 before +0; cancelling gives +0", func(d difference) bool {
		return d.value() && d.float(d.got) == 0 && d.float(d.peer) == 0
	}},
	{"1.2: the exact value rounded once, the last bit", func(d difference) bool {
		return d.value() && d.finite() && d.ulps() <= 2
	}},
	{"1.2: the exact value rounded once, where the ends cancel", func(d difference) bool {
		// The peer's error is one of the ends, greater than the result.
		top := d.largest()
		return d.value() && d.finite() && top <= 1<<10 && math.Abs(d.float(d.got)) < top/2 &&
			math.Abs(d.float(d.got)-d.float(d.peer)) <= 2*top*epsilon(d.dt)
	}},
	{"1.2: between infinities of one sign, and beside one", func(d difference) bool {
		return d.value() && math.IsNaN(d.float(d.peer)) && math.IsInf(d.float(d.got), 0) && math.IsInf(d.largest(), 0)
	}},
	{"1.2: an infinity that has no part in the value", func(d difference) bool {
		return d.value() && math.IsNaN(d.float(d.peer)) && d.finiteGot() && math.IsInf(d.largest(), 0)
	}},
	{"1.2: b - a may overflow", func(d difference) bool {
		return d.value() && d.c.X.DType.IsFloat() && d.finiteGot() && !d.finite() && !math.IsInf(d.largest(), 0)
	}},
	{"1.2: integers are exact", func(d difference) bool {
		return d.value() && d.c.X.DType.IsInteger() && d.dt == dtype.Float64 && d.largest() >= math.Ldexp(1, 8*d.c.X.DType.Size()-2)
	}},
	{"1.1: ranks are float64, whatever x's dtype", func(d difference) bool {
		// NumPy takes the rank of a scalar q, torch every rank, in x's dtype.
		return d.value() && d.finite() && (d.c.Scalar || d.c.Peer == "torch") && (d.c.X.DType == dtype.Float16 || d.c.X.DType == dtype.Float32)
	}},
	{"1.3: the dtype depends on x and the method, not on how q was given", func(d difference) bool {
		return !d.element && d.gotErr == nil && d.c.Error == "" && d.c.X.DType.IsFloat() && d.dt == d.c.X.DType && d.peerType == dtype.Float64 && !d.c.Scalar
	}},
	{"1.3: bool has quantiles", func(d difference) bool {
		return !d.element && d.gotErr == nil && d.c.Error == "TypeError" && d.c.X.DType == dtype.Bool && d.dt == dtype.Float64
	}},
	{"1.6: nanmedian of only NaN has index -1", func(d difference) bool {
		return d.index && int64(d.got) == -1 && d.c.Op == "nanmedian"
	}},
	{"1.6: torch's index where -0 and +0 meet", func(d difference) bool {
		return d.index && d.c.Peer == "torch" && int64(d.got) >= 0 && d.c.X.hasBothZeros()
	}},
	{"3: no lossy promotion", func(d difference) bool {
		return d.element && d.c.Op == "isin" && d.got == 0 && d.peer == 1 && d.c.X.DType != d.c.Test.DType && !d.c.Unique
	}},
	{"3: assume_unique never changes the answer", func(d difference) bool {
		return d.element && d.c.Op == "isin" && d.c.Unique
	}},
}

// value reports whether d is a value of an order statistic, a float.
func (d difference) value() bool { return d.element && !d.index && d.dt.IsFloat() }

// float is an element of the result as a float64.
func (d difference) float(bits uint64) float64 { return widened(d.dt, bits) }

func (d difference) finiteGot() bool {
	v := d.float(d.got)
	return v == v && !math.IsInf(v, 0)
}

// finite reports whether both values are.
func (d difference) finite() bool {
	v := d.float(d.peer)
	return d.finiteGot() && v == v && !math.IsInf(v, 0)
}

// ulps is how many floats of the result's dtype lie from one value to the other.
func (d difference) ulps() int64 {
	key := func(bits uint64) int64 {
		if sign := uint64(1) << (8*d.dt.Size() - 1); bits&sign != 0 {
			return -int64(bits &^ sign)
		}
		return int64(bits)
	}
	n := key(d.got) - key(d.peer)
	return max(n, -n)
}

// largest is the largest magnitude in x, infinite if an element is.
func (d difference) largest() float64 {
	top := 0.0
	for _, b := range d.c.X.Bits {
		if v := math.Abs(widened(d.c.X.DType, b.Re)); v > top {
			top = v
		}
	}
	return top
}

// hasBothZeros reports whether a float array has both zeros.
func (a goldenArray) hasBothZeros() bool {
	var zeros [2]bool
	for _, b := range a.Bits {
		if v := widened(a.DType, b.Re); v == 0 && math.Signbit(v) {
			zeros[1] = true
		} else if v == 0 {
			zeros[0] = true
		}
	}
	return zeros[0] && zeros[1]
}

// widened is an element of a real dtype as the nearest float64.
func widened(dt dtype.DType, bits uint64) float64 {
	var v [1]float64
	a := oracle.New(dt, 1)
	a.Bits[0].Re = bits
	dtype.Convert(dtype.Float64, testkit.Raw(v[:]), dt, a.Bytes())
	return v[0]
}

// epsilon is the distance from 1 to the next float.
func epsilon(dt dtype.DType) float64 {
	return map[dtype.DType]float64{dtype.Float16: 0x1p-10, dtype.BFloat16: 0x1p-7, dtype.Float32: 0x1p-23, dtype.Float64: 0x1p-52}[dt]
}
