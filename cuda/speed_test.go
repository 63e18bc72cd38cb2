package cuda

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/ptxemu"
	"github.com/ogive-go/ogive/internal/testkit"
)

// onGPU reports whether OGIVE_REQUIRE_GPU=1 says that a GPU is there.
func onGPU() bool { return os.Getenv("OGIVE_REQUIRE_GPU") == "1" }

// opened opens the GPU that is said to be there, else an emulated device.
func opened(t testing.TB, o ptxemu.Options) *Device {
	t.Helper()
	if !onGPU() {
		return emulated(t, o)
	}
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// speedWarm is how many calls are made before the first that counts.
const speedWarm = 3

// BenchmarkSpeed is whole calls on data that lie on the device, from the call until the
// result is there, after a check against the host. It reports the median of the calls,
// the bytes that a call reads and writes at the least in that time, and the time of a
// call on the host. bench/gpu runs it on a GPU:
//
//	OGIVE_REQUIRE_GPU=1 go test -run '^$' -bench Speed -benchtime 25x ./cuda
func BenchmarkSpeed(b *testing.B) {
	d := opened(b, ptxemu.Options{})
	data := speedData{d: d}
	defer data.free(b)
	cases := speedCases(b, benchElements(b, 1<<10))
	for i := range cases {
		c := &cases[i]
		b.Run(c.name, func(b *testing.B) {
			host, far := data.of(b, c, longest(cases, c))
			bytes, onHost, call := c.prepare(b, d, host, far)
			for range speedWarm {
				if err := call(); err != nil {
					b.Fatal(err)
				}
			}
			var times []float64
			for b.Loop() {
				start := time.Now()
				if err := call(); err != nil {
					b.Fatal(err)
				}
				times = append(times, milliseconds(time.Since(start)))
			}
			slices.Sort(times)
			median := times[len(times)/2]
			b.ReportMetric(0, "ns/op") // the mean
			b.ReportMetric(median, "median-ms")
			b.ReportMetric(times[0], "least-ms")
			b.ReportMetric(float64(bytes), "bytes")
			b.ReportMetric(float64(bytes)/1e6/median, "GB/s")
			if onHost > 0 {
				b.ReportMetric(milliseconds(onHost), "host-ms")
			}
		})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// longest returns the length of the longest case that shares its data with c.
func longest(cases []speedCase, c *speedCase) int {
	n := 0
	for i := range cases {
		if cases[i].dt == c.dt && cases[i].data == c.data {
			n = max(n, cases[i].len())
		}
	}
	return n
}

// TestSpeedCases: what BenchmarkSpeed measures is right, on data small enough for every
// run of the tests.
func TestSpeedCases(t *testing.T) {
	d := opened(t, ptxemu.Options{})
	data := speedData{d: d}
	defer data.free(t)
	cases := speedCases(t, benchElements(t, 1<<11))
	for i := range cases {
		t.Run(cases[i].name, func(t *testing.T) {
			host, far := data.of(t, &cases[i], longest(cases, &cases[i]))
			_, _, call := cases[i].prepare(t, d, host, far)
			if err := call(); err != nil {
				t.Error(err)
			}
		})
	}
}

// prepare checks a case on the device against the host, bit for bit, and returns the
// bytes that it has to read and write, how long a call on the host takes, if it is one,
// and the call on the device, which writes where the checked result was.
func (c *speedCase) prepare(t testing.TB, d *Device, host, far *ogive.Tensor) (moved int, onHost time.Duration, call func() error) {
	t.Helper()
	moved = host.Len() * c.dt.Size()
	switch c.op {
	case "read":
		return moved, 0, readAll(t, d, host, far)
	case "upload":
		equal(t, c.name, ogive.Must(far.ToHost()), host)
		return moved, 0, func() error {
			x, err := host.To(d)
			if err != nil {
				return err
			}
			return Free(x)
		}
	}
	want, err := c.run(host)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err = c.run(host, ogive.Out(want)); err != nil {
		t.Fatal(err)
	}
	onHost = time.Since(start)
	out, err := c.run(far)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, c.name, ogive.Must(out.ToHost()), want)
	moved += out.Len() * out.DType().Size()
	return moved, onHost, func() error {
		_, err := c.run(far, ogive.Out(out))
		return err
	}
}

// equal is same, fast where they are.
func equal(t testing.TB, what string, got, want *ogive.Tensor) {
	t.Helper()
	g, w := ogive.Must(got.Bytes()), ogive.Must(want.Bytes())
	if got.DType() != want.DType() {
		t.Fatalf("%s: %v, want %v", what, got.DType(), want.DType())
	}
	if !bytes.Equal(g, w) {
		t.Fatalf("%s: %s", what, testkit.Diff(want.DType(), g, w))
	}
}

//go:embed testdata/read.ptx
var readPTX []byte

// readAll returns a call that reads x once, after a check that it does.
func readAll(t testing.TB, d *Device, host, far *ogive.Tensor) func() error {
	t.Helper()
	m, err := d.dev.Load(readPTX)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function("read_all", 0)
	if err != nil {
		t.Fatal(err)
	}
	at, err := Pointer(far)
	if err != nil {
		t.Fatal(err)
	}
	const threads = 256
	blocks := 8 * d.info.Processors // as many threads as a processor may have, 2048
	out, err := d.alloc(4 * threads * blocks)
	if err != nil {
		t.Fatal(err)
	}
	n := uint64(host.Len() * host.DType().Size() / 16)
	launch := &cudrv.Launch{Function: f, Grid: [3]int{blocks, 1, 1}, Block: threads, Args: []uint64{at, n, uint64(threads * blocks), uint64(out.at)}}
	read := func() error {
		err := d.do(func(c *call) { c.err = c.s.Launch(launch) })
		runtime.KeepAlive(out)
		runtime.KeepAlive(far)
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	parts := make([]uint32, threads*blocks)
	if err := d.do(func(c *call) { c.err = c.s.Download(raw(parts), out.at) }); err != nil {
		t.Fatal(err)
	}
	if got, want := xor(parts), xor(kernel.As[uint32](ogive.Must(ogive.Values[float32](host)))); got != want {
		t.Fatalf("the words read give %#x, want %#x", got, want)
	}
	return read
}

// xor returns the exclusive or of words.
func xor(words []uint32) uint32 {
	all := uint32(0)
	for _, w := range words {
		all ^= w
	}
	return all
}

// TestLargeLanes: lanes long enough for every regime as it is, of all kinds of data,
// are those of the host. An emulated device has time for some.
func TestLargeLanes(t *testing.T) {
	shapes := []struct {
		shape []int
		axis  int
	}{
		{[]int{1<<22 + 5}, 0}, {[]int{5, 1<<18 + 1}, 1}, {[]int{40, 100_000}, 1}, {[]int{300, 10_000}, 1}, {[]int{2000, 1000}, 1},
		{[]int{31, 50_000}, 0}, {[]int{64, 20_000}, 0}, {[]int{512, 3000}, 0}, {[]int{4096, 300}, 0},
	}
	dtypes := []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Int32, dtype.Uint8}
	if !onGPU() {
		shapes[0].shape = []int{1 << 18}
		shapes = shapes[:1]
		dtypes = dtypes[:1]
	}
	d := opened(t, ptxemu.Options{})
	for _, dt := range dtypes {
		kinds := testkit.Kinds(dt)
		if !onGPU() {
			kinds = []string{"normal"}
		}
		for i, kind := range kinds {
			t.Run(fmt.Sprintf("%v/%s", dt, kind), func(t *testing.T) {
				t.Parallel() // the host has as much to do
				for j, s := range shapes {
					x := filled(t, kind, dt, uint64(i), s.shape...)
					far := ogive.Must(x.To(d))
					qs := [][]float64{{0.5}, {0, 0.001, 0.25, 0.9, 1}}[(i+j)%2]
					what := fmt.Sprintf("%v of %v along %d", qs, s.shape, s.axis)
					got, err := ogive.Quantiles(far, qs, ogive.Axis(s.axis))
					same(t, what, got, err, ogive.Must(ogive.Quantiles(x, qs, ogive.Axis(s.axis))))
					got, err = ogive.NaNQuantiles(far, qs, ogive.Axis(s.axis))
					same(t, "skipping NaN, "+what, got, err, ogive.Must(ogive.NaNQuantiles(x, qs, ogive.Axis(s.axis))))
					if err := Free(far); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}
