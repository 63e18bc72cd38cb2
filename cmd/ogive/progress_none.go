//go:build wasip1

package main

import "github.com/ogive-go/ogive"

// showProgress shows nothing: mpb knows no terminal here.
func showProgress(_ streams, _ string, _ *ogive.Meter, done <-chan struct{}) { <-done }
