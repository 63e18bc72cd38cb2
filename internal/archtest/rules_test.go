package archtest

import (
	"slices"
	"strings"
)

// module is the path of the root module; every package of the repository is
// at or below it.
const module = "github.com/ogive-go/ogive"

// rule says what the production files of a package may import beside the
// standard library. Packages of the repository are named relative to the root,
// which is ".".
type rule struct {
	pkg      string   // a package, or a folder and all below it with a trailing "/..."
	may      []string // packages of the repository
	external []string // modules of others, "*" for any
}

// core is the root package and everything below it, which the packages above
// it may use.
var core = []string{".", "dtype", "rank", "internal/errs", "internal/cpu", "internal/tuning", "internal/crew", "internal/nd",
	"internal/kernel", "internal/lane", "internal/selection", "internal/locate", "internal/member", "internal/groups", "internal/rolling",
	"internal/interpolate", "internal/weights", "internal/elements", "internal/engine", "internal/bridge"}

// public lists the packages that other modules may use.
var public = []string{".", "dtype", "rank", "tensorio", "grad", "stream", "cuda"}

var (
	sys      = []string{"golang.org/x/sys"}
	anything = []string{"*"}
)

// rules is the table of ARCHITECTURE.md, bottom first. A package without a row is an
// error: whoever adds one decides here where it stands.
var rules = []rule{
	{pkg: "dtype"},
	{pkg: "internal/errs"},
	{pkg: "internal/cpu", external: sys},
	{pkg: "internal/tuning"},
	{pkg: "internal/crew", may: []string{"internal/tuning"}},
	{pkg: "rank", may: []string{"dtype", "internal/errs"}},
	{pkg: "internal/nd", may: []string{"dtype", "internal/errs"}},
	{pkg: "internal/kernel", may: []string{"internal/cpu", "dtype"}},
	{pkg: "internal/lane", may: []string{"internal/nd", "internal/kernel", "dtype"}},
	{pkg: "internal/selection/partition", may: []string{"internal/kernel", "internal/tuning"}},
	{pkg: "internal/selection/bracket", may: []string{"internal/kernel", "internal/crew", "internal/tuning", "internal/selection/partition"}},
	{pkg: "internal/selection/narrow", may: []string{"internal/kernel", "internal/crew", "internal/tuning", "rank", "internal/selection/partition", "internal/selection/bracket"}},
	{pkg: "internal/selection/weighted", may: []string{"internal/kernel", "internal/crew", "internal/tuning", "rank", "internal/selection/partition", "internal/selection/bracket"}},
	{pkg: "internal/selection", may: []string{"internal/kernel", "internal/crew", "internal/tuning", "dtype", "rank", "internal/selection/partition", "internal/selection/bracket", "internal/selection/narrow", "internal/selection/weighted"}},
	{pkg: "internal/locate", may: []string{"internal/nd", "internal/kernel", "internal/lane", "internal/crew", "internal/tuning", "internal/selection", "rank"}},
	{pkg: "internal/member", may: []string{"internal/kernel", "internal/crew", "internal/tuning", "dtype"}},
	{pkg: "internal/groups", may: []string{"internal/crew", "internal/tuning", "internal/selection/partition", "dtype"}},
	{pkg: "internal/rolling", may: []string{"internal/kernel", "internal/crew", "internal/selection", "internal/selection/partition", "rank"}},
	{pkg: "internal/interpolate", may: []string{"dtype", "rank", "internal/kernel", "internal/crew", "internal/selection"}},
	{pkg: "internal/weights", may: []string{"dtype", "rank", "internal/nd", "internal/lane", "internal/kernel", "internal/crew", "internal/errs", "internal/selection/weighted"}},
	{pkg: "internal/elements", may: []string{"dtype", "internal/nd", "internal/kernel", "internal/crew", "internal/errs", "internal/member"}},
	{pkg: "internal/engine", may: []string{"dtype", "rank", "internal/nd", "internal/lane", "internal/locate", "internal/crew", "internal/tuning", "internal/selection", "internal/selection/narrow", "internal/selection/weighted", "internal/interpolate", "internal/weights", "internal/elements", "internal/groups", "internal/rolling", "internal/kernel", "internal/errs"}},
	{pkg: "internal/bridge", may: []string{"internal/tuning", "dtype", "internal/nd", "internal/engine"}},
	{pkg: ".", may: []string{"internal/tuning", "dtype", "rank", "internal/nd", "internal/weights", "internal/elements", "internal/engine", "internal/bridge", "internal/errs"}},
	{pkg: "internal/oracle", may: []string{"dtype"}},
	{pkg: "internal/testkit", may: []string{"dtype", "internal/crew", "internal/cpu", "internal/errs", "internal/nd"}},
	{pkg: "internal/archtest"},
	{pkg: "internal/tune", may: []string{".", "dtype", "internal/tuning", "internal/selection", "rank"}},
	{pkg: "grad", may: core},
	{pkg: "tensorio", may: core, external: sys},
	{pkg: "stream", may: append([]string{"internal/selection/partition", "internal/selection/weighted"}, core...)},
	{pkg: "internal/cudrv", external: []string{"github.com/ebitengine/purego"}},
	{pkg: "internal/cukern"},
	{pkg: "internal/ptxemu", may: []string{"internal/cudrv", "internal/crew"}},
	{pkg: "cuda", may: append([]string{"internal/cudrv", "internal/cukern"}, core...)},
	{pkg: "examples/...", may: public},
	{pkg: "cmd/ogive/...", may: append([]string{"formats"}, public...), external: anything},
	{pkg: "formats/...", may: public, external: anything},
	{pkg: "beam/...", may: append([]string{"formats", "beam"}, public...), external: anything},
	{pkg: "gomlx/...", may: public, external: anything},
	{pkg: "capi/call", may: append([]string{"internal/bridge", "internal/nd", "internal/errs"}, public...)},
	{pkg: "capi/...", may: append([]string{"capi/call"}, public...)},
	{pkg: "bench/...", may: append([]string{"internal/cpu", "internal/selection/bracket"}, public...), external: anything},
}

