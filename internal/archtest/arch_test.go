package archtest

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is one Go file of the repository.
type source struct {
	name string // slash-separated, relative to the root
	text []byte
}

func (s source) test() bool { return strings.HasSuffix(s.name, "_test.go") }

func (s source) pkg() string { return path.Dir(s.name) }

// sources reads every Go file below the root: all modules, all platforms,
// without testdata and folders that the go command ignores.
func sources(t *testing.T) []source {
	t.Helper()
	root := findRoot(t)
	var list []source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (base == "testdata" || base == "vendor" || base[0] == '_' || base[0] == '.') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		list = append(list, source{filepath.ToSlash(rel), text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// findRoot walks up to the folder whose go.mod is the root module's.
func findRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && regexp.MustCompile(`(?m)^module `+regexp.QuoteMeta(module)+`\s*$`).Match(mod) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("the source tree is not here")
		}
		dir = up
	}
}

// check returns what is wrong with one file, one message each.
type check func(source) []string

var checks = map[string]check{
	"imports":   checkImports,
	"length":    checkLength,
	"forbidden": checkForbidden,
}

func TestRepository(t *testing.T) {
	files := sources(t)
	if len(files) < 10 {
		t.Fatalf("only %d Go files found", len(files))
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			for _, s := range files {
				for _, problem := range check(s) {
					t.Errorf("%s: %s", s.name, problem)
				}
			}
		})
	}
}

// Rows of the import rules name packages that there are, and no others.
func TestRowsNamePackages(t *testing.T) {
	exists := map[string]bool{}
	for _, s := range sources(t) {
		for pkg := s.pkg(); ; pkg = path.Dir(pkg) {
			exists[pkg] = true
			if pkg == "." {
				break
			}
		}
	}
	for _, r := range rules {
		for _, pkg := range append(slices.Clone(r.may), strings.TrimSuffix(r.pkg, "/...")) {
			if !exists[pkg] {
				t.Errorf("the row of %s names %s, which is no package", r.pkg, pkg)
			}
		}
	}
}

// checkImports holds a file to its package's rule.
func checkImports(s source) []string {
	r, ok := ruleOf(s.pkg())
	if !ok {
		return []string{fmt.Sprintf("package %s has no row in the import rules", s.pkg())}
	}
	f, err := parser.ParseFile(token.NewFileSet(), s.name, s.text, parser.ImportsOnly)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			problems = append(problems, err.Error())
		} else if !r.allows(s.pkg(), imported, s.test()) {
			problems = append(problems, fmt.Sprintf("imports %s; package %s may import %v %v", imported, s.pkg(), r.may, r.external))
		}
	}
	return problems
}

// maxLines is where a hand-written file has stopped being about one idea.
const maxLines = 700

// generated is the header of files that a program wrote.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func checkLength(s source) []string {
	lines := bytes.Count(s.text, []byte("\n"))
	if lines <= maxLines || generated.Match(s.text) {
		return nil
	}
	return []string{fmt.Sprintf("%d lines, more than %d", lines, maxLines)}
}

// forbidden are the marks of unfinished work.
var forbidden = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b|(?i:not (yet )?implemented|unimplemented)`)

func checkForbidden(s source) []string {
	if s.test() {
		return nil
	}
	var problems []string
	for i, line := range strings.Split(string(s.text), "\n") {
		if word := forbidden.FindString(line); word != "" {
			problems = append(problems, fmt.Sprintf("line %d says %q", i+1, word))
		}
	}
	return problems
}

// TestRulesAreSound checks the table itself.
func TestRulesAreSound(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range rules {
		if seen[r.pkg] {
			t.Errorf("%s has two rows", r.pkg)
		}
		seen[r.pkg] = true
		for _, m := range r.may {
			if _, ok := ruleOf(m); !ok {
				t.Errorf("%s may import %s, which has no row", r.pkg, m)
			}
			if m == oracle || m == "internal/testkit" {
				t.Errorf("production code of %s may import %s", r.pkg, m)
			}
		}
	}
	if _, ok := ruleOf("internal/nowhere"); ok {
		t.Error("an unknown package has a rule")
	}
}

// TestImportRulesAreAcyclic follows the rows: no package may reach itself.
func TestImportRulesAreAcyclic(t *testing.T) {
	for _, r := range rules {
		if strings.HasSuffix(r.pkg, "/...") {
			continue
		}
		seen := make(map[string]bool)
		queue := slices.Clone(r.may)
		for len(queue) > 0 {
			p := queue[0]
			queue = queue[1:]
			if p == r.pkg {
				t.Errorf("%s may import itself in a circle", r.pkg)
				break
			}
			if seen[p] {
				continue
			}
			seen[p] = true
			if next, ok := ruleOf(p); ok {
				queue = append(queue, next.may...)
			}
		}
	}
}

// Tests of a package whose code takes scratch memory run with poison in it: they import
// internal/testkit, which sees to that.
func TestScratchMemoryIsPoisoned(t *testing.T) {
	imports, tested, poisoned := map[string][]string{}, map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		f, err := parser.ParseFile(token.NewFileSet(), s.name, s.text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			own, ok := relative(strings.Trim(spec.Path.Value, `"`))
			switch {
			case s.test():
				tested[s.pkg()] = true
				poisoned[s.pkg()] = poisoned[s.pkg()] || own == "internal/testkit"
			case ok:
				imports[s.pkg()] = append(imports[s.pkg()], own)
			}
		}
	}
	var reaches func(pkg string) bool
	reaches = func(pkg string) bool {
		return slices.Contains(imports[pkg], "internal/crew") || slices.ContainsFunc(imports[pkg], reaches)
	}
	checked := 0
	for pkg := range tested {
		if !slices.Contains(core, pkg) && !strings.HasPrefix(pkg, "internal/selection/") && !slices.Contains(public, pkg) || !reaches(pkg) {
			continue
		}
		checked++
		if !poisoned[pkg] {
			t.Errorf("no test of %s imports internal/testkit", pkg)
		}
	}
	if checked < 12 {
		t.Errorf("only %d packages take scratch memory", checked)
	}
}

