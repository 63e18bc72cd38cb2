package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive/tensorio"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], osStreams())) }

// run executes a command line and returns its exit status.
func run(ctx context.Context, args []string, s streams) int {
	ignoreFatalSignals()
	ctx, stop := withInterrupt(ctx)
	defer stop()
	root := newRoot(s)
	root.SetArgs(args)
	var cmd *cobra.Command
	err := tensorio.Guard(func() (err error) {
		cmd, err = root.ExecuteContextC(ctx)
		return err
	})
	return report(s.err, cmd, err)
}
