package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// machines are the emulated ones: the plainer vectors of two architectures.
var machines = []struct{ goarch, qemu, level string }{
	{"amd64", "qemu-x86_64", "avx2"},
	{"arm64", "qemu-aarch64", "neon"},
}

// program is this one, built for a machine, with the ranges of addresses of its kernels.
type program struct{ qemu, path, ranges string }

// kernels is the package whose instructions are counted.
const kernels = "github.com/ogive-go/ogive/internal/kernel."

// countedElements is to how many elements the data of a case is cut where instructions are
// counted: an emulator that tells each takes a microsecond for it.
const countedElements = 100_000

// countInstructions prints, for each case, how many instructions the kernels take for an
// element, on each of the machines, with one worker.
func countInstructions(ctx context.Context, table []benchCase, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "ogive-instructions-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var programs []program
	fmt.Fprint(stdout, "| case |")
	for _, m := range machines {
		p := program{qemu: m.qemu, path: filepath.Join(dir, m.goarch)}
		if p.ranges, err = build(ctx, p.path, m.goarch); err != nil {
			return err
		}
		programs = append(programs, p)
		fmt.Fprintf(stdout, " %s |", m.level)
	}
	fmt.Fprintf(stdout, " times |\n| :-- |%s\n", strings.Repeat(" --: |", len(programs)+1))
	for _, c := range table {
		fmt.Fprintln(stderr, c.name())
		fmt.Fprintf(stdout, "| %s |", c.name())
		var each []float64
		for _, p := range programs {
			var counts [2]int // without and with the call
			for times := range counts {
				if counts[times], err = p.trace(ctx, c, times); err != nil {
					return err
				}
			}
			each = append(each, float64(counts[1]-counts[0])/float64(c.cut().len()))
			fmt.Fprintf(stdout, " %.3g |", each[len(each)-1])
		}
		fmt.Fprintf(stdout, " %.2f |\n", each[1]/each[0])
	}
	return nil
}

// cut returns the data of a case with fewer lanes, or a shorter one.
func (c benchCase) cut() dataSpec {
	d := c.data
	d.shape = slices.Clone(d.shape)
	axis := 0
	if len(d.shape) == 2 {
		axis = 1 - c.call.axis
	}
	if n := d.len(); n > countedElements {
		d.shape[axis] = max(countedElements/(n/d.shape[axis]), 1)
	}
	return d
}

// build builds this program for an architecture, and returns where its kernels lie.
func build(ctx context.Context, path, goarch string) (ranges string, err error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/ogive-go/ogive/bench")
	cmd.Env = append(os.Environ(), "GOARCH="+goarch, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building for %s: %w: %s", goarch, err, out)
	}
	symbols, err := exec.CommandContext(ctx, "go", "tool", "nm", "-size", path).Output()
	if err != nil {
		return "", err
	}
	var all []string
	for line := range strings.Lines(string(symbols)) {
		f := strings.Fields(line)
		if len(f) < 4 || strings.ToUpper(f[2]) != "T" || !strings.HasPrefix(f[3], kernels) {
			continue
		}
		size, err := strconv.Atoi(f[1])
		if err == nil && size > 0 {
			all = append(all, fmt.Sprintf("0x%s+%#x", f[0], size))
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("no kernels are named in the program for %s", goarch)
	}
	return strings.Join(all, ","), nil
}

// trace counts the instructions of the kernels in so many calls of a case.
func (p program) trace(ctx context.Context, c benchCase, times int) (n int, err error) {
	cmd := exec.CommandContext(ctx, p.qemu, "-cpu", "max", "-singlestep", "-d", "exec,nochain", "-dfilter", p.ranges,
		p.path, "-execute", strconv.Itoa(times), "-case", "^"+regexp.QuoteMeta(c.name())+"$", "-group", c.group)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off")
	out, err := cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("the emulator of Debian's package qemu-user is needed: %w", err)
	}
	var other bytes.Buffer
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if bytes.HasPrefix(lines.Bytes(), []byte("Trace ")) {
			n++
		} else {
			other.Write(append(lines.Bytes(), '\n'))
		}
	}
	if err := cmd.Wait(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", c.name(), err, other.Bytes())
	}
	return n, lines.Err()
}

// execute calls the cases so many times on data that is cut, and prints nothing.
func execute(table []benchCase, times int) error {
	for _, c := range table {
		s := &session{workers: 1}
		c.data, c.base = c.cut(), dataSpec{}
		if err := s.load(c); err != nil {
			return err
		}
		own, err := s.own(c.call, s.x, s.test)
		if err != nil {
			return err
		}
		if _, err := own.turn(times, 1); err != nil {
			return err
		}
	}
	return nil
}
