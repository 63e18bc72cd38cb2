package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// quantileWays are ways of giving the quantiles 0.25 and 0.5, or something so near that the
// answer is the same; of --p hundredfold.
var quantileWays = []struct {
	name, q, p string // what --q and --p take; none if it is refused
	q0         string // the label of the first one of --q, where it differs
}{
	{name: "decimals", q: "0.25,0.5", p: "25,50"},
	{name: "fractions", q: "1/4,1/2"},
	{name: "a mixture", q: "1/4,0.5"},
	{name: "exponents", q: "25e-2,5e-1", p: "2.5e1,5e1"},
	{name: "long decimals", q: "0.250000000000000000000000000001,0.5", p: "25.00000000000000000000000001,50"},
	{name: "npy", q: "@q.npy", p: "@p.npy"},
	{name: "csv", q: "@q.csv", p: "@p.csv"},
	{name: "a column", q: "@both.csv:q", p: "@both.csv:p"},
	{name: "text", q: "@q.txt", p: "@p.txt"},
	{name: "standard input", q: "@-", p: "@-"},
}

// TestNoFileOfQuantiles is that every command refuses a file without a name.
func TestNoFileOfQuantiles(t *testing.T) {
	quantileFiles(t)
	for _, args := range []string{
		"quantile t.csv -c v --q @", "nanpercentile t.csv -c v --p @", "argquantile t.csv -c v --by g --q @",
		"quantile x.npy --window 2 --q @ --q 0.5", "partial t.csv --q @ -o s.ogive", "partial t.csv --op percentile --p @ -o s.ogive",
		"plot fan x.npy --axis 1 -q @",
	} {
		out, stderr, status := callWith("", strings.Fields(args)...)
		if wantShort(t, args, stderr); status != statusUsage || out != "" {
			t.Errorf("%s: %d, %q, %s", args, status, out, stderr)
		}
	}
}

