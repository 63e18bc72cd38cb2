package rank

import (
	"strconv"
	"strings"

	"github.com/ogive-go/ogive/internal/errs"
)

// String returns the name of m, "method(200)" if it is not valid.
func (m Method) String() string {
	if !m.Valid() {
		return "method(" + strconv.Itoa(int(m)) + ")"
	}
	return methods[m].name
}

// Methods returns all methods, in the order of their constants.
func Methods() []Method {
	all := make([]Method, methodCount)
	for i := range all {
		all[i] = Method(i)
	}
	return all
}

// alias returns R's name of m, or "".
func (m Method) alias() string {
	if t := m.Type(); t > 0 {
		return "type" + strconv.Itoa(t)
	}
	return ""
}

// Parse returns the method of the given name: a name of the package's table,
// or R's type1 to type9. Names are compared as they are, lower case.
//
// The error wraps ErrMethod, lists the known names and suggests one that is a
// few typing errors away.
func Parse(name string) (Method, error) {
	for m := range methodCount {
		if name == methods[m].name || name != "" && name == m.alias() {
			return m, nil
		}
	}
	hint := ""
	if s := suggest(name); s != "" {
		hint = "did you mean " + strconv.Quote(s) + "? "
	}
	names := make([]string, methodCount)
	for m := range methodCount {
		names[m] = methods[m].name
	}
	return 0, errs.New(errs.ErrMethod, "unknown method %q; %sknown: %s", name, hint, strings.Join(names, ", "))
}

// suggest returns the known name nearest to name, or "" if none is near: a
// third of the letters may be wrong.
func suggest(name string) string {
	if len(name) > 64 { // no name with that many letters is near one
		return ""
	}
	name = strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(name))
	best, least := "", len(name)/3+1
	for m := range methodCount {
		for _, known := range [...]string{methods[m].name, m.alias()} {
			if d := editDistance(name, known); known != "" && d < least {
				best, least = known, d
			}
		}
	}
	return best
}

// editDistance counts the letters to insert, delete, replace or swap with
// their neighbour to turn s into t.
func editDistance(s, t string) int {
	prev2, prev, cur := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range cur {
		cur[j] = j
	}
	for i := range len(s) {
		prev2, prev, cur = prev, cur, prev2
		cur[0] = i + 1
		for j := range len(t) {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				cur[j+1] = min(cur[j+1], prev2[j-1]+1)
			}
		}
	}
	return cur[len(t)]
}
