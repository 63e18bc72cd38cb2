// Package stdio tells which of the standard streams were closed when the process
// began. Go's runtime opens /dev/null in their place, so that what is written there is
// lost without an error.
package stdio

// Closed reports whether standard input (0), output (1) or error (2) was closed when
// the process began. A build with cgo knows, everywhere on Unix. One without tells it on
// Linux by what the runtime leaves: /dev/null for reading and writing, opened for this
// descriptor alone. Who starts a process with just that is misunderstood there; shells,
// and most libraries that start processes, open it for writing, or for several
// descriptors at once.
func Closed(fd int) bool { return fd >= 0 && fd <= 2 && closed(fd) }
