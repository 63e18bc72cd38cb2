package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

func init() { systemCommands["mkhostile"] = makeHostile }

// TestMemoryOfWays runs commands on files of every kind that may take more memory than
// they are given, by name and, with more processors, from a pipe, and asks the system how
// much they took. Each keeps within it: it answers, or says in one line that it does not;
// and what answers with less memory answers with more. OGIVE_MEMORY=1 adds the long ones.
func TestMemoryOfWays(t *testing.T) {
	if testing.Short() {
		t.Skip("files of 100 MB")
	}
	folder := t.TempDir()
	if out, err := helper("mkhostile", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	commands, limits, all := []string{"median", "partial --op median -o shard"}, []int{64}, os.Getenv("OGIVE_MEMORY") != ""
	if all {
		commands = append(commands, "describe", "hist", "isnan", "rank --at 1", "report -o r.html", "median --by id", "quantile -q 0.1,0.9", "plot box",
			"describe --by id", "nanmedian --window 101", "isin --values 7", "median --weights id")
		limits = []int{64, 100, 256, 1024}
	}
	for _, command := range commands {
		for _, file := range waysFiles {
			for _, piped := range []bool{false, true} {
				if piped && !all && strings.HasPrefix(command, "partial") {
					continue // it reads as median does
				}
				answered := false
				for _, most := range limits {
					ok, kib := runWithin(t, folder, command, file, piped, most)
					if kib > int64(most)<<10 {
						t.Errorf("%s %s (piped: %t) took %d MiB, of %d", command, file, piped, kib>>10, most)
					}
					if answered && !ok {
						t.Errorf("%s %s (piped: %t) is refused %d MiB, and answers with less", command, file, piped, most)
					}
					answered = answered || ok
				}
				if must := waysAnswered[command]; slices.Contains(must, file) && !answered {
					t.Errorf("%s %s (piped: %t) is refused", command, file, piped)
				}
			}
		}
	}
}

// waysFiles are what mkhostile makes.
var waysFiles = []string{"digits.csv", "digits.csv.gz", "digits.csv.zst", "columns.csv", "rows.jsonl", "v.parquet", "groups.parquet", "v.arrows", "packed.arrow",
	"cell.csv", "cell.json", "keys.jsonl", "many.gz", "nul.csv.gz", "nul.npy.gz", "nul.hlog.gz", "wide.csv", "x.npy", "x.npz"}

// waysAnswered are the files that a command answers for, however large they are.
var waysAnswered = map[string][]string{
	"median":                       {"digits.csv", "digits.csv.gz", "digits.csv.zst", "columns.csv", "rows.jsonl", "v.parquet", "groups.parquet", "v.arrows", "packed.arrow", "x.npy"},
	"partial --op median -o shard": {"digits.csv", "digits.csv.gz", "digits.csv.zst", "rows.jsonl", "v.parquet", "groups.parquet", "v.arrows", "packed.arrow", "x.npy"},
}

// runWithin runs a command with --memory, and reports whether it answered and how many
// KiB it took.
func runWithin(t *testing.T, folder, command, file string, piped bool, most int) (ok bool, kib int64) {
	t.Helper()
	args := append([]string{"rss"}, strings.Fields(command)...)
	args = append(args, "--memory", fmt.Sprint(most, "M"))
	var input io.Reader
	cmd := helper("maxrss")
	if piped {
		f, err := os.Open(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		input = struct{ io.Reader }{f}
		cmd.Env = append(os.Environ(), "GOMAXPROCS=8")
	} else {
		args = append(args, file)
	}
	cmd.Args = append(cmd.Args, args...)
	cmd.Dir, cmd.Stdin = folder, input
	var errs bytes.Buffer
	cmd.Stderr = &errs
	os.Remove(filepath.Join(folder, "rss"))
	failed := cmd.Run()
	text, err := os.ReadFile(filepath.Join(folder, "rss"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &kib)
	}
	if err != nil {
		t.Fatalf("%s %s: %v: %s", command, file, err, &errs)
	}
	for line := range strings.Lines(errs.String()) {
		if !strings.HasPrefix(line, "ogive: ") {
			t.Errorf("%s %s: %q", command, file, line)
		}
	}
	return failed == nil, kib
}

// makeHostile writes files to a folder that are small, or look so, and larger than memory,
// and a copy of this program as ogive.
func makeHostile(args []string) error {
	folder := args[0]
	self, err := os.Executable()
	if err == nil {
		err = copyProgram(filepath.Join(folder, "ogive"), self)
	}
	if err != nil {
		return err
	}
	path := func(name string) string { return filepath.Join(folder, name) }
	header := "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (314572800,), }")
	zeros := make([]byte, 300<<20)
	for name, c := range map[string]struct {
		times int
		data  []byte
	}{
		"many.gz": {4, zeros}, "nul.csv.gz": {1, zeros}, "nul.npy.gz": {1, append([]byte(header), zeros...)},
		"nul.hlog.gz": {1, append([]byte("#[Histogram log format version 1.3]\n"), zeros...)}, "digits.csv.gz": {1, digits()},
	} {
		packed, err := packedTimes(c.times, c.data)
		if err == nil {
			err = os.WriteFile(path(name), packed, 0o600)
		}
		if err != nil {
			return err
		}
	}
	if err := writeTables(path); err != nil {
		return err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	x := ogive.Must(ogive.FromSlice(values(4_000_000), 4000, 1000))
	return errors.Join(os.WriteFile(path("digits.csv.zst"), w.EncodeAll(digits(), nil), 0o600),
		writeParquet(path("v.parquet"), 1), writeParquet(path("groups.parquet"), 40), writeArrow(path("v.arrows"), true), writeArrow(path("packed.arrow"), false),
		tensorio.Save(path("x.npy"), x), tensorio.Save(path("x.npz"), x))
}

// digits is a table of few bytes for each of many values.
func digits() []byte {
	return append([]byte("id,v,w\n"), bytes.Repeat([]byte("1,7,0\n2,8,1\n3,9,2\n"), 1_000_000)...)
}

// values are n different numbers.
func values(n int) []float64 {
	r, v := rand.New(rand.NewPCG(1, 2)), make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// writeTables writes the texts.
func writeTables(path func(string) string) error {
	var rows, keys, columns bytes.Buffer
	for i := range 800_000 {
		fmt.Fprintf(&rows, "{\"id\":%d,\"v\":%d.25}\n", i, i%1000)
	}
	for i := range 10_000 { // whose square is the table's cells
		fmt.Fprintf(&keys, "{\"k%d\":%d}\n", i, i)
	}
	for i := range 10_000 {
		for c := range 400 {
			fmt.Fprint(&columns, i*c, ",")
		}
		columns.WriteString("7\n")
	}
	return errors.Join(os.WriteFile(path("digits.csv"), digits(), 0o600), os.WriteFile(path("rows.jsonl"), rows.Bytes(), 0o600),
		os.WriteFile(path("keys.jsonl"), keys.Bytes(), 0o600), os.WriteFile(path("columns.csv"), columns.Bytes(), 0o600),
		os.WriteFile(path("cell.csv"), []byte("a,b\n1,"+strings.Repeat("x", 60_000_000)+"\n2,y\n"), 0o600),
		os.WriteFile(path("cell.json"), []byte(`[{"a":1,"b":"`+strings.Repeat("x", 60_000_000)+`"}]`), 0o600),
		os.WriteFile(path("wide.csv"), bytes.Repeat([]byte(strings.Repeat("7,", 29_999)+"7\n"), 100), 0o600))
}

// writeParquet writes a column of 32 MB, in some row groups.
func writeParquet(name string, groups int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	type row struct {
		V  *float64 `parquet:"v,optional"`
		ID int64    `parquet:"id,dict"`
	}
	list := values(4_000_000)
	rows := make([]row, len(list))
	for i := range rows {
		rows[i].V, rows[i].ID = &list[i], int64(i%1000)
	}
	w := parquet.NewGenericWriter[row](f, parquet.Compression(&parquet.Zstd))
	for part := range slices.Chunk(rows, len(rows)/groups) {
		if _, err = w.Write(part); err == nil {
			err = w.Flush()
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), f.Close())
}

// writeArrow writes batches of a column of 32 MB together, as a stream or a packed file.
func writeArrow(name string, stream bool) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.PrimitiveTypes.Float64}, {Name: "id", Type: arrow.PrimitiveTypes.Int32}}, nil)
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(f, ipc.WithSchema(schema))
	if !stream {
		if w, err = ipc.NewFileWriter(f, ipc.WithSchema(schema), ipc.WithZstd()); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(values(4_000_000), 100_000) {
		b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		b.Field(0).(*array.Float64Builder).AppendValues(part, nil)
		for i := range part {
			b.Field(1).(*array.Int32Builder).Append(int32(i))
		}
		batch := b.NewRecordBatch()
		err := w.Write(batch)
		batch.Release()
		b.Release()
		if err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), f.Close())
}

// packedTimes compresses bytes so many times over.
func packedTimes(n int, b []byte) ([]byte, error) {
	for range n {
		var out bytes.Buffer
		w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(b); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		b = out.Bytes()
	}
	return b, nil
}
