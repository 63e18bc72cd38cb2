package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// tooMuch is the cause of a context that ended because the process took more memory
// than it was given.
type tooMuch struct {
	of   string // what gave it
	used int64
}

func (t tooMuch) Error() string {
	return fmt.Sprintf("%s is not enough: the process had taken %d MiB before it was done", t.of, t.used>>20)
}

// enderKey is that of the function, in a command's context, that ends it with a cause.
type enderKey struct{}

// lookEvery is how often the ceiling looks: memory that has not been used before is had
// at some megabytes in a millisecond.
const lookEvery = 2 * time.Millisecond

// A command that takes slack more than it may is ended, and the process if it goes on to
// take as much again.
const slack = 16 << 20

// ceiling ends a command whose process takes more memory than it may, of which the
// runtime's own limit is none: it holds what is not in use any more, and what is in use it
// lets grow.
func (b budget) ceiling(ctx context.Context, s streams) {
	end, ok := ctx.Value(enderKey{}).(context.CancelCauseFunc)
	if !ok || !b.bound() || !s.own {
		return
	}
	resident, ok := residentMemory()
	if !ok {
		return
	}
	most, of := b.bytes+slack, fmt.Sprintf("--memory %dM", b.bytes>>20)
	if b.limited {
		most, of = 2*b.bytes, "the memory that the process may have (ulimit -v)"
	}
	go func() {
		for look := time.NewTicker(lookEvery); ; <-look.C {
			used := resident()
			if ctx.Err() != nil && !errors.As(context.Cause(ctx), new(tooMuch)) {
				return
			}
			if used > most && used <= most+slack { // it may be what nobody has any more
				debug.FreeOSMemory()
				used = resident()
			}
			if used > most {
				end(tooMuch{of, used})
			}
			if used > most+slack {
				os.Exit(report(s.err, nil, tooMuch{of, used}))
			}
		}
	}()
}
