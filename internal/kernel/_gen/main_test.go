package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The committed assembly is what the generator writes.
func TestFilesAreCurrent(t *testing.T) {
	texts, err := all()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range texts {
		have, err := os.ReadFile(filepath.Join(target, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is stale: run go generate ./internal/kernel", name)
		}
	}
}
