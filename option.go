package ogive

import (
	"context"
	"strings"

	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// Option changes how an operation works. Options are small values; of several
// of one kind the last wins, and one that the operation does not take is
// ErrOption. An option shares the slice that it is made of, such as the list of
// [Qs] or a list spread into [Axis]: it must not change before the call that
// takes the option; no call keeps it.
type Option struct {
	set    setting
	list   bool      // floats or nums are a list of quantiles; else num or n is the only one
	n, den int64     // a count, a mode, or a numerator; a denominator
	num    float64   // a quantile
	floats []float64 // quantiles
	nums   []int64   // numerators
	axes   []int

	// A tensor, context, meter or fractions. Plans keep it, so it lies one pointer further
	// than the slices: these can then stay on the caller's stack.
	ref *any
}

// refer returns the option that sets something to a tensor, context or meter.
func refer(set setting, to any) Option { return Option{set: set, ref: &to} }

// setting says what an Option sets.
type setting uint8

const (
	optNone setting = iota // of the zero Option, which no operation takes
	optAxis
	optKeepDims
	optMethod
	optMode
	optWeights
	optOut
	optOutIndices
	optOverwrite
	optInvert
	optAssumeUnique
	optKind
	optEqualNaN
	optWorkers
	optContext
	optProgress
	optQ
	optP
	optRatio
	optTest
	optMinCount // of the operations on windows, beside those of their Op
	optTuned    // see tuned; every operation takes it, and no message names it

	settings // the number of constants above
)

var settingNames = [settings]string{"none", "Axis", "KeepDims", "Method", "Mode", "Weights", "Out", "OutIndices", "Overwrite", "Invert", "AssumeUnique", "Kind", "EqualNaN", "Workers", "Context", "Progress", "Q", "P", "Ratio", "Test", "MinCount", "Tuned"}

// settingSet is a set of settings, a bit each.
type settingSet uint32

func settingsOf(list ...setting) (s settingSet) { return s.with(list...) }

func (s settingSet) has(o setting) bool { return s>>o&1 == 1 }

func (s settingSet) with(list ...setting) settingSet {
	for _, o := range list {
		s |= 1 << o
	}
	return s
}

func (s settingSet) without(list ...setting) settingSet {
	for _, o := range list {
		s &^= 1 << o
	}
	return s
}

// list returns the settings of the set.
func (s settingSet) list() (all []setting) {
	for o := range settings {
		if s.has(o) {
			all = append(all, o)
		}
	}
	return all
}

// String lists the options of the set.
func (s settingSet) String() string {
	var names []string
	for _, o := range s.list() {
		names = append(names, settingNames[o])
	}
	return strings.Join(names, ", ")
}

// String returns the option's name.
func (o setting) String() string { return settingNames[o] }

// String returns the name of the function that makes o, such as "KeepDims".
func (o Option) String() string {
	if o.set >= settings {
		return settingNames[optNone]
	}
	return o.set.String()
}

// Is reports whether o is made by the function that makes other, with whatever arguments:
// o.Is(ogive.Axis()). [Q] and [Qs] are one kind, and so are P and Ps, and Ratio, Ratios and
// Fractions.
func (o Option) Is(other Option) bool { return o.set == other.set }

// Axis names the axes to reduce, in any order, negative ones counted from the
// end. Without it all axes are reduced. An axis out of range or given twice,
// and an empty list, are ErrAxis. Indices and per-axis weights follow the
// order explained at [MedianWithIndex] and [Weights].
func Axis(a ...int) Option {
	return Option{set: optAxis, axes: a}
}

// KeepDims keeps the reduced dimensions in the result, with length 1.
func KeepDims() Option { return Option{set: optKeepDims} }

// Method selects how a quantile that falls between two order statistics is
// formed; the default is rank.Linear, and rank.Lower for [ArgQuantile] and its kin,
// whose answer is an element's position.
func Method(m rank.Method) Option { return Option{set: optMethod, n: int64(m)} }

// MedianMode says which value is the median of an even number of values.
type MedianMode uint8

// The modes of the median family.
const (
	ModeAvg   MedianMode = iota // the mean of the two middle values, exact and rounded once
	ModeLower                   // the lower of the two (torch.median, Paddle's "min")
	ModeUpper                   // the upper of the two
)

// modeNames are the names by which messages and the command know the modes.
var modeNames = []string{"avg", "lower (min)", "upper"}

// Mode selects the median of an even number of values; the default is ModeAvg,
// and ModeLower where indices are asked for. Float weights take ModeLower alone, the
// weighted median that method inverted_cdf gives at q = 0.5.
func Mode(m MedianMode) Option { return Option{set: optMode, n: int64(m)} }

// ParseMode returns the mode with the given name: avg, lower, min (another
// name of lower) or upper; else ErrOption.
func ParseMode(name string) (MedianMode, error) {
	switch name {
	case "avg":
		return ModeAvg, nil
	case "lower", "min":
		return ModeLower, nil
	case "upper":
		return ModeUpper, nil
	}
	return 0, errs.New(errs.ErrOption, "unknown mode %q; known: %s", name, strings.Join(modeNames, ", "))
}

// Weights gives each value a weight: a tensor of x's shape, or of x's shape
// along the reduced axes in the order given to [Axis]. Integer and bool
// weights are frequencies, as if each value were repeated, for every method;
// their sum must stay below 2^53. Float weights work with rank.InvertedCDF
// only, else ErrMethod. A negative, NaN or infinite weight, and a slice whose
// weights sum to zero, are ErrWeights.
func Weights(w *Tensor) Option { return refer(optWeights, w) }

// Out writes the result to t, which must have exactly the result's shape; its
// dtype must be the result's, or another float if the result is a float. It
// may overlap the inputs: the answer is as if it did not. Where it does, or is of
// another dtype, or its elements do not follow each other, the result is computed in
// memory of its own first. Where an operation returns its result, it returns t.
func Out(t *Tensor) Option { return refer(optOut, t) }

// OutIndices writes the indices to t, an int64 tensor of the result's shape,
// in MedianWithIndex and NaNMedianWithIndex.
func OutIndices(t *Tensor) Option { return refer(optOutIndices, t) }

// Overwrite lets the operation use x's memory as scratch space. The result
// does not change; x is unspecified afterwards, and untouched on error: with a
// [Context], whose end is an error that comes late, Overwrite does nothing.
func Overwrite() Option { return Option{set: optOverwrite} }

// Invert negates the answer of IsIn.
func Invert() Option { return Option{set: optInvert} }

// AssumeUnique tells IsIn that neither side repeats a value. It is a hint: the
// answer is the same if that is false.
func AssumeUnique() Option { return Option{set: optAssumeUnique} }

// IsInKind is a way of looking values up in IsIn. All give the same answer.
type IsInKind uint8

// The kinds of IsIn.
const (
	KindAuto  IsInKind = iota // chosen from the dtypes, the range and the sizes
	KindSort                  // binary search in the sorted test values
	KindTable                 // a table over the range of the test values; integers and bool only, at most 1 GiB
	KindHash                  // a hash table
)

// kindNames are the names by which messages and the command know the kinds.
var kindNames = []string{"auto", "sort", "table", "hash"}

// Kind selects how IsIn looks values up; the default is KindAuto.
func Kind(k IsInKind) Option { return Option{set: optKind, n: int64(k)} }

// ParseKind returns the kind with the given name: auto, sort, table or hash;
// else ErrOption.
func ParseKind(name string) (IsInKind, error) {
	for i, s := range kindNames {
		if s == name {
			return IsInKind(i), nil
		}
	}
	return 0, errs.New(errs.ErrOption, "unknown kind %q; known: %s", name, strings.Join(kindNames, ", "))
}

// EqualNaN makes all NaNs equal to each other in IsIn; otherwise a NaN is in
// nothing.
func EqualNaN() Option { return Option{set: optEqualNaN} }

// Workers limits the goroutines that work on the call, the caller's included;
// the default, and any n < 1, is GOMAXPROCS. The result does not depend on it.
func Workers(n int) Option { return Option{set: optWorkers, n: int64(n)} }

// Context stops the operation when ctx is done; the error is then ctx's own
// and the output is unspecified. It is looked at between chunks of work.
func Context(ctx context.Context) Option { return refer(optContext, ctx) }

// Meter counts the work of a running operation. Total and Done are in elements
// read, may be read at any time, and Total may grow while more passes over the
// data prove necessary.
type Meter = engine.Meter

// Progress lets the operation count its work in m.
func Progress(m *Meter) Option { return refer(optProgress, m) }

// Q gives [Prepare] the wanted quantiles: one is a scalar q, several make a
// leading dimension. See [Qs] for a leading dimension of length 1.
func Q(qs ...float64) Option { return numbers(optQ, qs) }

// Qs gives [Prepare] the wanted quantiles, always with a leading dimension.
func Qs(qs []float64) Option { return Option{set: optQ, list: true, floats: qs} }

// P is [Q] in hundredths, for the percentile operations.
func P(ps ...float64) Option { return numbers(optP, ps) }

// Ps is [Qs] in hundredths, for the percentile operations.
func Ps(ps []float64) Option { return Option{set: optP, list: true, floats: ps} }

// numbers returns the option of a scalar, or of a list of another length than 1.
func numbers(set setting, list []float64) Option {
	if len(list) == 1 {
		return Option{set: set, num: list[0]}
	}
	return Option{set: set, list: true, floats: list}
}

// Ratio gives [Prepare] the quantile num/den as an exact fraction.
func Ratio(num, den int64) Option { return Option{set: optRatio, n: num, den: den} }

// Ratios gives [Prepare] the quantiles nums[i]/den as exact fractions, with a
// leading dimension.
func Ratios(nums []int64, den int64) Option {
	return Option{set: optRatio, list: true, nums: nums, den: den}
}

// Fractions gives [Prepare] the quantiles that rank.Ratio has made, as exact fractions,
// and rank.At, as float64; with a leading dimension.
func Fractions(qs ...rank.Q) Option {
	o := refer(optRatio, qs)
	o.list = true
	return o
}

// isNil reports whether o is a list that is nil.
func (o *Option) isNil() bool { return o.list && o.floats == nil && o.nums == nil && o.ref == nil }

// Test gives [Prepare] the test values of OpIsIn. They are read once, then.
func Test(t *Tensor) Option { return refer(optTest, t) }

// tuned gives the call other thresholds. It is for this module's tests and
// measurements.
func tuned(t *tuning.Thresholds) Option { return refer(optTuned, t) }
