package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// floatsOf are float32 values in ascending order of key, NaNs last.
var floatsOf = []float32{
	float32(math.Inf(-1)), -math.MaxFloat32, -1.5, -math.SmallestNonzeroFloat32, float32(math.Copysign(0, -1)),
	0, math.SmallestNonzeroFloat32, 1.5, math.MaxFloat32, float32(math.Inf(1)),
	math.Float32frombits(0x7FC00000), math.Float32frombits(0xFFC00000), math.Float32frombits(0x7F800001), math.Float32frombits(0xFFFFFFFF),
}

// Keys order values as the specification does, and every NaN has the largest.
func TestEncodeOrder(t *testing.T) {
	src := unsafe.Slice((*int32)(unsafe.Pointer(&floatsOf[0])), len(floatsOf))
	dst := make([]int32, len(src))
	if nan := Encode(dst, src, EncodingOf[int32](dtype.Float32)); nan != 4 {
		t.Errorf("%d NaNs, want 4", nan)
	}
	for i := 1; i < 10; i++ {
		if dst[i-1] >= dst[i] {
			t.Errorf("the key of %v is not below that of %v", floatsOf[i-1], floatsOf[i])
		}
	}
	for i := 10; i < len(dst); i++ {
		if dst[i] != math.MaxInt32 || dst[9] == math.MaxInt32 {
			t.Errorf("the key of NaN number %d is %d", i-10, dst[i])
		}
	}
}

// Every 16-bit float goes to its key and back, NaNs to the canonical one, and
// keys ascend with the values.
func TestEncodeHalves(t *testing.T) {
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		enc, nan := EncodingOf[int16](dt), int16(dtype.CanonicalNaN(dt))
		for b := range 1 << 16 {
			src, key, back := [1]int16{int16(b)}, [1]int16{}, [1]int16{}
			nans := Encode(key[:], src[:], enc)
			Decode(back[:], key[:], enc, nan)
			v := dtype.F16FromBits(uint16(b)).Float64()
			if dt == dtype.BFloat16 {
				v = dtype.BF16FromBits(uint16(b)).Float64()
			}
			want := src[0]
			if v != v {
				want = nan
			}
			if back[0] != want || (nans == 1) != (v != v) {
				t.Fatalf("%v %#04x: back as %#04x", dt, b, uint16(back[0]))
			}
		}
	}
}

// Unsigned integers are ordered by their keys and come back.
func TestEncodeUnsigned(t *testing.T) {
	src := []int8{0, 1, 127, -128, -1} // 0, 1, 127, 128, 255
	dst := make([]int8, len(src))
	enc := EncodingOf[int8](dtype.Uint8)
	Encode(dst, src, enc)
	for i := 1; i < len(dst); i++ {
		if dst[i-1] >= dst[i] {
			t.Errorf("key %d is not below key %d", i-1, i)
		}
	}
	Decode(dst, dst, enc, 0)
	for i := range dst {
		if dst[i] != src[i] {
			t.Errorf("element %d comes back as %d", src[i], dst[i])
		}
	}
}

// EncodeTile packs any tile, whatever its strides, reading and writing nothing
// outside it.
func TestEncodeTile(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	enc := EncodingOf[int32](dtype.Float32)
	for range 2000 {
		side := testkit.Sides[rng.IntN(2)]
		n, lanes := rng.IntN(20), rng.IntN(20)
		gap := 1 + rng.IntN(3)
		tile := Tile{N: n, Stride: gap, Lanes: lanes, LaneStride: gap * n}
		if rng.IntN(2) == 0 {
			tile.Stride, tile.LaneStride = gap*lanes, gap
		}
		memory := testkit.FencedCopy(t, keysOf[int32](max(1, (n*lanes-1)*gap+1), rng), side)
		first := 0
		if rng.IntN(3) == 0 && n*lanes > 0 { // backwards
			first = (n-1)*tile.Stride + (lanes-1)*tile.LaneStride
			tile.Stride, tile.LaneStride = -tile.Stride, -tile.LaneStride
		}
		tile.Base = unsafe.Pointer(&memory[first])
		stride, laneStride := 1, n
		if rng.IntN(2) == 0 {
			stride, laneStride = lanes, 1
		}
		dst := testkit.Roomy[int32](t, n*lanes, side)
		nans, want := EncodeTile(dst, stride, laneStride, tile, enc), 0
		for i := range n {
			for j := range lanes {
				key := [1]int32{memory[first+i*tile.Stride+j*tile.LaneStride]}
				want += Encode(key[:], key[:], enc)
				if got := dst[i*stride+j*laneStride]; got != key[0] {
					t.Fatalf("%+v: element %d of lane %d is %d, want %d", tile, i, j, got, key[0])
				}
			}
		}
		if nans != want {
			t.Fatalf("%+v: %d NaNs, want %d", tile, nans, want)
		}
	}
}

func testDecode[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	for _, n := range lengths() {
		for _, e := range encodings[K]() {
			side := testkit.Sides[rng.IntN(2)]
			keys := testkit.FencedCopy(t, keysOf[K](n, rng), side)
			got, want := testkit.Fenced[K](t, n, side), make([]K, n)
			const nan = 77
			decodeGeneric(want, keys, e, nan)
			Decode(got, keys, e, nan)
			if !slices.Equal(got, want) {
				t.Fatalf("code %d, n=%d: %v, want %v", e.Code, n, got, want)
			}
			if Decode(keys, keys, e, nan); !slices.Equal(keys, want) {
				t.Fatalf("in place, code %d, n=%d: %v, want %v", e.Code, n, keys, want)
			}
		}
	}
}

// Decode is its reference, at every length and in place.
func TestDecode(t *testing.T) {
	eachImpl(t, "Encode", func(t *testing.T) {
		forKeys(t, testDecode[int8], testDecode[int16], testDecode[int32], testDecode[int64])
	})
}
