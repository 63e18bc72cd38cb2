package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// call runs a command line in process.
func call(t *testing.T, args ...string) (out, stderr string, status int) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(context.Background(), args, streams{in: strings.NewReader(""), out: &o, err: &e})
	return o.String(), e.String(), status
}

// byShards returns what merge writes for shards, and after how many passes. first are
// the flags of the first pass, each those of every pass, print those of merge.
func byShards(t *testing.T, shards, first, each, print []string) (out, stderr string, status, passes int) {
	t.Helper()
	dir := t.TempDir()
	next := filepath.Join(dir, "next.state")
	flags := slices.Concat(first, each)
	for {
		passes++
		var made []string
		for i, path := range shards {
			made = append(made, filepath.Join(dir, fmt.Sprintf("%d.ogive", i)))
			if _, stderr, status := call(t, slices.Concat([]string{"partial", path, "-o", made[i]}, flags)...); status != 0 {
				return "", stderr, status, passes
			}
		}
		rand.Shuffle(len(made)-1, func(i, j int) { made[i+1], made[j+1] = made[j+1], made[i+1] })
		out, stderr, status = call(t, slices.Concat([]string{"merge", "-o", next}, made, print)...)
		if status != statusNo {
			return out, stderr, status, passes
		}
		if out != "" || !strings.Contains(stderr, "another pass: ogive partial SHARD --state "+next) {
			t.Fatalf("another pass, and merge wrote %q and %q", out, stderr)
		}
		flags = slices.Concat([]string{"--state", next}, each)
	}
}

// cellMakers make cells of a column; shard is which one they are for.
var cellMakers = []func(r *rand.Rand, shard int) string{
	func(r *rand.Rand, _ int) string { return strconv.Itoa(r.IntN(100) - 50) },
	func(r *rand.Rand, _ int) string { return tensorio.FormatFloat(r.NormFloat64(), 64) },
	func(r *rand.Rand, _ int) string { return strconv.FormatUint(r.Uint64(), 10) },
	func(r *rand.Rand, _ int) string { return strconv.FormatInt(int64(r.Uint64()), 10) },
	func(r *rand.Rand, s int) string { // fractions in the last shard only
		if s < 2 {
			return strconv.FormatInt(1<<53+r.Int64N(1000), 10)
		}
		return "0.5"
	},
	func(r *rand.Rand, s int) string { // beyond int64 in one, negative in another
		return []string{"18446744073709551615", "7", "-7"}[s]
	},
	func(_ *rand.Rand, s int) string { // nothing but missing values in one
		return []string{"", "3", "1e400"}[s]
	},
	func(_ *rand.Rand, s int) string { return []string{"-0", "0", "inf"}[s] },
}

