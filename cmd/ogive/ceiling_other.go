//go:build !linux

package main

// residentMemory is not known here.
func residentMemory() (func() int64, bool) { return nil, false }
