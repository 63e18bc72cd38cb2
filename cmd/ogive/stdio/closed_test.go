//go:build linux && cgo

package stdio

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if of := os.Getenv("OGIVE_CLOSED"); of != "" {
		status := 0
		for fd := range 3 {
			if Closed(fd) != strings.Contains(of, string(rune('0'+fd))) {
				status |= 1 << fd
			}
		}
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// TestClosed starts this program with some streams closed, and others at /dev/null.
func TestClosed(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ redirect, closed string }{
		{"", "none"}, {">&-", "1"}, {"<&- >&-", "01"}, {"<&- >&- 2>&-", "012"}, {"2>&-", "2"},
		{">/dev/null", "none"}, {"</dev/null >/dev/null 2>&1", "none"}, {"1<>/dev/null 2>&1", "none"},
		{">>/dev/null 2>&-", "2"}, {"3<>/dev/null >&3 2>&3", "none"},
	} {
		cmd := exec.Command(shell, "-c", `exec "$0" `+c.redirect, os.Args[0])
		cmd.Env = append(os.Environ(), "OGIVE_CLOSED="+c.closed)
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: not closed: %s alone (%v)", c.redirect, c.closed, err)
		}
	}
}
