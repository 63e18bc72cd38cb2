// Command bands trains a quantile regression on four years of Seattle's daily
// maximum temperature and plots the bands it finds over the year.
//
//	go run ./examples/bands [-data seattle-weather.csv] [-o bands.png]
//
// The quantiles 0.1, 0.5 and 0.9 are sums of sines and cosines of the time of
// year. The graph's functions of ogive give the start, the quantiles of the
// year as a whole, and the finish: each band is shifted by the quantile of what
// it leaves, so that its share of the days lies below it.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/gomlx/compute/gobackend"
)

// quantiles are the bands.
var quantiles = []float64{0.1, 0.5, 0.9}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bands: ")
	data := flag.String("data", findData(), "the table to read")
	out := flag.String("o", "bands.png", "the picture to write")
	flag.Parse()
	if err := run(*data, *out); err != nil {
		log.Fatal(err)
	}
}

func run(data, out string) error {
	days, temperatures, err := read(data)
	if err != nil {
		return err
	}
	fit, err := train(gobackend.GetBackend(), days, temperatures)
	if err != nil {
		return err
	}
	fmt.Printf("pinball loss %.3f °C at first, %.3f °C in the end\n", fit.first, fit.last)
	for i, q := range quantiles {
		fmt.Printf("%.1f%% of the days lie below the band of %g\n", 100*fit.below(i, days, temperatures), q)
	}
	if err := plotBands(out, days, temperatures, fit); err != nil {
		return err
	}
	fmt.Println("the bands are in", out)
	return nil
}

// findData returns the path of the data, seen from the folder of the command,
// of its module, or of the repository.
func findData() string {
	const file = "examples/data/seattle-weather.csv"
	for _, up := range []string{"", "../", "../../../"} {
		if _, err := os.Stat(up + file); err == nil {
			return up + file
		}
	}
	return file
}
