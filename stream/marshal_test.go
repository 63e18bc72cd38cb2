package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"runtime"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// states returns serialised states of all kinds: lists and histograms, with weights and
// without, of first and later passes, and of results.
func states(tb failer) [][]byte {
	var all [][]byte
	for _, dt := range []dtype.DType{dtype.Int8, dtype.Float16, dtype.Float32, dtype.Int64, dtype.Float64} {
		for _, kind := range []string{"normal", "extremes", "constant"} {
			for _, w := range []*ogive.Tensor{nil, weightsOf(dtype.Uint8, 900, 1)} {
				c := call{ogive.OpNaNQuantile, dt, []ogive.Option{ogive.Q(0.1, 0.5, 0.99)}}
				for _, budget := range []int{512, 1 << 12, 1 << 20} {
					_, _, err := c.run(tb, tensor(kind, dt, 900, 1), w, feeding{budget: budget, chunk: 300}, func(s *State) {
						all = append(all, ogive.Must(s.MarshalBinary()))
					})
					if err != nil {
						tb.Fatalf("%v", err)
					}
				}
			}
		}
	}
	done := ogive.Must(New(ogive.OpMedian, dtype.Float32, 1<<20))
	if _, err := done.Next(); err != nil {
		tb.Fatalf("%v", err)
	}
	return append(all, ogive.Must(done.MarshalBinary()))
}

// TestSameBytes: the bytes of a state do not tell in which order and chunks data came,
// nor from which forks.
func TestSameBytes(t *testing.T) {
	for _, dt := range []dtype.DType{dtype.Uint16, dtype.Float32, dtype.Float64, dtype.Uint64} {
		for _, kind := range []string{"normal", "bits", "zipf", "extremes"} {
			for _, budget := range []int{512, 1 << 12, 1 << 17} {
				for _, w := range []*ogive.Tensor{nil, weightsOf(dtype.Int16, 3000, 4)} {
					x := tensor(kind, dt, 3000, 2)
					one := ogive.Must(New(ogive.OpMedian, dt, budget))
					if err := one.Add(x, w); err != nil {
						t.Fatal(err)
					}
					two := one.Fork()
					for at := 2900; at >= 0; at -= 100 {
						f, part := one.Fork(), w
						if w != nil {
							part = ogive.Must(w.Slice(0, at, at+100, 1))
						}
						if err := f.Add(ogive.Must(x.Slice(0, at, at+100, 1)), part); err != nil {
							t.Fatal(err)
						}
						if err := two.Merge(f); err != nil {
							t.Fatal(err)
						}
					}
					if !bytes.Equal(ogive.Must(one.MarshalBinary()), ogive.Must(two.MarshalBinary())) {
						t.Fatalf("%v %s budget %d weighted %v: other bytes", dt, kind, budget, w != nil)
					}
				}
			}
		}
	}
}

// TestDamage: no bit of a state can flip and no byte be missing or added.
func TestDamage(t *testing.T) {
	for i, b := range states(t) {
		refused := func(b []byte, what string, at int) {
			t.Helper()
			var s State
			if err := s.UnmarshalBinary(b); !errors.Is(err, ogive.ErrFormat) {
				t.Fatalf("state %d: %s %d: error %v, want ErrFormat", i, what, at, err)
			}
			if s.finder != nil {
				t.Fatalf("state %d: %s %d: the receiver changed", i, what, at)
			}
		}
		step := max(1, len(b)/12)
		for at := i % step; at < len(b); at += step {
			damaged := bytes.Clone(b)
			damaged[at] ^= 1 << (at % 8)
			refused(damaged, "a bit flipped in byte", at)
			refused(b[:at], "cut to bytes", at)
			refused(resealed(b[:max(at, crc32.Size)]), "cut and sealed again", at)
		}
		refused(append(bytes.Clone(b), 0), "a byte after", len(b))
		refused(resealed(append(bytes.Clone(b[:len(b)-crc32.Size]), 0, 0, 0, 0, 0)), "a byte more, sealed again", len(b))
	}
}

// resealed returns b with the checksum, its last bytes, made right.
func resealed(b []byte) []byte {
	b = bytes.Clone(b)
	n := len(b) - crc32.Size
	binary.LittleEndian.PutUint32(b[n:], crc32.Checksum(b[:n], castagnoli))
	return b
}

// FuzzUnmarshal: bytes with a right checksum make a state that works, or an error, and
// take memory in proportion to their length.
func FuzzUnmarshal(f *testing.F) {
	for i, b := range states(f) {
		if i%5 == 0 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < crc32.Size {
			return
		}
		checkHostile(t, resealed(b))
	})
}

// checkHostile uses a state from a stranger's bytes as far as it goes.
func checkHostile(t *testing.T, b []byte) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var s State
	err := s.UnmarshalBinary(b)
	runtime.ReadMemStats(&after)
	if took, most := after.TotalAlloc-before.TotalAlloc, uint64(256*len(b)+1<<16); took > most {
		t.Fatalf("%d bytes allocate %d", len(b), took)
	}
	if err != nil {
		if !errors.Is(err, ogive.ErrFormat) {
			t.Fatalf("error %v, want ErrFormat", err)
		}
		return
	}
	if s.budget > 1<<24 {
		return // it works, and takes what it says
	}
	other := s.Fork()
	if !s.done {
		if err := other.Add(tensor("normal", s.dt, 100, 1), nil); err != nil && !errors.Is(err, ogive.ErrWeights) {
			t.Fatal(err)
		}
		if err := s.Merge(other); err != nil && !errors.Is(err, ogive.ErrWeights) {
			t.Fatal(err)
		}
	}
	if _, err := s.MarshalBinary(); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Next(); err == nil && !again {
		s.Result()
	}
}

// TestHostile: states with a byte changed and the checksum made right.
func TestHostile(t *testing.T) {
	for i, b := range states(t) {
		if i%41 > 0 {
			continue
		}
		step := max(1, len(b)/60)
		for at := len(magic); at < len(b)-crc32.Size; at += step {
			for _, v := range []byte{0, 1, 0x7F, 0x80, 0xFF, b[at] + 1} {
				changed := bytes.Clone(b)
				changed[at] = v
				checkHostile(t, resealed(changed))
			}
		}
	}
}

// TestPinned: a state of an earlier build is read on every machine.
func TestPinned(t *testing.T) {
	s := ogive.Must(New(ogive.OpQuantile, dtype.Float32, 1<<20, ogive.Q(0.5)))
	if err := s.Add(ogive.Must(ogive.FromSlice([]float32{3, -1, 2})), nil); err != nil {
		t.Fatal(err)
	}
	want := magic + "\bquantile\afloat32\x06linear\x00\x80\x80\x40\x01" + "\x00\x00\x00\x00\x00\x00\xe0\x3f\x00\x00" +
		"\x01\x00" + "\x00\x00\x00\x00\x00" + "\x03\x00\x03\x03\x00" +
		"\x01\x00" + "\x00\x03" + "\xff\xff\x7f\xc0" + "\x00\x00\x00\x40" + "\x00\x00\x40\x40"
	got := ogive.Must(s.MarshalBinary())
	if string(got[:len(got)-crc32.Size]) != want {
		t.Errorf("%q, want %q", got, want)
	}
}
