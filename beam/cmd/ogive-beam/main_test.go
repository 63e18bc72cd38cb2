package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// hlogText is a log of 7 six times and 100 once for no tag, and 40 three times and 7 once
// for a tag; what describes it is what ogive says.
const (
	hlogText = "#[Histogram log format version 1.3]\n" +
		"0.000000,1.000000,0.000100,HISTFAAAACh42pJpmSzMwMDAygABTFCaEUwKMDDYf4AI8HJtZ2QCBAAA//9KrQNf\n" +
		"Tag=b,1.000000,1.000000,0.000040,HISTFAAAACd42pJpmSzMwMDAwgABTFCaEUwKMDDYf4AI8DLZswECAAD//0YmAuE=\n"
	hlogDescribed = "column,count,missing,-inf,+inf,min,p1,p5,p25,median,p75,p95,p99,max,iqr,mad\n" +
		"value,10,0,0,0,7,7,7,7,7,40,73,94.6,100,33,0\n"
	hlogTags = "tag,column,count,missing,-inf,+inf,min,p1,p5,p25,median,p75,p95,p99,max,iqr,mad\n" +
		"b,value,4,0,0,0,7,7.99,11.95,31.75,40,40,40,40,40,8.25,0\n" +
		"NA,value,6,0,0,0,7,7,7,7,7,7,76.75,95.35,100,0,0\n"
)

// longText holds integers that float64 does not, whose spreads it would round.
const (
	longText      = "v\n1152921504606846976\n1152921504606847076\n1152921504606847176\n"
	longDescribed = "column,count,missing,-inf,+inf,min,p1,p5,p25,median,p75,p95,p99,max,iqr,mad\n" +
		"v,3,0,0,0,1152921504606846976,1152921504606847000,1152921504606847000,1152921504606847000,1152921504606847000," +
		"1152921504606847200,1152921504606847200,1152921504606847200,1152921504606847176,100,100\n"
)

