package ogive_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// internals are the packages whose types users cannot name.
var internals = map[string]bool{"nd": true, "engine": true, "bridge": true}

// declarations calls do for each declaration of the package's source.
func declarations(t *testing.T, do func(d ast.Decl, inTest bool)) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			do(d, strings.HasSuffix(e.Name(), "_test.go"))
		}
	}
}

// selectors calls do for each selection X.name below a node.
func selectors(n ast.Node, do func(x ast.Expr, name string)) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			do(s.X, s.Sel.Name)
		}
		return true
	})
}

// TestSignaturesNameNoInternalTypes: what is exported can be written down by a
// user.
func TestSignaturesNameNoInternalTypes(t *testing.T) {
	check := func(name *ast.Ident, n ast.Node) {
		selectors(n, func(x ast.Expr, selected string) {
			if id, ok := x.(*ast.Ident); ok && name.IsExported() && internals[id.Name] {
				t.Errorf("%v has %v.%s in its signature", name, id, selected)
			}
		})
	}
	declarations(t, func(d ast.Decl, inTest bool) {
		if inTest {
			return
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				check(n.Name, n.Type)
				return false
			case *ast.TypeSpec:
				if methods, ok := n.Type.(*ast.InterfaceType); ok {
					check(n.Name, methods)
				}
			}
			return true
		})
	})
}

// TestEverythingHasAnExample reads the package's source: every exported
// function has an example of its name, and every exported method is used in
// one, or is a function's twin.
func TestEverythingHasAnExample(t *testing.T) {
	functions, methods := map[string]bool{}, map[string]bool{}
	examples, used := map[string]bool{}, map[string]bool{}
	declarations(t, func(d ast.Decl, inTest bool) {
		f, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
		case inTest && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example"):
			examples[f.Name.Name] = true
			selectors(f, func(_ ast.Expr, name string) { used[name] = true })
		case inTest || !f.Name.IsExported():
		case f.Recv == nil:
			functions[f.Name.Name] = true
		default:
			methods[f.Name.Name] = true
		}
	})
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
