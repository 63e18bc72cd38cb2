package ogivebeam

import (
	"fmt"
	"math"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

// Options say what is computed, and of what. The zero value, with quantiles, is
// ogive.Quantiles of everything.
type Options struct {
	// Op is OpQuantile (0 means that too), OpNaNQuantile, OpMedian or OpNaNMedian.
	Op ogive.Op
	// Q are the quantiles, exact fractions (rank.Ratio) or float64 (rank.At); the answer
	// has a leading dimension of them. Medians take none.
	Q []rank.Q
	// Method says what lies between two elements, of quantiles; Mode of medians.
	Method rank.Method
	Mode   ogive.MedianMode

	// Columns are those of tables, by name, number or pattern; nil is all that hold
	// numbers. Every file must have them.
	Columns []string
	// By are the columns of tables whose values make the groups.
	By []string
	// Weights names a column of integers, how often each row counts; NoWeights is once each,
	// and so is empty, but for the counts of HdrHistogram logs.
	Weights string
	// Input says how files are to be read; its Columns, Keys, Groups, Part and Progress are not
	// used.
	Input tensorio.Options

	// Axis are the axes of arrays to reduce; nil is all.
	Axis []int
	// Along is the axis along which arrays, one to a file, follow each other. If it is not
	// one of those that are reduced there is an Answer for each file.
	Along int

	// Budget bounds the memory of the states that a worker holds, in bytes; 0 means 64 MiB.
	// A quarter of it bounds each state, and so what travels from a worker; the least is
	// four times stream.MinBudget.
	Budget int
	// PartBytes is about how much of a file is read by one worker; 0 means 64 MiB. A part
	// is some of an array's rows, of a Parquet file's row groups, or of a text's bytes.
	PartBytes int64
}

// NoWeights is the value of Options.Weights with which each row counts once.
const NoWeights = "none"

const (
	defaultBudget = 64 << 20
	defaultPart   = 64 << 20
)

// checked returns the options with their defaults, or what is wrong with them.
func (o Options) checked() (Options, error) {
	if o.Op == 0 {
		o.Op = ogive.OpQuantile
	}
	if o.Budget == 0 {
		o.Budget = defaultBudget
	}
	if o.PartBytes <= 0 {
		o.PartBytes = defaultPart
	}
	switch o.Op {
	case ogive.OpQuantile, ogive.OpNaNQuantile:
		if len(o.Q) == 0 {
			return o, fmt.Errorf("%w: %v: no quantiles", ogive.ErrQ, o.Op)
		}
	case ogive.OpMedian, ogive.OpNaNMedian:
		if len(o.Q) > 0 {
			return o, fmt.Errorf("%w: %v takes no quantiles", ogive.ErrOption, o.Op)
		}
	default:
		return o, fmt.Errorf("%w: %v; a pipeline computes quantile, nanquantile, median and nanmedian", ogive.ErrOption, o.Op)
	}
	for _, name := range o.By {
		if name == o.weights() || slices.Contains(o.Columns, name) {
			return o, fmt.Errorf("%w: column %q makes the groups", ogive.ErrOption, name)
		}
	}
	o.Input.Columns, o.Input.Keys, o.Input.Part, o.Input.Progress = nil, nil, tensorio.Part{}, nil
	o.Input.Groups = o.By
	_, err := o.state(dtype.Float64)
	return o, err
}

// ofFiles is checked for a transform that reads files.
func (o Options) ofFiles(files []string) (Options, error) {
	if len(files) == 0 {
		return o, fmt.Errorf("%w: no files", ogive.ErrOption)
	}
	return o.checked()
}

// skipsNaN reports whether NaNs and missing values are left out.
func (o *Options) skipsNaN() bool { return o.Op == ogive.OpNaNQuantile || o.Op == ogive.OpNaNMedian }

// weights returns the column of Options.Weights; empty if it names none.
func (o *Options) weights() string {
	if o.Weights == NoWeights {
		return ""
	}
	return o.Weights
}

// fewKeys reports whether there is an answer for each column, and not for groups or places.
func (o *Options) fewKeys() bool { return len(o.By) == 0 && len(o.Axis) == 0 }

// isDiscrete reports whether an answer is always an element.
func (o *Options) isDiscrete() bool {
	if o.Op == ogive.OpMedian || o.Op == ogive.OpNaNMedian {
		return o.Mode != ogive.ModeAvg
	}
	return o.Method.Discrete()
}

// taken are the options of the operation.
func (o *Options) taken() []ogive.Option {
	if o.Op == ogive.OpMedian || o.Op == ogive.OpNaNMedian {
		return []ogive.Option{ogive.Mode(o.Mode)}
	}
	return []ogive.Option{ogive.Method(o.Method), ogive.Fractions(o.Q...)}
}

// state returns the state of a first pass over elements of a dtype.
func (o *Options) state(dt dtype.DType) (*stream.State, error) {
	return stream.New(o.Op, dt, o.Budget/4, o.taken()...)
}

// nan returns the answer of data with a NaN.
func (o *Options) nan(dt dtype.DType) (*ogive.Tensor, error) {
	if !dt.IsFloat() {
		dt = dtype.Float64
	}
	plan, err := ogive.Prepare(o.Op, dt, []int{1}, o.taken()...)
	if err != nil {
		return nil, err
	}
	nan, err := ogive.Must(ogive.FromSlice([]float64{math.NaN()})).Cast(dt)
	if err != nil {
		return nil, err
	}
	out, err := ogive.Zeros(plan.DType(), plan.Shape()...)
	if err != nil {
		return nil, err
	}
	return out, plan.Run(nan, out)
}
