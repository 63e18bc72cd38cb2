package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"gonum.org/v1/gonum/stat"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// ogiveCall is the operation of a case, as a caller of the public API writes it.
type ogiveCall struct {
	op     ogive.Op
	qs     []float64   // of the quantile operations: one is a scalar q
	axis   int         // whole for all axes
	method rank.Method // of the quantile operations
	by     bool        // of each group of the data, along axis 0
	window int         // of every window of so many elements, along axis 0; 0 for none
	counts bool        // the elements are weighted by small integers
}

// whole stands for reducing all axes.
const whole = -1

func (c ogiveCall) along(axis int) ogiveCall  { c.axis = axis; return c }
func (c ogiveCall) grouped() ogiveCall        { c.by = true; return c }
func (c ogiveCall) over(window int) ogiveCall { c.window, c.axis = window, 0; return c }
func (c ogiveCall) weighted() ogiveCall       { c.counts = true; return c }

// String returns for example "quantile 0.9" or "nanmedian axis 0".
func (c ogiveCall) String() string {
	s := c.op.String()
	switch {
	case len(c.qs) > 3:
		s += fmt.Sprintf(" %d q", len(c.qs))
	case len(c.qs) > 0:
		parts := make([]string, len(c.qs))
		for i, q := range c.qs {
			parts[i] = strconv.FormatFloat(q, 'g', -1, 64)
		}
		s += " " + strings.Join(parts, ",")
	}
	if c.window > 0 {
		s += " of windows of " + count(c.window)
	}
	if c.counts {
		s += " weighted"
	}
	if c.method != rank.Linear {
		s += " " + c.method.String()
	}
	return s
}

// options returns the options of the call, for the answer that a peer gives.
func (c ogiveCall) options(a answerKind) []ogive.Option {
	var opts []ogive.Option
	if c.axis != whole {
		opts = append(opts, ogive.Axis(c.axis))
	}
	if c.qs != nil {
		m := c.method
		if a == lower {
			m = rank.Lower
		}
		return append(opts, ogive.Method(m))
	}
	if a == lower {
		opts = append(opts, ogive.Mode(ogive.ModeLower))
	}
	return opts
}

// eager calls the operation. test are the test values of isin, or the keys of groups.
func (c ogiveCall) eager(x, test *ogive.Tensor, opts []ogive.Option) (*ogive.Tensor, error) {
	if c.by {
		return c.values(x, test, opts)
	}
	if c.window > 0 {
		return c.rolling(x, opts)
	}
	switch c.op {
	case ogive.OpMedian:
		return x.Median(opts...)
	case ogive.OpNaNMedian:
		return x.NaNMedian(opts...)
	case ogive.OpQuantile:
		if len(c.qs) == 1 {
			return x.Quantile(c.qs[0], opts...)
		}
		return x.Quantiles(c.qs, opts...)
	case ogive.OpNaNQuantile:
		if len(c.qs) == 1 {
			return x.NaNQuantile(c.qs[0], opts...)
		}
		return x.NaNQuantiles(c.qs, opts...)
	case ogive.OpIsPosInf:
		return x.IsPosInf(opts...)
	case ogive.OpIsIn:
		return x.IsIn(test, opts...)
	}
	return nil, fmt.Errorf("no call of %v", c.op)
}

// values calls the operation on groups.
func (c ogiveCall) values(x, keys *ogive.Tensor, opts []ogive.Option) (values *ogive.Tensor, err error) {
	switch c.op {
	case ogive.OpNaNMedian:
		_, values, err = x.NaNMedianBy(keys, opts...)
	case ogive.OpNaNQuantile:
		_, values, err = x.NaNQuantilesBy(keys, c.qs, opts...)
	default:
		err = fmt.Errorf("no call of %v on groups", c.op)
	}
	return values, err
}

// rolling calls the operation on windows. The peers answer for each element, by NaN
// before the first full window: they are asked for a view without these.
func (c ogiveCall) rolling(x *ogive.Tensor, opts []ogive.Option) (*ogive.Tensor, error) {
	if c.op == ogive.OpMedian {
		return x.RollingMedian(c.window, opts...)
	}
	return x.RollingQuantile(c.qs[0], c.window, opts...)
}

// prepared returns a function that makes the call into the same output each
// time, through Out, where the operation takes it.
func (c ogiveCall) prepared(x, test *ogive.Tensor, workers int) (func() error, error) {
	opts := append(c.options(same), ogive.Workers(workers))
	if c.counts {
		w, _, err := of(dtype.Uint8, x.Shape()...).as(tenUniques).generate()
		if err != nil {
			return nil, err
		}
		opts = append(opts, ogive.Weights(w))
	}
	if c.by {
		return func() error {
			_, err := c.eager(x, test, opts)
			return err
		}, nil
	}
	out, err := c.eager(x, test, opts)
	if err != nil {
		return nil, err
	}
	opts = append(opts, ogive.Out(out))
	return func() error {
		_, err := c.eager(x, test, opts)
		return err
	}, nil
}

