package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot returns the whole command.
func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "ogive",
		Short: "Exact quantiles, medians and element tests of arrays and tables",
		Long: `ogive computes order statistics and element tests of N-dimensional arrays and
of tables, exactly: every answer is rounded once, and is the same on every
machine, for any number of workers.
` + fileHelp,
		Example: `  ogive quantile latency.csv -c ms --q 0.5,0.99,0.999
  ogive median flights.csv -c delay --by origin --sort
  ogive quantile x.npy --q 0.05,0.5,0.95 --axis 0
  seq 100 | ogive percentile --p 50,99`,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		Version:                    version(),
		Args:                       unknownCommand,
		PersistentPreRunE:          refuseEmpty,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetVersionTemplate("ogive {{.Version}}\n")
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		hint := "see '" + cmd.CommandPath() + " --help'"
		if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
			if what := kinds[bad.GetFlag().Value.Type()]; what != "" {
				return usageError(hint, "--%s: %q is not %s", bad.GetFlag().Name, bad.GetValue(), what)
			}
		}
		return usageError(hint, "%s", err)
	})
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetHelpCommand(newHelpCmd())
	root.AddGroup(
		&cobra.Group{ID: groupOrder, Title: "Order statistics:"},
		&cobra.Group{ID: groupTest, Title: "Element tests:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	root.SetHelpCommandGroupID(groupOther)
	root.SetCompletionCommandGroupID(groupOther)
	root.AddCommand(newQuantileCmds(s, runOrder)...)
	root.AddCommand(newMedianCmds(s, runOrder)...)
	root.AddCommand(newPredicateCmds(s, runPredicate)...)
	root.AddCommand(newIsInCmd(s, runIsIn), newDescribeCmd(s), newRankCmd(s), newHistCmd(s), newAssertCmd(s), newPartialCmd(s), newMergeCmd(s), newInfoCmd(s), newPlotCmd(s), newReportCmd(s), newManCmd(s), newVersionCmd())
	root.AddCommand(newTopics()...)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	mendCompletion(root)
	return root
}

// kinds say what the values of flags are, by pflag's name of their type.
var kinds = map[string]string{"int": "an integer", "bool": "true or false"}

// The groups of the root's help.
const (
	groupOrder = "order"
	groupTest  = "test"
	groupOther = "other"
)

// unknownCommand refuses arguments of the root, which are commands that do not
// exist.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return usageError("see 'ogive help' for the commands", "%s", text)
}

// unknownFirst refuses a first argument that is no command, whatever flags follow it.
func unknownFirst(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == args[0] }) {
		return nil
	}
	return unknownCommand(root, args)
}

func newHelpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return commandNames(cmd.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || about == cmd.Root() && len(rest) > 0 {
				return unknownCommand(cmd.Root(), args)
			}
			if len(rest) > 0 {
				return usageError("", "%s has no part %q", about.CommandPath(), rest[0])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// commandNames returns the commands with what they do, for completion of the first
// argument.
func commandNames(root *cobra.Command, args []string) (names []string) {
	if len(args) > 0 {
		return nil
	}
	for _, c := range root.Commands() {
		names = append(names, c.Name()+"\t"+c.Short)
	}
	return names
}

func newVersionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		GroupID: groupOther,
		Args:    maxArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "ogive %s\n", version())
			return err
		},
	}
}

// version returns the module's version, the commit it was built from, and the
// toolchain.
func version() string {
	v, commit := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && !strings.Contains(v, s.Value[:min(12, len(s.Value))]) {
				commit = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("%s%s %s %s/%s", v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// maxArgs refuses more than n arguments.
func maxArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usageError("see '"+cmd.CommandPath()+" --help'", "unexpected argument %q; %s takes at most %d", args[n], cmd.Name(), n)
		}
		return nil
	}
}
