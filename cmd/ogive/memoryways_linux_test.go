package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemoryOfWays runs commands on files of every kind that may take more memory than
// they are given, by name and from a pipe, and asks the system how much they took. Each
// answers, or says in one line that it does not; and what answers with less memory
// answers with more. OGIVE_MEMORY=1 adds the long ones.
func TestMemoryOfWays(t *testing.T) {
	if testing.Short() {
		t.Skip("files of 100 MB")
	}
	folder := t.TempDir()
	if out, err := helper("mklarge", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := writeHostile(folder); err != nil {
		t.Fatal(err)
	}
	files := []string{"x.csv.gz", "x.jsonl", "cell.csv", "many.gz", "nul.csv.gz", "nul.npy.gz", "wide.csv"}
	commands := []string{"median", "partial --op median -o shard"}
	limits := []int{64}
	if os.Getenv("OGIVE_MEMORY") != "" {
		commands = append(commands, "describe", "hist", "isnan", "rank --v 1", "report -o r.html", "median --by id", "quantile -q 0.1,0.9")
		limits = []int{64, 256, 1024}
	}
	for _, command := range commands {
		for _, file := range files {
			for _, piped := range []bool{false, true} {
				answered := false
				for _, most := range limits {
					ok, kib := runWithin(t, folder, command, file, piped, most)
					room := 2 * slack
					if strings.HasPrefix(command, "partial") {
						room += leastMemory // its --memory is that of the states
					}
					if kib<<10 > int64(most<<20+room) {
						t.Errorf("%s %s (piped: %t) took %d MiB, of %d", command, file, piped, kib>>10, most)
					}
					if answered && !ok {
						t.Errorf("%s %s (piped: %t) is refused %d MiB, and answers with less", command, file, piped, most)
					}
					answered = answered || ok
				}
			}
		}
	}
}

// runWithin runs a command with --memory, and reports whether it answered and how many
// KiB it took.
func runWithin(t *testing.T, folder, command, file string, piped bool, most int) (ok bool, kib int64) {
	t.Helper()
	args := append([]string{"rss"}, strings.Fields(command)...)
	args = append(args, "--memory", fmt.Sprint(most, "M"))
	var input io.Reader
	if piped {
		f, err := os.Open(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		input = struct{ io.Reader }{f}
	} else {
		args = append(args, file)
	}
	cmd := helper("maxrss", args...)
	cmd.Dir, cmd.Stdin = folder, input
	var errs bytes.Buffer
	cmd.Stderr = &errs
	os.Remove(filepath.Join(folder, "rss"))
	failed := cmd.Run()
	text, err := os.ReadFile(filepath.Join(folder, "rss"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &kib)
	}
	if err != nil {
		t.Fatalf("%s %s: %v: %s", command, file, err, &errs)
	}
	for line := range strings.Lines(errs.String()) {
		if !strings.HasPrefix(line, "ogive: ") {
			t.Errorf("%s %s: %q", command, file, line)
		}
	}
	return failed == nil, kib
}

// writeHostile writes files that are small, or look so, and larger than memory.
func writeHostile(folder string) error {
	path := func(name string) string { return filepath.Join(folder, name) }
	table, err := os.ReadFile(path("x.csv"))
	if err != nil {
		return err
	}
	zeros := make([]byte, 300<<20)
	many, err := packedTimes(4, zeros)
	if err != nil {
		return err
	}
	one, err := packedTimes(1, zeros)
	if err != nil {
		return err
	}
	header := []byte("\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (314572682,), }")
	header = append(append(header, bytes.Repeat([]byte{' '}, 127-len(header))...), '\n')
	array, err := packedTimes(1, append(header, zeros...))
	if err != nil {
		return err
	}
	rows, err := packedTimes(1, table)
	if err != nil {
		return err
	}
	wide := bytes.Repeat([]byte(strings.Repeat("7,", 29_999)+"7\n"), 100)
	var lines bytes.Buffer
	for i := range 500_000 {
		fmt.Fprintf(&lines, "{\"id\":%d,\"v\":%d.25}\n", i, i%1000)
	}
	return errors.Join(
		os.WriteFile(path("many.gz"), many, 0o600), os.WriteFile(path("nul.csv.gz"), one, 0o600),
		os.WriteFile(path("nul.npy.gz"), array, 0o600), os.WriteFile(path("x.csv.gz"), rows, 0o600),
		os.WriteFile(path("cell.csv"), []byte("a,b\n1,"+strings.Repeat("x", 60_000_000)+"\n2,y\n"), 0o600),
		os.WriteFile(path("wide.csv"), wide, 0o600), os.WriteFile(path("x.jsonl"), lines.Bytes(), 0o600))
}

// packedTimes compresses bytes so many times over.
func packedTimes(n int, b []byte) ([]byte, error) {
	for range n {
		var out bytes.Buffer
		w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(b); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		b = out.Bytes()
	}
	return b, nil
}
