package archtest

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// guarded are the packages whose functions take tensors of users.
var guarded = []string{".", "grad", "stream", "tensorio"}

// guards call a function so that a fault in it, in memory of a mapped file, is an error; see
// loader.isGuard for others that do.
var guards = []string{"internal/nd.Guard", "internal/nd.GuardMapping", "tensorio.Guard"}

// memory are the functions from which all have the memory of a tensor; users have it from
// the last two, which look for themselves at nothing but what they copy.
var memory = []string{"internal/nd.Array.Pointer", "..Values", "..Tensor.Bytes"}

// TestMappedMemoryIsGuarded: no exported function that is given a tensor, or a slice of
// elements, reaches its memory but within a guard; and functions that do are found.
func TestMappedMemoryIsGuarded(t *testing.T) {
	l := newLoader(t)
	roots := 0
	for _, pkg := range guarded {
		missed, n := l.unguarded(pkg)
		roots += n
		for _, m := range missed {
			t.Error(m)
		}
	}
	if roots < 150 {
		t.Errorf("only %d functions are given tensors", roots)
	}
	missed, _ := l.unguarded(l.examples())
	for _, name := range []string{"BadValues", "BadInterface", "BadSlice", "BadIterator", "BadElements", "BadLent", "first is handed out"} {
		if !slices.ContainsFunc(missed, func(m string) bool { return strings.Contains(m, name) }) {
			t.Errorf("%s is not found", name)
		}
	}
	for _, m := range missed {
		if strings.Contains(m, "Good") {
			t.Error(m)
		}
	}
}

// examples adds a package of functions that have no guard where they need one, and of some
// that are close to them and fine.
func (l *loader) examples() string {
	l.add("grad/x", source{"grad/x/x.go", []byte(`package x

import (
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/nd"
)

type reader interface{ first(t *ogive.Tensor) float64 }
type plain struct{}

func (plain) first(t *ogive.Tensor) float64 { return ogive.Must(ogive.Values[float64](t))[0] }

func BadValues(t *ogive.Tensor) float64       { return plain{}.first(t) }
func BadInterface(t *ogive.Tensor) float64    { return reader(plain{}).first(t) }
func BadSlice(ts []*ogive.Tensor) float64     { return first(ts[0]) }
func BadIterator(t *ogive.Tensor) func() byte { return func() byte { return ogive.Must(t.Bytes())[0] } }
func BadValue(t *ogive.Tensor) func(*ogive.Tensor) float64 {
	var f func(*ogive.Tensor) float64
	_ = nd.Guard("", func() error { f = first; return nil })
	return f
}
func BadElements[T float32 | float64](v []T) *T { a := nd.Array{}; return (*T)(a.Pointer(len(v))) }

func GoodShape(t *ogive.Tensor) []int { return t.Shape() }
func GoodMedian(t *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Median(t) }
func GoodGuarded(t *ogive.Tensor) (v float64) {
	_ = nd.Guard("", func() error { v = first(t); return nil })
	return v
}
func BadLent(t *ogive.Tensor) (v float64) {
	lent(func() { v = first(t) })
	return v
}
func GoodLent(t *ogive.Tensor) (v float64) {
	lend(func() { v = first(t) })
	return v
}
func lent(do func()) {
	_ = nd.Guard("", func() error { do(); return nil })
	do()
}
func lend(do func()) { _ = nd.Guard("", func() error { do(); return nil }) }
func GoodOwn() float64 { return first(ogive.Scalar(1.0)) }

func first(t *ogive.Tensor) float64 { return plain{}.first(t) }
`)})
	return "grad/x"
}

// loader has the types and the functions of packages of the root module.
type loader struct {
	root     string
	fset     *token.FileSet
	standard types.Importer
	packages map[string]*types.Package
	info     types.Info
	bodies   map[*types.Func]*ast.FuncDecl
	methods  map[string][]*types.Func // of a package, by name
	guards   map[*types.Func]bool
}

