package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestGPUTable: the table that gpu/run.sh makes of what its stages found: of refusals,
// wrong results and crashes too. The times of testdata are made up.
func TestGPUTable(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("run.sh is for Linux")
	}
	for _, tool := range []string{"bash", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	out := t.TempDir()
	if err := os.CopyFS(out, os.DirFS("gpu/testdata")); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(out, "table.md")
	want, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(made); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gpu/run.sh", "table")
	cmd.Env = append(os.Environ(), "OUT="+out, "PYTHON=python3")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("table.md is not that of testdata:\n%s", got)
	}
}
