//go:build unix

package tensorio

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ogive-go/ogive"
)

// TestWriteFileThroughLinks writes through symbolic links, also ones that lead nowhere, by
// way of folders that are links, and in a circle.
func TestWriteFileThroughLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.MkdirAll("far/deep", 0o777), os.Symlink("far/deep", "folder"),
		os.Symlink("../made", "folder/up"), os.Symlink("far/deep/up", "first"),
		os.Symlink("b", "a"), os.Symlink("a", "b")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"first", "folder/up"} {
		if err := WriteFile(path, saying(path)); err != nil {
			t.Fatal(err)
		}
		holds(t, "far/made", path) // beside far/deep, to which folder leads
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more (%v)", path, err)
		}
	}
	if err := WriteFile("a", saying("x")); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a loop: %v", err)
	}
	for _, path := range []string{"", "no/file", "new/", "far", "folder", "far/made/", ".", ".."} {
		if err := WriteFile(path, saying("x")); err == nil {
			t.Errorf("%q was written", path)
		}
	}
	if list := names(t, "."); len(list) != 5 {
		t.Errorf("the folder holds %v", list)
	}
}

// TestSameTarget names files in several ways.
func TestSameTarget(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := errors.Join(os.WriteFile("x", nil, 0o666), os.Link("x", "hard"), os.Symlink("x", "soft"),
		os.Symlink("new", "dangling"), os.Mkdir("d", 0o777), os.Symlink(".", "here")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"x", "./x", true}, {"x", "hard", true}, {"x", "soft", true}, {"x", filepath.Join(folder, "d/../x"), true},
		{"new", "dangling", true}, {"new", "here/new", true}, {"new", "other", false}, {"new", "d/new", false},
		{"x", "new", false}, {"/dev/null", "x", false}, {"x", "no/x", false},
	} {
		if got := SameTarget(c.a, c.b); got != c.same {
			t.Errorf("SameTarget(%s, %s) = %t", c.a, c.b, got)
		}
		var p Pending
		if err := p.Write(context.Background(), c.a, saying("")); err == nil {
			if err := p.Write(context.Background(), c.b, saying("")); errors.Is(err, ogive.ErrOption) != c.same {
				t.Errorf("%s and %s written: %v", c.a, c.b, err)
			}
		}
		p.Discard()
	}
}

// TestWriteFileDescriptor appends to an open file by the name of its descriptor.
func TestWriteFileDescriptor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	name := "/dev/fd/" + strconv.Itoa(int(f.Fd()))
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	link := path + ".link"
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	f.WriteString("head ")
	if err := errors.Join(WriteFile(name, saying("one ")), WriteFile(link, saying("two "))); err != nil {
		t.Fatal(err)
	}
	f.WriteString("tail")
	holds(t, path, "head one two tail")
	if fd, ok := Descriptor(link); !ok || fd != int(f.Fd()) {
		t.Errorf("Descriptor: %d, %t", fd, ok)
	}
	if _, ok := Descriptor(path); ok {
		t.Error("a file is a descriptor")
	}
}

// TestFIFO writes to a FIFO, and gives up on one that nobody reads.
func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	read := make(chan string)
	go func() {
		b, _ := os.ReadFile(path)
		read <- string(b)
	}()
	if err := WriteFile(path, saying("through")); err != nil {
		t.Error(err)
	}
	if got := <-read; got != "through" {
		t.Errorf("read %q", got)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	var p Pending
	if err := p.Write(ctx, path, saying("never")); err != nil {
		t.Fatal(err)
	}
	cancel(errBroken)
	if err := p.Commit(ctx); !errors.Is(err, errBroken) {
		t.Errorf("without a reader: %v", err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the FIFO is %v (%v)", info, err)
	}
}

// TestWriteFileOwner keeps the owner of a file, for who may give files away, and refuses a
// file that may not be written.
func TestWriteFileOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("old"), 0o444); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		if err := WriteFile(path, saying("new")); !errors.Is(err, fs.ErrPermission) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("a file without write permission: %v", err)
		}
		holds(t, path, "old")
		return
	}
	if err := errors.Join(os.Chown(path, 12, 34), os.Chmod(path, 0o640), WriteFile(path, saying("new"))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 12 || s.Gid != 34 || info.Mode() != 0o640 {
		t.Errorf("owner %d, group %d, mode %v", s.Uid, s.Gid, info.Mode())
	}
	holds(t, path, "new")
}
