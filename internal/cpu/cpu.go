// Package cpu knows which implementations of the kernels this machine can run,
// and lets tests choose among them.
//
// A kernel registers each implementation beside the portable one with the
// boolean that its dispatch looks at. The environment variable OGIVE_CPU names
// the best level to use: generic, neon, avx2 or avx512.
package cpu

import (
	"os"
	"slices"
)

// Generic is the name of the portable implementation, which every kernel has.
const Generic = "generic"

// levels are the names of implementations from the plainest on.
var levels = []string{Generic, "neon", "avx2", "avx512"}

// implementation is one way of running a kernel, in use while *on is true.
type implementation struct {
	name string
	on   *bool
}

var registry = map[string][]implementation{}

// Register makes an implementation of a kernel known, from the better to the
// plainer ones in the order of the dispatch. on must be true exactly if the
// machine can run it; it is set to false if OGIVE_CPU names a plainer level.
func Register(kernel, name string, on *bool) {
	if !*on {
		return
	}
	if limit := slices.Index(levels, os.Getenv("OGIVE_CPU")); limit >= 0 && slices.Index(levels, name) > limit {
		*on = false
		return
	}
	registry[kernel] = append(registry[kernel], implementation{name, on})
}

// Kernels returns the names of the kernels with more than the portable
// implementation, sorted.
func Kernels() []string {
	var names []string
	for name := range registry {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Implementations returns the implementations of the kernel that this machine
// runs, Generic among them.
func Implementations(kernel string) []string {
	names := []string{Generic}
	for _, impl := range registry[kernel] {
		names = append(names, impl.name)
	}
	return names
}

// Levels returns the levels of which this machine runs some implementation, from Generic on.
func Levels() []string {
	return slices.DeleteFunc(slices.Clone(levels), func(level string) bool {
		for _, impls := range registry {
			if slices.ContainsFunc(impls, func(i implementation) bool { return i.name == level }) {
				return false
			}
		}
		return level != Generic
	})
}

// Limit makes all kernels run at most the implementations of a level, until restore is
// called. It is for comparisons; nothing else may run meanwhile.
func Limit(level string) (restore func()) {
	limit := slices.Index(levels, level)
	var off []*bool
	for _, impls := range registry {
		for _, impl := range impls {
			if slices.Index(levels, impl.name) > limit && *impl.on {
				*impl.on = false
				off = append(off, impl.on)
			}
		}
	}
	return func() {
		for _, on := range off {
			*on = true
		}
	}
}

// Select makes the kernel run the named implementation and no other, until
// restore is called. It is for tests, which must not run in parallel.
func Select(kernel, name string) (restore func()) {
	impls := registry[kernel]
	saved := make([]bool, len(impls))
	for i, impl := range impls {
		saved[i] = *impl.on
		*impl.on = impl.name == name
	}
	return func() {
		for i, impl := range impls {
			*impl.on = saved[i]
		}
	}
}
