//go:build !cuda

package main

// openCUDA says that this program has no CUDA: it would have to be linked against the C
// library.
func openCUDA(int) (*device, error) {
	return nil, usageError("go install -tags cuda github.com/ogive-go/ogive/cmd/ogive", "this ogive was built without CUDA")
}
