package tensorio

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/ogive-go/ogive"
)

// TestManyMappings maps one file more often than the system lets a process: those beyond
// are read, and the runtime has room for its own.
func TestManyMappings(t *testing.T) {
	if testing.Short() {
		t.Skip("70 000 files are opened")
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := Save(path, ogive.Must(ogive.FromSlice([]int64{1, 2, 3}))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var kept []any
	for i := range 70_000 {
		_, owner, err := mapFile(f, path, int(info.Size()))
		if err != nil {
			t.Fatalf("mapping %d: %v", i, err)
		}
		kept = append(kept, owner)
	}
	runtime.KeepAlive(kept)
	for kept = nil; mappings.Load() > mostMapped/2; { // others map
		runtime.GC()
	}
}
