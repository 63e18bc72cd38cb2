package ptxemu_test

import (
	_ "embed"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/ptxemu"
)

//go:embed testdata/sample.ptx
var sample []byte

// machine is a device with a module and a stream, whose failures end the test.
type machine struct {
	t   testing.TB
	dev *ptxemu.Device
	mod cudrv.Module
	str cudrv.Stream
}

func newMachine(t testing.TB, ptx []byte, o ptxemu.Options) *machine {
	t.Helper()
	d, err := ptxemu.New(o).Open(0)
	check(t, err)
	m, err := d.Load(ptx)
	check(t, err)
	s, err := d.NewStream()
	check(t, err)
	return &machine{t, d.(*ptxemu.Device), m, s}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put returns the address of a copy of x.
func put[T any](m *machine, x []T) uint64 {
	m.t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, x)
	check(m.t, err)
	p, err := m.dev.Alloc(len(b))
	check(m.t, err)
	check(m.t, m.str.Upload(p, b))
	return uint64(p)
}

// get returns n values at an address.
func get[T any](m *machine, p uint64, n int) []T {
	m.t.Helper()
	x := make([]T, n)
	b := make([]byte, binary.Size(x))
	check(m.t, m.str.Download(b, cudrv.Ptr(p)))
	_, err := binary.Decode(b, binary.LittleEndian, x)
	check(m.t, err)
	return x
}

// try launches a kernel.
func (m *machine) try(kernel string, grid [3]int, block, shared int, args ...uint64) error {
	m.t.Helper()
	f, err := m.mod.Function(kernel, shared)
	check(m.t, err)
	return m.str.Launch(&cudrv.Launch{Function: f, Grid: grid, Block: block, Shared: shared, Args: args})
}

func (m *machine) run(kernel string, grid, block, shared int, args ...uint64) {
	m.t.Helper()
	check(m.t, m.try(kernel, [3]int{grid, 1, 1}, block, shared, args...))
}

func equal[T comparable](t testing.TB, got, want []T) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// eachSeed runs a test in several orders of blocks and warps.
func eachSeed(t *testing.T, f func(t *testing.T, m *machine, r *rand.Rand)) {
	for seed := range uint64(4) {
		o := ptxemu.Options{Seed: seed}
		if seed > 1 {
			o.Quantum = 3
		}
		f(t, newMachine(t, sample, o), rand.New(rand.NewPCG(seed, 1)))
	}
}

func randoms(r *rand.Rand, n int) []uint32 {
	x := make([]uint32, n)
	for i := range x {
		x[i] = r.Uint32()
	}
	return x
}

func TestGridOfThreeDimensions(t *testing.T) {
	eachSeed(t, func(t *testing.T, m *machine, _ *rand.Rand) {
		out := put(m, make([]uint32, 5*3*2*40))
		check(t, m.try("grid3", [3]int{5, 3, 2}, 40, 0, out))
		got := get[uint32](m, out, 5*3*2*40)
		for i := range got {
			b := i / 40
			if want := uint32(2<<12 | b/15<<8 | b/5%3<<4 | b%5); got[i] != want {
				t.Fatalf("element %d is %#x, want %#x", i, got[i], want)
			}
		}
	})
}

func TestHistogram(t *testing.T) {
	eachSeed(t, func(t *testing.T, m *machine, r *rand.Rand) {
		x := randoms(r, 4*1111)
		want := make([]uint32, 256)
		for _, v := range x {
			for ; v != 0; v >>= 8 {
				want[v&255]++
			}
		}
		// Zeros in the high bytes have not been counted above.
		for _, v := range x {
			want[0] += uint32(bits.LeadingZeros32(v) / 8)
		}
		bins := put(m, make([]uint32, 256))
		in := put(m, x)
		m.dev.ResetStats()
		m.run("histogram", 7, 96, 0, in, 1111, bins)
		equal(t, get[uint32](m, bins, 256), want)
		if got := m.dev.Traffic(cudrv.Ptr(in)); got.Read != 4*4*1111 || got.Written != 0 {
			t.Fatalf("traffic of the input %+v", got)
		}
		s := m.dev.Stats().Kernels["histogram"]
		if s.Launches != 1 || s.Blocks != 7 || s.Barriers != 2*7*96 || s.Read <= s.Written || s.WarpInstructions*32 < s.Instructions {
			t.Fatalf("statistics %+v", s)
		}
	})
}

func TestDynamicSharedMemory(t *testing.T) {
	eachSeed(t, func(t *testing.T, m *machine, r *rand.Rand) {
		x := randoms(r, 5*200)
		p := put(m, x)
		m.run("reverse", 5, 200, 800, p)
		for part := range slices.Chunk(x, 200) {
			slices.Reverse(part)
		}
		equal(t, get[uint32](m, p, len(x)), x)
	})
}

func TestScan(t *testing.T) {
	eachSeed(t, func(t *testing.T, m *machine, r *rand.Rand) {
		for _, n := range []int{1, 31, 32, 33, 500, 1024} {
			x := randoms(r, n)
			p := put(m, x)
			m.run("scan", 1, 1024, 0, p, uint64(n))
			for i := 1; i < n; i++ {
				x[i] += x[i-1]
			}
			equal(t, get[uint32](m, p, n), x)
		}
	})
}

