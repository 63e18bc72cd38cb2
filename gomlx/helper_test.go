package gomlx_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

func backend() compute.Backend { return gobackend.GetBackend() }

// graphDType maps ogive's dtypes to GoMLX's.
var graphDType = map[dtype.DType]dtypes.DType{
	dtype.Bool: dtypes.Bool, dtype.Int8: dtypes.Int8, dtype.Int16: dtypes.Int16, dtype.Int32: dtypes.Int32, dtype.Int64: dtypes.Int64,
	dtype.Uint8: dtypes.Uint8, dtype.Uint16: dtypes.Uint16, dtype.Uint32: dtypes.Uint32, dtype.Uint64: dtypes.Uint64,
	dtype.Float16: dtypes.Float16, dtype.BFloat16: dtypes.BFloat16, dtype.Float32: dtypes.Float32, dtype.Float64: dtypes.Float64,
}

// allDTypes are those of the graph, floats first.
var allDTypes = []dtype.DType{
	dtype.Float64, dtype.Float32, dtype.Float16, dtype.BFloat16,
	dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64, dtype.Bool,
}

// toGraph returns a GoMLX tensor of the same bytes.
func toGraph(t testing.TB, x *ogive.Tensor) *tensors.Tensor {
	t.Helper()
	b, err := ogive.Must(x.Contiguous()).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	to := tensors.FromShape(shapes.Make(graphDType[x.DType()], x.Shape()...))
	if err := to.MutableBytes(func(d []byte) { copy(d, b) }); err != nil {
		t.Fatal(err)
	}
	return to
}

// fromGraph is the inverse of toGraph.
func fromGraph(t testing.TB, x *tensors.Tensor) *ogive.Tensor {
	t.Helper()
	for dt, g := range graphDType {
		if g == x.DType() {
			to := ogive.Must(ogive.Zeros(dt, x.Shape().Dimensions...))
			if err := x.ConstBytes(func(b []byte) { copy(ogive.Must(to.Bytes()), b) }); err != nil {
				t.Fatal(err)
			}
			return to
		}
	}
	t.Fatalf("unexpected dtype %v", x.DType())
	return nil
}

// run builds and executes a graph of the given inputs.
func run(t testing.TB, build func(in []*graph.Node) *graph.Node, in ...*ogive.Tensor) (*ogive.Tensor, error) {
	t.Helper()
	args := make([]any, len(in))
	for i, x := range in {
		args[i] = toGraph(t, x)
	}
	exec, err := graph.NewExec(backend(), build)
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	out, err := exec.Exec(args...)
	if err != nil {
		return nil, err
	}
	return fromGraph(t, out[0]), nil
}

// same demands the same dtype, shape and bits.
func same(t testing.TB, got, want *ogive.Tensor, format string, args ...any) {
	t.Helper()
	if got.DType() != want.DType() || !equalInts(got.Shape(), want.Shape()) {
		t.Fatalf(format+": got %v %v, want %v %v", append(args, got.DType(), got.Shape(), want.DType(), want.Shape())...)
	}
	g, w := ogive.Must(ogive.Must(got.Contiguous()).Bytes()), ogive.Must(ogive.Must(want.Contiguous()).Bytes())
	if !bytes.Equal(g, w) {
		t.Fatalf(format+":\n got %v %x\nwant %v %x", append(args, got, g, want, w)...)
	}
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// pattern is a kind of values.
type pattern int

const (
	plain    pattern = iota
	ties             // few distinct values, both zeros
	extremes         // infinities, subnormals, the largest and smallest, any bits
	someNaN          // as extremes, with NaNs of any sign and payload
	mostNaN
	onlyNaN
	patterns
)

// random returns a tensor of a pattern's values; integers have no NaN.
func random(r *rand.Rand, dt dtype.DType, p pattern, shape ...int) *ogive.Tensor {
	x := ogive.Must(ogive.Zeros(dt, shape...))
	b := ogive.Must(x.Bytes())
	size := dt.Size()
	for i := 0; i < len(b); i += size {
		put(b[i:i+size], element(r, dt, p))
	}
	return x
}

func put(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v >> (8 * i)) // little-endian, as the machines of the tests
	}
}

// fields are the widths of a float's fraction and exponent.
var fields = map[dtype.DType][2]uint{dtype.Float16: {10, 5}, dtype.BFloat16: {7, 8}, dtype.Float32: {23, 8}, dtype.Float64: {52, 11}}

func element(r *rand.Rand, dt dtype.DType, p pattern) uint64 {
	if dt == dtype.Bool {
		return r.Uint64() & 1
	}
	width := uint(8 * dt.Size())
	mask := uint64(1)<<(width-1)<<1 - 1
	f, float := fields[dt]
	if !float {
		switch p {
		case plain:
			return uint64(r.IntN(100)) & mask
		case ties:
			return uint64(int64(r.IntN(3)-1)) & mask
		}
		return [...]uint64{r.Uint64(), 0, mask, mask >> 1, mask>>1 + 1, r.Uint64() >> 11}[r.IntN(6)] & mask
	}
	sign := uint64(1) << (width - 1) & -(r.Uint64() & 1)
	inf := uint64(1<<f[1]-1) << f[0]
	fraction := r.Uint64() & (1<<f[0] - 1)
	bias := uint64(1)<<(f[1]-1) - 1
	nan := sign | inf | fraction | 1<<r.UintN(f[0])
	switch {
	case p == onlyNaN, p == mostNaN && r.IntN(4) > 0, p == someNaN && r.IntN(5) == 0:
		return nan
	case p == plain:
		return sign | (bias-2+r.Uint64N(5))<<f[0] | fraction
	case p == ties:
		return sign | bias<<f[0]*(r.Uint64()&1)
	}
	switch r.IntN(6) {
	case 0:
		return sign | inf
	case 1:
		return sign | fraction // subnormal
	case 2:
		return sign | (inf - 1)
	case 3:
		return sign
	case 4:
		return sign | bias<<f[0] | fraction
	}
	return sign | r.Uint64N(inf>>f[0])<<f[0] | fraction
}

// floats returns a tensor of a float dtype.
func floats(dt dtype.DType, v ...float64) *ogive.Tensor {
	return ogive.Must(ogive.Must(ogive.FromSlice(v)).Cast(dt))
}

var (
	inf = math.Inf(1)
	nan = math.NaN()
)
