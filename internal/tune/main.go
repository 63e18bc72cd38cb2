// Command tune measures the sizes at which ogive changes its way of working,
// so that the values in package tuning can be checked on another processor:
//
//	go run ./internal/tune [-only REGEXP] [-time 200ms] [-check]
//
// For a threshold both ways are timed on inputs around its value; the value is
// good if the second way is the slower one before it and the faster one after
// it. For an amount, such as the size of a task, one input is timed with
// several settings. The times are the shortest of several calls, in
// microseconds, taken in turns. The last column is the time of the way that is
// taken over that of the best: with -check the command fails if one is more than
// 1.25, also when it is measured twice again. Results of ogive never depend on
// what is measured here.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"text/tabwriter"
	"time"
)

// tolerated is how many times as long as the best way the one that is taken may
// take.
const tolerated = 1.25

func main() {
	only := flag.String("only", "", "measure the thresholds whose names match this regular `expression`")
	each := flag.Duration("time", 200*time.Millisecond, "`time` for each figure")
	check := flag.Bool("check", false, "fail if a threshold is far from its best")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err == nil && flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tune:", err)
		os.Exit(2)
	}
	var far []string
	for _, t := range slices.Concat(thresholds, amounts) {
		if !match.MatchString(t.name) {
			continue
		}
		figures := t.measure(*each)
		for range 2 {
			if *check && worst(figures).over() > tolerated {
				again := t.measure(*each)
				for i := range figures {
					figures[i].best(again[i])
				}
			}
		}
		t.print(os.Stdout, figures)
		if w := worst(figures); w.over() > tolerated {
			far = append(far, fmt.Sprintf("%s = %d: at %d it takes %.2f times as long as it could", t.name, *t.value, w.size, w.over()))
		}
	}
	if *check && len(far) > 0 {
		for _, line := range far {
			fmt.Fprintln(os.Stderr, "tune:", line)
		}
		os.Exit(1)
	}
}

// threshold is a size at which the way of working changes, or an amount of which
// neither too much nor too little is good.
type threshold struct {
	name  string
	value *int
	input string                // of an amount
	ways  [2]string             // of a threshold: below it, and from it on
	leads [2]int                // settings that lead there; MaxInt and 0 if it is zero
	sizes []int                 // of the inputs; around the value if there are none
	upTo  bool                  // the first way is taken at the value too
	from  int                   // the size from which the second way is taken, if that is not the value
	work  func(size int) func() // a call on an input of that size
}

// amount reports whether t is one.
func (t *threshold) amount() bool { return t.input != "" }

// figure are the times of one input, or of an amount's input, with some settings.
type figure struct {
	size  int
	times []float64
	taken int // which of them is the default
}

// over returns how many times as long as the best the default takes.
func (f figure) over() float64 { return f.times[f.taken] / slices.Min(f.times) }

// best takes the better of each time.
func (f figure) best(other figure) {
	for i, t := range other.times {
		f.times[i] = min(f.times[i], t)
	}
}

// worst returns the figure whose default is furthest from its best.
func worst(figures []figure) figure {
	return slices.MaxFunc(figures, func(a, b figure) int { return int(math.Copysign(1, a.over()-b.over())) })
}

// measure returns the times of both ways around a threshold, or of an amount's
// settings.
func (t *threshold) measure(each time.Duration) (figures []figure) {
	now := *t.value
	defer func() { *t.value = now }()
	if t.amount() {
		settings := around(now)
		call := t.work(0)
		return append(figures, figure{now, t.shortest(call, settings, each), slices.Index(settings, now)})
	}
	leads, sizes := t.leads, t.sizes
	if leads == [2]int{} {
		leads = [2]int{math.MaxInt, 0}
	}
	if sizes == nil {
		sizes = around(now)
	}
	from := cmp.Or(t.from, now)
	for _, size := range sizes {
		taken := 0
		if size > from || size == from && !t.upTo {
			taken = 1
		}
		figures = append(figures, figure{size, t.shortest(t.work(size), leads[:], each), taken})
	}
	return figures
}

// shortest returns the microseconds of the fastest of the calls with each setting
// that fit into the given time, at least three. They take turns.
func (t *threshold) shortest(call func(), settings []int, each time.Duration) []float64 {
	times := make([]float64, len(settings))
	for i := range times {
		times[i] = math.Inf(1)
	}
	for begin, n := time.Now(), 0; n < 4 || time.Since(begin) < each*time.Duration(len(settings)); n++ {
		for i, setting := range settings {
			*t.value = setting
			start := time.Now()
			call()
			if took := time.Since(start); n > 0 { // the first call of each warms up
				times[i] = min(times[i], float64(took)/float64(time.Microsecond))
			}
		}
	}
	return times
}

// print writes a table of the figures.
func (t *threshold) print(w io.Writer, figures []figure) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if t.amount() {
		fmt.Fprintf(w, "%s = %d, %s\n", t.name, *t.value, t.input)
		fmt.Fprintf(tab, "setting\tµs\ttaken/best\t\n")
		for i, setting := range around(*t.value) {
			fmt.Fprintf(tab, "%d\t%.4g\t%.2f\t\n", setting, figures[0].times[i], figures[0].times[i]/slices.Min(figures[0].times))
		}
	} else {
		fmt.Fprintf(w, "%s = %d\n", t.name, *t.value)
		fmt.Fprintf(tab, "size\t%s\t%s\ttaken/best\t\n", t.ways[0], t.ways[1])
		for _, f := range figures {
			fmt.Fprintf(tab, "%d\t%.4g\t%.4g\t%.2f\t\n", f.size, f.times[0], f.times[1], f.over())
		}
	}
	tab.Flush()
	fmt.Fprintln(w)
}

// around returns sizes from a quarter to four times n.
func around(n int) []int {
	return slices.Compact([]int{max(n/4, 1), max(n/2, 1), n, 2 * n, 4 * n})
}
