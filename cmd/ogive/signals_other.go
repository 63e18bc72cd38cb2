//go:build !unix

package main

// ignoreFatalSignals does nothing: a closed pipe is an error of the write.
func ignoreFatalSignals() {}
