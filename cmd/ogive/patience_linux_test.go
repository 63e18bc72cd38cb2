package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// idlePipe returns the ends of a pipe that do not block.
func idlePipe(t *testing.T) (from, to *os.File) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	from, to = os.NewFile(uintptr(ends[0]), "from"), os.NewFile(uintptr(ends[1]), "to")
	t.Cleanup(func() { from.Close(); to.Close() })
	return from, to
}

// TestPatience has both sides of the command idle for longer than calls that do nothing
// are tried again, on streams that do not block: it waits.
func TestPatience(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	const idle = 2500 * time.Millisecond
	content := "a\n" + strings.Repeat("1\n", 50_000)
	in, feed := idlePipe(t)
	drain, out := idlePipe(t)
	cmd := exec.Command("ogive", "isnan", "-f", "tsv")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	go func() {
		defer feed.Close()
		time.Sleep(idle)
		io.WriteString(feed, content)
	}()
	time.Sleep(2 * idle)
	got, err := io.ReadAll(drain)
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v: %s", err, &stderr)
	}
	if lines := bytes.Count(got, []byte("\n")); err != nil || lines != strings.Count(content, "\n") {
		t.Errorf("%d lines, %v", lines, err)
	}
}

// TestStubbornStreams has each call on a stream say EAGAIN for ever, though the stream is
// ready: that is an error. It needs strace, and runs where OGIVE_STRACE is 1.
func TestStubbornStreams(t *testing.T) {
	if os.Getenv("OGIVE_STRACE") != "1" {
		t.Skip("OGIVE_STRACE is not 1")
	}
	for _, c := range []struct{ call, want string }{
		{"read", "standard input: byte 0: resource temporarily unavailable"},
		{"write", "standard output: resource temporarily unavailable"},
	} {
		path := filepath.Join(t.TempDir(), "fifo")
		if err := unix.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		fifo := os.NewFile(uintptr(fd), path)
		defer fifo.Close()
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		cmd := exec.CommandContext(ctx, "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace="+c.call, "-e", "signal=none",
			"-P", path, "-e", "inject="+c.call+":error=EAGAIN:when=1+", "ogive", "median", "-f", "json")
		var stdout, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("a\n1\n2\n"), &stdout, &stderr
		if c.call == "read" {
			io.WriteString(fifo, "a\n1\n2\n")
			cmd.Stdin = fifo
		} else {
			cmd.Stdout = fifo
		}
		err = cmd.Run()
		if text := withoutStrace(stderr.String()); ctx.Err() != nil || cmd.ProcessState.ExitCode() != statusFailed || text != "ogive: median: "+c.want+"\n" {
			t.Errorf("%s: %v, %v, %q", c.call, err, ctx.Err(), text)
		}
	}
}
