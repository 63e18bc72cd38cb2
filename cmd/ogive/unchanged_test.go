package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// meanwhile is an input that does something when it is first read.
type meanwhile struct {
	do func() error
	io.Reader
}

func (m *meanwhile) Read(b []byte) (int, error) {
	if m.do != nil {
		if err := m.do(); err != nil {
			return 0, err
		}
		m.do = nil
	}
	return m.Reader.Read(b)
}

// TestChangedMeanwhile changes FILE after it was opened: no answer is given, and the
// message names the file.
func TestChangedMeanwhile(t *testing.T) {
	const n = 20_000
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i * 7919 % n)
	}
	weights := []byte(strings.Repeat("1\n", n))
	overwrite := func(path string) error {
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, bytes.ToUpper(raw), 0o666)
		}
		return errors.Join(err, os.Chtimes(path, time.Unix(1e9, 0), time.Unix(1e9, 0)))
	}
	for name, change := range map[string]func(path string) error{
		"cut": func(path string) error { return os.Truncate(path, 5000) }, "overwritten": overwrite, "left": nil,
	} {
		for _, file := range []string{"x.npy", "x.npz", "x.csv"} {
			dir := t.TempDir()
			path, out := filepath.Join(dir, file), filepath.Join(dir, "out.csv")
			if err := tensorio.Save(path, ogive.Must(ogive.FromSlice(values))); err != nil {
				t.Fatal(err)
			}
			in := &meanwhile{nil, bytes.NewReader(weights)}
			if change != nil {
				in.do = func() error { return change(path) }
			}
			var stdout, stderr bytes.Buffer
			s := streams{in: in, out: &stdout, err: &stderr, read: &readFiles{}}
			status := run(context.Background(), []string{"quantile", path, "--q", "0.5", "--weights", "-", "--method", "inverted_cdf", "-o", out}, s)
			_, missing := os.Stat(out)
			switch {
			case change == nil:
				if status != 0 || missing != nil {
					t.Errorf("%s of %s: status %d, %s", name, file, status, &stderr)
				}
			case status != 1 || missing == nil || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), path):
				t.Errorf("%s of %s: status %d, stdout %q, stderr %q, out.csv: %v", name, file, status, &stdout, &stderr, missing)
			}
		}
	}
}
