//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt interrupts a command that reads a pipe nobody closes.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		signal os.Signal
		status int
	}{{os.Interrupt, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}} {
		if signal.Ignored(c.signal) {
			t.Logf("%v: not sent, for this process and those that it starts ignore it", c.signal)
			continue
		}
		out := filepath.Join(t.TempDir(), "out.npy")
		cmd := exec.Command("ogive", "median", "-o", out)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than a pipe holds: once it is written, the command reads.
		if _, err := in.Write(bytes.Repeat([]byte("1\n"), 1<<18)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || exit.ExitCode() != c.status {
			t.Errorf("%v: %v, want exit status %d", c.signal, err, c.status)
		}
		if stdout.Len()+stderr.Len() > 0 {
			t.Errorf("%v: wrote %q and %q", c.signal, &stdout, &stderr)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); len(left) > 0 {
			t.Errorf("%v: left %v", c.signal, left)
		}
	}
}

// TestInterruptIsSoon interrupts commands that wait for a pipe, wherever: one that
// nobody writes to, one whose writer has stopped, and one that nobody reads. They end
// within a fifth of a second; an attempt may be late, as the machine is shared.
func TestInterruptIsSoon(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("this process, and those that it starts, ignore interrupts")
	}
	const soon = 200 * time.Millisecond
	folder := t.TempDir()
	table, stalled := filepath.Join(folder, "t.csv"), filepath.Join(folder, "stalled")
	if err := os.WriteFile(table, bytes.Repeat([]byte("123456\n"), 1<<16), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{stalled, filepath.Join(folder, "fifo")} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Skip(err)
		}
	}
	// Open both ways, it never ends; what it holds is the beginning of an array.
	pipe, err := os.OpenFile(stalled, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	for _, args := range [][]string{
		{"median", "fifo"},
		{"median", "stalled"},
		{"median", "stalled", "--memory", "64M"},
		{"quantile", "t.csv", "--q", "@fifo"},
		{"quantile", "t.csv", "--q", "0.5", "--weights", "fifo"},
		{"isin", "t.csv", "fifo"},
		{"describe", "fifo"},
		{"info", "t.csv", "stalled"},
		{"partial", "fifo", "--q", "0.5", "-o", "shard.ogive"},
		{"merge", "fifo"},
		{"isnan", "t.csv", "-o", "stalled", "-f", "csv"},
		{"isnan", "t.csv"},
	} {
		var took time.Duration
		for range 3 {
			if took = interruptAfter(t, folder, args); took < soon {
				break
			}
		}
		if took >= soon {
			t.Errorf("%q ended %v after the interrupt", args, took)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".ogive*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// interruptAfter interrupts a command when it has had time to block, and returns how
// long it went on.
func interruptAfter(t *testing.T, folder string, args []string) time.Duration {
	t.Helper()
	cmd := exec.Command("ogive", args...)
	cmd.Dir = folder
	out, err := cmd.StdoutPipe() // nobody reads it
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	begin := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	state, err := cmd.Process.Wait()
	took := time.Since(begin)
	if err != nil || state.ExitCode() != statusInterrupt {
		t.Errorf("%q: %v, %v, want exit status %d", args, state, err, statusInterrupt)
	}
	return took
}
