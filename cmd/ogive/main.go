package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive/tensorio"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], osStreams())) }

// grace is how long a command that a signal has ended may tidy up. What still blocks
// then, such as a read of a slow disk, ends with the process.
const grace = 100 * time.Millisecond

// run executes a command line and returns its exit status.
func run(ctx context.Context, args []string, s streams) int {
	ignoreFatalSignals()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // what --memory makes of it is this call's
	ctx, stop := withInterrupt(ctx)
	defer stop()
	done := make(chan int, 1)
	go func() { done <- execute(ctx, args, s) }()
	select {
	case status := <-done:
		return status
	case <-ctx.Done():
	}
	select {
	case status := <-done:
		return status
	case <-time.After(grace):
		return report(s.err, nil, context.Cause(ctx))
	}
}

// execute executes a command line and reports its error, alone, or its notes.
func execute(ctx context.Context, args []string, s streams) int {
	s.notes = &bytes.Buffer{}
	out := &output{w: s.out} // of help and the like, whose errors cobra drops
	root := newRoot(s)
	root.SetOut(out)
	root.SetArgs(args)
	begun := false
	noteBegin(root, &begun)
	cmd, err := root, unknownFirst(root, args)
	if err == nil {
		err = tensorio.Guard(func() (err error) {
			cmd, err = root.ExecuteContextC(ctx)
			return err
		})
	}
	if err != nil {
		if much, ok := errors.AsType[tooMuch](context.Cause(ctx)); ok {
			err = much // whatever it has led to
		}
	}
	if out.err != nil && statusOf(err) != statusUsage {
		return report(s.err, cmd, out.trouble(out.err))
	}
	if err != nil && !begun && statusOf(err) == statusFailed {
		err = usage{checked(err.Error()), errUsage} // of what cobra has checked
	}
	if err == nil {
		s.err.Write(s.notes.Bytes())
	}
	return report(s.err, cmd, err)
}

// exclusive is what cobra says of flags that do not go together.
var exclusive = regexp.MustCompile(`none of the others can be; \[(.+)\] were all set$`)

// checked returns what to say of what cobra has refused.
func checked(text string) string {
	if m := exclusive.FindStringSubmatch(text); m != nil {
		return "--" + strings.Join(strings.Fields(m[1]), " and --") + " exclude each other"
	}
	return text
}

// noteBegin makes each command tell that its own work begins.
func noteBegin(cmd *cobra.Command, begun *bool) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*begun = true
			return run(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		noteBegin(c, begun)
	}
}
