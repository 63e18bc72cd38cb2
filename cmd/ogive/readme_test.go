package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// The commands that the README shows work as they stand, from the root of the
// project.
func TestReadmeCommands(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for line := range strings.Lines(string(text)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "go run ./cmd/ogive ")
		if !ok {
			continue
		}
		count++
		var out, stderr bytes.Buffer
		s := streams{in: strings.NewReader(""), out: &out, err: &stderr}
		if status := run(context.Background(), strings.Fields(command), s); status != 0 || out.Len() == 0 {
			t.Errorf("%s: status %d: %s", command, status, &stderr)
		}
	}
	if count < 3 {
		t.Errorf("only %d commands found", count)
	}
}
