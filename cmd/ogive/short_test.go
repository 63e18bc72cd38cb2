package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestErrorsAreShort calls every command in wrong ways: each error is a line, and a hint at
// most, notes on the files beside it neither.
func TestErrorsAreShort(t *testing.T) {
	quantileFiles(t)
	for name, text := range map[string]string{
		"garbage":     "\x00\x01\xff",
		"empty.csv":   "",
		"words.csv":   "a,b\nx,y\n",
		"noted.csv":   "a,b,c\n1,x,9007199254740993\n,y,1.5\n",
		"lines\n.csv": "a,a\n1,2\n3,x\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	wrong := []string{
		"", "--nonsense", "--nonsense=\n\n", "none.csv", ".", "garbage", "empty.csv", "words.csv", "lines\n.csv", "t.csv -c none",
		"t.csv --input-format tsv", "t.csv none.csv", "t.csv x.npy", "x.npy --axis 7", "t.csv -o none/out.csv", "noted.csv -o none/out.csv",
		"noted.csv -o none/out.html", "noted.csv -o none/out.svg", "noted.csv -f xml", "t.csv --memory 1", "t.csv --by none", "t.csv --dtype \n", "a b c d",
	}
	extra := map[string]string{
		"quantile": "-q 0.5", "nanquantile": "-q 0.5", "argquantile": "-q 0.5", "nanargquantile": "-q 0.5",
		"percentile": "-p 50", "nanpercentile": "-p 50", "rank": "--at 3", "isin": "--values 3", "partial": "-q 0.5",
	}
	failed := 0
	var visit func(cmd *cobra.Command, path []string)
	visit = func(cmd *cobra.Command, path []string) {
		for _, sub := range cmd.Commands() {
			visit(sub, append(path[:len(path):len(path)], sub.Name()))
		}
		for _, w := range wrong {
			args := append(path[:len(path):len(path)], strings.Split(w, " ")...)
			args = append(args, strings.Fields(extra[cmd.Name()])...)
			_, stderr, status := callWith("1\n2\n", args...)
			if wantShort(t, strings.Join(args, " "), stderr); status != 0 {
				failed++
			}
		}
	}
	visit(newRoot(streams{}), nil)
	if failed < 300 {
		t.Errorf("only %d calls failed", failed)
	}
}
