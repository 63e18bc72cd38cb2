package ogive

import (
	"fmt"
	"strings"

	"github.com/ogive-go/ogive/internal/elements"
	"github.com/ogive-go/ogive/internal/errs"
)

// Op names an operation, for [Prepare]. The zero value is none.
type Op uint8

// The operations.
const (
	opNone Op = iota
	OpQuantile
	OpNaNQuantile
	OpPercentile
	OpNaNPercentile
	OpMedian
	OpNaNMedian
	OpArgQuantile
	OpNaNArgQuantile
	OpIsPosInf
	OpIsNegInf
	OpIsInf
	OpIsNaN
	OpIsFinite
	OpSignBit
	OpIsReal
	OpIsIn

	opCount // the number of constants above
)

// family is the shape of an operation's work.
type family uint8

const (
	orderStatistic family = iota + 1
	predicate
	membership
)

// opInfo is what sets an operation apart, one row each.
type opInfo struct {
	name      string
	family    family
	skipNaN   bool // NaNs are dropped
	median    bool // q is 1/2 and the rule is a Mode
	percent   bool // q is given in hundredths, by P
	arg       bool // the result is the index, not the value
	emptyNaN  bool // an empty slice gives NaN where the result is floating
	predicate elements.Predicate
	takes     settingSet // the options it takes
}

var (
	quantileOptions = settingsOf(optAxis, optKeepDims, optMethod, optWeights, optOut, optOverwrite, optWorkers, optContext, optProgress, optQ, optRatio)
	percentOptions  = quantileOptions.without(optQ, optRatio).with(optP)
	medianOptions   = quantileOptions.without(optMethod, optQ, optRatio).with(optMode, optOutIndices)
	argOptions      = quantileOptions
	predicateOption = settingsOf(optOut, optWorkers, optContext, optProgress)
	isInOptions     = predicateOption.with(optInvert, optAssumeUnique, optKind, optEqualNaN, optTest)
)

var ops = [opCount]opInfo{
	opNone:           {name: "none"},
	OpQuantile:       {name: "quantile", family: orderStatistic, takes: quantileOptions},
	OpNaNQuantile:    {name: "nanquantile", family: orderStatistic, skipNaN: true, emptyNaN: true, takes: quantileOptions},
	OpPercentile:     {name: "percentile", family: orderStatistic, percent: true, takes: percentOptions},
	OpNaNPercentile:  {name: "nanpercentile", family: orderStatistic, skipNaN: true, emptyNaN: true, percent: true, takes: percentOptions},
	OpMedian:         {name: "median", family: orderStatistic, median: true, emptyNaN: true, takes: medianOptions},
	OpNaNMedian:      {name: "nanmedian", family: orderStatistic, median: true, skipNaN: true, emptyNaN: true, takes: medianOptions},
	OpArgQuantile:    {name: "argquantile", family: orderStatistic, arg: true, takes: argOptions},
	OpNaNArgQuantile: {name: "nanargquantile", family: orderStatistic, arg: true, skipNaN: true, emptyNaN: true, takes: argOptions},
	OpIsPosInf:       {name: "isposinf", family: predicate, predicate: elements.PosInf, takes: predicateOption},
	OpIsNegInf:       {name: "isneginf", family: predicate, predicate: elements.NegInf, takes: predicateOption},
	OpIsInf:          {name: "isinf", family: predicate, predicate: elements.Inf, takes: predicateOption},
	OpIsNaN:          {name: "isnan", family: predicate, predicate: elements.NaN, takes: predicateOption},
	OpIsFinite:       {name: "isfinite", family: predicate, predicate: elements.Finite, takes: predicateOption},
	OpSignBit:        {name: "signbit", family: predicate, predicate: elements.SignBit, takes: predicateOption},
	OpIsReal:         {name: "isreal", family: predicate, predicate: elements.Real, takes: predicateOption},
	OpIsIn:           {name: "isin", family: membership, takes: isInOptions},
}

// String returns the operation's name, such as "nanquantile".
func (op Op) String() string {
	if op >= opCount {
		return fmt.Sprintf("op(%d)", uint8(op))
	}
	return ops[op].name
}

// ParseOp returns the operation with the given name (as String prints it),
// else ErrOption.
func ParseOp(name string) (Op, error) {
	known := make([]string, 0, opCount-1)
	for op := opNone + 1; op < opCount; op++ {
		if ops[op].name == name {
			return op, nil
		}
		known = append(known, ops[op].name)
	}
	return opNone, errs.New(errs.ErrOption, "unknown operation %q; known: %s", name, strings.Join(known, ", "))
}
