package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ogive-go/ogive/tensorio"
)

func newManCmd(s streams) *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:     "man [COMMAND]",
		Short:   "Manual pages",
		Long:    "Manual pages: that of a command, or with -o those of all of them as files.\n",
		Example: "  ogive man quantile | man -l -\n  ogive man -o ~/.local/share/man",
		GroupID: groupOther,
		Args:    maxArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return commandNames(cmd.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVarP(&folder, "output", "o", "", "`folder` of manual pages, for man1 and man7 in it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case folder == "":
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args)
			}
			return s.print(cmd.Context(), func(w io.Writer) error {
				_, err := io.WriteString(w, manPage(about))
				return err
			})
		case len(args) > 0:
			return usageError("", "-o writes the pages of all commands, not of %s alone", args[0])
		}
		return writePages(cmd.Context(), cmd.Root(), folder)
	}
	return cmd
}

// writePages writes the manual pages of a command and of those below it.
func writePages(ctx context.Context, cmd *cobra.Command, folder string) error {
	within := filepath.Join(folder, "man"+section(cmd))
	if err := os.MkdirAll(within, 0o777); err != nil {
		return err
	}
	err := tensorio.WriteFile(filepath.Join(within, manName(cmd)+"."+section(cmd)), func(w io.Writer) error {
		_, err := io.WriteString(contextWriter{ctx, w}, manPage(cmd))
		return err
	})
	for _, c := range cmd.Commands() {
		if err == nil && c.Name() != "help" && !c.Hidden {
			err = writePages(ctx, c, folder)
		}
	}
	return err
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// section returns that of the manual: 7 for topics, which are no commands.
func section(cmd *cobra.Command) string {
	if cmd.Runnable() {
		return "1"
	}
	return "7"
}

// manPage returns the manual page of a command.
func manPage(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s %s\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(manName(cmd))), section(cmd), roff(manName(cmd)), roff(cmd.Short))
	if cmd.Runnable() {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	}
	b.WriteString(".SH DESCRIPTION\n")
	manText(&b, cmp.Or(cmd.Long, cmd.Short))
	if cmd.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, c := range cmd.Commands() {
			if !c.Hidden {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(c.Name()), roff(c.Short))
			}
		}
	}
	if flags := cmd.NonInheritedFlags(); cmd.Runnable() && flags.HasAvailableFlags() {
		b.WriteString(".SH OPTIONS\n")
		flags.VisitAll(func(f *pflag.Flag) { manFlag(&b, f) })
	}
	if cmd.HasExample() {
		b.WriteString(".SH EXAMPLES\n")
		manText(&b, cmd.Example)
	}
	if cmd.Runnable() {
		b.WriteString(".SH EXIT STATUS\n")
		manText(&b, strings.TrimPrefix(exitHelpLong, "\nEXIT STATUS\n"))
	}
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR ogive (1), ogive\\-files (7), ogive\\-output (7), ogive\\-methods (7)\n")
	}
	return b.String()
}

// manFlag writes what a flag is.
func manFlag(b *strings.Builder, f *pflag.Flag) {
	value, text := pflag.UnquoteUsage(f)
	b.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(b, "\\fB\\-%s\\fR, ", f.Shorthand)
	}
	fmt.Fprintf(b, "\\fB\\-\\-%s\\fR", roff(f.Name))
	if value != "" {
		fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
	}
	fmt.Fprintf(b, "\n%s\n", roff(text))
}

// manText writes paragraphs, which are filled, and lines that begin with blanks, or
// follow such up to an empty one, as they stand.
func manText(b *strings.Builder, text string) {
	asIs := false
	end := func() {
		if asIs {
			b.WriteString(".fi\n.RE\n")
		}
		asIs = false
	}
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		table := strings.HasPrefix(line, " ") || strings.Contains(strings.TrimSpace(line), "  ")
		switch {
		case line == "":
			end()
			if i+1 < len(lines) && lines[i+1] != "" {
				b.WriteString(".PP\n")
			}
			continue
		case table && !asIs:
			b.WriteString(".RS 2\n.nf\n")
			asIs = true
		}
		b.WriteString(roff(strings.TrimPrefix(line, "  ")) + "\n")
	}
	end()
}

// roff writes text so that troff shows it as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\`", "…", "...", "–", `\(en`, "—", `\(em`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
