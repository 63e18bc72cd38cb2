package main

import (
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// benchCase is one row of the table: an operation on some data, and what the
// peers call to do the same.
type benchCase struct {
	group string
	call  ogiveCall
	data  dataSpec
	peers []peerCall
	// base, where it has a shape, is data on which ogive is measured too, in
	// the same rounds, to tell what this case's data costs.
	base dataSpec
}

func (c benchCase) name() string {
	s := c.call.String() + " " + c.data.String()
	if c.call.axis != whole {
		s += " axis " + string(rune('0'+c.call.axis))
	}
	return s
}

// The groups; those in optIn run only when they are asked for.
var (
	groups = []string{"whole", "rows", "columns", "narrow", "integers", "tests", "groups", "windows", "small", "large", "worst", "crafted"}
	optIn  = []string{"large", "worst", "crafted"}
)

const (
	million = 1_000_000
	ten     = 10 * million
)

// The operations.
var (
	median         = ogiveCall{op: ogive.OpMedian, axis: whole}
	nanMedian      = ogiveCall{op: ogive.OpNaNMedian, axis: whole}
	quantile90     = ogiveCall{op: ogive.OpQuantile, axis: whole, qs: []float64{0.9}}
	quantile3      = ogiveCall{op: ogive.OpQuantile, axis: whole, qs: []float64{0.25, 0.5, 0.75}}
	quantile101    = ogiveCall{op: ogive.OpQuantile, axis: whole, qs: hundredths()}
	nanQuantile101 = ogiveCall{op: ogive.OpNaNQuantile, axis: whole, qs: hundredths()}
	nanQuantile    = ogiveCall{op: ogive.OpNaNQuantile, axis: whole, qs: []float64{0.5}}
	ofSorted       = ogiveCall{op: ogive.OpQuantile, axis: whole, qs: []float64{0.9}, method: rank.InvertedCDF}
	nanQuantileBy  = ogiveCall{op: ogive.OpNaNQuantile, axis: 0, qs: []float64{0.9}, by: true}
	isPosInf       = ogiveCall{op: ogive.OpIsPosInf, axis: whole}
	isIn           = ogiveCall{op: ogive.OpIsIn, axis: whole}
)

func hundredths() []float64 {
	qs := make([]float64, 101)
	for i := range qs {
		qs[i] = float64(i) / 100
	}
	return qs
}

// The peers' calls. torch.quantile sorts and refuses more than 2^24 elements,
// so for one quantile a user of torch calls median or kthvalue; both answer
// with the lower of two values. Bottleneck has machine code for float32,
// float64, int32 and int64 and hands other dtypes to NumPy, so it has no call
// of its own for them.
var (
	medianCalls    = []peerCall{py(sysNumPy, "np.median(x)"), pyLower(sysTorch, "tx.median()"), py(sysBottleneck, "bn.median(x)")}
	medianNarrow   = []peerCall{py(sysNumPy, "np.median(x)"), pyLower(sysTorch, "tx.median()")}
	median0Calls   = []peerCall{py(sysNumPy, "np.median(x, axis=0)"), pyLower(sysTorch, "tx.median(dim=0).values"), py(sysBottleneck, "bn.median(x, axis=0)")}
	median0Narrow  = []peerCall{py(sysNumPy, "np.median(x, axis=0)"), pyLower(sysTorch, "tx.median(dim=0).values")}
	median1Calls   = []peerCall{py(sysNumPy, "np.median(x, axis=1)"), pyLower(sysTorch, "tx.median(dim=1).values"), py(sysBottleneck, "bn.median(x, axis=1)")}
	nanMedianCalls = []peerCall{py(sysNumPy, "np.nanmedian(x)"), pyLower(sysTorch, "tx.nanmedian()"), py(sysBottleneck, "bn.nanmedian(x)")}
	nanMedian0     = []peerCall{py(sysNumPy, "np.nanmedian(x, axis=0)"), pyLower(sysTorch, "tx.nanmedian(dim=0).values"), py(sysBottleneck, "bn.nanmedian(x, axis=0)")}
	nanMedian1     = []peerCall{py(sysNumPy, "np.nanmedian(x, axis=1)"), pyLower(sysTorch, "tx.nanmedian(dim=1).values"), py(sysBottleneck, "bn.nanmedian(x, axis=1)")}
	nanHalfCalls   = append([]peerCall{py(sysNumPy, "np.nanquantile(x, 0.5)")}, nanMedianCalls...)
	quantile90s    = []peerCall{
		py(sysNumPy, "np.quantile(x, 0.9)"),
		pyLower(sysTorch, "tx.kthvalue(1 + int(0.9 * (x.size - 1))).values"),
		pyLower(sysBottleneck, "bn.partition(x, int(0.9 * (x.size - 1)))[int(0.9 * (x.size - 1))]"),
	}
	quantilesCalls    = []peerCall{py(sysNumPy, "np.quantile(x, q)"), py(sysTorch, "torch.quantile(tx, tq)")}
	nanQuantilesCalls = []peerCall{py(sysNumPy, "np.nanquantile(x, q)"), py(sysTorch, "torch.nanquantile(tx, tq)")}
	sortedCalls       = append([]peerCall{py(sysNumPy, "np.quantile(x, 0.9, method='inverted_cdf')")}, gonumSorted...)
	isPosInfCalls     = []peerCall{
		py(sysNumPy, "np.isposinf(x)"), py(sysNumPy, "np.isposinf(x, out=out)"),
		py(sysTorch, "tx.isposinf()"), py(sysTorch, "torch.isposinf(tx, out=tout)"),
	}
	moveMedian = func(w string) []peerCall {
		return []peerCall{py(sysBottleneck, "bn.move_median(x, "+w+", axis=0)["+w+"-1:]"), py(sysPandas, "px.rolling("+w+").median()["+w+"-1:]")}
	}
	moveQuantile = func(w string) []peerCall {
		return []peerCall{py(sysPandas, "px.rolling("+w+").quantile(0.9)["+w+"-1:]")}
	}
	medianBy   = []peerCall{py(sysPandas, "px.groupby(test).median()")}
	quantileBy = []peerCall{py(sysPandas, "px.groupby(test).quantile(0.9)")}
	isInCalls  = []peerCall{py(sysNumPy, "np.isin(x, test)"), py(sysTorch, "torch.isin(tx, ttest)"), py(sysPandas, "px.isin(test)")}
)

// cases returns the table.
func cases() []benchCase {
	f16, bf16, f32, f64 := dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64
	u8, i16, i32, i64 := dtype.Uint8, dtype.Int16, dtype.Int32, dtype.Int64
	table := []benchCase{
		{group: "whole", call: median, data: of(f32, ten), peers: medianCalls},
		{group: "whole", call: median, data: of(f64, ten), peers: calls(medianCalls, gonumSorts)},
		{group: "whole", call: quantile90, data: of(f32, ten), peers: quantile90s},
		{group: "whole", call: quantile90, data: of(f64, ten), peers: quantile90s},
		{group: "whole", call: nanQuantile, data: of(f32, ten), peers: nanHalfCalls},
		{group: "whole", call: nanQuantile, data: of(f32, ten).withNaN(0.5), peers: nanHalfCalls},
		{group: "whole", call: quantile3, data: of(f32, ten), peers: quantilesCalls},
		{group: "whole", call: quantile3, data: of(f64, ten), peers: quantilesCalls},
		{group: "whole", call: quantile101, data: of(f32, ten), peers: quantilesCalls},
		{group: "whole", call: quantile101, data: of(f32, ten).as(normal), peers: quantilesCalls},
		{group: "whole", call: ofSorted, data: of(f64, ten).as(sorted), peers: sortedCalls},

		{group: "rows", call: median.along(1), data: of(f32, million, 10), peers: median1Calls},
		{group: "rows", call: median.along(1), data: of(f32, 100_000, 100), peers: median1Calls},
		{group: "rows", call: median.along(1), data: of(f32, 10_000, 1000), peers: median1Calls},
		{group: "rows", call: median.along(1), data: of(f32, 1000, 10_000), peers: median1Calls},

		{group: "columns", call: median.along(0), data: of(f32, 7, 1_400_000), peers: median0Calls},
		{group: "columns", call: median.along(0), data: of(f32, 20, 500_000), peers: median0Calls},
		{group: "columns", call: nanMedian.along(0), data: of(f32, 20, 500_000).withNaN(0.1), peers: nanMedian0},
		{group: "columns", call: median.along(0), data: of(f32, 200, 50_000), peers: median0Calls},
		{group: "columns", call: median.along(0), data: of(f32, 1000, 10_000), peers: median0Calls},

		{group: "narrow", call: median, data: of(u8, ten), peers: medianNarrow},
		{group: "narrow", call: median, data: of(i16, ten), peers: medianNarrow},
		{group: "narrow", call: median, data: of(f16, ten).as(normal), peers: medianNarrow},
		{group: "narrow", call: median, data: of(bf16, ten).as(normal), peers: only(sysTorch, medianNarrow)},
		{group: "narrow", call: median.along(0), data: of(u8, 20, 500_000), peers: median0Narrow},
		{group: "narrow", call: median.along(0), data: of(i16, 20, 500_000), peers: median0Narrow},
		{group: "narrow", call: median.along(0), data: of(f16, 20, 500_000).as(normal), peers: median0Narrow},
		{group: "narrow", call: median.along(0), data: of(bf16, 20, 500_000).as(normal), peers: only(sysTorch, median0Narrow)},

		{group: "integers", call: median, data: of(i32, ten), peers: medianCalls},
		{group: "integers", call: median, data: of(i64, ten), peers: medianCalls},

		{group: "tests", call: isPosInf, data: of(f32, ten).withInf(0.01), peers: isPosInfCalls},
		{group: "tests", call: isIn, data: of(i64, ten).testedAgainst(16), peers: isInCalls},
		{group: "tests", call: isIn, data: of(i64, ten).testedAgainst(10_000), peers: isInCalls},
		{group: "tests", call: isIn, data: of(i64, ten).testedAgainst(million), peers: isInCalls},
		{group: "tests", call: isIn, data: of(f64, ten).testedAgainst(16), peers: isInCalls},
		{group: "tests", call: isIn, data: of(f64, ten).testedAgainst(10_000), peers: isInCalls},
		{group: "tests", call: isIn, data: of(f64, ten).testedAgainst(million), peers: isInCalls},

		{group: "groups", call: nanMedian.along(0).grouped(), data: of(f64, ten).by(1000), peers: medianBy},
		{group: "groups", call: nanMedian.along(0).grouped(), data: of(f64, ten).by(million), peers: medianBy},
		{group: "groups", call: nanMedian.along(0).grouped(), data: of(f64, ten).byFar(1000), peers: medianBy},
		{group: "groups", call: nanMedian.along(0).grouped(), data: of(f64, ten).byFar(million), peers: medianBy},
		{group: "groups", call: nanQuantileBy, data: of(f64, ten).by(1000), peers: quantileBy},
		{group: "groups", call: nanQuantileBy, data: of(f64, ten).by(million), peers: quantileBy},

		{group: "windows", call: median.over(5), data: of(f64, million), peers: moveMedian("5")},
		{group: "windows", call: median.over(101), data: of(f64, million), peers: moveMedian("101")},
		{group: "windows", call: median.over(101), data: of(f32, million), peers: moveMedian("101")},
		{group: "windows", call: median.over(10_001), data: of(f64, million), peers: moveMedian("10_001")},
		{group: "windows", call: median.over(101), data: of(f64, 10_000, 100), peers: only(sysBottleneck, moveMedian("101"))},
		{group: "windows", call: quantile90.over(101), data: of(f64, million), peers: moveQuantile("101")},

		{group: "small", call: median, data: of(f64, 5), peers: calls(medianCalls, gonumSorts)},
		{group: "small", call: median, data: of(f64, 100), peers: calls(medianCalls, gonumSorts)},

		{group: "large", call: median, data: of(f32, 100*million), peers: medianCalls},
		{group: "large", call: quantile90, data: of(f32, 100*million), peers: quantile90s},
	}
	hard := []fill{sorted, reversed, constant, twoValues, tenUniques, thirtyUniques, kiloUniques, organPipe, zipf, halfZeros, infinities, denormals}
	copies := []fill{constant, twoValues, tenUniques, kiloUniques, zipf, halfZeros} // which integers and narrow floats can have
	worst := func(call ogiveCall, data, random dataSpec, peers []peerCall) {
		table = append(table, benchCase{group: "worst", call: call, data: data, peers: peers, base: random})
	}
	for _, c := range []struct {
		call, ignoring  ogiveCall
		random          dataSpec
		peers, nanPeers []peerCall
	}{
		{median, nanMedian, of(f32, ten), medianCalls, nanMedianCalls},
		{quantile101, nanQuantile101, of(f32, ten), quantilesCalls, nanQuantilesCalls},
		{median.along(1), nanMedian.along(1), of(f32, 10_000, 1000), median1Calls, nanMedian1},
		{median.along(0), nanMedian.along(0), of(f32, 200, 50_000), median0Calls, nanMedian0},
	} {
		for _, f := range hard {
			worst(c.call, c.random.as(f), c.random, c.peers)
		}
		worst(c.ignoring, c.random.withNaN(0.5), c.random, c.nanPeers)
	}
	for _, c := range []struct {
		call   ogiveCall
		random dataSpec
		peers  []peerCall
	}{
		{median, of(f64, ten), medianCalls},
		{median, of(i16, ten), medianNarrow},
		{median, of(f16, ten), medianNarrow},
		{quantile101, of(u8, ten), only(sysNumPy, quantilesCalls)},
		{quantile101, of(i32, ten), only(sysNumPy, quantilesCalls)},
	} {
		for _, f := range copies {
			worst(c.call, c.random.as(f), c.random, c.peers)
		}
	}
	for _, c := range []struct {
		call   ogiveCall
		random dataSpec
	}{
		{median, of(f32, ten)},
		{median, of(f64, ten)},
		{median, of(i32, ten)},
		{median, of(i64, ten)},
		{quantile3, of(f64, ten)},
		{quantile101, of(f32, ten)},
		{quantile101, of(f64, ten)},
		{quantile101, of(i64, ten)},
		{median.along(1), of(f64, 1000, 10_000)},
		{median.along(1), of(f64, 100, 100_000)},
		{quantile101.along(1), of(f64, 100, 100_000)},
		{median.along(0), of(f64, 10_000, 1000)},
		{quantile3.along(0), of(f64, 100_000, 100)},
		{median.weighted(), of(f64, ten)},
		{quantile101.weighted(), of(i64, ten)},
	} {
		for _, f := range []fill{uniform, cluster, twoClusters, nested} {
			for _, s := range []shown{"", high, low} {
				if s != "" || f != uniform {
					table = append(table, benchCase{group: "crafted", call: c.call, data: c.random.as(f).showing(s), base: c.random})
				}
			}
		}
	}
	for _, dt := range []dtype.DType{f32, f64} {
		random := of(dt, 100_000)
		table = append(table, benchCase{group: "crafted", call: quantile101, data: random.as(halfFar), base: random})
	}
	for _, dt := range []dtype.DType{i64, f64} {
		for _, m := range []int{16, 10_000, million} {
			for _, f := range []fill{multiples, nested, cluster} {
				random := of(dt, ten).testedAgainst(m)
				table = append(table, benchCase{group: "crafted", call: isIn, data: random.as(f), base: random})
			}
		}
	}
	return table
}

// chosen returns the cases of the groups, or of all that are not opt-in if
// there are none, whose names match.
func chosen(table []benchCase, want []string, match func(string) bool) []benchCase {
	var out []benchCase
	for _, c := range table {
		in := slices.Contains(want, c.group)
		if len(want) == 0 {
			in = !slices.Contains(optIn, c.group)
		}
		if in && match(c.name()) {
			out = append(out, c)
		}
	}
	return out
}
