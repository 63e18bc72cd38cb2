//go:build !wasip1

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	commands := map[string]func(){
		"ogive": main,
		"mknpy": mainOf(makeNPY),
		"mknpz": mainOf(makeNPZ),
		"lsnpy": mainOf(listNPY),
	}
	for name, run := range systemCommands {
		commands[name] = mainOf(run)
	}
	testscript.Main(m, commands)
}

// systemCommands are those of tests for one operating system.
var systemCommands = map[string]func(args []string) error{}

// TestStories runs the scripts of testdata, each a story of one command or of
// one kind of trouble. "status N COMMAND …" runs a command that must end with
// exit status N and, if that is not 0, prints nothing on standard output;
// [exists:PATH] holds where the system has that file; $EXAMPLES is the examples' folder.
func TestStories(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": wantStatus},
		Condition: func(cond string) (bool, error) {
			path, ok := strings.CutPrefix(cond, "exists:")
			if !ok {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			_, err := os.Stat(path)
			return err == nil, nil
		},
	})
}

// TestRealDataTour runs the stories of testdata/tour on the files in the folder that
// OGIVE_DATA names; formats/testdata/fetch.sh fetches them. The answers are those of
// pandas, and of NumPy for the climate.
func TestRealDataTour(t *testing.T) {
	folder := os.Getenv("OGIVE_DATA")
	if folder == "" {
		t.Skip("OGIVE_DATA names no folder")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/tour",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATA", folder)
			return nil
		},
	})
}

func wantStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	if out := ts.ReadFile("stdout"); got != 0 && out != "" {
		ts.Fatalf("a failed command wrote to standard output: %q", out)
	}
}
