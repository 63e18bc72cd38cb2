package main

import (
	"context"
	"os"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], osStreams())) }

// run executes a command line and returns its exit status.
func run(ctx context.Context, args []string, s streams) int {
	ignoreFatalSignals()
	ctx, stop := withInterrupt(ctx)
	defer stop()
	out := &output{w: s.out} // of help and the like, whose errors cobra drops
	root := newRoot(s)
	root.SetOut(out)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if out.err != nil && statusOf(err) != statusUsage {
		err = out.trouble(out.err)
	}
	return report(s.err, cmd, err)
}
