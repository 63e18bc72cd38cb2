package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/ogive-go/ogive/tensorio"
)

// interrupted is the cause of a context that a signal has ended.
type interrupted struct{ status int }

func (interrupted) Error() string { return "interrupted" }

// The shell's statuses for a process that a signal ended: 128 and its number.
const (
	statusInterrupt = 128 + 2
	statusTerminate = 128 + 15
)

// withInterrupt returns a context that the first interrupt or termination
// ends; a second one ends the process at once.
func withInterrupt(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			status := statusInterrupt
			if s == syscall.SIGTERM {
				status = statusTerminate
			}
			cancel(interrupted{status})
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// await returns what f returns, or the cause of ctx's end if that comes first.
// f then goes on until the process ends, so it must be harmless: a read, or a
// write to a standard stream, either of which may block for ever.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = tensorio.Guard(func() (err error) {
			o.v, err = f()
			return err
		})
		done <- o
	}()
	select {
	case o := <-done:
		return o.v, o.err
	case <-ctx.Done():
		var zero T
		return zero, context.Cause(ctx)
	}
}

// contextWriter fails once its context has ended.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c contextWriter) Write(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.w.Write(p)
}
