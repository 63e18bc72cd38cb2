package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// faultLine is a command line that faults are injected into.
type faultLine struct {
	name    string
	args    string
	inputs  []string // files of testFolder that it reads
	outputs []string // files that it writes, in the place of old ones
}

var faultLines = []faultLine{
	{"array to array", "isnan x.npy -o out.npy", []string{"x.npy"}, []string{"out.npy"}},
	{"array to text", "isnan x.npy -o out.csv", []string{"x.npy"}, []string{"out.csv"}},
	{"table to text", "describe x.csv -o out.tsv", []string{"x.csv"}, []string{"out.tsv"}},
	{"two outputs", "median x.npy --axis 1 --indices idx.npy -o val.npy", []string{"x.npy"}, []string{"idx.npy", "val.npy"}},
	{"groups", "median x.csv --by a -c b -o out.csv", []string{"x.csv"}, []string{"out.csv"}},
	{"shard", "partial x.csv -q 0.5 -o out.ogive", []string{"x.csv"}, []string{"out.ogive"}},
	{"in pieces", "quantile x.npy -q 0.25,0.5 --memory 64M -o out.json", []string{"x.npy"}, []string{"out.json"}},
	{"standard output", "isnan x.npy -f json", []string{"x.npy"}, nil},
}

// fault is what goes wrong in a system call.
type fault struct {
	calls string // as strace names them
	what  string // likewise
	input bool   // only calls that are about the inputs
	last  int    // the last call to be tried; earlier if there are no more
}

// Descriptors of the runtime's own are left alone where it would end the process: it maps
// memory, and reads and opens files before anything else.
var faults = []fault{
	{"openat", "error=EMFILE", true, 3}, {"openat", "error=EINTR", true, 3}, {"openat", "error=EIO", true, 3},
	{"read,pread64", "error=EIO", true, 6}, {"read,pread64", "error=EINTR", true, 6},
	{"openat", "error=EIO", false, 24},
	{"mmap", "error=ENOMEM", true, 2}, {"mmap", "error=EACCES", true, 2},
	{"newfstatat,fstat", "error=EIO", true, 3},
	{"write", "error=EIO", false, 6}, {"write", "error=ENOSPC", false, 6}, {"write", "error=EINTR", false, 6}, {"write", "error=EPIPE", false, 3},
	{"fsync", "error=EIO", false, 4}, {"fsync", "error=EINTR", false, 2},
	{"rename,renameat,renameat2", "error=EIO", false, 3}, {"rename,renameat,renameat2", "error=EINTR", false, 2},
	{"linkat", "error=EPERM", false, 1},
	{"close", "error=EIO", true, 3}, {"close", "error=EINTR", true, 3},
	{"write", "signal=KILL", false, 5}, {"fsync", "signal=KILL", false, 3}, {"rename,renameat,renameat2", "signal=KILL", false, 3}, {"linkat", "signal=KILL", false, 1},
}

// faultFolder makes a folder with the inputs and the old outputs of faultLines.
func faultFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Chdir(folder)
	if err := makeNPY([]string{"x.npy", "<f8", "300,100", "seq"}); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("a,b\n")
	for i := range 20_000 {
		fmt.Fprintf(&table, "%d,%d.25\n", i*7919%20_000, i)
	}
	if err := os.WriteFile("x.csv", []byte(table.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

// faultRun is one run of a line in a folder of its own.
type faultRun struct {
	status         int // -1 if a signal ended it
	stdout, stderr string
	files          map[string]string // what the outputs hold
	temporary      []string          // files that nobody asked for
}

const oldContent = "the old content"

// runFaulty runs a line, by way of a command that precedes it, beside links to the inputs.
func runFaulty(inputs string, line faultLine, before []string, start func(*exec.Cmd) error) (r faultRun, err error) {
	folder, err := os.MkdirTemp("", "ogive-fault-*")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(folder)
	for _, name := range line.inputs {
		if err := os.Link(filepath.Join(inputs, name), filepath.Join(folder, name)); err != nil {
			return r, err
		}
	}
	for _, name := range line.outputs {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(oldContent), 0o666); err != nil {
			return r, err
		}
	}
	args := append(before, "ogive")
	args = append(args, strings.Fields(line.args)...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = folder
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if start == nil {
		start = (*exec.Cmd).Run
	}
	if err := start(cmd); cmd.ProcessState == nil {
		return r, err
	}
	r = faultRun{status: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), files: map[string]string{}}
	list, err := os.ReadDir(folder)
	for _, entry := range list {
		name := entry.Name()
		switch {
		case strings.HasPrefix(name, "trace"):
		case strings.HasPrefix(name, ".ogive-"):
			r.temporary = append(r.temporary, name)
		case !strings.HasPrefix(name, "x."):
			b, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return r, err
			}
			r.files[name] = string(b)
		}
	}
	return r, err
}

