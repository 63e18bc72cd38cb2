//go:build cuda

package main

import "github.com/ogive-go/ogive/cuda"

// openCUDA opens a CUDA device.
func openCUDA(n int) (*device, error) {
	d, err := cuda.Open(n)
	if err != nil {
		return nil, err
	}
	return &device{d, d.Close}, nil
}