// answerKind says what a peer's call answers.
type answerKind string

const (
	same  answerKind = ""      // what the ogive call answers
	lower answerKind = "lower" // the lower of two middle values, or the order statistic below
)

// The systems, by the names of their columns.
const (
	sysOgive      = "ogive"
	sysNumPy      = "numpy"
	sysTorch      = "torch"
	sysBottleneck = "bottleneck"
	sysPandas     = "pandas"
	sysGonum      = "gonum"
)

var peerSystems = []string{sysNumPy, sysTorch, sysBottleneck, sysPandas, sysGonum}

// peerCall is a peer's way to do a case. A Python peer has an expression over
// the names that peers.py explains, a Go peer a function. Of several calls of
// one peer the fastest counts.
type peerCall struct {
	system string
	expr   string // for Go peers it is only shown
	answer answerKind
	goFunc func(x *ogive.Tensor, q float64) (func() (float64, error), error)
}

func py(system, expr string) peerCall { return peerCall{system: system, expr: expr} }
func pyLower(system, expr string) peerCall {
	return peerCall{system: system, expr: expr, answer: lower}
}
func calls(lists ...[]peerCall) []peerCall { return slices.Concat(lists...) }

// only returns the calls of one system.
func only(system string, cs []peerCall) []peerCall {
	return slices.DeleteFunc(slices.Clone(cs), func(c peerCall) bool { return c.system != system })
}

// gonumSorts is what a user of gonum does with unsorted data: sort a copy.
// Its Empirical quantile of 0.5 is the lower median.
var gonumSorts = []peerCall{{
	system: sysGonum, expr: "slices.Sort(copy); stat.Quantile(0.5, stat.Empirical, copy, nil)", answer: lower,
	goFunc: func(x *ogive.Tensor, q float64) (func() (float64, error), error) {
		v, err := ogive.Values[float64](x)
		if err != nil {
			return nil, err
		}
		s := make([]float64, len(v))
		return func() (float64, error) {
			copy(s, v)
			slices.Sort(s)
			return stat.Quantile(q, stat.Empirical, s, nil), nil
		}, nil
	},
}}

// gonumSorted takes data that is sorted already.
var gonumSorted = []peerCall{{
	system: sysGonum, expr: "stat.Quantile(q, stat.Empirical, x, nil)",
	goFunc: func(x *ogive.Tensor, q float64) (func() (float64, error), error) {
		v, err := ogive.Values[float64](x)
		if err != nil {
			return nil, err
		}
		if !slices.IsSorted(v) {
			return nil, errors.New("gonum wants sorted data")
		}
		return func() (float64, error) { return stat.Quantile(q, stat.Empirical, v, nil), nil }, nil
	},
}}

// readExprs are the peers' ways to read the data once: sums of the elements,
// or of the same memory as 8-byte words. The fastest, goRead included, counts.
var readExprs = []peerCall{
	py(sysNumPy, "x.sum()"), py(sysNumPy, "w.sum()"),
	py(sysTorch, "tx.sum()"), py(sysTorch, "tw.sum()"),
}

// goRead returns a function that sums the words of x on several goroutines.
func goRead(x *ogive.Tensor, workers int) (func() error, error) {
	b, err := x.Bytes()
	if err != nil {
		return nil, err
	}
	if len(b) < 8 {
		return nil, errors.New("nothing to read")
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
	const chunk = 1 << 17
	if len(words) < 2*chunk {
		workers = 1
	}
	sums := make([]uint64, workers*8) // a cache line each
	return func() error {
		var wg sync.WaitGroup
		share := (len(words) + workers - 1) / workers
		for k := 1; k < workers; k++ {
			wg.Go(func() { sums[k*8] = sumWords(words[min(k*share, len(words)):min((k+1)*share, len(words))]) })
		}
		sums[0] = sumWords(words[:min(share, len(words))])
		wg.Wait()
		return nil
	}, nil
}

func sumWords(w []uint64) (s uint64) {
	var a, b, c, d uint64
	for len(w) >= 8 {
		v := w[:8:8]
		a += v[0] + v[4]
		b += v[1] + v[5]
		c += v[2] + v[6]
		d += v[3] + v[7]
		w = w[8:]
	}
	for _, v := range w {
		s += v
	}
	return s + a + b + c + d
}