// verdict says what is wrong with a run, given the one without a fault; "" if nothing is.
func (r faultRun) verdict(right faultRun, line faultLine) string {
	old := map[string]string{}
	for _, name := range line.outputs {
		old[name] = oldContent
	}
	switch {
	case strings.Contains(r.stderr, "goroutine ") || strings.Contains(r.stderr, "panic:") || strings.Contains(r.stderr, "fatal error:"):
		return "a dump"
	case r.status == -1: // killed: each file is the old one or the new one
		for _, name := range line.outputs {
			if r.files[name] != oldContent && r.files[name] != right.files[name] {
				return "a file is neither the old one nor the new one"
			}
		}
		return ""
	case len(r.temporary) > 0:
		return "temporary files are left"
	case r.status == 0 && r.stdout != right.stdout:
		return "status 0 with another answer"
	case r.status == 0 && !maps.Equal(r.files, right.files):
		return "status 0 with other files"
	case r.status == 0:
		return ""
	case strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, "ogive: "):
		if r.status == statusPipe && r.stderr == "" && len(line.outputs) == 0 {
			return "" // nobody reads
		}
		return "not one line on standard error"
	case !maps.Equal(r.files, old):
		return "it failed, and the old files are not as they were"
	}
	return ""
}

// TestInjectedFaults makes system calls of the command fail, one of each thread and from one on,
// and kills it at them, and demands of each run: status 0 and the right bytes, or another
// status, one line on standard error, and the old files as they were, with no file left
// over. It needs strace, and runs where OGIVE_STRACE is 1.
func TestInjectedFaults(t *testing.T) {
	if os.Getenv("OGIVE_STRACE") != "1" {
		t.Skip("OGIVE_STRACE is not 1")
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal(err)
	}
	inputs := faultFolder(t)
	type job struct {
		line  faultLine
		right faultRun
		f     fault
	}
	jobs := make(chan job)
	var runs, failed, killed atomic.Int64
	var workers sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for j := range jobs {
				for _, more := range []string{"", "+"} {
					if more != "" && !strings.HasPrefix(j.f.what, "error=E") || more != "" && (!j.f.input && j.f.calls == "openat" || j.f.what == "error=EINTR" || strings.HasPrefix(j.f.calls, "rename")) {
						continue // a signal for ever, no program at all, and a disk on which no name can be undone
					}
					for n := 1; n <= j.f.last; n++ {
						when := fmt.Sprintf("%s:%s:when=%d%s", j.f.calls, j.f.what, n, more)
						before := []string{strace, "-f", "-qq", "--seccomp-bpf", "-o", "trace", "-e", "trace=" + j.f.calls, "-e", "signal=none"}
						if j.f.input {
							for _, name := range j.line.inputs {
								before = append(before, "-P", name)
							}
						}
						injected := 0
						r, err := runFaulty(inputs, j.line, append(before, "-e", "inject="+when), func(cmd *exec.Cmd) error {
							err := cmd.Run()
							trace, _ := os.ReadFile(filepath.Join(cmd.Dir, "trace"))
							injected = bytes.Count(trace, []byte("INJECTED"))
							if injected == 0 && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == -1 {
								injected = 1 // before it was told
							}
							return err
						})
						if err != nil {
							t.Errorf("%s: %s: %v", j.line.name, when, err)
							return
						}
						r.stderr = withoutStrace(r.stderr)
						if injected == 0 {
							break
						}
						if strings.Contains(r.stderr, "netpollBreak") || r.status == 2 && r.stderr == "" {
							continue // the runtime's own write, to wake a thread, after which it ends in a dump
						}
						if j.f.calls == "write" && injected > 1 && r.status != 0 && r.stderr == "" {
							r.stderr = "ogive: standard error fails too\n"
						}
						if j.f.what == "error=EPIPE" && r.status == 0 && r.stdout != "" && strings.HasPrefix(j.right.stdout, r.stdout) {
							r.stdout = j.right.stdout // the reader of standard output had seen enough
						}
						runs.Add(1)
						switch {
						case r.status == -1:
							killed.Add(1)
						case r.status != 0:
							failed.Add(1)
						}
						if wrong := r.verdict(j.right, j.line); wrong != "" {
							t.Errorf("%s: %s: %s: status %d, standard error %.300q, left %v", j.line.args, when, wrong, r.status, r.stderr, r.temporary)
						}
					}
				}
			}
		})
	}
	for _, line := range faultLines {
		right, err := runFaulty(inputs, line, nil, nil)
		if err != nil || right.status != 0 {
			t.Fatalf("%s: %v, %d, %s", line.args, err, right.status, right.stderr)
		}
		for _, f := range faults {
			jobs <- job{line, right, f}
		}
	}
	close(jobs)
	workers.Wait()
	t.Logf("%d injected faults: %d runs failed as they should, %d were killed", runs.Load(), failed.Load(), killed.Load())
	if least := int64(300); runs.Load() < least {
		t.Errorf("%d faults were injected, of at least %d", runs.Load(), least)
	}
}

