package tensorio

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/ogive-go/ogive"
)

// TestManyMappings maps one file more often than the system lets a process: the mappings
// of tensors that nothing uses any more are given back for others.
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
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // none comes by itself
	for i := range 70_000 {
		if _, _, err := mapFile(f, path, int(info.Size())); err != nil {
			t.Fatalf("mapping %d: %v", i, err)
		}
	}
}