// loaded is what tests have loaded; they run one after the other.
var loaded *loader

func newLoader(t *testing.T) *loader {
	t.Helper()
	if loaded != nil {
		return loaded
	}
	fset := token.NewFileSet()
	loaded = &loader{
		root: findRoot(t), fset: fset, standard: importer.ForCompiler(fset, "source", nil), packages: map[string]*types.Package{},
		info:   types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}},
		bodies: map[*types.Func]*ast.FuncDecl{}, methods: map[string][]*types.Func{}, guards: map[*types.Func]bool{},
	}
	return loaded
}

// Import returns a package of the standard library or of the root module. Those of other
// modules are empty.
func (l *loader) Import(name string) (*types.Package, error) {
	own, ok := relative(name)
	switch {
	case isStandard(name):
		return l.standard.Import(name)
	case !ok:
		p := types.NewPackage(name, path.Base(name))
		p.MarkComplete()
		return p, nil
	case l.packages[own] != nil:
		return l.packages[own], nil
	}
	dir := filepath.Join(l.root, filepath.FromSlash(own))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []source
	for _, e := range entries {
		if match, err := build.Default.MatchFile(dir, e.Name()); err != nil || !match || strings.HasSuffix(e.Name(), "_test.go") || !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, source{path.Join(own, e.Name()), text})
	}
	return l.add(own, files...), nil
}

// add checks the files of a package. What is wrong with them is the compiler's affair.
func (l *loader) add(own string, sources ...source) *types.Package {
	var files []*ast.File
	for _, s := range sources {
		if f, err := parser.ParseFile(l.fset, s.name, s.text, parser.SkipObjectResolution); err == nil {
			files = append(files, f)
		}
	}
	conf := types.Config{Importer: l, Error: func(error) {}}
	p, _ := conf.Check(path.Join(module, own), l.fset, files, &l.info)
	l.packages[own] = p
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				fn := l.info.Defs[d.Name].(*types.Func)
				l.bodies[fn] = d
				if d.Recv != nil {
					name := p.Path() + "." + fn.Name()
					l.methods[name] = append(l.methods[name], fn)
				}
			}
		}
	}
	return p
}

// unguarded returns which functions of a package, of how many that are given tensors,
// reach memory outside of a guard: those that are exported, and those that are handed out
// as values.
func (l *loader) unguarded(pkg string) (missed []string, roots int) {
	p, err := l.Import(path.Join(module, pkg))
	if err != nil {
		return []string{err.Error()}, 0
	}
	var walk func(fn *types.Func, way []string, seen map[*types.Func]bool) []string
	walk = func(fn *types.Func, way []string, seen map[*types.Func]bool) []string {
		way = append(way, nameOf(fn))
		if isMemory(fn, pkg) && len(way) > 1 {
			return way
		}
		if seen[fn] || l.bodies[fn] == nil {
			return nil
		}
		seen[fn] = true
		for _, next := range l.reached(l.bodies[fn].Body) {
			if found := walk(next, way, seen); found != nil {
				return found
			}
		}
		return nil
	}
	handed := map[*types.Func]bool{}
	for fn, d := range l.bodies {
		if fn.Pkg() == p {
			for _, value := range l.values(d.Body) {
				handed[value] = true
			}
		}
	}
	for fn := range l.bodies {
		if fn.Pkg() != p || !takesTensors(fn) || !fn.Exported() && !handed[fn] {
			continue
		}
		roots++
		if way := walk(fn, nil, map[*types.Func]bool{}); way != nil {
			what := "is exported"
			if !fn.Exported() {
				what = "is handed out"
			}
			missed = append(missed, fmt.Sprintf("%s %s and reaches the memory of tensors without a guard: %s", nameOf(fn), what, strings.Join(way, " → ")))
		}
	}
	return missed, roots
}

