package cuda

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// specials returns the bits at the ends of a dtype's order and around its gaps: first
// those that are no NaN, from the index on NaNs of both signs, quiet and signalling.
func specials(dt dtype.DType) (list []uint64, nan int) {
	width := 8 * dt.Size()
	top := uint64(1) << (width - 1)
	if dt == dtype.Bool {
		return []uint64{0, 1}, 2
	}
	if !dt.IsFloat() {
		return []uint64{0, 1, 2, top - 2, top - 1, top, top + 1, top + 2, 2*top - 2, 2*top - 1}, 10
	}
	inf := infinity(dt)
	mantissa := uint64(1) << bits.TrailingZeros64(inf)
	one := inf >> 1 &^ (mantissa - 1)
	for _, m := range []uint64{0, 1, mantissa / 2, mantissa - 1, mantissa, mantissa + 1, one - 1, one, one + 1, one + mantissa, inf - mantissa, inf - 1, inf} {
		list = append(list, m, m|top)
	}
	nan = len(list)
	for _, m := range []uint64{inf + 1, inf + mantissa/2 - 1, inf + mantissa/2, inf + mantissa/2 + 1, top - 1} {
		list = append(list, m, m|top)
	}
	return list, nan
}

// special returns n elements of the specials, one of eight any finite number, with NaNs
// or without.
func special(dt dtype.DType, n int, nans bool, seed uint64) []byte {
	list, nan := specials(dt)
	if !nans {
		list = list[:nan]
	}
	b := testkit.Fill("bits", dt, n, seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		if rng.IntN(8) > 0 {
			v := list[rng.IntN(len(list))]
			copy(b[i*dt.Size():], raw([]uint64{v})[:dt.Size()])
		}
	}
	return b
}

// rowsOfAll returns count rows of n elements, each of another kind of data.
func rowsOfAll(t testing.TB, dt dtype.DType, count, n int, seed uint64) *ogive.Tensor {
	t.Helper()
	kinds := []string{"bits", "special", "few5", "special without NaN", "normal", "constant", "ulps"}
	if dt.IsFloat() {
		kinds = append(kinds, "nanfew", "nanlast", "naninf", "infmix", "nanall")
	}
	var b []byte
	for i := range count {
		switch kind := kinds[i%len(kinds)]; kind {
		case "special", "special without NaN":
			b = append(b, special(dt, n, kind == "special", seed+uint64(i))...)
		default:
			b = append(b, testkit.Fill(kind, dt, n, seed+uint64(i))...)
		}
	}
	x, err := ogive.FromBytes(dt, b, count, n)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// diagonal returns n rows of n elements of which one is infinite or the greatest, in each
// row another.
func diagonal(t testing.TB, dt dtype.DType, n int) *ogive.Tensor {
	t.Helper()
	x := filled(t, "normal", dt, 5, n, n)
	b := ogive.Must(x.Bytes())
	list, nan := specials(dt)
	for i := range n {
		copy(b[(i*n+i)*dt.Size():], raw(list[nan-1-i%2:])[:dt.Size()])
	}
	return x
}

// pairsOfAll returns all pairs of specials that are no NaN, some with one, and n pairs of
// neighbours, in two columns.
func pairsOfAll(t testing.TB, dt dtype.DType, n int) *ogive.Tensor {
	t.Helper()
	list, nan := specials(dt)
	var b []byte
	add := func(v ...uint64) {
		for _, v := range v {
			b = append(b, raw([]uint64{v})[:dt.Size()]...)
		}
	}
	for _, u := range list[:nan] {
		for _, v := range list[:min(nan+1, len(list))] {
			add(u, v)
		}
	}
	near, any := testkit.Fill("ulps", dt, 2*n, 1), testkit.Fill("bits", dt, 2*n, 1)
	b = append(append(b, near...), any...)
	x, err := ogive.FromBytes(dt, b, len(b)/dt.Size()/2, 2)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