// TestViolationsAreFound feeds every check what it must reject, and what is
// close to it and fine.
func TestViolationsAreFound(t *testing.T) {
	file := func(name string, imports ...string) source {
		var b strings.Builder
		b.WriteString("package p\n")
		for _, i := range imports {
			fmt.Fprintf(&b, "import _ %q\n", i)
		}
		return source{name, []byte(b.String())}
	}
	long := strings.Repeat("\n", maxLines+1)
	for _, c := range []struct {
		name  string
		check check
		file  source
		bad   bool
	}{
		{"std only", checkImports, file("dtype/a.go", "math", "encoding/binary"), false},
		{"a leaf imports rank", checkImports, file("dtype/a.go", module+"/rank"), true},
		{"rank imports nd", checkImports, file("rank/a.go", module+"/internal/nd"), true},
		{"selection imports engine", checkImports, file("internal/selection/a_arm64.go", module+"/internal/engine"), true},
		{"root imports a kernel", checkImports, file("a.go", module+"/internal/kernel"), true},
		{"root imports engine", checkImports, file("a.go", module+"/internal/engine"), false},
		{"root imports testkit", checkImports, file("a.go", module+"/internal/testkit"), true},
		{"a root test imports testkit", checkImports, file("a_test.go", module, module+"/internal/testkit", "pgregory.net/rapid"), false},
		{"engine imports the oracle", checkImports, file("internal/engine/a.go", module+"/internal/oracle"), true},
		{"the oracle imports rank", checkImports, file("internal/oracle/a.go", module+"/rank"), true},
		{"the oracle's test imports rank", checkImports, file("internal/oracle/a_test.go", module+"/rank"), true},
		{"the oracle imports big", checkImports, file("internal/oracle/a.go", "math/big", module+"/dtype"), false},
		{"tensorio imports the root", checkImports, file("tensorio/a.go", module, "golang.org/x/sys/unix"), false},
		{"tensorio imports stream", checkImports, file("tensorio/a.go", module+"/stream"), true},
		{"dtype imports a stranger", checkImports, file("dtype/a.go", "example.com/x"), true},
		{"the root imports rapid", checkImports, file("a.go", "pgregory.net/rapid"), true},
		{"the command imports internal", checkImports, file("cmd/ogive/a.go", module+"/internal/errs"), true},
		{"the command imports its own", checkImports, file("cmd/ogive/a.go", module+"/cmd/ogive/plot", module+"/tensorio"), false},
		{"beam imports engine", checkImports, file("beam/x/a.go", module+"/internal/engine"), true},
		{"a package without a row", checkImports, file("internal/nowhere/a.go"), true},
		{"not Go", checkImports, source{"dtype/a.go", []byte("package")}, true},
		{"a long file", checkLength, source{"a.go", []byte(long)}, true},
		{"a long generated file", checkLength, source{"a.go", []byte("// Code generated by x; DO NOT EDIT.\n" + long)}, false},
		{"a short file", checkLength, source{"a.go", []byte(long[1:])}, false},
		{"a mark", checkForbidden, source{"a.go", []byte("// TODO: x")}, true},
		{"another", checkForbidden, source{"a.go", []byte(`errors.New("Not implemented")`)}, true},
		{"a mark in a test", checkForbidden, source{"a_test.go", []byte("// TODO: x")}, false},
		{"words", checkForbidden, source{"a.go", []byte("// implemented, mastodon")}, false},
	} {
		if problems := c.check(c.file); (len(problems) > 0) != c.bad {
			t.Errorf("%s: %q", c.name, problems)
		}
	}
}
