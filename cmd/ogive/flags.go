package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

// parseInts reads the list of a flag, "0,-1"; an empty text is an empty list.
func parseInts(flag, text string) ([]int, error) {
	list := []int{}
	if strings.TrimSpace(text) == "" {
		return list, nil
	}
	for _, field := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return nil, usageError("for example --"+flag+"=0,-1", "--%s: %q is not an integer", flag, field)
		}
		list = append(list, n)
	}
	return list, nil
}

// laneFlags say which axes an order statistic reduces, and with what weights.
type laneFlags struct {
	axis     string
	keepdims bool
	weights  string
}

func (f *laneFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.axis, "axis", "", "`axes` to reduce: 0,-1 (default all); --axis=-1 for the last")
	flags.BoolVar(&f.keepdims, "keepdims", false, "keep the reduced axes, with length 1")
	weightsFlag(cmd, &f.weights, "`file` of weights, of FILE's shape or that along the axes, or a column; integers are frequencies; none (default none, the counts of an HdrHistogram log)")
}

// options returns the flags in the library's form, the weights excepted.
func (f *laneFlags) options(cmd *cobra.Command) (opts []ogive.Option, err error) {
	if cmd.Flags().Changed("axis") {
		axes, err := parseInts("axis", f.axis)
		if err != nil {
			return nil, err
		}
		opts = append(opts, ogive.Axis(axes...))
	}
	if f.keepdims {
		opts = append(opts, ogive.KeepDims())
	}
	return opts, nil
}

// workFlags say how the work is done.
type workFlags struct {
	workers int
	quiet   bool
	memory  string
	device  string
}

func (f *workFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.workers, "workers", 0, "goroutines at most (default one for each processor); the answer is the same")
	flags.StringVar(&f.memory, "memory", "", memoryUsage)
	flags.StringVar(&f.device, "device", "", "where to compute: cuda:0 is the first NVIDIA GPU, in a build with -tags cuda (default the processor); the answer is the same")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress and no notes on standard error")
	explainedBy(cmd, topicOutput, "workers", "memory", "device", "quiet")
}

// discreteMethods returns the methods that pick an element.
func discreteMethods() (names []string) {
	for _, m := range rank.Methods() {
		if m.Discrete() {
			names = append(names, m.String())
		}
	}
	return names
}

// refuseEmpty refuses arguments and flags that are given but empty, as those of
// an unset shell variable are: to go on as if they were absent would answer
// another question. It runs before every command but the hidden ones, which a shell
// asks to complete an empty word.
func refuseEmpty(cmd *cobra.Command, args []string) (err error) {
	if cmd.Hidden {
		return nil
	}
	if slices.Contains(args, "") {
		return usageError("an empty argument often is an unset shell variable", "the name of a file is empty")
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Name != "axis" && // whose emptiness the library names
			f.Value.Type() == "string" && f.Value.String() == "" {
			err = usageError("leave the flag out if it is not meant", "--%s is empty", f.Name)
		}
	})
	return err
}

// memoryUsage is what --memory says.
const memoryUsage = "memory to use at most: 1G, 512M (default half of the machine's); what is larger is read in passes, with the same answer"
