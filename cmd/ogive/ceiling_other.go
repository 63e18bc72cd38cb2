//go:build !linux

package main

// residentMemory is not known here.
func residentMemory() (func() (all, mapped int64), bool) { return nil, false }
