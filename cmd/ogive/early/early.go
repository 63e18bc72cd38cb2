// Package early looks at what the process was given, before anything else uses it. It
// imports nothing but what package os does, and its path sorts early: Go initialises the
// first by path of the packages whose imports are, and a library that opens a file when it
// is initialised comes later so.
//
// A process with too little of what Go's runtime ends the process without, in a dump
// that nothing catches, ends here in one line: descriptors for its poller, and memory
// for its heap and threads. One that is limited further does not get here: before any
// package, the runtime takes some 1300 MiB of addresses (ulimit -v), and threads
// (ulimit -u); for those it cannot get, its dump is the answer.
package early

import (
	"os"
	"runtime"
)

// Room returns how much memory the limits of the process leave for its heap and for
// files, as it began; ok is false where there are none.
func Room() (bytes int64, ok bool) { return room, limited }

var (
	room    int64
	limited bool
)

func init() {
	if lack := check(); lack != "" {
		os.Stderr.WriteString("ogive: " + lack + "\n")
		os.Exit(1)
	}
}

// check returns what there is too little of.
func check() string {
	if err := spareDescriptors(pollerDescriptors + 1); err != nil {
		return "too few descriptors are left (ulimit -n): " + err.Error()
	}
	if f, err := os.Open(os.DevNull); err == nil { // the runtime takes them, to see whether it can wait for this
		f.Close()
	}
	if room, limited = measureRoom(); !limited {
		return ""
	}
	threads := int64(runtime.GOMAXPROCS(0)+others) * thread
	if room < threads+leastHeap {
		return "too little memory is left: " + decimal(room>>20) + " MiB, of at least " + decimal((threads+leastHeap)>>20) + " (ulimit -v, ulimit -d)"
	}
	room -= threads
	return ""
}

// pollerDescriptors is how many descriptors the runtime's poller takes.
const pollerDescriptors = 2

// A thread has a stack of 8 MiB and, where the system's C library starts it, 64 MiB for
// what that library allocates. The heap grows by 64 MiB of addresses at a time.
const (
	thread    = 72 << 20
	others    = 2 // threads beside the workers
	leastHeap = 4 * 64 << 20
)

// largest returns the largest multiple of the granule, up to most, that fits.
func largest(granule, most int64, fits func(n int64) bool) int64 {
	low, high := int64(0), most/granule // low fits
	for low < high {
		if mid := high - (high-low)/2; fits(mid * granule) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low * granule
}

// decimal returns n, which is not negative, in digits. Package strconv is initialised
// too late.
func decimal(n int64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + decimal(n%10)
}
