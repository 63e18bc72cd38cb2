//go:build cgo

package main

// #define OGIVE_TYPES_ALONE
// #include "ogive.h"
import "C"

import (
	"unsafe"

	"github.com/ogive-go/ogive/capi/call"
)

// version is what a release is built with: -ldflags "-X main.version=v1.2.3".
var version = "(devel)"

var (
	memory   call.Memory // that of the program
	cVersion = C.CString(version)
)

//export ogive_run
func ogive_run(c *C.ogive_call) C.int { return C.int(memory.Run(uintptr(unsafe.Pointer(c)))) }

//export ogive_abi
func ogive_abi() C.int { return C.OGIVE_ABI }

//export ogive_version
func ogive_version() *C.char { return cVersion }
