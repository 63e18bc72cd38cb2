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
	root := newRoot(s)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	return report(s.err, cmd, err)
}
