package testkit

import (
	"os"
	"strings"

	"github.com/ogive-go/ogive/internal/crew"
)

// Importing this package poisons the scratch memory of all code under test, so that an
// answer that depends on what it held is wrong soon. Benchmarks measure without.
func init() {
	for _, arg := range os.Args[1:] {
		if strings.HasPrefix(arg, "-test.bench=") {
			return
		}
	}
	crew.Poison(true)
}
