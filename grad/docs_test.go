package grad_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bodies returns the bodies of a file's examples, without their outermost
// indentation, and the outputs they state.
func bodies(t *testing.T, name string) (code, output []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
			continue
		}
		body := string(text[set.Position(f.Body.Lbrace).Offset+1 : set.Position(f.Body.Rbrace).Offset])
		body, out, _ := strings.Cut(strings.ReplaceAll(body, "\n\t", "\n"), "// Output:\n")
		code = append(code, strings.TrimSpace(body))
		output = append(output, strings.TrimSpace(strings.ReplaceAll("\n"+out, "\n// ", "\n")))
	}
	return code, output
}

// blocks returns the Go blocks of a page, and the indented text that follows
// each.
func blocks(page string) (code, output []string) {
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```\n\n((?:    [^\n]*\n)*)").FindAllStringSubmatch(page, -1) {
		code = append(code, strings.TrimSpace(m[1]))
		output = append(output, strings.TrimSpace(strings.ReplaceAll("\n"+m[2], "\n    ", "\n")))
	}
	return code, output
}

// TestFourWays: the page's Go blocks are the examples, and show what they print.
func TestFourWays(t *testing.T) {
	page, err := os.ReadFile("../docs/four-ways.md")
	if err != nil {
		t.Fatal(err)
	}
	code, output := bodies(t, "example_ways_test.go")
	if name := "../gomlx/example_ways_test.go"; exists(name) { // a module of its own
		c, o := bodies(t, name)
		code, output = append(code, c...), append(output, o...)
	}
	shown, printed := blocks(string(page))
	for i, c := range code {
		at := slices.Index(shown, c)
		if at < 0 {
			t.Errorf("the page lacks example %d:\n%s", i, c)
		} else if printed[at] != output[i] {
			t.Errorf("the page says that example %d prints\n%s\nnot\n%s", i, printed[at], output[i])
		}
	}
	if len(code) < 4 || len(shown) != 5 {
		t.Errorf("%d examples and %d blocks on the page", len(code), len(shown))
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
