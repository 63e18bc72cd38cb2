package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// fakePython answers requests as peers.py does, with answer's value for every
// expression that it does not refuse. It ends after the line that is not JSON.
func fakePython(t *testing.T, answer func(x *ogive.Tensor, expr string) (*ogive.Tensor, error)) *python {
	t.Helper()
	requestsR, requestsW := io.Pipe()
	repliesR, repliesW := io.Pipe()
	go func() {
		defer repliesW.Close()
		var x *ogive.Tensor
		in := bufio.NewScanner(requestsR)
		for in.Scan() {
			var r request
			if json.Unmarshal(in.Bytes(), &r) != nil {
				return
			}
			var a reply
			var err error
			switch r.Op {
			case "hello":
				a.Versions = map[string]string{"python": "3", sysNumPy: "2", sysTorch: "2"}
				a.Missing = map[string]string{sysBottleneck: "ModuleNotFoundError: no bottleneck"}
			case "load":
				var f *os.File
				if f, err = os.Open(r.X); err == nil {
					x, err = tensorio.ReadNPY(f)
					f.Close()
				}
			case "time":
				a.MS = slices.Repeat([]float64{50}, r.Repeat)
			case "answer":
				var y *ogive.Tensor
				if y, err = answer(x, r.Expr); err == nil {
					err = tensorio.Save(r.Path, y)
				}
			default:
				err = fmt.Errorf("KeyError: %q", r.Op)
			}
			if err != nil {
				a = reply{Error: err.Error()}
			}
			if json.NewEncoder(repliesW).Encode(a) != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { requestsW.Close() })
	p := newPython(requestsW, repliesR)
	if err := p.hello(2); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSessionWithPeers(t *testing.T) {
	py := fakePython(t, func(x *ogive.Tensor, expr string) (*ogive.Tensor, error) {
		switch expr {
		case "np.median(x)":
			return x.Median()
		case "tx.median()":
			return x.Median(ogive.Mode(ogive.ModeLower))
		case "wrong":
			return ogive.Scalar(-7.0), nil
		}
		return nil, errors.New("RuntimeError: out of quantiles")
	})
	s := &session{dir: t.TempDir(), python: py, pace: pace{rounds: 3}, workers: 2}
	c := benchCase{call: median, data: of(dtype.Float64, 1000), base: of(dtype.Float64, 1000).as(normal), peers: []peerCall{
		py1("np.median(x)"), py1("wrong"), py1("np.quantile(x)"), pyLower(sysTorch, "tx.median()"), {system: sysBottleneck, expr: "bn.median(x)"},
	}}
	r, err := s.measure(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.peers) != 2 || r.peers[sysNumPy] != 50 || r.peers[sysTorch] != 50 {
		t.Errorf("peers took %v, want 50 ms of numpy and torch", r.peers)
	}
	if !(r.ogive > 0) || !(r.base > 0) || r.read == r.read {
		t.Errorf("ogive took %v, on the base %v, reading %v; want two times and NaN", r.ogive, r.base, r.read)
	}
	if len(r.notes) != 2 || !strings.HasPrefix(r.notes[0], "numpy: wrong: 1 of 1 values differ; value 0 is -7, ogive has 0.") ||
		r.notes[1] != "numpy: np.quantile(x): RuntimeError: out of quantiles" {
		t.Errorf("notes are %q", r.notes)
	}
	if left, _ := os.ReadDir(s.dir); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
	if h := heading(time.Date(2024, 2, 3, 0, 0, 0, 0, time.UTC), s); !strings.HasPrefix(h, "2024-02-03, ") ||
		!strings.Contains(h, "Python 3, numpy 2, torch 2\nwithout bottleneck (ModuleNotFoundError: no bottleneck)\n") {
		t.Errorf("heading is\n%s", h)
	}
}

func py1(expr string) peerCall { return py(sysNumPy, expr) }

func TestSessionReadsData(t *testing.T) {
	py := fakePython(t, func(x *ogive.Tensor, expr string) (*ogive.Tensor, error) { return x.Median() })
	s := &session{dir: t.TempDir(), python: py, pace: pace{rounds: 2}, workers: 2}
	r, err := s.measure(t.Context(), benchCase{call: median, data: of(dtype.Float32, 300_000), peers: []peerCall{py1("np.median(x)")}})
	if err != nil || len(r.notes) > 0 {
		t.Fatalf("%v %q", err, r.notes)
	}
	// The sums that the fake times at 50 ms lose to the one made here.
	if !(r.read > 0 && r.read < 50) {
		t.Errorf("reading took %v", r.read)
	}
}

func TestAskEnds(t *testing.T) {
	p := newPython(io.Discard, strings.NewReader("not JSON\n"))
	if _, err := p.ask(request{Op: "hello"}); err == nil || !strings.Contains(err.Error(), "not JSON") {
		t.Errorf("an answer that is not JSON: %v", err)
	}
	var raised errPeer
	if _, err := p.ask(request{Op: "hello"}); !errors.Is(err, io.EOF) || errors.As(err, &raised) {
		t.Errorf("a process that ended: %v", err)
	}
	p = newPython(io.Discard, strings.NewReader(`{"ms": [1, 2]}`+"\n"))
	if _, err := p.turn("x")(1, 3); err == nil {
		t.Error("too few times gave no error")
	}
}

// TestPeersScript talks to the real peers.py, as far as the interpreter's
// libraries go.
func TestPeersScript(t *testing.T) {
	interpreter := os.Getenv("PYTHON")
	if interpreter == "" {
		interpreter = "python3"
	}
	path, err := exec.LookPath(interpreter)
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	p, err := startPython(t.Context(), path, dir, 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.stop(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	}()
	for _, library := range []string{sysNumPy, sysTorch, sysBottleneck, sysPandas} {
		if p.has(library) == (p.missing[library] != "") {
			t.Errorf("%s has version %q and is missing because %q", library, p.versions[library], p.missing[library])
		}
	}
	var raised errPeer
	if _, err := p.ask(request{Op: "nonsense"}); !errors.As(err, &raised) {
		t.Errorf("an unknown request: %v", err)
	}
	if !p.has(sysNumPy) {
		t.Skip("without NumPy: " + p.missing[sysNumPy])
	}
	seen := map[string]bool{}
	for _, c := range cases() {
		c.data = c.data.shrunk(50)
		c.base = dataSpec{}
		if seen[c.name()] {
			continue
		}
		seen[c.name()] = true
		s := &session{dir: dir, python: p, pace: pace{rounds: 1}, workers: 1}
		if err := s.load(c); err != nil {
			t.Fatalf("%s: %v", c.name(), err)
		}
		for _, call := range c.peers {
			k, differs, err := s.peer(c, call)
			if err != nil || differs != "" {
				t.Errorf("%s: %s: %v %s", c.name(), call.expr, err, differs)
				continue
			}
			if k == nil {
				continue
			}
			if ms, err := k.turn(1, 2); err != nil || len(ms) != 2 {
				t.Errorf("%s: %s: a turn gave %v, %v", c.name(), call.expr, ms, err)
			}
		}
	}
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		stdout string // contained
		stderr string // contained
	}{
		{"-list -group small", 0, "small: median float64 5\n    numpy       np.median(x)\n    torch       tx.median()  (the lower of two values)\n", ""},
		{"-h", 0, "", "-rounds"},
		{"-case nothing", 2, "", "no case matches"},
		{"-case (", 2, "", "missing closing )"},
		{"-group odd", 2, "", `unknown group "odd"; known: whole`},
		{"-format xml", 2, "", `unknown format "xml"`},
		{"-workers 0", 2, "", "want 1 or more"},
		{"-rounds -1", 2, "", "not negative"},
		{"-odd", 2, "", "not defined: -odd"},
		{"extra", 2, "", `unexpected argument "extra"`},
		{"-python none -group small -rounds 1", 0, "without Python peers", "2/2 median float64 100"},
		{"-python /no/such/python -group small -rounds 1 -format tsv", 0, "\nmedian float64 5\t", "no Python peers"},
	} {
		var stdout, stderr strings.Builder
		if got := run(t.Context(), strings.Fields(c.args), &stdout, &stderr); got != c.status {
			t.Errorf("bench %s: exit status %d, want %d\n%s", c.args, got, c.status, stderr.String())
		}
		if !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("bench %s printed\n%s\nand\n%s", c.args, stdout.String(), stderr.String())
		}
	}
}

func TestLarge(t *testing.T) {
	names := func(args ...string) string {
		o, err := parse(args, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := list(&b, chosen(cases(), o.groups, o.match.MatchString)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if with, without := names("-large"), names(); strings.Contains(without, "100M") ||
		!strings.Contains(with, "large: median float32 100M\n") || !strings.HasPrefix(with, without) || strings.Contains(with, "worst") {
		t.Errorf("-large lists\n%s", with)
	}
	if got := names("-large", "-group", "small"); !strings.Contains(got, "100M") || strings.Contains(got, "10M") {
		t.Errorf("-large -group small lists\n%s", got)
	}
}
