//go:build cuda

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/ptxemu"
)

// TestDevice: every command that takes --device prints there what it prints on the host,
// and says what it does not compute there.
func TestDevice(t *testing.T) {
	if os.Getenv("OGIVE_REQUIRE_GPU") != "1" {
		t.Cleanup(cudrv.Use(ptxemu.New(ptxemu.Options{})))
	}
	hours, err := filepath.Abs("../../examples/data/seattle-hourly-temperature.npy")
	if err != nil {
		t.Fatal(err)
	}
	weather := filepath.Join(filepath.Dir(hours), "seattle-weather.csv")
	for _, args := range [][]string{
		{"quantile", weather, "--q", "0.05,0.5,1/3", "-c", "wind"},
		{"nanquantile", hours, "--q", "0.1,0.5", "--axis", "0", "-f", "json"},
		{"nanmedian", hours, "--axis", "1"},
		{"argquantile", weather, "--q", "0.5", "--method", "lower", "-c", "temp_max"},
		{"isnan", hours, "-f", "json"},
		{"isin", weather + ":wind", weather + ":temp_max"},
	} {
		want, errs, status := call(t, args...)
		if status != 0 {
			t.Fatalf("%q: %s", args, errs)
		}
		got, errs, status := call(t, append(args, "--device", "cuda:0")...)
		if status != 0 || got != want {
			t.Errorf("%q on a device: status %d, %s\n%s\nwant\n%s", args, status, errs, got, want)
		}
	}
	for text, args := range map[string][]string{
		"not computed on devices":    {"median", weather, "-c", "wind", "--by", "weather", "--device", "cuda:0"},
		"no such CUDA device":        {"median", weather, "-c", "wind", "--device", "cuda:7"},
		"not the number of a device": {"median", weather, "-c", "wind", "--device", "cuda:x"},
		"is not a device":            {"median", weather, "-c", "wind", "--device", "tpu"},
		"not supported on CUDA":      {"median", weather, "-c", "wind", "--weights", weather + ":wind", "--mode", "lower", "--device", "cuda"},
	} {
		if out, errs, status := call(t, args...); status == 0 || out != "" || !strings.Contains(errs, text) {
			t.Errorf("%q: status %d, %q, want %q", args, status, errs, text)
		}
	}
}
