//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreFatalSignals turns a closed pipe and an exceeded file size limit into
// errors of the write, so that temporary files are removed and the exit status
// is ours.
func ignoreFatalSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
