// Package stdio tells which of the standard streams were closed when the process
// began. Go's runtime opens /dev/null in their place, so that what is written there is
// lost without an error.
package stdio

// Closed reports whether standard input (0), output (1) or error (2) was closed when
// the process began. Only a build with cgo, on Unix, knows: without, no stream is taken for
// closed, as /dev/null that somebody meant cannot be told from the runtime's.
func Closed(fd int) bool { return fd >= 0 && fd <= 2 && closed(fd) }
