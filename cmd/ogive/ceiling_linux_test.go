package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

func init() { systemCommands["hog"] = hog }

// hog takes memory as a command that nobody has counted would: at once where it is told so,
// else until its context ends.
func hog(args []string) error {
	ctx, stop := withInterrupt(context.Background())
	defer stop()
	b := budget{bytes: leastMemory, given: true}
	b.keep(fileMemory)
	b.ceiling(ctx, streams{err: os.Stderr, own: true})
	var taken [][]byte
	for len(taken) < 1000 && (args[0] == "deaf" || ctx.Err() == nil) {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		if taken = append(taken, block); args[0] == "heeding" {
			time.Sleep(time.Millisecond)
		}
		if args[0] == "tidy" && len(taken) > 8 {
			taken = taken[:0]
		}
	}
	if args[0] == "tidy" {
		fmt.Println("done", len(taken))
		return nil
	}
	return context.Cause(ctx)
}

// TestCeiling: what takes more memory than it may is ended in one line, whether it heeds
// its context or not, and what only leaves it to the collector is not.
func TestCeiling(t *testing.T) {
	for _, kind := range []string{"heeding", "deaf"} {
		cmd := helper("hog", kind)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if want := regexp.MustCompile(`^[^\n]*--memory 64M is not enough: the process had taken \d+ MiB before it was done\n$`); err == nil || !want.MatchString(stderr.String()) {
			t.Errorf("%s: %v: %q", kind, err, &stderr)
		}
	}
}

// TestEnough: a file that is refused for what it needs is answered with the memory that the
// hint says.
func TestEnough(t *testing.T) {
	folder := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = copyProgram(filepath.Join(folder, "ogive"), self)
	}
	if err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(folder, name) }
	for name, text := range map[string]string{
		"row.csv":   "a,b\n1," + strings.Repeat("x", 5_000_000) + "\n2,y\n",
		"row.json":  `[{"a":1,"b":"` + strings.Repeat("x", 2_000_000) + `"},{"a":2}]`,
		"array.npy": "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (12000000,), }") + strings.Repeat("\x07", 12_000_000),
	} {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"median row.csv", "median row.json", "isnan array.npy -o out.npy"} {
		memory := "64M"
		for try := 0; ; try++ {
			cmd := helper("ogive", append(strings.Fields(line), "--memory", memory)...)
			cmd.Dir = folder
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Run(); err == nil {
				if try == 0 {
					t.Errorf("%s: is not refused", line)
				}
				break
			}
			hint := regexp.MustCompile(`(?m)^ogive: hint: --memory (\d+M) may be enough$`).FindStringSubmatch(stderr.String())
			if hint == nil || strings.Count(stderr.String(), "\n") != 2 || try > 3 {
				t.Fatalf("%s --memory %s: %s", line, memory, &stderr)
			}
			memory = hint[1]
		}
	}
}

// TestPipesByName: a FILE that is a pipe, as the shell's <(…) is, is read as a file is, in
// memory and from a temporary file.
func TestPipesByName(t *testing.T) {
	dir := t.TempDir()
	x := ogive.Must(ogive.FromSlice(values(300_000), 300, 1000))
	if err := tensorio.Save(filepath.Join(dir, "x.npy"), x); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.csv"), digits()[:3_000_001], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"median %s", "quantile %s -q 0.25,0.5", "rank %s --at 1,2"} {
		for _, name := range []string{"x.npy", "x.csv"} {
			file := filepath.Join(dir, name)
			want, stderr, _ := call(t, strings.Fields(fmt.Sprintf(line, file))...)
			if stderr != "" {
				t.Fatal(stderr)
			}
			pipe := pipeOf(t, file)
			got, stderr, status := call(t, strings.Fields(fmt.Sprintf(line, pipe))...)
			if strings.ReplaceAll(got, pipe, file) != want || status != 0 {
				t.Errorf(line+" of a pipe: %s%s\nwant\n%s", name, got, stderr, want)
			}
		}
	}
}

// pipeOf returns a pipe that gives the content of a file.
func pipeOf(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	go os.WriteFile(pipe, content, 0o600)
	return pipe
}

// TestSpooledPipe: a pipe is held in memory or, with little of it, in a file, and can be read
// again.
func TestSpooledPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(file, digits()[:3_000_001], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, b := range []budget{least, {bytes: 1 << 40}} {
		pipe := pipeOf(t, file)
		f := &opener{ctx: context.Background(), s: streams{err: os.Stderr}, budget: b}
		for range 2 {
			once, err := f.pipe(pipe)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(once)
			if _, inFile := once.(*os.File); err != nil || len(content) != 3_000_001 || inFile != b.given || f.size(pipe) != 3_000_001 {
				t.Errorf("%d of %d bytes in %T: %v", len(content), f.size(pipe), once, err)
			}
		}
	}
}
