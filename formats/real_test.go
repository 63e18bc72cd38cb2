package formats

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// TestRealData reads the files of testdata/fetch.sh, in the folder that OGIVE_DATA
// names. The facts are those of pandas 2.3 with pyarrow, and of SciPy 1.15 for netCDF.
func TestRealData(t *testing.T) {
	folder := os.Getenv("OGIVE_DATA")
	if folder == "" {
		t.Skip("OGIVE_DATA names no folder; testdata/fetch.sh makes one")
	}
	open := func(name string) *tensorio.File {
		f, err := Open(filepath.Join(folder, name), tensorio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for _, c := range []struct {
		file, name     string
		count, missing int
		median         float64
	}{
		{"flights-3m.parquet", "delay", 3000000, 0, -1},
		{"flights-3m.parquet", "distance", 3000000, 0, 569},
		{"flights-3m.parquet", "date", 3000000, 0, 986208780000000},
		{"flights-200k.arrow", "delay", 200000, 0, 0},
		{"flights-200k.arrow", "distance", 200000, 0, 569},
		{"flights-200k.arrow", "time", 200000, 0, float64(float32(13.666667))},
		{"movies.json", "US Gross", 3201, 7, 22019465.5},
		{"movies.json", "Worldwide Gross", 3201, 7, 31168926.5},
		{"movies.json", "US DVD Sales", 3201, 2637, 20331557.5},
		{"movies.json", "Production Budget", 3201, 1, 20000000},
		{"movies.json", "Running Time min", 3201, 1992, 107},
		{"movies.json", "Rotten Tomatoes Rating", 3201, 880, 55},
		{"movies.json", "IMDB Rating", 3201, 213, 6.4},
		{"movies.json", "IMDB Votes", 3201, 213, 15106},
		{"birdstrikes.csv", "Cost Total $", 10000, 0, 0},
		{"birdstrikes.csv", "Speed IAS in knots", 10000, 2836, 140},
		{"coads_climatology.cdf", "SST", 12 * 90 * 180, 89622, float64(float32(20.65034))},
		{"coads_climatology.cdf", "AIRT", 12 * 90 * 180, 87206, float64(float32(19.502195))},
		{"coads_climatology.cdf", "SPEH", 12 * 90 * 180, 93677, float64(float32(11.586744))},
		{"coads_climatology.cdf", "WSPD", 12 * 90 * 180, 86843, float64(float32(6.67))},
		{"coads_climatology.cdf", "UWND", 12 * 90 * 180, 86843, float64(float32(-0.25853655))},
		{"coads_climatology.cdf", "VWND", 12 * 90 * 180, 86843, float64(float32(0.16416663))},
		{"coads_climatology.cdf", "SLP", 12 * 90 * 180, 86592, float64(float32(1012.9373))},
		{"coads_climatology.cdf", "COADSX", 180, 0, 200},
		{"coads_climatology.cdf", "TIME", 12, 0, 4383.6675},
	} {
		x, err := open(c.file).Tensor(c.name)
		if err != nil {
			t.Error(err)
			continue
		}
		median, err := ogive.NaNMedian(x)
		if err != nil {
			t.Fatal(err)
		}
		wide, err := x.Cast(dtype.Float64)
		if err != nil {
			t.Fatal(err)
		}
		missing := 0
		flat, err := wide.Contiguous()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range ogive.Must(ogive.Values[float64](flat)) {
			if math.IsNaN(v) {
				missing++
			}
		}
		got := ogive.Must(ogive.Item[float64](ogive.Must(median.Cast(dtype.Float64))))
		if x.Len() != c.count || missing != c.missing || got != c.median {
			t.Errorf("%s, %s: %d values, %d missing, median %v; want %d, %d, %v", c.file, c.name, x.Len(), missing, got, c.count, c.missing, c.median)
		}
	}
	origin, err := open("flights-3m.parquet").Key("origin")
	if err != nil || len(origin.Labels) != 229 || origin.Labels[0] != "LAS" {
		t.Errorf("%d airports, the first %q: %v", len(origin.Labels), origin.Labels[:1], err)
	}

	// The facts of HdrHistogram's own tests of its log: 48761 values, the largest and
	// the 99.9th percentile. Those add the intervals up in a finer histogram, where each
	// value is the lowest of its bucket, of 2^23 there; here it is the highest.
	hiccup := open("jHiccup-2.0.7S.logV2.hlog")
	value := ogive.Must(ogive.Values[int64](ogive.Must(hiccup.Tensor("value"))))
	count := ogive.Must(ogive.Values[int64](ogive.Must(hiccup.Tensor("count"))))
	total, p999 := int64(0), int64(-1)
	for i, c := range count {
		if total += c; p999 < 0 && total >= 48713 { // 99.9 % of 48761, rounded up
			p999 = value[i]
		}
	}
	if total != 48761 || value[len(value)-1] != 1796210687|(1<<23-1) || p999 != 1745879039|(1<<23-1) {
		t.Errorf("%d values, p99.9 %d, largest %d", total, p999, value[len(value)-1])
	}
	tagged, err := open("tagged-Log.logV2.hlog").Key("tag")
	if err != nil || len(tagged.Labels) != 1 || tagged.Labels[0] != "A" {
		t.Errorf("tags %q: %v", tagged.Labels, err)
	}
}
