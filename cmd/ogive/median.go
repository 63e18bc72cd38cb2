package main

import (
	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
)

// medianRows are the commands of the median family.
var medianRows = []struct {
	op    ogive.Op
	short string
	long  string
}{
	{ogive.OpMedian, "Medians along axes",
		"A NaN in a slice makes its answer NaN; see nanmedian."},
	{ogive.OpNaNMedian, "Medians along axes, NaNs dropped",
		"NaNs, and missing cells of a table, are dropped; a slice of only NaN gives NaN."},
}

const modeHelp = `
--indices writes where the median is within the reduced axes, and means --mode lower
unless upper is asked for.`

func newMedianCmds(s streams, run orderRun) (cmds []*cobra.Command) {
	for _, row := range medianRows {
		o := &orderOptions{op: row.op}
		var in inputFlags
		var lane laneFlags
		var mode string
		cmd := orderCommand(row.op, row.short, row.long+modeHelp)
		name := row.op.String()
		cmd.Example = "  ogive " + name + " latency.csv -c ms\n" +
			"  ogive " + name + " flights.csv -c delay --by origin --sort\n" +
			"  ogive " + name + " stack.npy --axis 0 --indices at.npy -o out.npy"
		flags := cmd.Flags()
		flags.StringVar(&mode, "mode", "", "`which` of the two in the middle: avg|lower|upper (default avg)")
		flags.StringVar(&o.indices, "indices", "", "`file` for the indices of the medians")
		completes(cmd, "mode", []string{"avg", "lower", "upper"})
		finishOrder(cmd, s, o, &in, &lane, run, func() error {
			o.mode = "avg"
			if o.indices != "" {
				o.mode = "lower"
				if isStdout(o.indices) || o.indices == o.output.path {
					return usageError("--indices idx.npy", "--indices needs a file of its own")
				}
				if _, err := (&outputFlags{}).choose(o.indices, s); err != nil {
					return err
				}
			}
			if flags.Changed("mode") {
				m, err := ogive.ParseMode(mode)
				if err != nil {
					return err
				}
				if m == ogive.ModeAvg && o.indices != "" {
					return usageError("--mode lower or --mode upper", "mode avg has no index, for it may lie between two elements")
				}
				o.mode = modeName(m)
				o.options = append(o.options, ogive.Mode(m))
			} else if o.indices != "" {
				o.options = append(o.options, ogive.Mode(ogive.ModeLower))
			}
			return nil
		})
		cmds = append(cmds, cmd)
	}
	return cmds
}

// modeName returns what --mode calls a mode.
func modeName(m ogive.MedianMode) string {
	return map[ogive.MedianMode]string{ogive.ModeAvg: "avg", ogive.ModeLower: "lower", ogive.ModeUpper: "upper"}[m]
}
