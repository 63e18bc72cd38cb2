// Command tune measures the sizes at which ogive changes its way of working,
// so that the values in the source can be checked on another processor:
//
//	go run ./internal/tune [-only REGEXP] [-time 200ms]
//
// For a threshold both ways are timed on inputs around its value; the value is
// good if the second way is the slower one before it and the faster one after
// it. For an amount, such as the size of a task, one input is timed with
// several settings. The times are the shortest of several calls, in
// microseconds. Results of ogive never depend on what is measured here.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"text/tabwriter"
	"time"
)

func main() {
	only := flag.String("only", "", "measure the thresholds whose names match this regular `expression`")
	each := flag.Duration("time", 200*time.Millisecond, "`time` for each figure")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err == nil && flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tune:", err)
		os.Exit(2)
	}
	for _, t := range thresholds {
		if match.MatchString(t.name) {
			t.measure(os.Stdout, *each)
		}
	}
	for _, a := range amounts {
		if match.MatchString(a.name) {
			a.measure(os.Stdout, *each)
		}
	}
}

// threshold is a size at which the way of working changes.
type threshold struct {
	name        string
	value       *int
	below, from string                // the two ways
	settings    [2]int                // that lead there; MaxInt and 0 if it is zero
	sizes       []int                 // of the inputs; around the value if there are none
	work        func(size int) func() // a call on an input of that size
}

// measure prints the times of both ways around the threshold.
func (t threshold) measure(w io.Writer, each time.Duration) {
	now := *t.value
	defer func() { *t.value = now }()
	fmt.Fprintf(w, "%s = %d\n", t.name, now)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "size\t%s\t%s\tratio\t\n", t.below, t.from)
	settings, sizes := t.settings, t.sizes
	if settings == [2]int{} {
		settings = [2]int{math.MaxInt, 0}
	}
	if sizes == nil {
		sizes = around(now)
	}
	for _, size := range sizes {
		call := t.work(size)
		*t.value = settings[0]
		below := shortest(call, each)
		*t.value = settings[1]
		from := shortest(call, each)
		fmt.Fprintf(tab, "%d\t%.4g\t%.4g\t%.2f\t\n", size, below, from, below/from)
	}
	tab.Flush()
	fmt.Fprintln(w)
}

// amount is a quantity of which neither too much nor too little is good.
type amount struct {
	name  string
	value *int
	input string
	call  func() func()
}

// measure prints the times for settings around the present one.
func (a amount) measure(w io.Writer, each time.Duration) {
	now := *a.value
	defer func() { *a.value = now }()
	fmt.Fprintf(w, "%s = %d, %s\n", a.name, now, a.input)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "setting\tµs\t\n")
	call := a.call()
	for _, setting := range around(now) {
		*a.value = setting
		fmt.Fprintf(tab, "%d\t%.4g\t\n", setting, shortest(call, each))
	}
	tab.Flush()
	fmt.Fprintln(w)
}

// around returns sizes from a quarter to four times n.
func around(n int) []int {
	return []int{max(n/4, 1), max(n/2, 1), n, 2 * n, 4 * n}
}

// shortest returns the microseconds of the fastest of the calls that fit into
// the given time, at least three.
func shortest(call func(), limit time.Duration) float64 {
	call()
	best := time.Duration(math.MaxInt64)
	for begin, n := time.Now(), 0; n < 3 || time.Since(begin) < limit; n++ {
		start := time.Now()
		call()
		best = min(best, time.Since(start))
	}
	return float64(best) / float64(time.Microsecond)
}
