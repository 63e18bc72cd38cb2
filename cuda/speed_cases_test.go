package cuda

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// speedTable has a row for each case of BenchmarkSpeed; bench/gpu measures other
// libraries by the same rows.
//
//go:embed testdata/speed.tsv
var speedTable string

// speedCase is a row of the table.
type speedCase struct {
	name  string
	op    string // read and upload, or a function of package ogive
	dt    dtype.DType
	data  string // a kind of speedValue
	shape []int
	axis  int // -1 for all
	qs    []float64
}

// speedCases returns the cases, with at most so many elements each, 0 for no limit.
func speedCases(t testing.TB, elements int) []speedCase {
	t.Helper()
	var cases []speedCase
	for i, line := range strings.Split(strings.TrimSpace(speedTable), "\n") {
		if i == 0 {
			continue
		}
		f := strings.Split(line, "\t")
		c := speedCase{name: f[0], op: f[2], data: f[4], axis: -1}
		k := slices.IndexFunc(dtype.All(), func(dt dtype.DType) bool { return dt.String() == f[3] })
		c.dt = dtype.All()[k]
		for d := range strings.SplitSeq(f[5], "x") {
			c.shape = append(c.shape, number(t, d))
		}
		if f[6] != "-" {
			c.axis = number(t, f[6])
		}
		if n, even := strings.CutSuffix(f[7], " even"); even {
			n := number(t, n)
			for i := range n {
				c.qs = append(c.qs, float64(i)/float64(n-1))
			}
		} else if f[7] != "-" {
			q, err := strconv.ParseFloat(f[7], 64)
			if err != nil {
				t.Fatal(err)
			}
			c.qs = []float64{q}
		}
		c.shrink(elements)
		cases = append(cases, c)
	}
	return cases
}

func number(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// shrink halves dimensions until there are at most so many elements: those that are
// kept first, the longest of them, and lanes last.
func (c *speedCase) shrink(elements int) {
	for elements > 0 && c.len() > elements {
		longest := -1
		for _, lanes := range []bool{false, true} {
			for i, n := range c.shape {
				kept := c.axis >= 0 && c.axis != i
				if kept != lanes && n > 1 && (longest < 0 || n > c.shape[longest]) {
					longest = i
				}
			}
			if longest >= 0 {
				break
			}
		}
		c.shape[longest] = (c.shape[longest] + 1) / 2
	}
}

func (c *speedCase) len() int {
	n := 1
	for _, d := range c.shape {
		n *= d
	}
	return n
}

// benchElements returns the limit to the elements of a case: OGIVE_BENCH_ELEMENTS, without
// which a GPU has none and an emulated device the given one.
func benchElements(t testing.TB, emulated int) int {
	t.Helper()
	if s := os.Getenv("OGIVE_BENCH_ELEMENTS"); s != "" {
		return number(t, s)
	}
	if onGPU() {
		return 0
	}
	return emulated
}

// run is the call, on the host or on a device.
func (c *speedCase) run(x *ogive.Tensor, opts ...ogive.Option) (*ogive.Tensor, error) {
	if c.axis >= 0 {
		opts = append(opts, ogive.Axis(c.axis))
	}
	switch c.op {
	case "median":
		return ogive.Median(x, opts...)
	case "nanmedian":
		return ogive.NaNMedian(x, opts...)
	case "quantile":
		return ogive.Quantiles(x, c.qs, opts...)
	case "isposinf":
		return ogive.IsPosInf(x, opts...)
	case "isin":
		return ogive.IsIn(x, speedTests(c.dt), opts...)
	}
	return nil, fmt.Errorf("no operation %q", c.op)
}

// speedTests are a thousand values of which a tenth of the data "integers" are.
func speedTests(dt dtype.DType) *ogive.Tensor {
	values := make([]int64, 1000)
	for i := range values {
		values[i] = int64(10 * i)
	}
	return ogive.Must(ogive.Must(ogive.FromSlice(values)).Cast(dt))
}