// quantileFiles are the files of a test of ways to give quantiles.
func quantileFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"t.csv":    "g,v,w\na,5,1.5\nb,1,2.5\na,4,7\nb,2,8\na,9,0.5\nb,6,3\na,7,1\nb,8,4\na,3,2\n",
		"u.csv":    "g,v,w\na,15,1.5\nb,11,2.5\na,14,7\nb,12,8\na,19,0.5\n",
		"q.csv":    "q\n0.25\n0.5\n",
		"p.csv":    "p\n25\n50\n",
		"both.csv": "q,p\n0.25,25\n0.5,50\n",
		"q.txt":    "0.25\n0.5\n",
		"p.txt":    "25\n50\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]*ogive.Tensor{
		"x.npy": ogive.Must(ogive.FromSlice([]float64{5, 1, 4, 2, 9, 6, 7, 8, 3, 0.5, 10, 12}, 6, 2)),
		"q.npy": ogive.Must(ogive.FromSlice([]float64{0.25, 0.5})),
		"p.npy": ogive.Must(ogive.FromSlice([]float32{25, 50})),
	} {
		if err := tensorio.Save(name, x); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWaysOfQuantiles runs every operation that takes quantiles in every mode, with the
// quantiles given in every way: the answer is that for plain decimals, or both are refused.
// No message has more than a line and a hint.
func TestWaysOfQuantiles(t *testing.T) {
	quantileFiles(t)
	modes := map[string][]string{
		"columns":  {"t.csv", "-c", "v,w", "-f", "csv"},
		"groups":   {"t.csv", "-c", "v,w", "--by", "g", "--sort", "-f", "csv"},
		"windows":  {"t.csv", "-c", "v,w", "--window", "4", "-f", "csv"},
		"axis":     {"x.npy", "--axis", "0", "-f", "csv"},
		"slices":   {"x.npy", "--axis", "0", "--window", "2", "-f", "csv"},
		"files":    {"t.csv", "u.csv", "-c", "v", "--per-file", "-f", "csv"},
		"weights":  {"t.csv", "-c", "v", "--weights", "w", "--method", "inverted_cdf", "-f", "csv"},
		"discrete": {"t.csv", "-c", "v", "--by", "g", "--method", "lower", "-f", "csv"},
		"json":     {"t.csv", "-c", "v,w", "--by", "g", "-f", "jsonl"},
		"rows":     {"t.csv", "-c", "v", "--method", "lower", "--rows", "-f", "csv"},
		"passes":   {"t.csv", "u.csv", "-c", "v,w", "-f", "csv"},
	}
	for _, row := range quantileRows {
		for mode, flags := range modes {
			args := append([]string{row.op.String()}, flags...)
			compareWays(t, mode, row.flag, func(flag, text string, stdin string) (string, string, int) {
				if mode == "passes" {
					defer func(csv int64) { swells["csv"] = csv }(swells["csv"])
					swells["csv"] = 1 << 40
				}
				return callWith(stdin, append(slices.Clone(args), "--"+flag, text)...)
			})
		}
	}
}

// TestWaysOfQuantilesOfShards is TestWaysOfQuantiles for partial and merge.
func TestWaysOfQuantilesOfShards(t *testing.T) {
	quantileFiles(t)
	for _, op := range partialOps[:4] {
		compareWays(t, "shards of "+op.String(), family(op), func(flag, text string, stdin string) (string, string, int) {
			var all string
			for _, shard := range []string{"t", "u"} {
				out, stderr, status := callWith(stdin, "partial", shard+".csv", "-c", "v", "--op", op.String(), "--"+flag, text, "-o", shard+".ogive")
				if all += stderr; status != 0 {
					return out, stderr, status
				}
			}
			out, stderr, status := callWith("", "merge", "t.ogive", "u.ogive", "-f", "csv")
			return out, all + stderr, status
		})
	}
}

// TestWaysOfQuantilesOfFans is TestWaysOfQuantiles for pictures.
func TestWaysOfQuantilesOfFans(t *testing.T) {
	quantileFiles(t)
	compareWays(t, "fan", "q", func(flag, text string, stdin string) (string, string, int) {
		return callWith(stdin, "plot", "fan", "x.npy", "--axis", "1", "--ascii", "--width", "40", "--height", "8", "--"+flag, text)
	})
	for text, want := range map[string]string{
		"@one.npy":  "a fan takes a list of quantiles",
		"@down.npy": "the quantiles of a fan ascend, and 0.9 comes before 0.1",
		"0.1,1e-30": "the quantiles of a fan ascend, and 0.1 comes before 1e-30",
		"@none.npy": "no such file",
	} {
		for name, x := range map[string]*ogive.Tensor{"one.npy": ogive.Scalar(0.5), "down.npy": ogive.Must(ogive.FromSlice([]float64{0.9, 0.1}))} {
			if err := tensorio.Save(name, x); err != nil {
				t.Fatal(err)
			}
		}
		if _, stderr, status := callWith("", "plot", "fan", "x.npy", "--axis", "1", "-q", text); status == 0 || !strings.Contains(stderr, want) {
			t.Errorf("-q %s: %d, %s", text, status, stderr)
		}
	}
}

// compareWays runs a command with the quantiles given in each way.
func compareWays(t *testing.T, what, flag string, run func(flag, text, stdin string) (out, stderr string, status int)) {
	t.Helper()
	var plain string
	var plainStatus int
	for i, way := range quantileWays {
		text, stdin := way.q, "0.25\n0.5\n"
		if flag == "p" {
			text, stdin = way.p, "25\n50\n"
		}
		if text == "" {
			text = way.q
		}
		out, stderr, status := run(flag, text, stdin)
		out = strings.NewReplacer("1/4", "0.25", "1/2", "0.5").Replace(out)
		wantShort(t, what+" "+text, stderr)
		switch {
		case i == 0:
			plain, plainStatus = out, status
		case flag == "p" && way.p == "":
			if status != statusUsage || plainStatus == 0 && !strings.Contains(stderr, "--p takes decimal numbers, not fractions") {
				t.Errorf("%s, %s: %d, %s", what, way.name, status, stderr)
			}
		case status != plainStatus || out != plain:
			t.Errorf("%s, %s: %d\n%s%swant %d\n%s", what, way.name, status, out, stderr, plainStatus, plain)
		}
	}
}

// wantShort fails the test unless standard error has an error and a hint at most, or notes of
// one line.
func wantShort(t *testing.T, what, stderr string) {
	t.Helper()
	notes, messages, hints := 0, 0, 0
	for line := range strings.Lines(stderr) {
		switch {
		case strings.HasPrefix(line, "ogive: note: "):
			notes++
		case strings.HasPrefix(line, "ogive: hint: "):
			hints++
		default:
			messages++
		}
	}
	if messages > 1 || hints > messages || messages == 1 && (notes > 0 || !strings.HasPrefix(stderr, "ogive: ")) {
		t.Errorf("%s: more than a line and a hint:\n%s", what, stderr)
	}
}

// callWith is call with standard input.
func callWith(stdin string, args ...string) (out, stderr string, status int) {
	var o, e bytes.Buffer
	status = run(context.Background(), args, streams{in: strings.NewReader(stdin), out: &o, err: &e})
	return o.String(), e.String(), status
}

// TestTinyQuantiles is that a decimal which no 64-bit fraction is counts as a float64,
// alone and in a list with others.
func TestTinyQuantiles(t *testing.T) {
	quantileFiles(t)
	for _, c := range []struct{ args, want string }{
		{"quantile t.csv -c v --q 1e-30 -f plain", "1\n"},
		{"quantile t.csv -c v --q 0.1234567890123456789 -f plain", "1.9876543120987655\n"},
		{"quantile t.csv -c v --q 1e-30,0.3,1/3 -f csv", "column,1e-30,0.3,1/3\nv,1,3.4,3.6666666666666665\n"},
		{"quantile t.csv -c v --q 1e-30,0.3 --by g --sort -f csv", "g,column,1e-30,0.3\na,v,3,4.2\nb,v,1,1.9\n"},
		{"percentile t.csv -c v --p 1e-30 -f plain", "1\n"},
		{"assert q1e-30==1 p0.1234567890123456789<2 t.csv -c v", ""},
		{"percentile t.csv -c v --p 12.34567890123456789 -f plain", "1.9876543120987655\n"},
	} {
		if out, stderr, status := callWith("", strings.Fields(c.args)...); status != 0 || out != c.want {
			t.Errorf("%s: %d, %q, want %q\n%s", c.args, status, out, c.want, stderr)
		}
	}
}
