package main

import (
	"slices"
	"sync"
)

// unchanging is a file that was read: a tensorio.File or Array.
type unchanging interface{ Unchanged() error }

// readFiles are the files that an answer is made of. The answer is given only if none of
// them changed meanwhile.
type readFiles struct {
	mu   sync.Mutex
	open []unchanging
	err  error // of one that was closed
}

// add takes note of a file, until forget or for good.
func (r *readFiles) add(f unchanging) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.open = append(r.open, f)
	}
}

// forget looks at a file for the last time, before it is closed.
func (r *readFiles) forget(f unchanging) {
	if r != nil {
		err := f.Unchanged()
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err == nil {
			r.err = err
		}
		r.open = slices.DeleteFunc(r.open, func(o unchanging) bool { return o == f })
	}
}

// changed returns the error of a file that has changed.
func (r *readFiles) changed() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.open {
		if r.err == nil {
			r.err = f.Unchanged()
		}
	}
	return r.err
}
