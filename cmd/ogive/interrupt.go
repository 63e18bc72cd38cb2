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
	statusHangup    = 128 + 1
	statusInterrupt = 128 + 2
	statusPipe      = 128 + 13
	statusTerminate = 128 + 15
)

// endingSignals are the signals that end the process, and its status then.
var endingSignals = map[os.Signal]int{os.Interrupt: statusInterrupt, syscall.SIGTERM: statusTerminate, syscall.SIGHUP: statusHangup}

// withInterrupt returns a context that the first signal of endingSignals ends; a second one
// ends the process at once. Those that the process was started to ignore stay so, as
// the hangup under nohup does.
func withInterrupt(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	for s := range endingSignals {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(interrupted{endingSignals[s]})
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return context.WithValue(ctx, enderKey{}, cancel), func() { cancel(nil) }
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
