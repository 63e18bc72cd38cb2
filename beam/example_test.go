package ogivebeam_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/ogive-go/ogive"
	ogivebeam "github.com/ogive-go/ogive/beam"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	beam.RegisterFunction(printAnswer)
	beam.RegisterFunction(printDescription)
}

func printAnswer(a ogivebeam.Answer) error {
	cells, err := a.Cells()
	fmt.Println(a.Group, a.Column, cells)
	return err
}

func printDescription(d ogivebeam.Description) error {
	cells, err := d.Cells()
	fmt.Println(d.Column, cells)
	return err
}

// shards returns a pattern of two files.
func shards() (pattern string, remove func()) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // Beam tells of every step
	folder := ogive.Must(os.MkdirTemp("", "shards"))
	for name, values := range map[string][]int64{"a.npy": {5, 1, 9}, "b.npy": {2, 7}} {
		if err := tensorio.Save(filepath.Join(folder, name), ogive.Must(ogive.FromSlice(values))); err != nil {
			panic(err)
		}
	}
	return filepath.Join(folder, "*.npy"), func() { os.RemoveAll(folder) }
}

func ExampleQuantiles() {
	files, remove := shards()
	defer remove()
	p, s := beam.NewPipelineWithRoot()
	answers := ogivebeam.Quantiles(s, []string{files}, ogivebeam.Options{Q: []rank.Q{rank.Ratio(1, 2), rank.Ratio(9, 10)}})
	beam.ParDo0(s, printAnswer, answers)
	fmt.Println(ptest.Run(p))
	// Output:
	// []  [5 8.2]
	// <nil>
}

func ExampleDescribe() {
	files, remove := shards()
	defer remove()
	p, s := beam.NewPipelineWithRoot()
	beam.ParDo0(s, printDescription, ogivebeam.Describe(s, []string{files}, ogivebeam.Options{}))
	fmt.Println(ogivebeam.DescribeNames(), ptest.Run(p))
	// Output:
	//  [5 0 0 0 1 1.04 1.2 2 5 7 8.6 8.92 9 5 3]
	// [count missing -inf +inf min p1 p5 p25 median p75 p95 p99 max iqr mad] <nil>
}

func ExampleFromPCollection() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	p, s := beam.NewPipelineWithRoot()
	values := beam.Create(s, 2.5, 0.5, 4.5)
	beam.ParDo0(s, printAnswer, ogivebeam.FromPCollection(s, values, ogivebeam.Options{Op: ogive.OpMedian}))
	fmt.Println(ptest.Run(p))
	// Output:
	// []  [2.5]
	// <nil>
}

func ExampleQuantilesPerKey() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	folder := ogive.Must(os.MkdirTemp("", "table"))
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "a.csv")
	if err := os.WriteFile(file, []byte("place,temp\nYakima,3\nYakima,4\nYakima,8\n"), 0o600); err != nil {
		panic(err)
	}
	p, s := beam.NewPipelineWithRoot()
	answers := ogivebeam.QuantilesPerKey(s, []string{file}, ogivebeam.Options{Op: ogive.OpMedian, By: []string{"place"}})
	beam.ParDo0(s, printAnswer, answers)
	fmt.Println(ptest.Run(p))
	// Output:
	// [Yakima] temp [4]
	// <nil>
}
