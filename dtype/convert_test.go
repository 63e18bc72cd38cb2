package dtype

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestConvert compares every pair of dtypes with a conversion through big
// numbers, on edge values and random bits, and checks that nothing is written
// past the last element.
func TestConvert(t *testing.T) {
	for _, src := range All() {
		s := patterns(src)
		for _, dst := range All() {
			t.Run(src.String()+"-"+dst.String(), func(t *testing.T) {
				n := len(s) / src.Size()
				want := make([]byte, n*dst.Size())
				for i := range n {
					encode(dst, want[i*dst.Size():], decode(src, s[i*src.Size():]))
				}
				if src == dst {
					want = s
				}
				for _, k := range []int{0, 1, 3, chunk - 1, chunk, chunk + 1, 2*chunk + 5, n} {
					d := aligned(bytes.Repeat([]byte{0xA5}, (k+1)*dst.Size()))
					used := k * dst.Size()
					Convert(dst, d, src, s[:k*src.Size()])
					for i := range k {
						g, w := d[i*dst.Size():][:dst.Size()], want[i*dst.Size():][:dst.Size()]
						if !bytes.Equal(g, w) {
							t.Fatalf("element %d of %d, % x: got % x, want % x", i, k, s[i*src.Size():][:src.Size()], g, w)
						}
					}
					for _, b := range d[used:] {
						if b != 0xA5 {
							t.Fatalf("%d elements: memory after the last was written", k)
						}
					}
				}
			})
		}
	}
}

func TestConvertInPlace(t *testing.T) {
	for _, d := range All() {
		b := patterns(d)
		want := bytes.Clone(b)
		Convert(d, b, d, b)
		if !bytes.Equal(b, want) {
			t.Errorf("%v: changed by a conversion to itself", d)
		}
	}
}

func TestConvertDoesNotAllocate(t *testing.T) {
	for _, src := range All() {
		s := patterns(src)
		d := aligned(make([]byte, 16*len(s)))
		// Of three runs, for what the runtime allocates meanwhile is no allocation each.
		n := testing.AllocsPerRun(3, func() {
			for _, dst := range All() {
				Convert(dst, d, src, s)
			}
		})
		if n != 0 {
			t.Errorf("from %v: %v allocations", src, n)
		}
	}
}

func TestConvertPanics(t *testing.T) {
	b := aligned(make([]byte, 16))
	for _, c := range []struct {
		name     string
		dst, src DType
		d, s     []byte
	}{
		{"invalid source", Int8, Invalid, b, b},
		{"invalid target", count, Int8, b, b},
		{"part of an element", Int8, Int16, b, b[:3]},
		{"short target", Float64, Float32, b[:15], b[:8]},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			Convert(c.dst, c.d, c.src, c.s)
		})
	}
}

func BenchmarkConvert(b *testing.B) {
	const n = 4096
	for _, src := range All() {
		for _, dst := range All() {
			b.Run("src="+src.String()+"/dst="+dst.String(), func(b *testing.B) {
				s, d := aligned(make([]byte, n*src.Size())), aligned(make([]byte, n*dst.Size()))
				x := make([]float64, n)
				for i := range x {
					x[i] = float64(i%1000) / 8
				}
				Convert(src, s, Float64, unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*n))
				for b.Loop() {
					Convert(dst, d, src, s)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/elem")
			})
		}
	}
}

// aligned returns a copy of b that is aligned for every dtype.
func aligned(b []byte) []byte {
	words := make([]uint64, len(b)/8+1)
	c := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(b))
	copy(c, b)
	return c
}

