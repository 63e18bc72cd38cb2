package cudrv

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Who does not import package cuda does not pay for it: the dynamic loader that calling
// libcuda takes makes a program need a C library. The command and a program of the root
// package, built without cgo, need none.
func TestProgramsStayStatic(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	out := t.TempDir()
	program := filepath.Join(out, "program.go")
	const text = `package main

import "github.com/ogive-go/ogive"

func main() { ogive.MedianOf([]float64{3, 1, 2}) }
`
	if err := os.WriteFile(program, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, source string }{{"../../cmd/ogive", "."}, {"../..", program}} {
		binary := filepath.Join(out, "binary")
		cmd := exec.Command(goCommand, "build", "-o", binary, c.source)
		cmd.Dir = c.dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOFLAGS=-buildvcs=false")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s in %s: %v\n%s", c.source, c.dir, err, text)
		}
		f, err := elf.Open(binary)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				t.Errorf("%s in %s needs a dynamic loader", c.source, c.dir)
			}
		}
		if libraries, err := f.ImportedLibraries(); err == nil && len(libraries) > 0 {
			t.Errorf("%s in %s needs %v", c.source, c.dir, libraries)
		}
	}
}
