package main

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute/gobackend"
)

// The bands have their share of the days below them, over the year and roughly
// in each quarter of it; they follow the seasons and do not cross.
func TestBands(t *testing.T) {
	days, temperatures, err := read(findData())
	if err != nil {
		t.Fatal(err)
	}
	m, err := train(gobackend.GetBackend(), days, temperatures)
	if err != nil {
		t.Fatal(err)
	}
	if m.last > 0.7*m.first {
		t.Errorf("training took the pinball loss from %v to %v only", m.first, m.last)
	}
	for i, q := range quantiles {
		if got := m.below(i, days, temperatures); math.Abs(got-q) > 0.002 {
			t.Errorf("%v of the days are below the band of %v", got, q)
		}
		for quarter := range 4 {
			var d []int
			var v []float64
			for j, day := range days {
				if day*4/366 == quarter {
					d, v = append(d, day), append(v, temperatures[j])
				}
			}
			if got := m.below(i, d, v); math.Abs(got-q) > 0.05 {
				t.Errorf("%v of the days of quarter %d are below the band of %v", got, quarter+1, q)
			}
		}
		if summer, winter := m.at(i, 210), m.at(i, 10); summer < winter+10 {
			t.Errorf("the band of %v is at %v °C in July, %v °C in January", q, summer, winter)
		}
	}
	for day := range 366 {
		if m.at(0, day) >= m.at(1, day) || m.at(1, day) >= m.at(2, day) {
			t.Errorf("the bands cross on day %d", day)
		}
	}

	path := filepath.Join(t.TempDir(), "bands.png")
	if err := plotBands(path, days, temperatures, m); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if c, err := png.DecodeConfig(f); err != nil || c.Width < 1000 {
		t.Errorf("the picture is %v wide: %v", c.Width, err)
	}
}
