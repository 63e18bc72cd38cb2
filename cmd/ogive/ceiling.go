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

// slack is how far below the ceiling a command is ended, before it has taken more.
const slack = 1 << 20

// ceiling is what ends a command whose process takes more memory than it may: the last of
// what keeps a budget, for what nobody has counted. The runtime's own limit is no end: what
// is in use it lets grow. It is kept within what files that are mapped leave.
func (b budget) ceiling(ctx context.Context, s streams) {
	end, ok := ctx.Value(enderKey{}).(context.CancelCauseFunc)
	if !ok || !b.bound() || !s.own {
		return
	}
	resident, ok := residentMemory()
	if !ok {
		return
	}
	most, of := b.bytes, fmt.Sprintf("--memory %dM", b.bytes>>20)
	if b.limited {
		most, of = 2*b.bytes, "the memory that the process may have (ulimit -v)"
	}
	go func() {
		kept := int64(fileMemory)
		for look := time.NewTicker(lookEvery); ; <-look.C {
			used, mapped := resident()
			if ctx.Err() != nil && !errors.As(context.Cause(ctx), new(tooMuch)) {
				return
			}
			if b.given && (mapped-kept > 1<<20 || kept-mapped > 1<<20) {
				kept = mapped
				b.keep(kept)
			}
			if used <= most-slack {
				continue
			}
			debug.FreeOSMemory() // it may be what nobody has any more
			if used, _ = resident(); used > most-slack {
				end(tooMuch{of, used})
			}
			if used > most {
				os.Exit(report(s.err, nil, tooMuch{of, used}))
			}
		}
	}()
}
