package tensorio

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// zip64 returns an archive of one member, x.npy, whose directory says its sizes and where
// it is in zip64 fields.
func zip64(content []byte, method uint16, compressed, size, offset uint64) []byte {
	stored := content
	if method == zip.Deflate {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestSpeed)
		_, _ = w.Write(content)
		_ = w.Close()
		stored = b.Bytes()
	}
	const name = "x" + npyEnding
	le := binary.LittleEndian
	sum := crc32.ChecksumIEEE(content)
	shared := func(b []byte, extra int) []byte { // the part that both headers have
		b = le.AppendUint16(b, 45)
		b = le.AppendUint16(le.AppendUint16(b, 0), method)
		b = le.AppendUint32(le.AppendUint32(b, 0), sum)
		b = le.AppendUint32(le.AppendUint32(b, ^uint32(0)), ^uint32(0))
		return le.AppendUint16(le.AppendUint16(b, uint16(len(name))), uint16(extra))
	}
	b := append(shared([]byte("PK\x03\x04"), 0), name...)
	b = append(b, stored...)
	directory := len(b)
	extra := le.AppendUint16(le.AppendUint16(nil, 1), 24)
	for _, field := range []uint64{size, compressed, offset} {
		extra = le.AppendUint64(extra, field)
	}
	b = append(b, "PK\x01\x02"...)
	b = shared(le.AppendUint16(b, 45), len(extra))
	b = append(b, make([]byte, 2+2+2+4)...)
	b = le.AppendUint32(b, ^uint32(0))
	b = append(append(b, name...), extra...)
	end := len(b)
	b = append(b, "PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00"...)
	b = le.AppendUint32(le.AppendUint32(b, uint32(end-directory)), uint32(directory))
	return append(b, 0, 0)
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// liar reads an archive of x, mapped and from a stream, and checks that it is refused, or
// gives x and nothing else, with little memory.
func liar(t *testing.T, x *ogive.Tensor, method uint16, compressed, size, offset uint64, lies bool) {
	t.Helper()
	var npy bytes.Buffer
	if err := WriteNPY(&npy, x); err != nil {
		t.Fatal(err)
	}
	raw := zip64(npy.Bytes(), method, compressed, size, offset)
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	for way, open := range map[string]func() (*File, error){
		"mapped": func() (*File, error) { return Open(path, Options{}) },
		"stream": func() (*File, error) { return Read(bytes.NewReader(raw), "x.npz", Options{}) },
	} {
		var got *ogive.Tensor
		var err error
		used := allocated(func() {
			var f *File
			if f, err = open(); err == nil {
				got, err = f.Tensor("x")
				_ = f.Close()
			}
		})
		switch {
		case used > uint64(len(raw))*maxDeflate+4<<20:
			t.Errorf("%s: %d bytes allocated for an archive of %d", way, used, len(raw))
		case err == nil && lies:
			t.Errorf("%s: method %d with %d bytes in %d at %d is read", way, method, size, compressed, offset)
		case err == nil:
			same(t, x, got, nil)
		case !errors.Is(err, ogive.ErrFormat) || !harmless(err.Error()):
			t.Errorf("%s: %v", way, err)
		case !lies && compressed < 1<<63:
			t.Logf("%s: %v", way, err)
		}
	}
}

// TestZip64Lies: sizes and places in zip64 fields are believed where they are true.
func TestZip64Lies(t *testing.T) {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3, 4, 5}))
	var npy bytes.Buffer
	if err := WriteNPY(&npy, x); err != nil {
		t.Fatal(err)
	}
	n := uint64(npy.Len())
	liar(t, x, zip.Store, n, n, 0, false)
	for _, wrong := range []uint64{0, 1, n - 1, n + 1, 1 << 20, 1<<32 - 1, 1 << 32, 1 << 40, 1 << 62, 1<<63 - 1, 1 << 63, ^uint64(0)} {
		liar(t, x, zip.Store, wrong, wrong, 0, true)
		liar(t, x, zip.Store, n, wrong, 0, true)
		liar(t, x, zip.Store, wrong, n, 0, true)
		liar(t, x, zip.Deflate, n, wrong, 0, true)
		if wrong != 0 {
			liar(t, x, zip.Store, n, n, wrong, true)
		}
	}
}

func FuzzZip64(f *testing.F) {
	f.Add(uint64(168), uint64(168), uint64(0), false)
	f.Add(uint64(1)<<40, uint64(1)<<40, uint64(0), true)
	f.Add(uint64(50), uint64(1)<<14, uint64(3), true)
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3, 4, 5}))
	f.Fuzz(func(t *testing.T, compressed, size, offset uint64, deflate bool) {
		method := zip.Store
		if deflate {
			method = zip.Deflate
		}
		liar(t, x, method, compressed, size, offset, false)
	})
}

// TestBombOnce: what expands a thousandfold is read into memory once.
func TestBombOnce(t *testing.T) {
	const size = 96 << 20
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("x.npy")
	if err == nil {
		_, err = io.WriteString(w, npyHeader(dtype.Uint8, false, []int{size}))
	}
	for range size >> 20 {
		if err == nil {
			_, err = w.Write(make([]byte, 1<<20))
		}
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	var x *ogive.Tensor
	used := allocated(func() { x, err = only(Read(bytes.NewReader(b.Bytes()), "x.npz", Options{})) })
	if err != nil || x.Len() != size {
		t.Fatal(x, err)
	}
	if used > size+8<<20 {
		t.Errorf("%d bytes allocated for an array of %d", used, size)
	}
}
