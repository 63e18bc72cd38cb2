package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The committed assembly is what the generator writes.
func TestFilesAreCurrent(t *testing.T) {
	for _, f := range files {
		want, err := generate(f.emit)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		have, err := os.ReadFile(filepath.Join(target, f.name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is stale: run go generate ./internal/kernel", f.name)
		}
	}
}