// Shards of tables give the text that the whole gives in memory, notes too.
func TestShardsOfTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	asked := [][]string{
		{"quantile", "--q", "0,0.1,1/3,0.5,1"}, {"nanquantile", "--q", "0.25,", "--method", "hazen"}, {"quantile", "--q", "0.9", "--method", "lower"},
		{"nanpercentile", "--p", "5,99.9"}, {"percentile", "--p", "50"}, {"median"}, {"nanmedian", "--mode", "upper"},
	}
	for round := range 40 {
		dir := t.TempDir()
		missing := []float64{0, 0.2}[round%2]
		cells := func(s int) []string {
			row := []string{strconv.Itoa(r.IntN(4)), "text"}
			for _, make := range cellMakers {
				cell := make(r, s)
				if r.Float64() < missing {
					cell = []string{"", "NA"}[r.IntN(2)]
				}
				row = append(row, cell)
			}
			return row
		}
		head := "weight,place,small,float,uint,int,mixed,signs,none,zero\n"
		whole, shards := head, []string{}
		for s := range 3 {
			text := head
			for range 1 + r.IntN(30) {
				line := strings.Join(cells(s), ",") + "\n"
				text, whole = text+line, whole+line
			}
			shards = append(shards, filepath.Join(dir, fmt.Sprintf("s%d.csv", s)))
			writeText(t, shards[s], text)
		}
		all := filepath.Join(dir, "all.csv")
		writeText(t, all, whole)
		op := asked[round%len(asked)]
		flags := []string{}
		if round%3 == 0 {
			flags = append(flags, "--weights", "weight")
		}
		if round%5 == 0 {
			flags = append(flags, "-c", "float,s*")
		}
		print := []string{"-f", []string{"tsv", "json", "csv"}[round%3]}
		// "place" is text in every block, and --header settles what the first line is.
		want, notes, status := call(t, slices.Concat(op[:1], []string{all, "--header"}, op[1:], flags, print)...)
		got, gotNotes, gotStatus, _ := byShards(t, shards, slices.Concat([]string{"--op"}, op, flags), []string{"--header"}, print)
		gotNotes = strings.ReplaceAll(gotNotes, " may be rounded", " rounded") // which shards cannot tell
		if got != want || gotStatus != status || status == 0 && gotNotes != notes {
			t.Fatalf("%s %s: status %d\n%s%swant %d\n%s%s", op, flags, gotStatus, got, gotNotes, status, want, notes)
		}
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A small budget takes several passes, to the same text.
func TestShardsTakePasses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	whole, shards := strings.Builder{}, []string{}
	whole.WriteString("few,many,near,w\n")
	for s := range 3 {
		text := strings.Builder{}
		text.WriteString("few,many,near,w\n")
		for range 60_000 {
			far := 1 + r.Float64()*1e-7 // in one bin of the first pass
			if r.IntN(1000) == 0 {
				far = r.NormFloat64() * 1e300
			}
			line := fmt.Sprintf("%d,%d,%v,%d\n", r.IntN(10), r.Int64N(math.MaxInt64), far, r.IntN(3))
			text.WriteString(line)
			whole.WriteString(line)
		}
		shards = append(shards, filepath.Join(dir, fmt.Sprintf("s%d.csv", s)))
		writeText(t, shards[s], text.String())
	}
	all := filepath.Join(dir, "all.csv")
	writeText(t, all, whole.String())
	for _, c := range []struct {
		op     string
		flags  []string
		passes int
	}{
		{"quantile", []string{"--q", "0.1,0.5,0.99"}, 3},
		{"nanmedian", []string{"--weights", "w"}, 3},
		{"percentile", []string{"--p", "50", "-c", "many"}, 2},
		{"median", []string{"-c", "few", "--mode", "lower"}, 1},
	} {
		want, _, _ := call(t, slices.Concat([]string{c.op, all, "-f", "json"}, c.flags)...)
		got, stderr, status, passes := byShards(t, shards, slices.Concat([]string{"--op", c.op, "--states", "1M"}, c.flags), nil, []string{"-f", "json"})
		if got != want || status != 0 || passes != c.passes {
			t.Errorf("%s %s: status %d after %d passes, want %d\n%s%swant\n%s", c.op, c.flags, status, passes, c.passes, got, stderr, want)
		}
	}
}

// Arrays of every ordered dtype, in blocks, in Fortran order and with weights from a file.
func TestShardsOfArrays(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	defer func(n int) { pieceBytes = n }(pieceBytes)
	pieceBytes = 100
	for _, dt := range dtype.All() {
		if !dt.IsOrdered() || dt.IsBool() {
			continue
		}
		dir := t.TempDir()
		var shards, weights []string
		all, weigh := []float64{}, []int64{}
		for s := range 2 {
			x, w := make([]float64, 30), make([]int64, 30)
			for i := range x {
				x[i], w[i] = float64(r.IntN(100)), r.Int64N(4)
			}
			all, weigh = append(all, x...), append(weigh, w...)
			data, frequencies := ogive.Must(ogive.Must(ogive.FromSlice(x, 5, 6)).Cast(dt)), ogive.Must(ogive.FromSlice(w, 5, 6))
			if s == 1 {
				data, frequencies = ogive.Must(data.Transpose()), ogive.Must(frequencies.Transpose())
			}
			shards = append(shards, save(t, dir, fmt.Sprintf("x%d.npy", s), data))
			weights = append(weights, save(t, dir, fmt.Sprintf("w%d.npy", s), frequencies))
		}
		whole := save(t, dir, "all.npy", ogive.Must(ogive.Must(ogive.FromSlice(all, 10, 6)).Cast(dt)))
		w := save(t, dir, "w.npy", ogive.Must(ogive.FromSlice(weigh, 10, 6)))
		want, _, _ := call(t, "quantile", whole, "--q", "0.1,0.77", "-f", "json")
		if got, stderr, _, _ := byShards(t, shards, []string{"--q", "0.1,0.77"}, nil, []string{"-f", "json"}); got != want {
			t.Errorf("%v: %s%s, want %s", dt, got, stderr, want)
		}
		want, _, _ = call(t, "median", whole, "--weights", w)
		var made []string
		for i, path := range shards {
			made = append(made, filepath.Join(dir, fmt.Sprintf("%d.ogive", i)))
			if _, stderr, status := call(t, "partial", path, "--op", "median", "--weights", weights[i], "-o", made[i]); status != 0 {
				t.Fatal(stderr)
			}
		}
		if got, stderr, _ := call(t, append([]string{"merge"}, made...)...); got != want {
			t.Errorf("%v, weighted: %s%s, want %s", dt, got, stderr, want)
		}
	}
}

