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

// Facts are what sets an operation apart from others, for programs that offer several.
type Facts struct {
	Order   bool   // an order statistic of lanes; otherwise each element is tested
	Param   string // how quantiles are given: "q" by Q, Ratio and their kin, "p" by P in hundredths, "" not at all
	Median  bool   // the quantile is 1/2, and the rule a Mode in place of a Method
	SkipNaN bool   // NaNs are dropped
	Index   bool   // the result is the position of a value
	Passes  bool   // packages stream and grad have it
	Groups  bool   // there is a function for groups, such as QuantilesBy
	Windows bool   // there is a function for windows, such as RollingQuantile
}

// opInfo is a row of the table of operations.
type opInfo struct {
	Facts
	name      string
	predicate elements.Predicate // of an element test other than isin
	takes     settingSet         // the options it takes
}

var (
	quantileOptions = settingsOf(optAxis, optKeepDims, optMethod, optWeights, optOut, optOverwrite, optWorkers, optContext, optProgress, optQ, optRatio)
	percentOptions  = quantileOptions.without(optQ, optRatio).with(optP)
	medianOptions   = quantileOptions.without(optMethod, optQ, optRatio).with(optMode, optOutIndices)
	predicateOption = settingsOf(optOut, optWorkers, optContext, optProgress)
	isInOptions     = predicateOption.with(optInvert, optAssumeUnique, optKind, optEqualNaN, optTest)

	quantileFacts = Facts{Order: true, Param: "q", Passes: true, Groups: true, Windows: true}
	percentFacts  = Facts{Order: true, Param: "p", Passes: true}
	medianFacts   = Facts{Order: true, Median: true, Passes: true, Groups: true, Windows: true}
	argFacts      = Facts{Order: true, Param: "q", Index: true}
)

// skipping are the facts of the operation that drops NaNs.
func (f Facts) skipping() Facts {
	f.SkipNaN = true
	return f
}

var ops = [opCount]opInfo{
	opNone:           {name: "none"},
	OpQuantile:       {name: "quantile", Facts: quantileFacts, takes: quantileOptions},
	OpNaNQuantile:    {name: "nanquantile", Facts: quantileFacts.skipping(), takes: quantileOptions},
	OpPercentile:     {name: "percentile", Facts: percentFacts, takes: percentOptions},
	OpNaNPercentile:  {name: "nanpercentile", Facts: percentFacts.skipping(), takes: percentOptions},
	OpMedian:         {name: "median", Facts: medianFacts, takes: medianOptions},
	OpNaNMedian:      {name: "nanmedian", Facts: medianFacts.skipping(), takes: medianOptions},
	OpArgQuantile:    {name: "argquantile", Facts: argFacts, takes: quantileOptions},
	OpNaNArgQuantile: {name: "nanargquantile", Facts: argFacts.skipping(), takes: quantileOptions},
	OpIsPosInf:       {name: "isposinf", predicate: elements.PosInf, takes: predicateOption},
	OpIsNegInf:       {name: "isneginf", predicate: elements.NegInf, takes: predicateOption},
	OpIsInf:          {name: "isinf", predicate: elements.Inf, takes: predicateOption},
	OpIsNaN:          {name: "isnan", predicate: elements.NaN, takes: predicateOption},
	OpIsFinite:       {name: "isfinite", predicate: elements.Finite, takes: predicateOption},
	OpSignBit:        {name: "signbit", predicate: elements.SignBit, takes: predicateOption},
	OpIsReal:         {name: "isreal", predicate: elements.Real, takes: predicateOption},
	OpIsIn:           {name: "isin", takes: isInOptions},
}

// Ops returns all operations.
func Ops() (list []Op) {
	for op := opNone + 1; op < opCount; op++ {
		list = append(list, op)
	}
	return list
}

// Facts returns what sets the operation apart, nothing for what is none.
func (op Op) Facts() Facts {
	if op >= opCount {
		return Facts{}
	}
	return ops[op].Facts
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
