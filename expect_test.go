package ogive_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// Fixtures are written as bit patterns, so that they mean the same on every
// machine and a signed zero or a NaN cannot hide behind ==.

// floatBits is a float dtype with the patterns that fixtures need.
type floatBits struct {
	dt                          dtype.DType
	one, two, inf, nan, signBit uint64
}

// floatTypes has a row for every float dtype.
var floatTypes = []floatBits{
	{dtype.Float16, 0x3C00, 0x4000, 0x7C00, 0x7E00, 0x8000},
	{dtype.BFloat16, 0x3F80, 0x4000, 0x7F80, 0x7FC0, 0x8000},
	{dtype.Float32, 0x3F800000, 0x40000000, 0x7F800000, 0x7FC00000, 0x80000000},
	{dtype.Float64, 0x3FF0000000000000, 0x4000000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 1 << 63},
}

// nans are a dtype's NaNs of both signs, quiet and signalling, with payloads.
func (f floatBits) nans() []uint64 {
	return []uint64{f.nan, f.nan | f.signBit, f.inf | 1, f.inf | 1 | f.signBit, f.nan | 5, f.signBit | (f.signBit - 1)}
}

// fromBits returns a C-order tensor of the patterns; a vector without a shape.
func fromBits(t failer, dt dtype.DType, bits []uint64, shape ...int) *ogive.Tensor {
	t.Helper()
	if shape == nil {
		shape = []int{len(bits)}
	}
	a := oracle.New(dt, shape...)
	for i, b := range bits {
		a.Bits[i].Re = b
	}
	b := testkit.Aligned(len(bits) * dt.Size())
	copy(b, a.Bytes())
	return tensorOf(t, dt, b, shape)
}

// bitsOf returns the patterns of a real tensor's elements in C order.
func bitsOf(t failer, x *ogive.Tensor) []uint64 {
	t.Helper()
	a := oracle.FromBytes(x.DType(), content(t, x), x.Len())
	bits := make([]uint64, len(a.Bits))
	for i, b := range a.Bits {
		bits[i] = b.Re
	}
	return bits
}

// wantBits fails the test unless the result has the dtype, the shape and
// exactly the patterns.
func wantBits(t *testing.T, what string, got *ogive.Tensor, err error, dt dtype.DType, shape []int, bits ...uint64) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if got.DType() != dt || !slices.Equal(got.Shape(), shape) {
		t.Errorf("%s: got %v %v, want %v %v", what, got.DType(), got.Shape(), dt, shape)
		return
	}
	if have := bitsOf(t, got); !slices.Equal(have, bits) {
		t.Errorf("%s: got %x, want %x", what, have, bits)
	}
}

// wantFloats is wantBits for float64 results given as numbers; NaN is the
// canonical one.
func wantFloats(t *testing.T, what string, got *ogive.Tensor, err error, shape []int, want ...float64) {
	t.Helper()
	bits := make([]uint64, len(want))
	for i, v := range want {
		bits[i] = math.Float64bits(v)
		if v != v {
			bits[i] = 0x7FF8000000000000
		}
	}
	wantBits(t, what, got, err, dtype.Float64, shape, bits...)
}

// wantInts is wantBits for int64 results.
func wantInts(t *testing.T, what string, got *ogive.Tensor, err error, shape []int, want ...int64) {
	t.Helper()
	bits := make([]uint64, len(want))
	for i, v := range want {
		bits[i] = uint64(v)
	}
	wantBits(t, what, got, err, dtype.Int64, shape, bits...)
}

// wantBools is wantBits for bool results given as text, "1" for true: "0110".
func wantBools(t *testing.T, what string, got *ogive.Tensor, err error, shape []int, want string) {
	t.Helper()
	bits := make([]uint64, len(want))
	for i, c := range want {
		bits[i] = uint64(c - '0')
	}
	wantBits(t, what, got, err, dtype.Bool, shape, bits...)
}

// of returns a tensor over the values; a vector without a shape.
func of[T dtype.Element](v []T, shape ...int) *ogive.Tensor {
	return ogive.Must(ogive.FromSlice(v, shape...))
}

// vec is of without a shape.
func vec[T dtype.Element](v ...T) *ogive.Tensor { return of(v) }

var (
	negZero  = math.Copysign(0, -1)
	inf      = math.Inf(1)
	nan      = math.NaN()
	scalar   = []int{}
	discrete = []rank.Method{rank.Lower, rank.Higher, rank.Nearest, rank.NearestDown, rank.InvertedCDF, rank.ClosestObservation}
)

// shuffled is a bijection of 0 … n-1 that scatters ranks over positions: the
// value of rank r lies at shuffled(n)(r).
func shuffled(n int) func(r int) int {
	// A prime larger than every n here has no divisor in common with it.
	const prime = 1_000_000_007
	return func(r int) int { return int(uint64(r) * prime % uint64(n)) }
}

// wantError fails the test unless err wraps the sentinel and reads exactly as
// the message.
func wantError(t *testing.T, what string, err, sentinel error, message string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: no error, want %q", what, message)
	case !errors.Is(err, sentinel):
		t.Errorf("%s: %q does not wrap %q", what, err, sentinel)
	case err.Error() != message:
		t.Errorf("%s:\n got %q\nwant %q", what, err, message)
	}
	if e := (*ogive.Error)(nil); err != nil && !errors.As(err, &e) {
		t.Errorf("%s: %q is not an *ogive.Error", what, err)
	}
}
