package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// fill is a kind of data, by the name that a case shows.
type fill string

const (
	uniform       fill = "uniform" // floats in [0, 1), integers over their whole range
	normal        fill = "normal"
	sorted        fill = "sorted"
	reversed      fill = "reversed"
	constant      fill = "constant"
	twoValues     fill = "two values"
	tenUniques    fill = "ten uniques"
	thirtyUniques fill = "thirty uniques"
	kiloUniques   fill = "thousand uniques"
	organPipe     fill = "organ pipe"
	zipf          fill = "zipf"
	halfZeros     fill = "half zeros"
	infinities    fill = "infinities"
	denormals     fill = "denormals"
	cluster       fill = "cluster"
	twoClusters   fill = "two clusters"
	nested        fill = "nested"
	multiples     fill = "multiples of 2^40"
	halfFar       fill = "half far away"
)

// fills gives for each kind the value of element i of n. Integers are the lowest bits of
// its whole part, those of kind uniform any.
var fills = map[fill]func(rng *rand.Rand, n int) func(i int) float64{
	uniform: func(rng *rand.Rand, n int) func(int) float64 { return func(int) float64 { return rng.Float64() } },
	normal:  func(rng *rand.Rand, n int) func(int) float64 { return func(int) float64 { return rng.NormFloat64() } },
	sorted: func(rng *rand.Rand, n int) func(int) float64 {
		return func(i int) float64 { return float64(i) / float64(n) }
	},
	reversed: func(rng *rand.Rand, n int) func(int) float64 {
		return func(i int) float64 { return float64(n-i) / float64(n) }
	},
	constant:      func(rng *rand.Rand, n int) func(int) float64 { return func(int) float64 { return 0.5 } },
	twoValues:     uniques(2),
	tenUniques:    uniques(10),
	thirtyUniques: uniques(30),
	kiloUniques:   uniques(1000),
	organPipe: func(rng *rand.Rand, n int) func(int) float64 {
		return func(i int) float64 { return float64(min(i, n-1-i)) }
	},
	zipf: func(rng *rand.Rand, n int) func(int) float64 {
		z := rand.NewZipf(rng, 1.5, 1, 1e6)
		return func(int) float64 { return float64(z.Uint64()) }
	},
	halfZeros: func(rng *rand.Rand, n int) func(int) float64 {
		return func(int) float64 { return max(0, math.Trunc(4000*rng.NormFloat64())) }
	},
	infinities: func(rng *rand.Rand, n int) func(int) float64 {
		return func(int) float64 {
			if r := rng.Uint32(); r%4 < 2 {
				return math.Inf(int(r%4)*2 - 1)
			}
			return rng.NormFloat64()
		}
	},
	cluster: func(rng *rand.Rand, n int) func(int) float64 {
		return func(int) float64 { return float64(1<<29 + rng.IntN(1<<20)) }
	},
	twoClusters: func(rng *rand.Rand, n int) func(int) float64 {
		return func(int) float64 { return float64((1<<29 + rng.IntN(1<<20)) * (2*rng.IntN(2) - 1)) }
	},
	nested: func(rng *rand.Rand, n int) func(int) float64 { // half of it as near its end as a half of that
		return func(int) float64 { return float64(uint64(1)<<rng.IntN(30) + uint64(rng.IntN(2))) }
	},
	multiples: func(rng *rand.Rand, n int) func(int) float64 {
		return func(int) float64 { return float64(rng.IntN(1<<22)) * (1 << 40) }
	},
	halfFar: func(rng *rand.Rand, n int) func(int) float64 {
		return func(int) float64 { return rng.Float64() * []float64{1, 1e30}[rng.IntN(2)] }
	},
	denormals: func(rng *rand.Rand, n int) func(int) float64 {
		return func(int) float64 {
			return math.Copysign(float64(rng.IntN(1<<22))*math.SmallestNonzeroFloat32, rng.Float64()-0.5)
		}
	},
}

func uniques(k int) func(rng *rand.Rand, n int) func(int) float64 {
	return func(rng *rand.Rand, n int) func(int) float64 {
		return func(int) float64 { return float64(rng.IntN(k)) }
	}
}

// dataSpec describes the input of a case. Equal specs give equal data.
type dataSpec struct {
	dt     dtype.DType
	shape  []int
	fill   fill
	nan    float64 // this share of the elements is NaN
	inf    float64 // this share of the elements is +Inf
	test   int     // number of test values of isin; a tenth of the elements is among them
	groups int     // the keys are that many numbers from 0 on
	spread bool    // or, of groups, numbers far apart
	shown  shown   // what is at the places where ogive takes samples
}

func of(dt dtype.DType, shape ...int) dataSpec { return dataSpec{dt: dt, shape: shape, fill: uniform} }

func (d dataSpec) as(f fill) dataSpec             { d.fill = f; return d }
func (d dataSpec) withNaN(share float64) dataSpec { d.nan = share; return d }
func (d dataSpec) withInf(share float64) dataSpec { d.inf = share; return d }
func (d dataSpec) testedAgainst(m int) dataSpec   { d.test = m; return d }
func (d dataSpec) by(groups int) dataSpec         { d.groups = groups; return d }
func (d dataSpec) byFar(groups int) dataSpec      { d.groups, d.spread = groups, true; return d }
func (d dataSpec) showing(s shown) dataSpec       { d.shown = s; return d }
func (d dataSpec) equal(e dataSpec) bool          { return d.String() == e.String() }
func (d dataSpec) bytes() int                     { return d.len() * d.dt.Size() }

