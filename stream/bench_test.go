package stream

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// benchElements and benchChunk are the elements of the data and of a chunk.
const benchElements, benchChunk = 64 << 20, 1 << 20

// BenchmarkAdd is a first pass over keys in a cache, whose histogram has its range: a
// lower bound of its cost, in one worker.
func BenchmarkAdd(b *testing.B) {
	b.Run("float32", func(b *testing.B) { benchAdd(b, func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }) })
	b.Run("float64", func(b *testing.B) { benchAdd(b, func(r *rand.Rand) float64 { return r.NormFloat64() }) })
	b.Run("int64", func(b *testing.B) { benchAdd(b, func(r *rand.Rand) int64 { return r.Int64() }) })
}

func benchAdd[T dtype.Element](b *testing.B, next func(*rand.Rand) T) {
	rng := rand.New(rand.NewPCG(1, 1))
	block := make([]T, 64<<10)
	for i := range block {
		block[i] = next(rng)
	}
	x := ogive.Must(ogive.FromSlice(block))
	s := ogive.Must(New(ogive.OpMedian, dtype.Of[T](), 16<<20))
	for s.Count() < 4<<20 {
		if err := s.Add(x, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(block) * x.DType().Size()))
	for b.Loop() {
		if err := s.Add(x, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPasses is the two passes over a file in the page cache, by two workers, each of
// which reads chunks and adds them: in GB/s for either pass, and the time of both as a
// multiple of reading the file twice in the same way.
func BenchmarkPasses(b *testing.B) {
	b.Run("float32", func(b *testing.B) { benchPasses(b, func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }) })
	b.Run("float64", func(b *testing.B) { benchPasses(b, func(r *rand.Rand) float64 { return r.NormFloat64() }) })
	b.Run("int64", func(b *testing.B) { benchPasses(b, func(r *rand.Rand) int64 { return r.Int64() }) })
}

func benchPasses[T dtype.Element](b *testing.B, next func(*rand.Rand) T) {
	dt := dtype.Of[T]()
	path := filepath.Join(b.TempDir(), "data")
	rng := rand.New(rand.NewPCG(1, 1))
	block := make([]T, benchChunk)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(block))), len(block)*dt.Size())
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for range benchElements / benchChunk {
		for i := range block {
			block[i] = next(rng)
		}
		if _, err := f.Write(bytes); err != nil {
			b.Fatal(err)
		}
	}
	pass := func(s *State) time.Duration {
		start := time.Now()
		var wg sync.WaitGroup
		forks := make([]*State, 2)
		for w := range forks {
			if s != nil {
				forks[w] = s.Fork()
			}
			wg.Go(func() {
				memory := make([]T, benchChunk)
				raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(memory))), len(bytes))
				x := ogive.Must(ogive.FromSlice(memory))
				for at := w; at < benchElements/benchChunk; at += len(forks) {
					if _, err := f.ReadAt(raw, int64(at*len(raw))); err != nil && err != io.EOF {
						b.Error(err)
					}
					if s != nil {
						if err := forks[w].Add(x, nil); err != nil {
							b.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		for _, f := range forks {
			if s != nil {
				if err := s.Merge(f); err != nil {
					b.Fatal(err)
				}
			}
		}
		return time.Since(start)
	}
	var reading, first, second, selecting time.Duration
	for b.Loop() {
		reading += pass(nil)
		s := ogive.Must(New(ogive.OpQuantile, dt, 16<<20, ogive.Q(0.1, 0.5, 0.9)))
		first += pass(s)
		start := time.Now()
		if again, err := s.Next(); !again || err != nil {
			b.Fatal(again, err)
		}
		selecting += time.Since(start)
		second += pass(s)
		start = time.Now()
		if again, err := s.Next(); again || err != nil {
			b.Fatal(again, err)
		}
		selecting += time.Since(start)
	}
	rate := func(d time.Duration) float64 { return float64(b.N*benchElements*dt.Size()) / float64(d.Nanoseconds()) }
	b.ReportMetric(rate(reading), "read-GB/s")
	b.ReportMetric(rate(first), "pass1-GB/s")
	b.ReportMetric(rate(second), "pass2-GB/s")
	b.ReportMetric(float64(first+second+selecting)/float64(2*reading), "x-reading")
}

// BenchmarkStateBytes is the size of a serialised state of 16 MiB after each pass over
// 2^24 elements: what a worker sends.
func BenchmarkStateBytes(b *testing.B) {
	const n = 1 << 24
	b.Run("float64", func(b *testing.B) { benchStateBytes(b, n, func(r *rand.Rand) float64 { return r.NormFloat64() }) })
	b.Run("float64 of any exponent", func(b *testing.B) {
		benchStateBytes(b, n, func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000) })
	})
	b.Run("float32", func(b *testing.B) {
		benchStateBytes(b, n, func(r *rand.Rand) float32 { return float32(r.NormFloat64()) })
	})
	b.Run("int64", func(b *testing.B) { benchStateBytes(b, n, func(r *rand.Rand) int64 { return r.Int64() }) })
	b.Run("uint8", func(b *testing.B) { benchStateBytes(b, n, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }) })
}

func benchStateBytes[T dtype.Element](b *testing.B, n int, next func(*rand.Rand) T) {
	rng := rand.New(rand.NewPCG(1, 1))
	list := make([]T, n)
	for i := range list {
		list[i] = next(rng)
	}
	x := ogive.Must(ogive.FromSlice(list))
	for b.Loop() {
		s := ogive.Must(New(ogive.OpQuantile, x.DType(), 16<<20, ogive.Qs([]float64{0.5, 0.99})))
		for again := true; again; again = ogive.Must(s.Next()) {
			if err := s.Add(x, nil); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(ogive.Must(s.MarshalBinary()))), fmt.Sprintf("bytes/pass%d", s.Pass()))
		}
		b.ReportMetric(float64(s.MaxPasses()), "passes-at-most")
	}
}
