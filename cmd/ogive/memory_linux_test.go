package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	systemCommands["maxrss"], systemCommands["mklarge"] = maxRSS, makeLarge
}

// TestMemory runs the command on files larger than the memory that it is given, and
// asks the system how much it took. The answers are those of a run without limit.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("files of 100 MB")
	}
	folder := t.TempDir()
	if out, err := helper("mklarge", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range []string{
		"median x.csv -c v", "quantile x.csv -q 0.001,1/3,0.5,0.999 -c id,v --method lower", "nanmedian x.csv -c gap",
		"median x.csv -c gap", "quantile x.csv -q 0.5 -c v,id --weights n", "median < x.csv",
		"median x.npy", "median x.npy --axis 0", "quantile x.npy -q 0.1,0.9 --axis 1", "median < x.npy",
	} {
		run := func(flags ...string) (stdout, notes string, kib int64) {
			command, input, piped := strings.Cut(line, " < ")
			cmd := helper("maxrss", append(append([]string{"rss"}, strings.Fields(command)...), flags...)...)
			cmd.Dir = folder
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if piped {
				f, err := os.Open(filepath.Join(folder, input))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				cmd.Stdin = struct{ *bufio.Reader }{bufio.NewReader(f)} // a pipe
			}
			if err := cmd.Run(); err != nil {
				t.Fatalf("%s: %v: %s", line, err, &errs)
			}
			text, err := os.ReadFile(filepath.Join(folder, "rss"))
			if err == nil {
				_, err = fmt.Sscan(string(text), &kib)
			}
			if err != nil {
				t.Fatal(err)
			}
			return out.String(), errs.String(), kib
		}
		const most = 64
		want, wantNotes, _ := run()
		got, notes, kib := run("--memory", fmt.Sprint(most, "M"))
		if got != want || withoutRounded(notes) != withoutRounded(wantNotes) {
			t.Errorf("%s: with less memory\n%s%s, want\n%s%s", line, got, notes, want, wantNotes)
		}
		t.Logf("%s: %d MiB", line, kib>>10)
		if kib > most<<10 {
			t.Errorf("%s took %d MiB, of %d", line, kib>>10, most)
		}
	}
}

// helper returns a command of this program, which testscript makes of the test.
func helper(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Args[0] = name
	return cmd
}

// maxRSS runs ogive with the arguments but the first, and writes to the file that this
// names how many KiB it took. It does so from a process of its own, for the memory of
// the one that starts another counts as the other's.
func maxRSS(args []string) error {
	cmd := exec.Command("./ogive", args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	failed := cmd.Run()
	if cmd.ProcessState == nil {
		return failed
	}
	kib := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if err := os.WriteFile(args[0], fmt.Append(nil, kib), 0o600); err != nil {
		return err
	}
	return quiet(failed)
}

// quiet is an error of a command that has told of it.
func quiet(err error) error {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(1)
	}
	return err
}

// makeLarge writes a table and an array of some 100 MB to a folder, and a copy of this
// program as ogive.
func makeLarge(args []string) error {
	const rows = 1_500_000
	folder := args[0]
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := copyProgram(filepath.Join(folder, "ogive"), self); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	f, err := os.Create(filepath.Join(folder, "x.csv"))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "id,v,gap,word,n")
	for i := range rows {
		fmt.Fprintf(w, "%d,%.4f,%s,some words to skip over,%d\n", uint64(i)<<40, r.NormFloat64()*100, []string{"", "7", "1.5"}[min(i%1000, 2)], i%4)
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	values := make([]float64, 10*rows)
	for i := range values {
		values[i] = r.NormFloat64()
	}
	x, err := ogive.FromSlice(values, 1500, 10_000)
	if err != nil {
		return err
	}
	return tensorio.Save(filepath.Join(folder, "x.npy"), x)
}

// copyProgram copies a program page by page. Of one that was written in large pieces, as
// linkers may do, the system maps more than is used, and counts it as the process's.
func copyProgram(to, from string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	for page := range slices.Chunk(program, 4096) {
		if _, err := f.Write(page); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

// withoutRounded drops the notes of answers that are, or in passes may be, rounded.
func withoutRounded(notes string) string {
	lines := slices.Collect(strings.Lines(notes))
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, "between integers beyond 2^53") }), "")
}