func TestLastBlock(t *testing.T) {
	eachSeed(t, func(t *testing.T, m *machine, r *rand.Rand) {
		x := randoms(r, 9*64)
		var want uint64
		for _, v := range x {
			want += uint64(v)
		}
		sum, ticket := put(m, []uint64{0}), put(m, []uint32{0})
		m.run("lastblock", 9, 64, 0, put(m, x), put(m, make([]uint64, 9)), ticket, sum)
		equal(t, get[uint64](m, sum, 1), []uint64{want})
		equal(t, get[uint32](m, ticket, 1), []uint32{0})
	})
}

func mix(h uint64, k uint32) uint64 {
	switch k % 8 {
	case 0:
		return h*31 + uint64(k)
	case 1:
		return h ^ uint64(k)<<17
	case 2:
		return h / uint64(k+1)
	case 3:
		return h % uint64(k+1)
	case 4:
		return h>>7 - [8]uint64{2, 3, 5, 7, 11, 13, 17, 19}[k&7]
	case 5:
		return h + [4]uint64{0, 1, 4, 9}[k&3]
	case 6:
		return ^h
	}
	return h << (k & 63)
}

func TestDivergenceCallsAndLocalMemory(t *testing.T) {
	eachSeed(t, func(t *testing.T, m *machine, r *rand.Rand) {
		x := randoms(r, 1000)
		want := make([]uint64, len(x))
		for i, v := range x {
			h, steps := uint64(i), v%11
			var trail [12]uint64
			for k := range steps {
				h = mix(h, v>>(2*k))
				trail[k] = h
			}
			want[i] = h
			for k := range steps {
				want[i] += trail[(k*5+uint32(i))%steps] * uint64(k+1)
			}
		}
		out := put(m, make([]uint64, len(x)))
		m.run("hash", 8, 128, 0, put(m, x), out, 1000)
		equal(t, get[uint64](m, out, len(x)), want)
	})
}

func TestNarrowTypes(t *testing.T) {
	eachSeed(t, func(t *testing.T, m *machine, r *rand.Rand) {
		x, y := make([]int8, 64), make([]uint16, 64)
		for i := range x {
			x[i], y[i] = int8(r.Uint32()), uint16(r.Uint32())
		}
		want := make([]int16, 64)
		for i := range want {
			want[i] = int16(x[i]/3) - int16(x[63-i]) + int16(y[i]>>3)
			if x[i] < 0 {
				want[i] += 1000
			}
		}
		out := put(m, want)
		check(t, m.str.Fill(cudrv.Ptr(out), 0, 128))
		m.run("narrow", 1, 64, 0, put(m, x), put(m, y), out)
		equal(t, get[int16](m, out, 64), want)
	})
}

func TestVotes(t *testing.T) {
	eachSeed(t, func(t *testing.T, m *machine, r *rand.Rand) {
		x := make([]uint32, 64)
		for i := range x {
			x[i] = r.Uint32N(100)
		}
		out := put(m, make([]uint32, 4*64))
		m.run("ballots", 1, 64, 0, put(m, x), out)
		v := slices.Clone(x)
		for i := range v {
			if v[i]&1 != 0 {
				v[i] = v[i]*3 + 1
			} else if v[i]&2 != 0 {
				v[i] = v[i]/2 + 7
			}
		}
		want := make([]uint32, 4*64)
		for i := range v {
			all, anyone := uint32(1), uint32(0)
			for j := i &^ 31; j < i&^31+32; j++ {
				bit := uint32(1) << (j & 31)
				if v[j]&1 != 0 {
					want[4*i] |= bit
				}
				if v[j] <= 5 {
					all = 0
				}
				if v[j] > 90 {
					anyone = 2
				}
				if v[j]&3 == v[i]&3 {
					want[4*i+2] |= bit
				}
				if v[i] < 50 && v[j] < 50 && v[j]&4 != 0 {
					want[4*i+3] |= bit
				}
			}
			want[4*i+1] = all | anyone
		}
		equal(t, get[uint32](m, out, 4*64), want)
	})
}

func TestFloats(t *testing.T) {
	eachSeed(t, func(t *testing.T, m *machine, r *rand.Rand) {
		const n = 300
		a, b := make([]float32, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = float32(r.NormFloat64()*100), r.NormFloat64()*1e4
		}
		c, d, e := put(m, make([]float32, n)), put(m, make([]float64, n)), put(m, make([]int64, n))
		m.run("lerp", 3, 128, 0, put(m, a), put(m, b), c, d, e, n)
		gc, gd, ge := get[float32](m, c, n), get[float64](m, d, n), get[int64](m, e, n)
		for i := range a {
			x, y := a[i], b[i]
			wc := float32(math.Sqrt(float64(float32(x*x)+1))) / (x - 3.5)
			p := float64(float64(x) * (y - math.Floor(y)))
			wd := y + float64(p*math.FMA(y, 2, -1))
			we := int64(float64(y*1e3)) + int64(int32(x)) + int64(uint32(math.Ceil(math.Abs(y))))
			if y > float64(x) {
				we += 10
			}
			if gc[i] != wc || gd[i] != wd || ge[i] != we {
				t.Fatalf("%d: %v %v %v, want %v %v %v", i, gc[i], gd[i], ge[i], wc, wd, we)
			}
		}
	})
}
