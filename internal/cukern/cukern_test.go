package cukern

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManifest: the embedded PTX was compiled from the sources that are here.
func TestManifest(t *testing.T) {
	text, err := os.ReadFile("MANIFEST")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); fields[0] != "#" {
			listed[fields[1]] = fields[0]
		}
	}
	check := func(name string, content []byte) {
		t.Helper()
		sum := sha256.Sum256(content)
		if got := hex.EncodeToString(sum[:]); listed[name] != got {
			t.Errorf("%s has the digest %s, MANIFEST says %q: run internal/cukern/build.sh", name, got, listed[name])
		}
		delete(listed, name)
	}
	for _, pattern := range []string{"*.h", "*.cu"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			check(name, content)
		}
	}
	for _, name := range Modules() {
		check(name+".ptx", PTX(name))
	}
	for name := range listed {
		t.Errorf("MANIFEST names %s, which is not here", name)
	}
}

// TestTarget: every module is for the devices and the drivers that are promised.
func TestTarget(t *testing.T) {
	for _, name := range Modules() {
		text := string(PTX(name))
		for _, line := range []string{fmt.Sprintf(".version %d.%d\n", PTXVersion/10, PTXVersion%10), fmt.Sprintf(".target sm_%d\n", Target), ".address_size 64\n", ".visible .entry "} {
			if !strings.Contains(text, line) {
				t.Errorf("%s lacks %q", name, line)
			}
		}
	}
}