// reached returns the functions that are named below a node, outside of guards. A method of
// an interface stands for all of its package that have its name.
func (l *loader) reached(n ast.Node) (list []*types.Func) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if fn := l.called(n); fn != nil && l.isGuard(fn) {
				return false
			}
		case *ast.Ident:
			fn, ok := l.info.Uses[n].(*types.Func)
			if !ok {
				break
			}
			fn = fn.Origin()
			list = append(list, fn)
			if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) && fn.Pkg() != nil {
				list = append(list, l.methods[fn.Pkg().Path()+"."+fn.Name()]...)
			}
		}
		return true
	})
	return list
}

// isGuard reports whether a function is one of guards, or has others call the functions
// that it is given, by such a one alone.
func (l *loader) isGuard(fn *types.Func) bool {
	if is, known := l.guards[fn]; known {
		return is
	}
	given := map[types.Object]bool{}
	for p := range fn.Signature().Params().Variables() {
		if _, ok := p.Type().Underlying().(*types.Signature); ok {
			given[p] = true
		}
	}
	l.guards[fn] = slices.Contains(guards, nameOf(fn))
	if d := l.bodies[fn]; d == nil || len(given) == 0 || l.guards[fn] {
		return l.guards[fn]
	}
	inside, outside := false, false
	ast.Inspect(l.bodies[fn].Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if called := l.called(n); called != nil && l.isGuard(called) {
				inside = true
				return false
			}
		case *ast.Ident:
			outside = outside || given[l.info.Uses[n]]
		}
		return true
	})
	l.guards[fn] = inside && !outside
	return l.guards[fn]
}

// values returns the functions that are named below a node other than to be called.
func (l *loader) values(n ast.Node) (list []*types.Func) {
	called := map[*ast.Ident]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if id := nameIn(n.Fun); id != nil {
				called[id] = true
			}
		case *ast.Ident:
			if fn, ok := l.info.Uses[n].(*types.Func); ok && !called[n] {
				list = append(list, fn.Origin())
			}
		}
		return true
	})
	return list
}

// called returns the function that is called by name, or nil.
func (l *loader) called(c *ast.CallExpr) *types.Func {
	if id := nameIn(c.Fun); id != nil {
		if fn, ok := l.info.Uses[id].(*types.Func); ok {
			return fn.Origin()
		}
	}
	return nil
}

// nameIn returns the name of what is called by an expression, or nil.
func nameIn(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return nameIn(e.X)
	case *ast.IndexListExpr:
		return nameIn(e.X)
	}
	return nil
}

// nameOf returns the name of a function with its package, relative to the root, and the
// type whose method it is.
func nameOf(fn *types.Func) string {
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := t.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	if fn.Pkg() == nil {
		return name
	}
	own, ok := relative(fn.Pkg().Path())
	if !ok {
		own = fn.Pkg().Path()
	}
	return own + "." + name
}

// isMemory reports whether a function hands the memory of tensors to a package.
func isMemory(fn *types.Func, pkg string) bool {
	at := slices.Index(memory, nameOf(fn))
	return at == 0 || at > 0 && pkg != "."
}

// takesTensors reports whether a tensor, an option, which may hold one, or a slice of
// elements is the receiver of a function or among its parameters.
func takesTensors(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() != nil && holdsTensors(sig.Recv().Type()) {
		return true
	}
	for p := range sig.Params().Variables() {
		if holdsTensors(p.Type()) {
			return true
		}
	}
	return false
}

func holdsTensors(t types.Type) bool {
	switch t := t.(type) {
	case *types.Pointer:
		return holdsTensors(t.Elem())
	case *types.Slice:
		_, elements := t.Elem().(*types.TypeParam)
		return elements || holdsTensors(t.Elem())
	case *types.Named: // the values of a tensorio.Column have memory of their own
		if o := t.Obj(); o.Pkg() != nil && o.Pkg().Path() == module {
			return o.Name() == "Tensor" || o.Name() == "Option"
		}
		for arg := range t.TypeArgs().Types() {
			if holdsTensors(arg) {
				return true
			}
		}
	}
	return false
}
