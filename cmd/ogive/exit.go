package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// The exit statuses, beside those of signals.
const (
	statusOK     = 0
	statusFailed = 1 // the data or the machine
	statusUsage  = 2 // the command line
	statusNo     = 3 // merge: no answer yet; assert: a condition does not hold
)

const exitHelpLong = `
EXIT STATUS
  0    fine
  1    the data or the machine failed: a file that cannot be read, a dtype
       without order, bad weights, a full disk
  2    wrong use: a flag, axis, quantile, method or option that cannot be
  3    merge: no answer yet, another pass is needed
       assert: a condition does not hold
  130  interrupted (143 terminated, 129 hung up)
  141  nobody read standard output
`

// errUsage marks errors of the command line itself.
var errUsage = errors.New("wrong use")

// exits says which errors are not statusFailed.
var exits = []struct {
	is     error
	status int
}{
	{errUsage, statusUsage},
	{errAgain, statusNo},
	{errFalse, statusNo},
	{ogive.ErrAxis, statusUsage},
	{ogive.ErrQ, statusUsage},
	{ogive.ErrMethod, statusUsage},
	{ogive.ErrOption, statusUsage},
	{ogive.ErrOut, statusUsage},
	{context.Canceled, statusInterrupt},
}

// statusOf returns the exit status for an error.
func statusOf(err error) int {
	if err == nil {
		return statusOK
	}
	if sig, ok := errors.AsType[interrupted](err); ok {
		return sig.status
	}
	if gone, ok := errors.AsType[readerGone](err); ok {
		return gone.status()
	}
	for _, e := range exits {
		if errors.Is(err, e.is) {
			return e.status
		}
	}
	return statusFailed
}

// silent reports whether an error has nothing to say: the user has just
// interrupted, or nobody reads.
func silent(status int) bool {
	return status == statusOK || status > 128
}

// report writes err to w, in one line and perhaps a hint, and returns the exit
// status.
func report(w io.Writer, cmd *cobra.Command, err error) int {
	status := statusOf(err)
	if silent(status) {
		return status
	}
	line := oneLine(err.Error())
	if cmd != nil && cmd.HasParent() && cmd.Name() != "help" {
		name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
		if !strings.HasPrefix(line, name+": ") {
			line = name + ": " + line
		}
	}
	fmt.Fprintf(w, "ogive: %s\n", line)
	if hint := hintFor(cmd, err); hint != "" {
		fmt.Fprintf(w, "ogive: hint: %s\n", tensorio.Shown(hint, longestHint))
	}
	return status
}

// How many bytes a message and a hint have at most.
const (
	longestLine = 1500
	longestHint = 400
)

// oneLine joins the lines of a message, and shows it so that a terminal takes it.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	return tensorio.Shown(s, longestLine)
}

// hinted is an error with advice.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// usage is a message that belongs to a sentinel.
type usage struct {
	text string
	is   error
}

func (u usage) Error() string { return u.text }
func (u usage) Unwrap() error { return u.is }

// usageError returns an error of the command line, with advice if hint is not
// empty.
func usageError(hint, format string, args ...any) error {
	return hinted{usage{fmt.Sprintf(format, args...), errUsage}, hint}
}

// hintFor returns advice for an error, or "".
func hintFor(cmd *cobra.Command, err error) string {
	if h, ok := errors.AsType[hinted](err); ok {
		return h.hint
	}
	if m, ok := errors.AsType[*tensorio.MemoryError](err); ok && cmd != nil && cmd.Flags().Changed("memory") {
		return enough(cmd.Flag("memory").Value.String(), m)
	}
	switch {
	case errors.Is(err, ogive.ErrMethod) && cmd != nil && strings.HasSuffix(cmd.Name(), "argquantile"):
		return "only methods that pick an element have an index: --method " + strings.Join(discreteMethods(), "|")
	case errors.Is(err, tensorio.ErrColumn) && invalidCell.MatchString(err.Error()) && cmd != nil && cmd.Flags().Lookup("skip-invalid") != nil:
		return "--skip-invalid takes cells that are not numbers as missing"
	case errors.Is(err, ogive.ErrFormat) && strings.Contains(err.Error(), "no known format"):
		return "--input-format names the format"
	case errors.Is(err, ogive.ErrAxis):
		return "axes count from 0, or from the end with a minus sign (--axis=-1)"
	case errors.Is(err, ogive.ErrQ) && cmd != nil && strings.HasSuffix(cmd.Name(), "quantile"):
		return "q is between 0 and 1; percentile takes --p between 0 and 100"
	}
	return ""
}

// inFile names the file that an error is about, and the column in it. Errors
// of use are about the command line and stay as they are, and so do those that
// name the file already.
func inFile(err error, path, column string) error {
	if err == nil || statusOf(err) != statusFailed {
		return err
	}
	if column != "" {
		path += ", column " + column
	}
	return fmt.Errorf("%w (%s)", err, path)
}
