package testkit

import (
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/cpu"
)

func TestEachImplSelectsAndRestores(t *testing.T) {
	better, best := true, true
	cpu.Register("testkit", "best", &best)
	cpu.Register("testkit", "better", &better)
	var seen []string
	note := func(*testing.T) {
		switch {
		case best && better:
			seen = append(seen, "all")
		case best:
			seen = append(seen, "best")
		case better:
			seen = append(seen, "better")
		default:
			seen = append(seen, "generic")
		}
	}
	EachImpl(t, "testkit", note)
	if slices.Sort(seen); !slices.Equal(seen, []string{"best", "better", "generic"}) {
		t.Errorf("EachImpl ran %v", seen)
	}
	seen = nil
	EachLevel(t, note)
	if !slices.Equal(seen, []string{"all", "generic"}) {
		t.Errorf("EachLevel ran %v", seen)
	}
	if !best || !better {
		t.Error("the dispatch was not restored")
	}
}
