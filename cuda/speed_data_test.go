package cuda

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// speedData is the data of the cases that come one after the other with the same dtype
// and of the same kind, on the host and on a device; each case takes its beginning.
type speedData struct {
	d         *Device
	dt        dtype.DType
	kind      string
	host, far *ogive.Tensor
}

// of returns the data of a case; n is the length of the longest that shares them.
func (s *speedData) of(t testing.TB, c *speedCase, n int) (host, far *ogive.Tensor) {
	t.Helper()
	if s.host == nil || s.dt != c.dt || s.kind != c.data {
		s.free(t)
		made := speedTensor(c.data, c.dt, n)
		there, err := made.To(s.d)
		if err != nil {
			t.Fatal(err)
		}
		s.dt, s.kind, s.host, s.far = c.dt, c.data, made, there
	}
	begin := func(x *ogive.Tensor) *ogive.Tensor {
		return ogive.Must(ogive.Must(x.Slice(0, 0, c.len(), 1)).Reshape(c.shape...))
	}
	return begin(s.host), begin(s.far)
}

func (s *speedData) free(t testing.TB) {
	t.Helper()
	if s.host == nil {
		return
	}
	if err := Free(s.far); err != nil {
		t.Error(err)
	}
	s.host, s.far = nil, nil
	runtime.GC() // gigabytes, and as many come
}

// speedTensor returns n elements, made by all processors.
func speedTensor(kind string, dt dtype.DType, n int) *ogive.Tensor {
	x := ogive.Must(ogive.Zeros(dt, n))
	memory := ogive.Must(x.Bytes())
	value := speedValue(kind, dt, n)
	const chunk = 1 << 16
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			values := make([]float64, chunk)
			for at := w * chunk; at < n; at += workers * chunk {
				part := values[:min(chunk, n-at)]
				for i := range part {
					part[i] = value(at + i)
				}
				dtype.Convert(dt, memory[at*dt.Size():][:len(part)*dt.Size()], dtype.Float64, raw(part))
			}
		})
	}
	wg.Wait()
	return x
}

// speedValue returns what makes element i of n of a kind of data.
func speedValue(kind string, dt dtype.DType, n int) func(i int) float64 {
	switch kind {
	case "normal":
		return normal()
	case "nan": // a tenth
		value := normal()
		return func(i int) float64 {
			if mixed(i)%10 == 0 {
				return math.NaN()
			}
			return value(i)
		}
	case "inf": // a hundredth +Inf
		value := normal()
		return func(i int) float64 {
			if mixed(i)%100 == 0 {
				return math.Inf(1)
			}
			return value(i)
		}
	case "integers":
		most := uint64(10_000)
		if dt == dtype.Uint8 {
			most = 256
		}
		return func(i int) float64 { return float64(mixed(i) % most) }
	case "equal":
		return func(int) float64 { return 1 }
	case "neighbours": // 1 and the float32 after it
		return func(i int) float64 { return 1 + 0x1p-23*float64(mixed(i)&1) }
	case "sorted":
		return func(i int) float64 { return float64(i) / float64(n) }
	case "reversed":
		return func(i int) float64 { return float64(n-i) / float64(n) }
	case "nans":
		return func(int) float64 { return math.NaN() }
	case "infinities":
		return func(i int) float64 { return math.Inf(int(mixed(i)&2) - 1) }
	case "denormals": // of float32
		return func(i int) float64 { return float64(math.Float32frombits(uint32(mixed(i)) & 0x807FFFFF)) }
	}
	panic("no data " + kind)
}

// normal makes normal numbers: a block of them again and again, each time moved a
// little by noise.
func normal() func(i int) float64 {
	const n = 1 << 20
	rng := rand.New(rand.NewPCG(1, 2))
	block := make([]float64, n)
	for i := range block {
		block[i] = rng.NormFloat64()
	}
	return func(i int) float64 { return block[i%n] + 0x1p-70*float64(mixed(i)) }
}

// mixed is a number that looks random.
func mixed(i int) uint64 {
	x := (uint64(i) + 1) * 0x9E3779B97F4A7C15
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return x ^ x>>32
}
