//go:build !wasip1

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
// exit status N and, if that is not 0, prints nothing on standard output and tells why in
// one line, and a hint, as every "! exec ogive" must; [exists:PATH] holds where the system has that file; $EXAMPLES is the examples' folder.
func TestStories(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 watched(t, "testdata"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": wantStatus, "fails": wantFailure},
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

// failing finds the lines of a story in which the command is to fail.
var failing = regexp.MustCompile(`(?m)^((?:\[[^]]*\] *)*)! exec (ogive .*[^&\n])$`)

// watched returns a folder with the stories of another, where "! exec ogive" is wantFailure.
func watched(t *testing.T, folder string) string {
	t.Helper()
	stories, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	to, seen := t.TempDir(), 0
	for _, story := range stories {
		text, err := os.ReadFile(story)
		if err != nil {
			t.Fatal(err)
		}
		seen += len(failing.FindAll(text, -1))
		if err := os.WriteFile(filepath.Join(to, filepath.Base(story)), failing.ReplaceAll(text, []byte("${1}fails $2")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if seen == 0 {
		t.Fatal("no command fails in any story")
	}
	return to
}

// wantFailure runs a command that must fail, and tell why in one line and a hint at most.
func wantFailure(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fails COMMAND …")
	}
	if err := ts.Exec(args[0], args[1:]...); err == nil {
		ts.Fatalf("unexpected command success")
	}
	wantShortStory(ts)
}

// wantShortStory ends the story if the command that failed last has more to say than a line
// and a hint.
func wantShortStory(ts *testscript.TestScript) {
	text := ts.ReadFile("stderr")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > 2 || len(lines) == 2 && !strings.HasPrefix(lines[1], "ogive: hint: ") || text != "" && !strings.HasPrefix(lines[0], "ogive: ") {
		ts.Fatalf("more than a line and a hint: %q", text)
	}
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
	if got != 0 && args[1] == "ogive" {
		wantShortStory(ts)
	}
}
