//go:build ignore

// Command make writes seattle-hourly-temperature.npy, the temperature of
// seattle-weather-hourly-normals.csv as days × hours, float64. The hour that
// the table misses, the first of the year, is NaN.
//
//	cd examples/data && go run make.go
package main

import (
	"encoding/csv"
	"fmt"
	"log"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

const (
	table = "seattle-weather-hourly-normals.csv"
	array = "seattle-hourly-temperature.npy"
	days  = 365
	hours = 24
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("make: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	f, err := os.Open(table)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return err
	}
	if want := []string{"date", "pressure", "temperature", "wind"}; fmt.Sprint(rows[0]) != fmt.Sprint(want) {
		return fmt.Errorf("columns %v, want %v", rows[0], want)
	}
	values := make([]float64, days*hours)
	for i := range values {
		values[i] = math.NaN()
	}
	for i, row := range rows[1:] {
		at, err := time.Parse("2006-01-02T15:04:05", row[0])
		if err != nil {
			return fmt.Errorf("row %d: %w", i+2, err)
		}
		v, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			return fmt.Errorf("row %d: %w", i+2, err)
		}
		values[(at.YearDay()-1)*hours+at.Hour()] = v
	}
	x, err := ogive.FromSlice(values, days, hours)
	if err != nil {
		return err
	}
	return tensorio.Save(array, x)
}
