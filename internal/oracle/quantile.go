package oracle

import (
	"slices"

	"github.com/ogive-go/ogive/dtype"
)

// statistic is an order statistic of every lane, once the options are sound.
type statistic struct {
	method    string
	skipNaN   bool
	emptyIsNA bool // an empty lane gives NaN where the dtype has one
	out       dtype.DType
}

// minusOne is the int64 index -1.
const minusOne = ^uint64(0)

// resultType is the dtype of an order statistic of dt.
func resultType(dt dtype.DType, method string) dtype.DType {
	if isDiscrete(method) || dt.IsFloat() {
		return dt
	}
	return dtype.Float64
}

// Quantile returns the quantiles of x, with a leading dimension for qs unless
// scalar. Percentiles are a kind of [Q]; nanquantile is Options.SkipNaN.
func Quantile(x *Array, qs []Q, scalar bool, o Options) (*Array, error) {
	values, _, err := quantile(x, qs, scalar, o, o.SkipNaN)
	return values, err
}

// ArgQuantile returns the int64 indices of the values that Quantile gives; the method
// lower is its default.
func ArgQuantile(x *Array, qs []Q, scalar bool, o Options) (*Array, error) {
	if o.Method == "" {
		o.Method = "lower"
	}
	if x != nil && !x.DType.IsComplex() && isMethod(method(o)) && !isDiscrete(method(o)) {
		return nil, ErrMethod
	}
	_, indices, err := quantile(x, qs, scalar, o, o.SkipNaN)
	return indices, err
}

// medianMethods gives each mode its method.
var medianMethods = map[string]string{"avg": "linear", "lower": "lower", "upper": "higher"}

// Median returns the medians of x; mode is avg, lower or upper.
func Median(x *Array, mode string, o Options) (*Array, error) {
	values, _, err := median(x, mode, o)
	return values, err
}

// MedianWithIndex returns the medians of x and their int64 indices; mode is
// lower or upper.
func MedianWithIndex(x *Array, mode string, o Options) (values, indices *Array, err error) {
	if x != nil && !x.DType.IsComplex() && mode == "avg" {
		return nil, nil, ErrOption
	}
	return median(x, mode, o)
}

func median(x *Array, mode string, o Options) (values, indices *Array, err error) {
	m, ok := medianMethods[mode]
	switch {
	case x == nil:
		return nil, nil, ErrShape
	case x.DType.IsComplex():
		return nil, nil, ErrDType
	case !ok || o.Method != "":
		return nil, nil, ErrOption
	}
	o.Method = m
	return quantile(x, Ats(0.5), true, o, true)
}

func method(o Options) string {
	if o.Method == "" {
		return "linear"
	}
	return o.Method
}

// quantile computes values and indices together; indices mean nothing for an
// interpolating method.
func quantile(x *Array, qs []Q, scalar bool, o Options, emptyIsNA bool) (values, indices *Array, err error) {
	m := method(o)
	switch {
	case x == nil:
		return nil, nil, ErrShape
	case x.DType.IsComplex():
		return nil, nil, ErrDType
	case !isMethod(m):
		return nil, nil, ErrMethod
	case o.Weights != nil && o.Weights.DType.IsFloat() && m != "inverted_cdf":
		return nil, nil, ErrMethod
	case len(qs) == 0 || slices.ContainsFunc(qs, func(q Q) bool { return !q.valid() }):
		return nil, nil, ErrQ
	}
	r, err := resolve(x.Shape, o)
	if err != nil {
		return nil, nil, err
	}
	s := statistic{method: m, skipNaN: o.SkipNaN, emptyIsNA: emptyIsNA, out: resultType(x.DType, m)}
	shape := r.out
	if !scalar {
		shape = append([]int{len(qs)}, shape...)
	}
	values, indices = New(s.out, shape...), New(dtype.Int64, shape...)
	if len(values.Bits) > 0 && r.length == 0 && !(emptyIsNA && s.out.IsFloat()) {
		return nil, nil, ErrEmpty
	}
	lanes, err := r.lanes(x, o.Weights)
	if err != nil {
		return nil, nil, err
	}
	for i := range lanes {
		for j, a := range s.answer(&lanes[i], qs) {
			values.Bits[j*len(lanes)+i].Re = a.value
			indices.Bits[j*len(lanes)+i].Re = a.index
		}
	}
	return values, indices, nil
}

// answer is one value and its index, as bits.
type answer struct{ value, index uint64 }

// answer returns the statistic of one lane for each q.
func (s *statistic) answer(l *lane, qs []Q) []answer {
	answers := make([]answer, len(qs))
	all := func(a answer) []answer {
		for i := range answers {
			answers[i] = a
		}
		return answers
	}
	if at := l.firstNaN(); at >= 0 && !s.skipNaN {
		return all(answer{formats[s.out].nan(), uint64(at)})
	}
	order := l.sorted()
	count := int64(len(order))
	element := func(rank int64) int { return order[rank] }
	var weighted func(q Q) int // set for float weights
	if w := l.weights; w != nil && len(order) > 0 {
		c := w.cumulative(order)
		total := c[len(c)-1]
		switch {
		case total.Sign() == 0:
			count = 0
		case w.frequencies:
			count = total.Int64()
			element = func(rank int64) int { return holder(order, c, rank) }
		default:
			weighted = func(q Q) int { return w.invertedCDF(order, c, q) }
		}
	}
	if count == 0 {
		return all(answer{formats[s.out].nan(), minusOne})
	}
	for i, q := range qs {
		if weighted != nil {
			at := weighted(q)
			answers[i] = answer{l.bits[at], uint64(at)}
			continue
		}
		p := Ranks(count, q, s.method)
		lo, hi := element(p.Lo), element(p.Hi)
		if isDiscrete(s.method) {
			answers[i] = answer{l.bits[lo], uint64(lo)}
			continue
		}
		answers[i].value = p.Interpolate(s.out, l.numbers[lo], l.numbers[hi])
	}
	return answers
}