// TestCommand builds the command and runs it as a user does.
func TestCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "ogive-beam")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cube := make([]float64, 24)
	for i := range cube {
		cube[i] = float64(i)
	}
	x := ogive.Must(ogive.FromSlice(cube, 4, 3, 2))
	for i, name := range []string{"a.npy", "b.npy"} {
		half := ogive.Must(ogive.Must(x.Slice(0, 2*i, 2*i+2, 1)).Contiguous())
		if err := tensorio.Save(filepath.Join(folder, name), half); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "t.csv"), []byte("g,v\nb,1\na,2\nb,5\na,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"h_0.csv": "g,v\nhot,1\n05,2\n", "h_1.csv": "g,v\n05,3\n5,7\n05,40\n",
		"y_0.csv": "g,v\n2024,1\n", "y_1.csv": "g,v\n2025,2\n2024,4\n", "p.csv": "10\n50\n",
		"s.hlog": hlogText, "c.csv": "value,count\n7,1\n", "long.csv": longText,
		"na.json": `{"g":"NA","v":1}{"g":null,"v":2}{"g":"hot","v":4}{"v":3}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	closed, silent := noServers(t)
	for _, c := range []struct {
		args, out, err string
		status         int
	}{
		{"median *.npy", "11.5\n", "24 elements, 2 parts", 0},
		{"quantile *.npy --q 0,1/3,1", "q\tquantile\n0\t0\n1/3\t7.666666666666667\n1\t23\n", "", 0},
		{"median *.npy --axis 0,2", "9.5\n11.5\n13.5\n", "", 0},
		{"median --axis 1,2 *.npy", "2.5\n8.5\n14.5\n20.5\n", "", 0},
		{"median *.npy --axis 0", "9\t10\n11\t12\n13\t14\n", "", 0},
		{"percentile *.npy --axis 2,1 --p 0,100 -f csv", "axis0,0,100\n0,0,5\n1,6,11\n2,12,17\n3,18,23\n", "", 0},
		{"nanmedian t.csv --by g", "g\tcolumn\tnanmedian\na\tv\t2\nb\tv\t3\n", "", 0},
		{"nanmedian t.csv -f json --quiet", `{"schema":1,"kind":"records","op":"nanmedian","records":[{"column":"v","nanmedian":2}]}` + "\n", "", 0},
		{"median y_?.csv --by g -f json --quiet", `{"schema":1,"kind":"records","op":"median","records":[{"g":2024,"column":"v","median":2.5},{"g":2025,"column":"v","median":2}]}` + "\n", "", 0},
		{"median h_?.csv --by g --quiet", "g\tcolumn\tmedian\n05\tv\t3\n5\tv\t7\nhot\tv\t1\n", "", 0},
		{"median h_1.csv --by g --quiet", "g\tcolumn\tmedian\n05\tv\t21.5\n5\tv\t7\n", "", 0},
		{"median t.csv", "column\tmedian\nv\tNaN\n", "", 0},
		{"median none.npy", "", "none.npy: file does not exist\n", 1},
		{"median *.npy --axis 3", "", "axis 3 of 3 dimensions\n", 1},
		{"quantile a.npy", "", "quantile needs --q\n", 2},
		{"quantile a.npy --q 1.5", "", "q = 1.5 is outside [0, 1]\n", 2},
		{"median a.npy --q 0.5", "", "median takes no --q\n", 2},
		{"mean a.npy", "", "unknown command \"mean\"", 2},
		{"median a.npy --nosuch", "", "flag provided but not defined: -nosuch\n", 2},
		{"quantile t.csv --by g --q 1e-30,1/2,0.5 -f csv --quiet", "g,column,1e-30,1/2,0.5\na,v,NaN,NaN,NaN\nb,v,1,3,3\n", "", 0},
		{"percentile t.csv --by g --p @p.csv -f csv --quiet", "g,column,10,50\na,v,NaN,NaN\nb,v,1.4,3\n", "", 0},
		{"quantile *.npy --q @p.csv", "", "q = 10 is outside [0, 1]\n", 2},
		{"quantile *.npy --q @", "", "--q @: ", 2},
		{"quantile *.npy --q @c.csv", "", "--q @c.csv: 2 columns or arrays of numbers, not one\n", 2},
		{"median s.hlog", "column\tmedian\nvalue\t7\n", "", 0},
		{"median s.hlog --weights none --quiet", "column\tmedian\nvalue\t23.5\ncount\t2\n", "", 0},
		{"describe s.hlog --by tag -f csv --quiet", hlogTags, "", 0},
		{"describe s.hlog -f csv --quiet", hlogDescribed, "", 0},
		{"median s.hlog c.csv -c value", "", "the counts of one are weights, and the other has none: name weights, or none\n", 1},
		{"median s.hlog c.csv --weights count --quiet", "column\tmedian\nvalue\t7\n", "", 0},
		{"describe long.csv -f csv --quiet", longDescribed, "", 0},
		{"median na.json --by g --quiet", "g\tcolumn\tmedian\nNA\tv\t1\nhot\tv\t4\nNA\tv\t2.5\n", "", 0},
		{"median a.npy --runner nonsense", "", "--runner takes prism, direct, universal, flink, spark or dataflow, got \"nonsense\"\n", 2},
		{"median a.npy --runner flink", "", "--runner flink needs --endpoint HOST:PORT, of its job server\n", 2},
		{"median a.npy --runner flink --endpoint localhost:1", "", "--runner flink --endpoint localhost:1 needs --environment_type PROCESS, LOOPBACK or DOCKER\n", 2},
		{"median a.npy --runner spark --endpoint localhost --environment_type LOOPBACK", "", "--endpoint takes HOST:PORT, got \"localhost\"\n", 2},
		{"median a.npy --environment_type thread", "", "--environment_type takes PROCESS, LOOPBACK, DOCKER or EXTERNAL, got \"thread\"\n", 2},
		{"median a.npy --runner universal --endpoint " + closed + " --environment_type PROCESS", "", "--endpoint " + closed + ": dial tcp " + closed + ": connect: connection refused\n", 1},
		{"median a.npy --runner universal --endpoint " + silent + " --environment_type PROCESS", "", "--endpoint " + silent + ": no job server answers there\n", 1},
	} {
		cmd := exec.Command(program, strings.Fields(c.args)...)
		cmd.Dir = folder
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		begun := time.Now()
		err := cmd.Run()
		if took := time.Since(begun); c.status != 0 && took > 30*time.Second {
			t.Errorf("%s: refused after %v", c.args, took)
		}
		status := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			status = exit.ExitCode()
		}
		if n := strings.Count(log.String(), "\n"); c.status != 0 && n != 1 {
			t.Errorf("%s: %d lines", c.args, n)
		}
		if out.String() != c.out || !strings.Contains(log.String(), c.err) || status != c.status {
			t.Errorf("%s: status %d\n%s\n%s\nwant status %d\n%s\n%s", c.args, status, &out, &log, c.status, c.out, c.err)
		}
	}
}

// noServers returns an address where nothing listens, and one where nothing answers.
func noServers(t *testing.T) (closed, silent string) {
	t.Helper()
	var addresses [2]string
	for i := range addresses {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addresses[i] = l.Addr().String()
		if i == 0 {
			l.Close()
		} else {
			t.Cleanup(func() { l.Close() })
		}
	}
	return addresses[0], addresses[1]
}

// TestParseQ reads decimals and fractions exactly.
func TestParseQ(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       rank.Q
		label      string
	}{
		{"q", "0.1", rank.Ratio(1, 10), "0.1"}, {"q", ".50", rank.Ratio(1, 2), "0.5"}, {"q", "2/6", rank.Ratio(1, 3), "2/6"},
		{"p", "99.9", rank.Ratio(999, 1000), "99.9"}, {"p", "0", rank.Ratio(0, 1), "0"},
		{"q", "1e-1", rank.Ratio(1, 10), "0.1"}, {"q", "1e-30", rank.At(1e-30), "1e-30"}, {"p", "1e-30", rank.At(1e-32), "1e-30"},
		{"q", "0.1234567890123456789", rank.At(0.1234567890123456789), "0.12345678901234568"}, {"q", "1e-999999999", rank.Ratio(0, 1), "0"},
		{"p", "12.34567890123456789", rank.At(12.34567890123456789 / 100), "12.345678901234567"},
	} {
		top := int64(1)
		if c.name == "p" {
			top = 100
		}
		if q, label, err := parseQ(c.name, c.text, top); q != c.want || label != c.label || err != nil {
			t.Errorf("%s %s: %v %s %v", c.name, c.text, q, label, err)
		}
	}
	for _, bad := range []string{"", "x", "-0.1", "-1e-30", "1.1", "1.0000000000000000000001", "1e400", "inf", "0x1", "1_0", "nan", "1/0", "1/2.5", "3/2", "1/9223372036854775809"} {
		if q, _, err := parseQ("q", bad, 1); err == nil {
			t.Errorf("%q: %v", bad, q)
		}
	}
	if q, _, err := parseQ("p", "1/3", 100); err == nil {
		t.Errorf("a fraction of percentile: %v", q)
	}
}

// TestSize reads sizes.
func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "64M": 64 << 20, "1g": 1 << 30, "2KiB": 2048, "7": 7} {
		if n, err := size("memory", text); n != want || err != nil {
			t.Errorf("%q: %d %v, want %d", text, n, err, want)
		}
	}
	for _, bad := range []string{"x", "-1", "1X", "9999999T", "M"} {
		if n, err := size("memory", bad); err == nil {
			t.Errorf("%q: %d", bad, n)
		}
	}
}

// TestGroupsInOrder orders groups by number where all are numbers, else by text, and what
// is missing last.
func TestGroupsInOrder(t *testing.T) {
	for _, want := range [][]string{
		{"-1.5", "05", "5", "5.0", "9", "10", "9007199254740992", "9007199254740993", "missing NA"},
		{"-1.5", "10", "9", "NA", "a", "b", "missing NA"},
	} {
		var lines []line
		for _, text := range want {
			lines = append(lines, line{Group: []string{strings.TrimPrefix(text, "missing ")}, Missing: []bool{strings.HasPrefix(text, "missing ")}})
		}
		slices.Reverse(lines)
		order := groupOrder(lines)[0]
		slices.SortFunc(lines, func(a, b line) int { return order(&a, &b) })
		for i, text := range want {
			if got := lines[i]; got.Group[0] != strings.TrimPrefix(text, "missing ") || got.Missing[0] != strings.HasPrefix(text, "missing ") {
				t.Errorf("place %d: %s %v, want %s", i, got.Group[0], got.Missing, text)
			}
		}
	}
}

// TestReason has one line of errors that runners put more around.
func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		"job failed to prepare\n\tcaused by:\nrpc error: 404\n":                      "job failed to prepare: rpc error: 404",
		"pipeline\n\tfull error:\nwhile [x] failed:\na.csv: no column \"v\"\n\tmore": `a.csv: no column "v"`,
		"a\n  b\n\tc": "a b c",
	} {
		if got := reason(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
