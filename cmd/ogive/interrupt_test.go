//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestInterrupt interrupts a command that reads a pipe nobody closes.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		signal os.Signal
		status int
	}{{os.Interrupt, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}} {
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
