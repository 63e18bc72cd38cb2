//go:build !wasip1

package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
)

// TestProgress lets work take longer than progressAfter: then there is a bar,
// and it is gone at the end.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     streams
		quiet bool
		takes time.Duration
		shows bool
	}{
		{"long", streams{errTTY: true}, false, progressAfter + 5*progressEvery, true},
		{"short", streams{errTTY: true}, false, 0, false},
		{"quiet", streams{errTTY: true}, true, progressAfter + 3*progressEvery, false},
		{"no terminal", streams{}, false, progressAfter + 3*progressEvery, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			c.s.err = &b
			var m ogive.Meter
			m.Total.Store(200)
			m.Done.Store(100)
			err := watch(context.Background(), c.s, c.quiet, "median", &m, func() error {
				time.Sleep(c.takes)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if shows := strings.Contains(b.String(), "ogive: median") && strings.Contains(b.String(), "50 %"); shows != c.shows || !c.shows && b.Len() > 0 {
				t.Errorf("wrote %q", &b)
			}
		})
	}
}
