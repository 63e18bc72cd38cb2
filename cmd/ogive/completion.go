package main

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive/formats"
)

// completes lets the shell complete the values of a flag.
func completes(cmd *cobra.Command, flag string, values []string) {
	completesBy(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completesBy lets the shell complete the values of a flag by a function. Of that cobra is told
// where the shell asks only: it keeps every flag that it completes while the process lives.
func completesBy(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	if len(os.Args) < 2 || !strings.HasPrefix(os.Args[1], cobra.ShellCompRequestCmd) {
		return
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // the flag is not registered
	}
}

// completesColumns lets the shell complete the columns of FILE as values of the flags
// that take such, of those that the command has.
func completesColumns(cmd *cobra.Command, in *inputFlags) {
	for flag, directive := range map[string]cobra.ShellCompDirective{
		"columns": cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace,
		"by":      cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace,
		"weights": cobra.ShellCompDirectiveDefault, // or a file
	} {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		list := cmd.Flags().Lookup(flag).Value.Type() != "string"
		completesBy(cmd, flag, func(_ *cobra.Command, args []string, begun string) (names []string, _ cobra.ShellCompDirective) {
			before := ""
			if i := strings.LastIndexByte(begun, ','); list && i >= 0 {
				before = begun[:i+1]
			}
			for _, name := range in.columnsOf(args) {
				if !strings.Contains(","+before, ","+name+",") {
					names = append(names, before+name)
				}
			}
			return names, directive
		})
	}
}

// columnsOf returns the columns of the first argument that is a table. Only its first
// rows are read.
func (f *inputFlags) columnsOf(args []string) []string {
	o, err := f.options()
	if err != nil {
		return nil
	}
	o.Columns = nil
	for _, path := range args {
		if size(path) == 0 { // what is no regular file could block
			continue
		}
		file, err := formats.Open(path, o)
		if err != nil {
			continue
		}
		defer file.Close()
		if file.IsTable() {
			return file.Columns()
		}
	}
	return nil
}

// mendCompletion makes the completion command refuse shells that it does not know, and
// its script for bash work without the bash-completion package.
func mendCompletion(root *cobra.Command) {
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // the command is there: see newRoot
	}
	completion.Args = nil
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError("bash, zsh, fish and powershell have one", "there is no completion for %q", args[0])
		}
		return cmd.Help()
	}
	bash, _, err := completion.Find([]string{"bash"})
	if err != nil {
		panic(err)
	}
	bash.Long = `The autocompletion script for bash, 4.1 or newer. It needs no other package.

For the current shell:

  source <(ogive completion bash)

For every new one:

  ogive completion bash > ~/.local/share/bash-completion/completions/ogive

where the bash-completion package is installed, and otherwise the line above in ~/.bashrc.
`
	bash.RunE = func(cmd *cobra.Command, _ []string) error {
		without, err := cmd.Flags().GetBool("no-descriptions")
		if err != nil {
			return err
		}
		if err := root.GenBashCompletionV2(root.OutOrStdout(), !without); err != nil {
			return err
		}
		_, err = io.WriteString(root.OutOrStdout(), bashWords)
		return err
	}
}

// bashWords takes the place of a function of cobra's script that needs the
// bash-completion package: it joins the words that bash has divided at = and :.
const bashWords = `
# Without the bash-completion package, this finds the words of the command line.
__ogive_init_completion()
{
    COMPREPLY=()
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i word before rest=$COMP_LINE
    words=()
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        before=${rest%%"$word"*}
        if [[ -n $word && -z $before ]] && ((i > 0)); then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        rest=${rest#*"$word"}
        ((i == COMP_CWORD)) && cword=$((${#words[@]} - 1))
    done
    cur=${words[cword]}
    prev=
    ((cword > 0)) && prev=${words[cword-1]}
    return 0
}
`