// patterns returns at least 1200 elements of d: what its type makes of edge
// values of all types, and random bits.
func patterns(d DType) []byte {
	var out []byte
	add := func(v value) {
		var b [16]byte
		encode(d, b[:], v)
		out = append(out, b[:d.Size()]...)
	}
	for _, bit := range []uint{0, 7, 8, 10, 11, 15, 16, 23, 24, 25, 31, 32, 33, 40, 52, 53, 54, 62, 63, 64} {
		for _, low := range []uint{0, 1, 8, 16, 30, 39} {
			n := new(big.Int).Lsh(big.NewInt(1), bit)
			if 0 < low && low < bit {
				n.Add(n, new(big.Int).Lsh(big.NewInt(1), low-1)) // a tie for some format
			}
			for _, delta := range []int64{-1, 0, 1} {
				m := new(big.Int).Add(n, big.NewInt(delta))
				add(integerValue(m))
				add(integerValue(m.Neg(m)))
			}
		}
	}
	floats := []float64{
		0, 0.5, 0.99, 1.5, 2.5, 126.5, 127.5, 128.5, 254.5, 255.5, 32767.5, 65504, 65519.999, 65520, 65535.5,
		2147483646.5, 2147483647.5, 4294967295.5, 1e10, 1e19, 1e20, 1e38, 1e39, 1e300,
		0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-133, 0x1.8p-134, 0x1p-149, 0x1p-150, 0x1.000001p-150, 5e-324, 0x1p-1022,
		1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-24 + 0x1p-52, 1 + 0x1p-24, 1 + 0x3p-24,
		math.MaxFloat32, 0x1.FFFFFFp127, 0x1.FFFFFEFFFFFFFp127, math.MaxFloat64, math.Inf(1),
	}
	for _, nan := range []uint64{0x7FF8000000000000, 0x7FF0000000000001, 0x7FF4000000000000, 0x7FFFFFFFFFFFFFFF, 0x7FFA5A5A5A5A5A5A} {
		floats = append(floats, math.Float64frombits(nan))
	}
	for i, f := range floats {
		x, y := floatPart(math.Float64bits(f), 52, 11), floatPart(math.Float64bits(floats[len(floats)-1-i]), 52, 11)
		zero := part{abs: new(big.Int)}
		for range 2 {
			add(value{re: x, im: zero})
			add(value{re: x, im: y})
			add(value{re: zero, im: y})
			x.neg, zero.neg = !x.neg, !zero.neg
		}
	}
	r := rand.New(rand.NewPCG(1, uint64(d)))
	for n := len(out)/d.Size() + 200; len(out) < n*d.Size(); {
		out = append(out, byte(r.Uint32()))
	}
	return aligned(out)
}

// part is a real number: a NaN, an infinity, or sign and absolute value in
// units of 2^-fraction, which is an integer for every float64 and every tie.
type part struct {
	neg, inf, nan bool
	payload       uint64 // of a NaN, aligned to 52 bits
	abs           *big.Int
}

const fraction = 1080

// value is an element; integer says that it came from an integer or a bool.
type value struct {
	re, im  part
	integer bool
}

func integerValue(n *big.Int) value {
	abs := new(big.Int).Abs(n)
	return value{
		re:      part{neg: n.Sign() < 0, abs: abs.Lsh(abs, fraction)},
		im:      part{abs: new(big.Int)},
		integer: true,
	}
}

// floatPart reads an IEEE 754 number from its definition.
func floatPart(b uint64, mant, exp uint) part {
	p := part{neg: b>>(mant+exp)&1 == 1, abs: new(big.Int)}
	e, m := b>>mant&(1<<exp-1), b&(1<<mant-1)
	switch {
	case e == 1<<exp-1 && m == 0:
		p.inf = true
	case e == 1<<exp-1:
		p.nan, p.payload = true, m<<(52-mant)
	default:
		if e > 0 {
			m |= 1 << mant
			e--
		}
		tiny := 2 - 1<<(exp-1) - int(mant) // the exponent of the smallest number
		p.abs.Lsh(p.abs.SetUint64(m), uint(fraction+tiny)+uint(e))
	}
	return p
}