func (d dataSpec) len() int {
	n := 1
	for _, s := range d.shape {
		n *= s
	}
	return n
}

// String returns for example "float32 10M" or "int16 20x500k normal".
func (d dataSpec) String() string {
	parts := make([]string, len(d.shape))
	for i, n := range d.shape {
		parts[i] = count(n)
	}
	s := d.dt.String() + " " + strings.Join(parts, "x")
	if d.fill != uniform {
		s += " " + string(d.fill)
	}
	if d.nan > 0 {
		s += fmt.Sprintf(" %v%% NaN", 100*d.nan)
	}
	if d.inf > 0 {
		s += fmt.Sprintf(" %v%% +Inf", 100*d.inf)
	}
	if d.test > 0 {
		s += " in " + count(d.test)
	}
	if d.groups > 0 {
		s += " by " + count(d.groups)
	}
	if d.spread {
		s += " far apart"
	}
	if d.shown != "" {
		s += ", " + string(d.shown) + " where sampled"
	}
	return s
}

// count returns n in short: 10M, 1.4M, 500k, 16.
func count(n int) string {
	switch {
	case n >= 1_000_000 && n%100_000 == 0:
		return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) + "M"
	case n >= 10_000 && n%1000 == 0:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}

// keys returns the keys of groups.
func (d dataSpec) keys() (*ogive.Tensor, error) {
	k, pick := make([]int64, d.shape[0]), rand.New(rand.NewPCG(5, 6))
	for i := range k {
		if k[i] = pick.Int64N(int64(d.groups)); d.spread {
			k[i] <<= 40
		}
	}
	return ogive.FromSlice(k)
}

// generate returns the data, and the test values of isin, the keys of groups or nil.
func (d dataSpec) generate() (x, test *ogive.Tensor, err error) {
	if d.groups > 0 {
		keys, err := d.keys()
		if err != nil {
			return nil, nil, err
		}
		d.groups = 0
		x, _, err := d.generate()
		return x, keys, err
	}
	if fills[d.fill] == nil {
		return nil, nil, fmt.Errorf("unknown kind of data %q", d.fill)
	}
	switch d.dt {
	case dtype.Float16, dtype.BFloat16:
		if x, _, err = generate(d, d.floats32()); err == nil {
			x, err = x.Cast(d.dt)
		}
		return x, nil, err
	case dtype.Float32:
		return generate(d, d.floats32())
	case dtype.Float64:
		at := fills[d.fill](d.rng(), d.len())
		return generate(d, at)
	case dtype.Uint8:
		return generate(d, integers[uint8](d))
	case dtype.Int16:
		return generate(d, integers[int16](d))
	case dtype.Int32:
		return generate(d, integers[int32](d))
	case dtype.Int64:
		return generate(d, integers[int64](d))
	}
	return nil, nil, fmt.Errorf("no data of dtype %v", d.dt)
}

func (d dataSpec) rng() *rand.Rand { return rand.New(rand.NewPCG(1, uint64(d.len()))) }

func (d dataSpec) floats32() func(i int) float32 {
	at := fills[d.fill](d.rng(), d.len())
	return func(i int) float32 { return float32(at(i)) }
}

func integers[T uint8 | int16 | int32 | int64](d dataSpec) func(i int) T {
	rng := d.rng()
	if d.fill == uniform {
		return func(int) T { return T(rng.Uint64()) }
	}
	at := fills[d.fill](rng, d.len())
	return func(i int) T { return T(int64(at(i))) }
}

// generate makes the tensors of d from the values that at gives.
func generate[T dtype.Element](d dataSpec, at func(i int) T) (x, test *ogive.Tensor, err error) {
	v := make([]T, d.len())
	for i := range v {
		v[i] = at(i)
	}
	pick := rand.New(rand.NewPCG(3, 4))
	if d.test > 0 {
		s := make([]T, d.test)
		for i := range s {
			s[i] = at(i)
		}
		for i := range v {
			if pick.IntN(10) == 0 {
				v[i] = s[pick.IntN(len(s))]
			}
		}
		if test, err = ogive.FromSlice(s); err != nil {
			return nil, nil, err
		}
	}
	sprinkle(v, d.nan, math.NaN(), pick)
	sprinkle(v, d.inf, math.Inf(1), pick)
	x, err = ogive.FromSlice(v, d.shape...)
	return x, test, err
}

// sprinkle puts the value in a share of the places of a slice of floats.
func sprinkle[T dtype.Element](v []T, share, value float64, rng *rand.Rand) {
	if share == 0 {
		return
	}
	for i := range v {
		if rng.Float64() >= share {
			continue
		}
		switch p := any(&v[i]).(type) {
		case *float32:
			*p = float32(value)
		case *float64:
			*p = value
		}
	}
}
