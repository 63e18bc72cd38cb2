package main

import (
	"bytes"
	"os"
	"strconv"
)

// residentMemory returns a function that tells how much memory the process has, and how
// much of that files that it has mapped take, its own among them.
func residentMemory() (func() (all, mapped int64), bool) {
	f, err := os.Open("/proc/self/statm")
	if err != nil {
		return nil, false
	}
	page, text := int64(os.Getpagesize()), make([]byte, 128)
	return func() (all, mapped int64) {
		n, _ := f.ReadAt(text, 0)
		fields := bytes.Fields(text[:n])
		if len(fields) < 3 {
			return 0, 0
		}
		pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
		shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
		return pages * page, shared * page
	}, true
}
