package testkit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ogive-go/ogive/dtype"
)

// generator makes elements of one real dtype.
type generator struct {
	realType
	rng *rand.Rand
}

// uniform is over the whole range of an integer, [0, 1) of a float.
func (g *generator) uniform() uint64 {
	if g.dt.IsFloat() {
		return g.narrow(g.rng.Float64())
	}
	return g.rng.Uint64() & g.mask()
}

// normal is bell-shaped around the middle of the range.
func (g *generator) normal() uint64 {
	v := g.rng.NormFloat64()
	switch {
	case g.dt.IsFloat() || g.dt == dtype.Bool:
		return g.narrow(v)
	case g.dt.IsSigned():
		return g.narrow(v * math.Ldexp(1, g.width-4))
	default:
		return g.narrow(float64(v*math.Ldexp(1, g.width-4)) + math.Ldexp(1, g.width-1))
	}
}

// anyFinite is any bit pattern but infinities and NaNs.
func (g *generator) anyFinite() uint64 {
	for {
		b := g.rng.Uint64() & g.mask()
		if !g.dt.IsFloat() || b&^g.signBit() < g.inf() {
			return b
		}
	}
}

// sign is the sign bit or nothing.
func (g *generator) sign() uint64 {
	if g.rng.IntN(2) == 0 {
		return 0
	}
	return g.signBit()
}

// nan is any NaN: quiet or signalling, of both signs, with any payload, and
// often the canonical one.
func (g *generator) nan() uint64 {
	if g.rng.IntN(3) == 0 {
		return g.inf() | 1<<(g.mant-1)
	}
	payload := g.rng.Uint64() & (1<<g.mant - 1)
	return g.inf() | max(payload, 1) | g.sign()
}

// spread puts NaNs at the given share of the places.
func (g *generator) spread(out []uint64, share float64) {
	for i := range out {
		if g.rng.Float64() < share {
			out[i] = g.nan()
		}
	}
}

func (g *generator) nanAt(out []uint64, i int) { out[i] = g.nan() }

func (g *generator) sort(out []uint64) {
	slices.SortFunc(out, func(a, b uint64) int { return cmp.Compare(g.key(a), g.key(b)) })
}

// fromFew draws from k distinct values, or fewer where the dtype has fewer.
func (g *generator) fromFew(out []uint64, k int) {
	values := make([]uint64, k)
	each(values, g.normal)
	each(out, func() uint64 { return values[g.rng.IntN(k)] })
}

// zipf draws values whose frequency falls as their rank's inverse square.
func (g *generator) zipf(out []uint64) {
	limit := uint64(1) << min(g.width-1, 20)
	if g.dt.IsFloat() {
		limit = 1 << 10
	}
	z := rand.NewZipf(g.rng, 2, 1, limit-1)
	each(out, func() uint64 { return g.narrow(float64(z.Uint64())) })
}

// organPipe rises, then falls.
func (g *generator) organPipe(out []uint64) {
	each(out, g.normal)
	half := len(out) / 2
	g.sort(out[:half])
	g.sort(out[half:])
	slices.Reverse(out[half:])
}

// maxAtEnd is random with the largest value last.
func (g *generator) maxAtEnd(out []uint64) {
	each(out, g.normal)
	at := 0
	for i := range out {
		if g.key(out[i]) >= g.key(out[at]) {
			at = i
		}
	}
	out[at], out[len(out)-1] = out[len(out)-1], out[at]
}

// smallRange is ten neighbouring integers, or steps of a quarter.
func (g *generator) smallRange() uint64 {
	v := float64(g.rng.IntN(10))
	if g.dt.IsFloat() {
		v = v/4 - 1
	}
	return g.narrow(v)
}

// median3Killer is Musser's sequence, quadratic for a quickselect that takes
// the median of first, middle and last.
func (g *generator) median3Killer(out []uint64) {
	values := make([]uint64, len(out))
	each(values, g.normal)
	g.sort(values)
	k := len(out) / 2 &^ 1
	for i := range k {
		if i&1 == 0 {
			out[i] = values[i]
		} else {
			out[i] = values[k+i-1]
		}
		out[k+i] = values[2*i+1]
	}
	copy(out[2*k:], values[2*k:])
}

// extremes draws the ends of the dtype's range and what lies next to them, and
// the values around zero.
func (g *generator) extremes(out []uint64) {
	values := []uint64{0, 1, g.mask(), g.mask() >> 1, g.signBit(), g.mask() - 1}
	switch {
	case g.dt == dtype.Bool:
		values = []uint64{0, 1}
	case g.dt.IsFloat():
		largest, normal := g.inf()-1, uint64(1)<<g.mant
		values = values[:0]
		for _, v := range []uint64{0, 1, normal - 1, normal, largest - 1, largest} {
			values = append(values, v, v|g.signBit())
		}
	}
	each(out, func() uint64 { return values[g.rng.IntN(len(values))] })
}

// ulps draws neighbours: 1 and a few units in the last place either side.
func (g *generator) ulps(out []uint64) {
	one := g.narrow(1)
	if g.dt == dtype.Bool {
		each(out, g.uniform)
		return
	}
	if !g.dt.IsFloat() {
		one = g.mask() >> 2
	}
	each(out, func() uint64 { return one + uint64(g.rng.IntN(9)) - 4 })
}

// zerosAndOnes mixes both zeros with ±1.
func (g *generator) zerosAndOnes(out []uint64) {
	each(out, func() uint64 {
		if g.rng.IntN(4) == 0 {
			return g.narrow(1) | g.sign()
		}
		return g.sign()
	})
}

// denormals draws subnormal numbers and zeros of both signs, and now and then
// the smallest normal one.
func (g *generator) denormals(out []uint64) {
	each(out, func() uint64 {
		if g.rng.IntN(16) == 0 {
			return 1<<g.mant | g.sign()
		}
		return g.rng.Uint64()&(1<<g.mant-1) | g.sign()
	})
}

// infinities mixes both infinities with ordinary values.
func (g *generator) infinities(out []uint64) {
	each(out, func() uint64 {
		if g.rng.IntN(3) == 0 {
			return g.inf() | g.sign()
		}
		return g.normal()
	})
}