func save(t *testing.T, dir, name string, x *ogive.Tensor) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := tensorio.Save(path, x); err != nil {
		t.Fatal(err)
	}
	return path
}

// aShard returns the bytes of a shard's file.
func aShard(t testing.TB) []byte {
	dir := t.TempDir()
	data, path := filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.ogive")
	if err := os.WriteFile(data, []byte("a,b\n1,0.5\n2,\n3,7\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var e bytes.Buffer
	if run(context.Background(), []string{"partial", data, "--q", "0.5,1/3", "--states", "1M", "-o", path}, streams{in: strings.NewReader(""), out: &e, err: &e}) != 0 {
		t.Fatal(e.String())
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A state with any bit flipped, or cut anywhere, is ErrFormat.
func TestDamagedShard(t *testing.T) {
	b := aShard(t)
	if _, err := decodeShard("a", b); err != nil {
		t.Fatal(err)
	}
	for i := range b {
		if _, err := decodeShard("a", b[:i]); !errors.Is(err, ogive.ErrFormat) || !strings.HasPrefix(err.Error(), "a: ") {
			t.Fatalf("cut at %d: %v", i, err)
		}
		flipped := slices.Clone(b)
		flipped[i] ^= 1 << (i % 8)
		if _, err := decodeShard("a", flipped); !errors.Is(err, ogive.ErrFormat) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
	}
}

// Whatever lies behind a right checksum is read, or ErrFormat; what is read can be merged
// and answered.
func FuzzShard(f *testing.F) {
	f.Add(aShard(f))
	f.Fuzz(checkHostile)
}

// The same for bytes of the header that are others.
func TestHostileShard(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	b := aShard(t)
	read := 0
	for range 2000 {
		hostile := slices.Clone(b)
		at := r.IntN(len(b) - 4)
		hostile[at] = []byte{'0', '1', '9', '-', '"', '{', byte(r.Uint32())}[r.IntN(7)]
		if checkHostile(t, hostile); t.Failed() {
			return
		}
		if _, err := decodeShard("a", resealed(hostile)); err == nil {
			read++
		}
	}
	if read == 0 {
		t.Error("no shard was read")
	}
}

// resealed returns b with a right checksum in its last bytes.
func resealed(b []byte) []byte {
	b = slices.Clone(b[:max(len(b)-4, 0)])
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// checkHostile uses a state from a stranger's bytes as far as it goes.
func checkHostile(t *testing.T, b []byte) {
	b = resealed(b)
	s, err := decodeShard("a", b)
	if err != nil {
		if !errors.Is(err, ogive.ErrFormat) {
			t.Fatal(err)
		}
		return
	}
	o, err := decodeShard("b", b)
	if err != nil {
		t.Fatal(err)
	}
	if s.merge(o) != nil {
		return
	}
	switch again, err := s.next(); {
	case err != nil:
	case again:
		if _, err := s.encode(); err != nil {
			t.Fatal(err)
		}
	default:
		var out, stderr bytes.Buffer
		s.print(t.Context(), &mergeOptions{}, streams{out: &out, err: &stderr})
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "64k": 64 << 10, "1M": 1 << 20, "1GiB": 1 << 30, "3 mb": 0, "100MB": 100 << 20, "": 0, "-1": 0, "0": 0, "x": 0, "9999999999G": 0, "M": 0} {
		got, err := parseSize("memory", text)
		if got != want || (err == nil) != (want > 0) || err != nil && !errors.Is(err, errUsage) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}
