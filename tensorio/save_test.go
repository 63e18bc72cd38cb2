package tensorio

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
)

// onlyFile checks that the folder holds the file with the given content and
// nothing else.
func onlyFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
	}
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v (%v), want one file", list, err)
	}
}

func TestSave(t *testing.T) {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2.5, 3}))
	for _, name := range []string{"x.npy", "x.NPZ", "x.csv", "x.tsv", "x.tab"} {
		path := filepath.Join(t.TempDir(), name)
		for range 2 { // new, and in the place of an old one
			if err := Save(path, x); err != nil {
				t.Fatal(err)
			}
			y, err := only(Open(path, Options{}))
			same(t, x, y, err)
			content, _ := os.ReadFile(path)
			onlyFile(t, path, string(content))
		}
	}
	path := filepath.Join(t.TempDir(), "x.xls")
	if err := Save(path, x); !errors.Is(err, ogive.ErrOption) || !strings.Contains(err.Error(), path) {
		t.Errorf("unknown ending: %v", err)
	}
	path = filepath.Join(t.TempDir(), "missing", "x.npy")
	if err := Save(path, x); !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, ogive.ErrFormat) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("missing folder: %v", err)
	}
	if err := Save(path, nil); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ogive.ErrShape) {
		t.Errorf("nil: %v", err)
	}
}

// TestWriteFileFails checks that the old file stays, and no other, when
// writing fails at any point.
func TestWriteFileFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 1 << 16, 1 << 18} {
		err := WriteFile(path, func(w io.Writer) error {
			if _, err := w.Write(make([]byte, n)); err != nil {
				return err
			}
			return errBroken
		})
		if !errors.Is(err, errBroken) || !errors.Is(err, ogive.ErrFormat) || err.Error() != path+": broken pipe" {
			t.Errorf("after %d bytes: %v", n, err)
		}
		onlyFile(t, path, "old")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		WriteFile(path, func(io.Writer) error { panic("stop") })
	}()
	onlyFile(t, path, "old")
	if err := Save(path, nil); !errors.Is(err, ogive.ErrShape) {
		t.Errorf("nil tensor: %v", err)
	}
	onlyFile(t, path, "old")
	if err := WriteFile(filepath.Dir(path), func(io.Writer) error { return nil }); !errors.Is(err, ogive.ErrFormat) || !strings.HasSuffix(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

// TestFullDisk writes to a device on which there is never room.
func TestFullDisk(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("the system has no ", full)
	}
	for _, n := range []int{1, 1 << 20} {
		x := ogive.Must(ogive.FromSlice(make([]int8, n)))
		err := WriteFile(full, func(w io.Writer) error { return WriteNPY(w, x) })
		if err == nil || !strings.HasPrefix(err.Error(), full+": ") || !errors.Is(err, ogive.ErrFormat) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestWriteFileKeeps(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "wasip1" {
		t.Skip("needs permissions and symbolic links")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "x"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(path, nil, 0o666), os.Chmod(path, 0o640), os.Symlink("x", link)); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	info, err = os.Lstat(path)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v, want 0640 (%v)", info.Mode(), err)
	}
	content, _ := os.ReadFile(path)
	if string(content) != "new" {
		t.Errorf("content %q", content)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.npy")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		o    Options
		want string
		kind error
	}{
		{filepath.Join(dir, "missing.npy"), Options{}, "", fs.ErrNotExist},
		{dir, Options{}, "is a folder", ogive.ErrFormat},
		{empty, Options{}, "the file is empty", ogive.ErrFormat},
		{empty, Options{Format: "npz"}, "the file is empty", ogive.ErrFormat},
		{empty, Options{Format: "csv"}, "the file is empty", ogive.ErrFormat},
		{empty, Options{Format: "raw"}, "raw memory needs a dtype", ogive.ErrOption},
		{empty, Options{Format: "xls"}, `unknown format "xls"; known: npy, npz, csv, tsv, raw, netcdf`, ogive.ErrOption},
		{"testdata/stored.npz", Options{Format: "npy"}, `header: byte 0: not an npy file: it begins with "PK`, ogive.ErrFormat},
		{"testdata/vector.npy", Options{Format: "npz"}, "the archive's directory", ogive.ErrFormat},
	} {
		for what, err := range map[string]error{"Open": drain(Open(c.path, c.o)), "Chunks": firstError(c.path, c.o)} {
			c := c
			if what == "Chunks" && (c.o.Format == "npz" || c.o.Format == "csv") {
				c.want, c.kind = c.o.Format+" has no blocks", ogive.ErrOption
			}
			if !errors.Is(err, c.kind) || !strings.HasPrefix(err.Error(), c.path+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "open ") {
				t.Errorf("%s of %s: %v, want %q", what, c.path, err, c.want)
			}
		}
	}
}

// firstError returns the error that ends the blocks of a file.
func firstError(path string, o Options) error {
	for x, err := range Chunks(path, o, 0) {
		if err != nil {
			if x != nil {
				return errors.New("a tensor beside an error")
			}
			return err
		}
	}
	return nil
}

func TestChunks(t *testing.T) {
	x := ogive.Must(ogive.FromSlice(make([]int32, 10*3), 10, 3))
	b := ogive.Must(ogive.Values[int32](x))
	for i := range b {
		b[i] = int32(i)
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := Save(path, x); err != nil {
		t.Fatal(err)
	}
	var kept []*ogive.Tensor
	for part, err := range Chunks(path, Options{}, 50) {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, part)
	}
	if len(kept) != 3 || kept[0].Shape()[0] != 4 || kept[2].Shape()[0] != 2 {
		t.Fatalf("blocks %v", kept)
	}
	if v := ogive.Must(ogive.Values[int32](kept[1])); v[0] != 12 || v[11] != 23 {
		t.Errorf("second block %v", v)
	}
	for range Chunks(path, Options{}, 1) {
		break
	}
	if err := firstError(path, Options{Format: "csv"}); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("a table: %v", err)
	}
	for _, err := range Chunks(path, Options{}, -1) {
		if !errors.Is(err, ogive.ErrOption) {
			t.Errorf("negative size: %v", err)
		}
	}
	raw, _ := os.ReadFile("testdata/bool.npy")
	raw[len(raw)-1] = 3
	path = filepath.Join(t.TempDir(), "bad.npy")
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range Chunks(path, Options{}, 1) {
		if n++; n == 2 && (err == nil || !strings.Contains(err.Error(), "bad.npy: byte 133: 0x03")) {
			t.Errorf("bad bool: %v", err)
		}
	}
	if n != 2 {
		t.Errorf("%d blocks", n)
	}
}

