package tensorio

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ogive-go/ogive"
)

// saying returns a function that writes a text.
func saying(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// holds checks the content of a file; an empty one is of a file that is not there.
func holds(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if string(got) != want || (err != nil) != (want == "") {
		t.Errorf("%s holds %q (%v), want %q", filepath.Base(path), got, err, want)
	}
}

// names returns what a folder holds.
func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestPending writes two files, and lets the second one fail at each step: both are new,
// or both are as they were.
func TestPending(t *testing.T) {
	ctx := context.Background()
	for _, old := range []string{"old", ""} {
		folder := t.TempDir()
		a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
		if old != "" {
			if err := errors.Join(os.WriteFile(a, []byte(old), 0o666), os.WriteFile(b, []byte(old), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		before := len(names(t, folder))
		var p Pending
		if err := errors.Join(p.Write(ctx, a, saying("new a")), p.Write(ctx, b, saying("new b"))); err != nil {
			t.Fatal(err)
		}
		holds(t, a, old)
		p.Discard()
		if list := names(t, folder); len(list) != before {
			t.Errorf("after Discard: %v", list)
		}

		if err := errors.Join(p.Write(ctx, a, saying("new a")), p.Write(ctx, b, saying("new b"))); err != nil {
			t.Fatal(err)
		}
		os.Remove(p.files[1].tmp) // so that it cannot take its name
		if err := p.Commit(ctx); !errors.Is(err, os.ErrNotExist) || !errors.Is(err, ogive.ErrFormat) {
			t.Errorf("%v", err)
		}
		holds(t, a, old)
		holds(t, b, old)
		if list := names(t, folder); len(list) != before {
			t.Errorf("after a Commit that failed: %v", list)
		}

		if err := errors.Join(p.Write(ctx, a, saying("new a")), p.Write(ctx, b, saying("new b")), p.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
		holds(t, a, "new a")
		holds(t, b, "new b")
		if list := names(t, folder); len(list) != 2 {
			t.Errorf("after Commit: %v", list)
		}
	}
}
