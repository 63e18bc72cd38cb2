package archtest

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// ordered are the packages of which no file uses, by way of others, one that uses it.
var ordered = []string{"internal/interpolate", "internal/weights", "internal/elements", "internal/engine"}

// TestFilesAreOrdered: the files of a package stand above each other.
func TestFilesAreOrdered(t *testing.T) {
	l := newLoader(t)
	for _, pkg := range ordered {
		if _, err := l.Import(path.Join(module, pkg)); err != nil {
			t.Fatal(err)
		}
		uses := l.uses(pkg)
		if len(uses) == 0 && pkg != "internal/interpolate" {
			t.Errorf("no file of %s uses another", pkg)
		}
		if way := circle(uses); way != nil {
			t.Errorf("%s: %s", pkg, strings.Join(way, " → "))
		}
	}
	l.add("internal/x", source{"internal/x/a.go", []byte("package x\nfunc f() { g() }\nfunc h() {}\n")},
		source{"internal/x/b.go", []byte("package x\nfunc g() { k() }\n")}, source{"internal/x/c.go", []byte("package x\nfunc k() { h() }\n")})
	if way := circle(l.uses("internal/x")); len(way) != 4 {
		t.Errorf("a circle of three files is %v", way)
	}
}

// uses returns which files of a package, which has been loaded, use which others.
func (l *loader) uses(pkg string) map[string][]string {
	uses := map[string][]string{}
	for id, o := range l.info.Uses {
		from, to := l.fset.Position(id.Pos()).Filename, l.fset.Position(o.Pos()).Filename
		if path.Dir(from) == pkg && path.Dir(to) == pkg && from != to && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// circle returns a way from a node back to it, or nil.
func circle(next map[string][]string) []string {
	done := map[string]bool{}
	var walk func(at string, way []string) []string
	walk = func(at string, way []string) []string {
		if i := slices.Index(way, at); i >= 0 {
			return append(slices.Clone(way[i:]), at)
		}
		if done[at] {
			return nil
		}
		for _, to := range next[at] {
			if found := walk(to, append(way, at)); found != nil {
				return found
			}
		}
		done[at] = true
		return nil
	}
	for at := range next {
		if found := walk(at, nil); found != nil {
			return found
		}
	}
	return nil
}
