package ogive_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// forThisModule are exported for the module's own packages only.
var forThisModule = map[string]bool{"Wrap": true, "Array": true, "Engine": true}

// TestEverythingHasAnExample reads the package's source: every exported
// function has an example of its name, and every exported method is used in
// one, or is a function's twin.
func TestEverythingHasAnExample(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	functions, methods := map[string]bool{}, map[string]bool{}
	examples, used := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		inTest := strings.HasSuffix(e.Name(), "_test.go")
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			switch {
			case !ok:
			case inTest && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example"):
				examples[f.Name.Name] = true
				ast.Inspect(f, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok {
						used[s.Sel.Name] = true
					}
					return true
				})
			case inTest || !f.Name.IsExported() || forThisModule[f.Name.Name]:
			case f.Recv == nil:
				functions[f.Name.Name] = true
			default:
				methods[f.Name.Name] = true
			}
		}
	}
	if len(functions) < 40 || len(methods) < 40 {
		t.Errorf("only %d functions and %d methods were found", len(functions), len(methods))
	}
	for name := range functions {
		if !examples["Example"+name] {
			t.Errorf("%s has no example", name)
		}
	}
	for name := range methods {
		if !functions[name] && !used[name] {
			t.Errorf("the method %s is in no example", name)
		}
	}
}
