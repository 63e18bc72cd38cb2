//go:build ignore

// Command latency writes latency.csv, made-up times of requests in milliseconds before
// and after a cache was put in: most requests are answered from it, some wait behind a
// full queue.
//
//	cd examples/data && go run latency.go
package main

import (
	"bufio"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
)

func main() {
	r := rand.New(rand.NewPCG(1, 2))
	f, err := os.Create("latency.csv")
	if err != nil {
		log.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "before,after")
	for range 4000 {
		before := 18 * math.Exp(0.35*r.NormFloat64())
		after := 2.5 * math.Exp(0.3*r.NormFloat64())
		if r.Float64() < 0.3 { // not in the cache
			after += before
		}
		if r.Float64() < 0.02 { // a full queue
			before *= 8 + 10*r.Float64()
			after *= 6 + 10*r.Float64()
		}
		fmt.Fprintf(w, "%.2f,%.2f\n", before, after)
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
