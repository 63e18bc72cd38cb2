package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The topics of the help beside commands, which flags belong to that many commands
// take: the help of a command names the topic in place of them.
const (
	topicFiles   = "files"
	topicOutput  = "output"
	topicMethods = "methods"
)

// topicOf is the annotation of a flag that a topic explains.
const topicOf = "ogive_topic"

// statusThree is the annotation of a command that says what exit status 3 means there.
const statusThree = "ogive_status_3"

// explainedBy leaves flags of a command to a topic.
func explainedBy(cmd *cobra.Command, topic string, names ...string) {
	for _, name := range names {
		if err := cmd.Flags().SetAnnotation(name, topicOf, []string{topic}); err != nil {
			panic(err) // the flag is not registered
		}
	}
}

const fileHelp = `
FILE is an array or a table of any format that 'ogive help files' lists, found by its
content. Several are joined, patterns ('*.csv') too; - or none is standard input.
`

const filesHelp = `What FILE may be, and how it is read.

An array: npy, npz (a.npz:name), netCDF (f.nc:temp), or raw data. A table: csv, tsv,
JSON, JSON lines, Parquet, Arrow or a HdrHistogram log. Each also gzip or zstd, found by
its content whatever its name. Several are joined row by row, patterns ('*.csv') too,
or answered one by one with --per-file; - or none is standard input.

Each column of a table (-c: names, numbers counted from 1, patterns) is a vector.
Integers stay integers; dates are read where -c names them. Cells that are empty, NA or
NaN are missing: an answer is NaN then, unless the command drops them (nan…). A cell that
is no number is an error with its line, unless --skip-invalid; info, describe, plot and
report leave out a column with one, and those of one name, unless -c names them.
`

const outputHelp = `How results are written.

A table on a terminal, transposed where it is too narrow, and TSV in a pipe; -f and the
ending of -o choose another format. Files are written complete or not at all.

Text has a line for each column of a table, and for an array:
  one quantile of everything                the number
  several quantiles of everything           a line each
  one quantile along axes                   a line each (1-d) or rows (2-d); from
                                            3-d on, lines begin with the indices
  several quantiles along axes              a line for each element, its indices,
                                            then a column for each quantile
An element test has a line for each element (1-d) or row.

  plain   the one bare value, for scripts; an error if there are several
  jsonl   an object for each line of the text
  json    one document, with the shape, the dtype and a version
  npy     an array; several columns are stacked along a new first axis
  npz     an array for each column, by its name
  png     rows and columns, and perhaps three colours last, as a picture: levels of
          uint8 and uint16 stay as they are, all else is mapped from the smallest value
          (black) to the largest (white), and NaNs are transparent

Numbers are written in full, in the shortest decimal that means them; --digits shortens
fractions. NaN, Inf and -Inf are written so, and in JSON as the strings "NaN",
"Infinity" and "-Infinity"; --nan says how NaN is written.
`

// newTopics returns the topics of the help, which are no commands.
func newTopics() []*cobra.Command {
	files := &cobra.Command{Use: topicFiles, Short: "What FILE may be, and the flags that say how it is read"}
	(&inputFlags{}).register(files)
	files.Long = filesHelp + "\nFlags:\n" + files.Flags().FlagUsages()
	output := &cobra.Command{Use: topicOutput, Short: "How results are written, and the flags of how the work is done"}
	(&outputFlags{}).register(output)
	(&workFlags{}).register(output)
	output.Long = outputHelp + "\nFlags:\n" + output.Flags().FlagUsages()
	return []*cobra.Command{files, output, {Use: topicMethods, Short: "The methods of quantiles, and what others call them", Long: methodsHelp()}}
}

// usageTemplate is how the help of a command ends. That of the root lists the commands.
const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{$all := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $all}}{{if (and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help")))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{if not .HasParent}}

More help:{{range $all}}{{if .IsAdditionalHelpTopicCommand}}
  {{rpad (print "help " .Name) .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{if not .Groups}}

Commands:{{range $all}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{with ownFlags .}}

Flags:
{{.}}{{end}}{{with otherFlags .}}
{{.}}{{end}}
{{exitHelp .}}`

func init() {
	cobra.AddTemplateFuncs(map[string]any{"ownFlags": ownFlags, "otherFlags": otherFlags, "exitHelp": exitHelp})
}

// ownFlags describes the flags of a command that no topic explains.
func ownFlags(cmd *cobra.Command) string {
	var own pflag.FlagSet
	own.SortFlags = false
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[topicOf] == nil {
			own.AddFlag(f)
		}
	})
	return strings.TrimRight(own.FlagUsages(), "\n")
}

// otherFlags names the flags of a command that topics explain.
func otherFlags(cmd *cobra.Command) string {
	names := map[string][]string{}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if topic := f.Annotations[topicOf]; topic != nil {
			names[topic[0]] = append(names[topic[0]], "--"+f.Name)
		}
	})
	text := ""
	for _, topic := range []string{topicFiles, topicOutput} {
		if len(names[topic]) > 0 {
			text += wrapped(fmt.Sprintf("'ogive help %s' explains %s.", topic, strings.Join(names[topic], " ")), 88)
		}
	}
	return strings.TrimRight(text, "\n")
}

// wrapped breaks a line between words.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteString("\n  ")
			column = 2
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}

// exitHelp says what the exit statuses of a command mean, at length for the root.
func exitHelp(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return exitHelpLong
	}
	three := ""
	if what := cmd.Annotations[statusThree]; what != "" {
		three = " 3 " + what + ","
	}
	return "\nExit status: 0 fine, 1 the data or the machine failed, 2 wrong use," + three + " 130 interrupted.\n"
}