// withoutStrace returns standard error without strace's own lines.
func withoutStrace(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "strace: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestKilled kills the command at random moments: a file is the old one or the new one.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	inputs := faultFolder(t)
	random := rand.New(rand.NewPCG(17, 3))
	killed, replaced := 0, 0
	for _, line := range faultLines {
		right, err := runFaulty(inputs, line, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			r, err := runFaulty(inputs, line, nil, func(cmd *exec.Cmd) error {
				if err := cmd.Start(); err != nil {
					return err
				}
				timer := time.AfterFunc(time.Duration(random.IntN(60_000))*time.Microsecond, func() { cmd.Process.Kill() })
				defer timer.Stop()
				return cmd.Wait()
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.status == -1 {
				killed++
			} else {
				replaced++
			}
			if wrong := r.verdict(right, line); wrong != "" {
				t.Errorf("%s: %s: status %d, standard error %q, left %v", line.args, wrong, r.status, r.stderr, r.temporary)
			}
		}
	}
	t.Logf("%d runs were killed, %d ended before", killed, replaced)
}

// TestShortReadsAndWrites gives the command its input a few bytes at a time, and a
// standard output that takes a page at a time and does not block.
func TestShortReadsAndWrites(t *testing.T) {
	inputs := faultFolder(t)
	for _, args := range []string{"isnan -f json", "isnan -f npy", "isnan -f tsv", "nanmedian --input-format npy --axis 0"} {
		content, err := os.ReadFile(filepath.Join(inputs, "x.npy"))
		if err != nil {
			t.Fatal(err)
		}
		whole := exec.Command("ogive", strings.Fields(args)...)
		whole.Stdin = bytes.NewReader(content)
		want, err := whole.Output()
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		in, feed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		drain, out := os.NewFile(uintptr(ends[0]), "drain"), os.NewFile(uintptr(ends[1]), "out")
		if _, err := unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, 4096); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("ogive", strings.Fields(args)...)
		var stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in.Close()
		out.Close()
		go func() {
			defer feed.Close()
			for n := 1; len(content) > 0; n = n%997 + 7 {
				n := min(n, len(content))
				if _, err := feed.Write(content[:n]); err != nil {
					return
				}
				content = content[n:]
			}
		}()
		var got bytes.Buffer
		_, err = got.ReadFrom(drain)
		drain.Close()
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("%s: %v: %s", args, err, &stderr)
		}
		if err != nil || got.String() != string(want) {
			t.Errorf("%s: %d bytes, want %d (%v)", args, got.Len(), len(want), err)
		}
	}
}
