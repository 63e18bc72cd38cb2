package formats

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"github.com/ogive-go/ogive/tensorio"
)

// hostileMemory is what Options.Memory allows in these tests, and hostileMost what
// reading one small file may allocate in all: that for each of its columns, and for
// what lies in between.
const (
	hostileMemory = 16 << 20
	hostileMost   = 400 << 20
)

// TestHostile reads changed files of every format and asks how much memory each took:
// what a file claims is no reason to allocate it. OGIVE_HOSTILE sets how many of each.
func TestHostile(t *testing.T) {
	count := 500
	if s := os.Getenv("OGIVE_HOSTILE"); s != "" {
		var err error
		if count, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	npz, err := os.ReadFile(filepath.Join("..", "tensorio", "testdata", "deflated.npz"))
	if err != nil {
		t.Fatal(err)
	}
	nc, err := os.ReadFile(filepath.Join("..", "tensorio", "testdata", "missing.nc"))
	if err != nil {
		t.Fatal(err)
	}
	npy, err := os.ReadFile(filepath.Join("..", "tensorio", "testdata", "float64.npy"))
	if err != nil {
		t.Fatal(err)
	}
	csv := []byte("a,b,c\n1,2,\"x\"\n3,4.5,y\n,-7e300,z\n")
	for _, c := range []struct {
		name, format string
		raw          []byte
	}{
		{"parquet", "parquet", parquetOf(t, records(20))},
		{"parquet, zstd", "parquet", parquetOf(t, records(20), parquet.DataPageVersion(1), parquet.Compression(&parquet.Zstd))},
		{"parquet, lz4", "parquet", parquetOf(t, records(20), parquet.DataPageVersion(1), parquet.Compression(&parquet.Lz4Raw))},
		{"parquet, snappy", "parquet", parquetOf(t, records(20), parquet.Compression(&parquet.Snappy))},
		{"parquet, gzip", "parquet", parquetOf(t, records(20), parquet.Compression(&parquet.Gzip))},
		{"arrow", "arrow", arrowOf(t, false, []int{9})},
		{"arrow stream, zstd", "arrow", arrowOf(t, true, []int{4, 5}, ipc.WithZstd())},
		{"arrow, lz4", "arrow", arrowOf(t, false, []int{4, 5}, ipc.WithLZ4())},
		{"json", "json", []byte(`{"a":1,"b":{"c":"x"}}` + "\n" + `{"a":2.5,"b":{"c":null}}`)},
		{"hlog", "hlog", hlogOf(t, true)},
		{"npy", "npy", npy},
		{"npz", "npz", npz},
		{"netcdf", "netcdf", nc},
		{"csv", "csv", csv},
		{"csv.gz", "", gzipped(t, csv)},
		{"csv.zst", "", zstandard(t, csv)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(c.raw))))
			for i := range count {
				raw := changed(r, c.raw)
				before := allocated()
				readAll(raw, c.format)
				if took := allocated() - before; took > hostileMost {
					if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "hostile"), raw, 0o600); err != nil {
						t.Error(err)
					}
					t.Fatalf("file %d of %d bytes took %d MiB", i, len(raw), took>>20)
				}
			}
		})
	}
}

// changed returns a file with a bit turned over, cut, or with an extreme integer in it;
// some with several of these.
func changed(r *rand.Rand, raw []byte) []byte {
	raw = bytes.Clone(raw)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(raw))
		extreme := []uint64{0, math.MaxUint64, math.MaxInt64, math.MaxInt32, math.MaxUint32, 1 << 30, 1 << 40, 0xfeff}[r.IntN(8)]
		switch r.IntN(8) {
		case 0, 1:
			raw[at] ^= 1 << r.IntN(8)
		case 2:
			raw[at] = byte(r.Uint32())
		case 3:
			raw = raw[:at+1]
		case 4:
			if at+8 <= len(raw) {
				binary.LittleEndian.PutUint64(raw[at:], extreme)
			}
		case 5:
			if at+8 <= len(raw) {
				binary.BigEndian.PutUint64(raw[at:], extreme)
			}
		case 6:
			if at+4 <= len(raw) {
				binary.LittleEndian.PutUint32(raw[at:], uint32(extreme))
			}
		case 7: // an integer of seven bits in each byte, as Thrift has
			if at+10 <= len(raw) {
				binary.PutUvarint(raw[at:at+10], extreme>>1)
			}
		}
	}
	return raw
}

// allocated returns how many bytes have ever been allocated.
func allocated() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// readAll reads all that can be of a file; its errors are tested elsewhere.
func readAll(raw []byte, format string) {
	f, err := Read(bytes.NewReader(raw), "x", tensorio.Options{Format: format, Memory: hostileMemory})
	if err != nil {
		return
	}
	defer f.Close()
	for _, name := range append(f.Names(), f.Text()...) {
		if f.IsTable() {
			f.Key(name)
		} else {
			f.Tensor(name)
		}
	}
	if f.IsTable() {
		for range f.Batches(f.Names()...) {
		}
	}
}

// TestArrowFieldsOfOddSize reads a file in which a table's list of fields has an odd
// size: its last field would be taken from what lies behind it.
func TestArrowFieldsOfOddSize(t *testing.T) {
	raw := arrowOf(t, false, []int{9})
	end := len(raw) - 10
	length := int(binary.LittleEndian.Uint32(raw[end:]))
	footer := raw[end-length : end]
	if err := checkFlat(footer, arrowFooter); err != nil {
		t.Fatal(err)
	}
	root := int(binary.LittleEndian.Uint32(footer))
	list := root - int(int32(binary.LittleEndian.Uint32(footer[root:])))
	size := binary.LittleEndian.Uint16(footer[list:])
	for _, wrong := range []uint16{0, 2, 3, size - 1, size + 1, math.MaxUint16} {
		binary.LittleEndian.PutUint16(footer[list:], wrong)
		if checkFlat(footer, arrowFooter) == nil {
			t.Errorf("%d bytes for %d were taken", wrong, size)
		}
	}
}