func TestClose(t *testing.T) {
	f, err := Open("testdata/float64.npy", Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.Tensor("")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Tensor(""); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Tensor after Close: %v", err)
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	readManifest(t).Arrays["float64.npy"].check(t, x, nil)
}

func TestReadPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Skip(err)
	}
	defer r.Close()
	x := ogive.Must(ogive.FromSlice(make([]float64, 1<<18), 1<<9, 1<<9))
	go func() {
		WriteNPY(w, x)
		w.Close()
	}()
	y, err := only(Read(r, "pipe", Options{}))
	same(t, x, y, err)
}

func TestReadFile(t *testing.T) {
	raw, err := os.ReadFile("testdata/int8.npy")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, append([]byte("skip"), raw...), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(4, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	want := readManifest(t).Arrays["int8.npy"]
	x, err := only(Read(f, "part", Options{}))
	want.check(t, x, err)

	g, err := os.Open("testdata/int8.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	x, err = only(Read(g, "whole", Options{}))
	want.check(t, x, err)
	if mapped(x) != canMap {
		t.Errorf("mapped: %v", mapped(x))
	}
	if at, _ := g.Seek(0, io.SeekCurrent); at != int64(len(raw)) {
		t.Errorf("the file stands at byte %d of %d", at, len(raw))
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(g); err != nil || b.Len() > 0 {
		t.Errorf("%d bytes left (%v)", b.Len(), err)
	}
}