// Test files may import these beside what their package may.
var (
	testMay      = []string{"internal/oracle", "internal/testkit", "internal/cpu", "internal/tuning", "internal/crew", "internal/cudrv", "internal/ptxemu", "cuda", "grad", "stream", "tensorio", "dtype", "rank"}
	testExternal = []string{"github.com/google/go-cmp", "pgregory.net/rapid"}
)

// oracle is the package whose tests stay as independent as it is.
const oracle = "internal/oracle"

// ruleOf returns the rule for a package.
func ruleOf(pkg string) (rule, bool) {
	for _, r := range rules {
		folder, all := strings.CutSuffix(r.pkg, "/...")
		if pkg == r.pkg || all && (pkg == folder || strings.HasPrefix(pkg, folder+"/")) {
			return r, true
		}
	}
	return rule{}, false
}

// allows reports whether a file of a package under r may import path.
func (r rule) allows(pkg, path string, test bool) bool {
	may, external := r.may, r.external
	if test && pkg != oracle {
		may, external = slices.Concat(may, testMay), slices.Concat(external, testExternal)
	}
	own, inRepository := relative(path)
	if inRepository {
		folder, all := strings.CutSuffix(r.pkg, "/...")
		return own == pkg || slices.Contains(may, own) ||
			all && (own == folder || strings.HasPrefix(own, folder+"/"))
	}
	if isStandard(path) {
		return true
	}
	return slices.ContainsFunc(external, func(m string) bool {
		return m == "*" || path == m || strings.HasPrefix(path, m+"/")
	})
}

// relative returns the name of a package of the repository.
func relative(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// isStandard reports whether a path is the standard library's: its first
// element has no dot.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
