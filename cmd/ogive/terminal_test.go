package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// onTerminal runs a command line as if on a terminal with such an environment.
func onTerminal(environ []string, stdin string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	s := streams{in: strings.NewReader(stdin), out: &out, err: &err, outTTY: true, errTTY: true, environ: environ}
	status = run(context.Background(), args, s)
	return status, out.String(), err.String()
}

func TestTerminalGetsATable(t *testing.T) {
	const plain = "q     quantile\n0            1\n0.25         2\n1            5\n"
	const coloured = "\x1b[1mq\x1b[m     \x1b[1mquantile\x1b[m\n\x1b[36m0\x1b[m            1\n\x1b[36m0.25\x1b[m         2\n\x1b[36m1\x1b[m            5\n"
	args := []string{"quantile", "--q", "0,0.25,1"}
	for _, c := range []struct {
		name    string
		environ []string
		args    []string
		want    string
	}{
		{"colour", []string{"TERM=xterm-256color"}, args, coloured},
		{"NO_COLOR", []string{"TERM=xterm-256color", "NO_COLOR=yes"}, args, plain},
		{"empty NO_COLOR", []string{"TERM=xterm-256color", "NO_COLOR="}, args, coloured},
		{"--no-color", []string{"TERM=xterm-256color"}, append(args, "--no-color"), plain},
		{"dumb", []string{"TERM=dumb"}, args, plain},
		{"tsv", []string{"TERM=xterm-256color"}, append(args, "-f", "tsv"), "q\tquantile\n0\t1\n0.25\t2\n1\t5\n"},
	} {
		status, stdout, stderr := onTerminal(c.environ, "1\n2\n3\n4\n5\n", c.args...)
		if status != 0 || stdout != c.want || stderr != "" {
			t.Errorf("%s: status %d, stderr %q, stdout\n%q\nwant\n%q", c.name, status, stderr, stdout, c.want)
		}
	}
}

func TestTerminalGetsNoBinary(t *testing.T) {
	for _, format := range []string{"npy", "npz"} {
		status, stdout, stderr := onTerminal(nil, "1\n", "median", "-f", format)
		want := "ogive: median: " + format + " is binary, and standard output is a terminal\nogive: hint: -o FILE, or redirect standard output\n"
		if status != statusUsage || stdout != "" || stderr != want {
			t.Errorf("%s: status %d, stdout %q, stderr %q", format, status, stdout, stderr)
		}
		out := filepath.Join(t.TempDir(), "out")
		if status, _, stderr := onTerminal(nil, "1\n", "median", "-f", format, "-o", out); status != 0 {
			t.Errorf("%s: status %d, stderr %q", format, status, stderr)
		}
	}
}

// TestNarrowTerminal gives a table to terminals of several widths.
func TestNarrowTerminal(t *testing.T) {
	const input = "name,size,weight\na,10,1.25\nb,20,2.5\nc,30,3.75\n"
	for _, c := range []struct {
		width int
		args  []string
		want  string
	}{
		{80, []string{"quantile", "--q", "0,0.5,1"}, "column     0  0.5     1\nsize      10   20    30\nweight  1.25  2.5  3.75\n"},
		{20, []string{"quantile", "--q", "0,0.5,1"}, "column  size  weight\n0         10    1.25\n0.5       20     2.5\n1         30    3.75\n"},
		{19, []string{"quantile", "--q", "0,0.5,1"}, "column  size\n0         10\n0.5       20\n1         30\n\ncolumn  weight\n0         1.25\n0.5        2.5\n1         3.75\n"},
		{0, []string{"quantile", "--q", "0,1"}, "column     0     1\nsize      10    30\nweight  1.25  3.75\n"},
		{16, []string{"median"}, "column  median\nsize        20\nweight     2.5\n"},
	} {
		var out bytes.Buffer
		s := streams{in: strings.NewReader(input), out: &out, err: io.Discard, outTTY: true, width: c.width, environ: []string{"TERM=dumb"}}
		if status := run(context.Background(), append(c.args, "-c", "size,weight"), s); status != 0 || out.String() != c.want {
			t.Errorf("%d: status %d\n%s\nwant\n%s", c.width, status, &out, c.want)
		}
	}
}
