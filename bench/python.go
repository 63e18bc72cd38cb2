package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

//go:embed peers.py
var peersSource []byte

// request and reply are the lines of the protocol that peers.py explains.
type request struct {
	Op       string    `json:"op"`
	Threads  int       `json:"threads,omitempty"`
	X        string    `json:"x,omitempty"`
	Test     string    `json:"test"`
	Qs       []float64 `json:"qs"`
	BFloat16 bool      `json:"bfloat16"`
	Expr     string    `json:"expr,omitempty"`
	Loops    int       `json:"loops,omitempty"`
	Repeat   int       `json:"repeat,omitempty"`
	Path     string    `json:"path,omitempty"`
}

type reply struct {
	Error    string            `json:"error"`
	Versions map[string]string `json:"versions"`
	Missing  map[string]string `json:"missing"`
	MS       []float64         `json:"ms"`
}

// errPeer is what a request raised in Python; the process is fine.
type errPeer struct{ what string }

func (e errPeer) Error() string { return e.what }

// python is a conversation with a process that runs peers.py.
type python struct {
	in   *json.Encoder
	out  *bufio.Reader
	stop func() error

	versions map[string]string // by library, and of python itself
	missing  map[string]string // libraries that cannot be imported, and why
}

// startPython runs the interpreter on a copy of peers.py in dir.
func startPython(ctx context.Context, interpreter, dir string, threads int, stderr io.Writer) (*python, error) {
	script := filepath.Join(dir, "peers.py")
	if err := os.WriteFile(script, peersSource, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, interpreter, script)
	n := strconv.Itoa(threads)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+n, "MKL_NUM_THREADS="+n, "OPENBLAS_NUM_THREADS="+n)
	cmd.Stderr = stderr
	cmd.WaitDelay = 10 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := newPython(in, out)
	p.stop = func() error {
		return errors.Join(in.Close(), cmd.Wait())
	}
	if err := p.hello(threads); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// newPython returns a conversation over a pair of streams.
func newPython(in io.Writer, out io.Reader) *python {
	return &python{in: json.NewEncoder(in), out: bufio.NewReader(out), stop: func() error { return nil }}
}

// ask sends a request and returns its reply, or errPeer if it holds an error.
func (p *python) ask(r request) (reply, error) {
	if err := p.in.Encode(r); err != nil {
		return reply{}, fmt.Errorf("%s: the Python process does not listen: %w", r.Op, err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return reply{}, fmt.Errorf("%s: the Python process ended: %w", r.Op, err)
	}
	var a reply
	if err := json.Unmarshal(line, &a); err != nil {
		return reply{}, fmt.Errorf("%s: the Python process answered %q: %w", r.Op, line, err)
	}
	if a.Error != "" {
		return reply{}, errPeer{a.Error}
	}
	return a, nil
}

// hello makes the process import its libraries.
func (p *python) hello(threads int) error {
	a, err := p.ask(request{Op: "hello", Threads: threads})
	if err != nil {
		return err
	}
	p.versions, p.missing = a.Versions, a.Missing
	return nil
}

func (p *python) has(library string) bool { return p.versions[library] != "" }

// turn times calls of an expression.
func (p *python) turn(expr string) turn {
	return func(loops, repeat int) ([]float64, error) {
		a, err := p.ask(request{Op: "time", Expr: expr, Loops: loops, Repeat: repeat})
		if err == nil && len(a.MS) != repeat {
			err = fmt.Errorf("the Python process answered %d times, want %d", len(a.MS), repeat)
		}
		return a.MS, err
	}
}
