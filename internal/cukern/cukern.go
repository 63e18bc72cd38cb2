// Package cukern holds the CUDA kernels: their sources and, embedded, the PTX that
// build.sh compiles them to. MANIFEST has the digests of both, so that a test can tell
// stale PTX without a compiler.
//
// A module is a file of kernels; those of elements are compiled once for each of seven
// element types, which the names of the module and of its kernels end in: i8, i16, i32
// and i64 for bool and integers, f16 for float16 and bfloat16, f32 and f64.
package cukern

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
)

//go:generate ./build.sh

//go:embed ptx/*.ptx.gz
var files embed.FS

// Target is the compute capability that the PTX is for, and the least that a device
// must have; PTXVersion is its language's, which drivers from CUDA 9.0 on know.
const (
	Target     = 60
	PTXVersion = 60
)

// PTX returns the text of a module. It panics if there is no such module.
func PTX(module string) []byte {
	packed, err := files.ReadFile("ptx/" + module + ".ptx.gz")
	if err == nil {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			var text []byte
			if text, err = io.ReadAll(r); err == nil {
				return text
			}
		}
	}
	panic(fmt.Sprintf("cukern: module %s: %v", module, err))
}

// Modules returns the names of all modules.
func Modules() []string {
	entries, err := files.ReadDir("ptx")
	if err != nil {
		panic("cukern: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()[:len(e.Name())-len(".ptx.gz")]
	}
	return names
}
