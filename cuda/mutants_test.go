package cuda

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ogive-go/ogive/internal/cukern"
)

// mutant is a kernel with one instruction changed: a comparison that holds where the
// other does not, or holds for equals, or a barrier that is not there.
type mutant struct {
	module, kernel string
	number         int // among those of the kernel
	line           int // of the module's text, from 0
	was, is        string
}

func (m mutant) String() string { return fmt.Sprintf("%s %d %s %s", m.kernel, m.number, m.was, m.is) }

// Each comparison and what it becomes.
var turnedComparison = map[string]string{
	"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "eq": "ne", "ne": "eq",
	"ltu": "leu", "leu": "ltu", "gtu": "geu", "geu": "gtu", "equ": "neu", "neu": "equ", "num": "nan", "nan": "num",
}

var (
	entryLine = regexp.MustCompile(`^\.visible \.entry (\w+)\(`)
	mutable   = regexp.MustCompile(`^\s*(?:@!?%p\d+ )?\s*(setp\.(\w+)\.\w+|bar\.sync|bar\.warp\.sync|barrier\.sync)\s`)
)

// mutantsOf returns all mutants of a module.
func mutantsOf(module string) (list []mutant) {
	kernel, number := "", 0
	for i, line := range strings.Split(string(cukern.PTX(module)), "\n") {
		if f := entryLine.FindStringSubmatch(line); f != nil {
			kernel, number = f[1], 0
		}
		f := mutable.FindStringSubmatch(line)
		if f == nil {
			continue
		}
		m := mutant{module: module, kernel: kernel, number: number, line: i, was: f[1], is: "nothing"}
		if f[2] != "" {
			m.is = strings.Replace(f[1], "."+f[2]+".", "."+turnedComparison[f[2]]+".", 1)
		}
		list = append(list, m)
		number++
	}
	return list
}

// text returns the module's text with the change, less the kernels that need not be kept.
func (m mutant) text(module string, keep map[string]bool) string {
	var b strings.Builder
	inside, dropped := false, false
	for i, line := range strings.Split(module, "\n") {
		if f := entryLine.FindStringSubmatch(line); f != nil {
			inside, dropped = true, !keep[f[1]]
		}
		if i == m.line {
			if m.is == "nothing" {
				line = "//" + line
			} else {
				line = strings.Replace(line, m.was, m.is, 1)
			}
		}
		if !inside || !dropped {
			b.WriteString(line)
			b.WriteByte('\n')
		}
		if line == "}" {
			inside = false
		}
	}
	return b.String()
}
