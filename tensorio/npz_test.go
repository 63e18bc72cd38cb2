package tensorio

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

func TestNPZRoundTrip(t *testing.T) {
	var names []string
	var ts []*ogive.Tensor
	for _, dt := range dtype.All() {
		for i, x := range layouts(t, dt) {
			names, ts = append(names, dt.String()+"/"+string(rune('a'+i))), append(ts, x)
		}
	}
	path := filepath.Join(t.TempDir(), "all.npz")
	if err := WriteFile(path, func(w io.Writer) error { return WriteNPZ(w, names, ts) }); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.Names(), names) {
		t.Errorf("names %q", f.Names())
	}
	for i, name := range names {
		x, err := f.Tensor(name)
		same(t, ts[i], x, err)
		if mapped(x) != (x.Len() > 0 && canMap) {
			t.Errorf("%s: mapped %v", name, mapped(x))
		}
	}
	if python := os.Getenv("PYTHON"); python != "" {
		const script = `
import sys, numpy as np
z = np.load(sys.argv[1])
for n in z.files: print(n, z[n].dtype.name, *z[n].shape)`
		out, err := exec.Command(python, "-c", script, path).CombinedOutput()
		if err != nil || strings.Count(string(out), "\n") != len(names) || !strings.Contains(string(out), "float32/a float32 3 1000 7") {
			t.Errorf("NumPy: %v\n%s", err, out)
		}
	}
}

// mapped reports whether the tensor lies in mapped memory.
func mapped(x *ogive.Tensor) bool { return tensors.Array(x).Buf.Owner != nil && x.Len() > 0 }

func TestNPZWriteErrors(t *testing.T) {
	x := ogive.Scalar(1.5)
	for _, c := range []struct {
		names []string
		ts    []*ogive.Tensor
		kind  error
	}{
		{[]string{"a"}, nil, ogive.ErrOption},
		{[]string{""}, []*ogive.Tensor{x}, ogive.ErrOption},
		{[]string{"a", "a"}, []*ogive.Tensor{x, x}, ogive.ErrOption},
		{[]string{"a", "b"}, []*ogive.Tensor{x, nil}, ogive.ErrShape},
	} {
		var b bytes.Buffer
		if err := WriteNPZ(&b, c.names, c.ts); !errors.Is(err, c.kind) || b.Len() > 0 {
			t.Errorf("%q: %v, %d bytes written", c.names, err, b.Len())
		}
	}
}

// archive returns a zip file of one member with the given header and content.
func archive(t *testing.T, h zip.FileHeader, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&h)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestNPZErrors(t *testing.T) {
	good := npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", 7, 8)
	sum, n := crc32.ChecksumIEEE(good), uint64(len(good))
	bomb := npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2000000000,), }")
	for _, c := range []struct {
		name    string
		h       zip.FileHeader
		content []byte
		want    string
	}{
		{"checksum", zip.FileHeader{Name: "a.npy", CRC32: sum + 1, CompressedSize64: n, UncompressedSize64: n}, good, "checksum"},
		{"encrypted", zip.FileHeader{Name: "a.npy", Flags: 1, CRC32: sum, CompressedSize64: n, UncompressedSize64: n}, good, "encrypted"},
		{"method", zip.FileHeader{Name: "a.npy", Method: 99, CRC32: sum, CompressedSize64: n, UncompressedSize64: n}, good, "algorithm"},
		{"sizes", zip.FileHeader{Name: "a.npy", CRC32: sum, CompressedSize64: n, UncompressedSize64: n + 1}, good, "sizes differ"},
		{"bomb", zip.FileHeader{Name: "a.npy", Method: zip.Deflate, CompressedSize64: n, UncompressedSize64: 1 << 40}, good, "more than"},
		{"header larger", zip.FileHeader{Name: "a.npy", CompressedSize64: uint64(len(bomb)), UncompressedSize64: uint64(len(bomb))}, bomb, "the file ends"},
		{"no npy", zip.FileHeader{Name: "a.npy", CompressedSize64: 4, UncompressedSize64: 4}, []byte("text"), "not an npy file"},
	} {
		raw := archive(t, c.h, c.content)
		path := filepath.Join(t.TempDir(), "x.npz")
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		err := drain(Read(bytes.NewReader(raw), path, Options{}))
		if !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), path+`: array "a": `) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.name == "checksum" { // a mapped member is not read to verify it
			continue
		}
		if err := drain(Open(path, Options{})); !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, mapped: %v", c.name, err)
		}
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for range 2 {
		w, _ := z.Create("a.npy")
		w.Write(good)
	}
	z.Close()
	if _, err := Read(&b, "x.npz", Options{}); !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a name twice: %v", err)
	}
	if _, err := Read(strings.NewReader("PK and more"), "x.npz", Options{}); !errors.Is(err, zip.ErrFormat) || !errors.Is(err, ogive.ErrFormat) {
		t.Errorf("not a zip file: %v", err)
	}
}

func TestNPZNames(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"readme.txt", "../a.npy", "b.npy"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteNPY(w, ogive.Scalar(int8(len(name)))); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	f, err := Read(&b, "x.npz", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Names(); !slices.Equal(got, []string{"../a", "b"}) {
		t.Errorf("names %q", got)
	}
	for name, want := range map[string]string{
		"":  "x.npz: holds 2 arrays; name one of ../a, b",
		"c": `x.npz: has no array "c"; it has ../a, b`,
	} {
		if _, err := f.Tensor(name); !errors.Is(err, ogive.ErrOption) || err.Error() != want {
			t.Errorf("Tensor(%q): %v, want %s", name, err, want)
		}
	}
	if x, err := f.Tensor("b"); err != nil || ogive.Must(ogive.Item[int8](x)) != 5 {
		t.Errorf("Tensor(b): %v", err)
	}
}
