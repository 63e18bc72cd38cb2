package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"github.com/ogive-go/ogive/cmd/ogive/stdio"
	"github.com/ogive-go/ogive/tensorio"
)

// streams are the standard streams, and what is known of them.
type streams struct {
	in       io.Reader
	out, err io.Writer
	outTTY   bool
	errTTY   bool
	width    int // of the terminal that standard output is, in cells; 0 if it is none
	environ  []string
	read     *readFiles    // nil where nothing is asked of them
	notes    *bytes.Buffer // what is told once the command has gone well; nil: at once

	own       bool // the process is the command's own
	errClosed bool // standard error was closed when the process began
}

func osStreams() streams {
	width := 0
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		width = w
	}
	s := streams{
		width: width,
		in:    os.Stdin, out: os.Stdout, err: os.Stderr,
		outTTY:  term.IsTerminal(int(os.Stdout.Fd())),
		errTTY:  term.IsTerminal(int(os.Stderr.Fd())),
		environ: os.Environ(),
		read:    &readFiles{},
		own:     true,

		errClosed: stdio.Closed(2),
	}
	if in := stdio.PatientFile(os.Stdin); in != nil {
		s.in = in
	}
	if out := stdio.PatientFile(os.Stdout); out != nil {
		s.out = out
	}
	if stdio.Closed(0) {
		s.in = closedStream{}
	}
	if stdio.Closed(1) {
		s.out = closedStream{}
	}
	return s
}

// note tells the user something, in one line.
func (s streams) note(text string) {
	w := s.err
	if s.notes != nil {
		w = s.notes
	}
	fmt.Fprintf(w, "ogive: note: %s\n", tensorio.Shown(text, longestLine))
}

// color reports whether standard output is to have colour: a terminal that
// knows some, and no NO_COLOR, of any value but the empty one.
func (s streams) color() bool {
	refused := slices.ContainsFunc(s.environ, func(v string) bool {
		value, ok := strings.CutPrefix(v, "NO_COLOR=")
		return ok && value != ""
	})
	return s.outTTY && !refused && colorprofile.Env(s.environ) >= colorprofile.ANSI
}
