package main

import (
	"context"
	"errors"
	"time"

	"github.com/ogive-go/ogive"
)

// The progress bar appears after a second: shorter work needs none.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// watch runs f and shows its progress on standard error, if that is a terminal
// and the work takes long enough. An error that ctx's end has caused becomes
// the cause.
func watch(ctx context.Context, s streams, quiet bool, name string, m *ogive.Meter, f func() error) error {
	if s.errTTY && !quiet {
		done := make(chan struct{})
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			showProgress(s, name, m, done)
		}()
		defer func() { close(done); <-gone }()
	}
	err := f()
	if errors.Is(err, context.Canceled) {
		err = context.Cause(ctx)
	}
	return err
}