// floatBits is the inverse of floatPart, rounding to nearest, ties to even.
func floatBits(p part, mant, exp uint) uint64 {
	sign := uint64(0)
	if p.neg {
		sign = 1 << (mant + exp)
	}
	inf := uint64(1<<exp-1) << mant
	switch {
	case p.nan:
		return sign | inf | 1<<(mant-1) | p.payload>>(52-mant)
	case p.inf:
		return sign | inf
	}
	// Patterns are in the order of their values. The right one is the largest
	// not above p, found by halving, or the next.
	lo, hi := uint64(0), inf
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; floatPart(mid, mant, exp).abs.Cmp(p.abs) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	tie := floatPart(hi, mant, exp).abs
	if hi == inf { // 2^2^(exp-1), where the next number would be
		tie = new(big.Int).Lsh(big.NewInt(1), fraction+1<<(exp-1))
	}
	tie.Add(tie, floatPart(lo, mant, exp).abs).Rsh(tie, 1)
	if c := p.abs.Cmp(tie); c > 0 || c == 0 && lo&1 == 1 {
		return sign | hi
	}
	return sign | lo
}

// integerBits returns the low bits of an integer that wraps, and otherwise
// truncates and saturates.
func integerBits(v value, size int, signed bool) uint64 {
	bits := uint(8 * size)
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), bits)
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	n := new(big.Int).Rsh(v.re.abs, fraction)
	if v.re.neg {
		n.Neg(n)
	}
	switch {
	case v.re.nan:
		n.SetInt64(0)
	case v.re.inf && v.re.neg, !v.integer && n.Cmp(lo) < 0:
		n = lo
	case v.re.inf, !v.integer && n.Cmp(hi) > 0:
		n = hi
	}
	mask := new(big.Int).Lsh(big.NewInt(1), bits)
	return n.And(n, mask.Sub(mask, big.NewInt(1))).Uint64() // And is of two's complements
}

// decode reads one element.
func decode(d DType, b []byte) value {
	zero := part{abs: new(big.Int)}
	switch d {
	case Bool:
		return integerValue(big.NewInt(int64(min(b[0], 1))))
	case Int8, Int16, Int32, Int64:
		shift := 64 - 8*d.Size()
		return integerValue(big.NewInt(int64(load(b, d.Size())<<shift) >> shift))
	case Float16:
		return value{re: floatPart(load(b, 2), 10, 5), im: zero}
	case BFloat16:
		return value{re: floatPart(load(b, 2), 7, 8), im: zero}
	case Float32:
		return value{re: floatPart(load(b, 4), 23, 8), im: zero}
	case Float64:
		return value{re: floatPart(load(b, 8), 52, 11), im: zero}
	case Complex64:
		return value{re: floatPart(load(b, 4), 23, 8), im: floatPart(load(b[4:], 4), 23, 8)}
	case Complex128:
		return value{re: floatPart(load(b, 8), 52, 11), im: floatPart(load(b[8:], 8), 52, 11)}
	default:
		return integerValue(new(big.Int).SetUint64(load(b, d.Size())))
	}
}

// encode writes v as one element of d.
func encode(d DType, b []byte, v value) {
	switch d {
	case Bool:
		b[0] = 1
		if zero := func(p part) bool { return !p.nan && !p.inf && p.abs.Sign() == 0 }; zero(v.re) && zero(v.im) {
			b[0] = 0
		}
	case Float16:
		store(b, 2, floatBits(v.re, 10, 5))
	case BFloat16:
		store(b, 2, floatBits(v.re, 7, 8))
	case Float32:
		store(b, 4, floatBits(v.re, 23, 8))
	case Float64:
		store(b, 8, floatBits(v.re, 52, 11))
	case Complex64:
		store(b, 4, floatBits(v.re, 23, 8))
		store(b[4:], 4, floatBits(v.im, 23, 8))
	case Complex128:
		store(b, 8, floatBits(v.re, 52, 11))
		store(b[8:], 8, floatBits(v.im, 52, 11))
	default:
		store(b, d.Size(), integerBits(v, d.Size(), d.IsSigned()))
	}
}

func load(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	default:
		return binary.NativeEndian.Uint64(b)
	}
}

func store(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(v))
	default:
		binary.NativeEndian.PutUint64(b, v)
	}
}
