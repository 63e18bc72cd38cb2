package grad_test

import (
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/rank"
)

// pulled is what a forward pass gives, without the index.
type pulled func(x *ogive.Tensor) (*ogive.Tensor, grad.Pullback, error)

func quantile(q float64, opts ...ogive.Option) pulled {
	return func(x *ogive.Tensor) (*ogive.Tensor, grad.Pullback, error) { return grad.Quantile(x, q, opts...) }
}

func nanQuantile(q float64, opts ...ogive.Option) pulled {
	return func(x *ogive.Tensor) (*ogive.Tensor, grad.Pullback, error) { return grad.NaNQuantile(x, q, opts...) }
}

func quantiles(qs []float64, opts ...ogive.Option) pulled {
	return func(x *ogive.Tensor) (*ogive.Tensor, grad.Pullback, error) { return grad.Quantiles(x, qs, opts...) }
}

func percentile(p float64, opts ...ogive.Option) pulled {
	return func(x *ogive.Tensor) (*ogive.Tensor, grad.Pullback, error) { return grad.Percentile(x, p, opts...) }
}

func median(opts ...ogive.Option) pulled {
	return func(x *ogive.Tensor) (*ogive.Tensor, grad.Pullback, error) { return grad.Median(x, opts...) }
}

func nanMedian(opts ...ogive.Option) pulled {
	return func(x *ogive.Tensor) (*ogive.Tensor, grad.Pullback, error) { return grad.NaNMedian(x, opts...) }
}

func withIndex(opts ...ogive.Option) pulled {
	return func(x *ogive.Tensor) (*ogive.Tensor, grad.Pullback, error) {
		y, _, pull, err := grad.MedianWithIndex(x, opts...)
		return y, pull, err
	}
}

func nanWithIndex(opts ...ogive.Option) pulled {
	return func(x *ogive.Tensor) (*ogive.Tensor, grad.Pullback, error) {
		y, _, pull, err := grad.NaNMedianWithIndex(x, opts...)
		return y, pull, err
	}
}

func by(m rank.Method) ogive.Option { return ogive.Method(m) }

func counts(w ...int64) ogive.Option { return ogive.Weights(of(w)) }

// third is 1/3 in float64.
const third = 1.0 / 3

// TestFixtures has the cases of the specification and those that follow from
// it, with an upstream gradient of up everywhere, 1 if it is 0.
func TestFixtures(t *testing.T) {
	three := 3.0
	g, h := .55*three-1, .7*three-2 // .65 and .1, but for the last places
	for name, c := range map[string]struct {
		x    []float64
		run  pulled
		up   float64
		want []float64
	}{
		"linear":                    {[]float64{1, 2, 3}, quantile(.3), 0, []float64{.4, .6, 0}},
		"lower":                     {[]float64{1, 2, 3}, quantile(.3, by(rank.Lower)), 0, []float64{1, 0, 0}},
		"higher":                    {[]float64{1, 2, 3}, quantile(.3, by(rank.Higher)), 0, []float64{0, 1, 0}},
		"nearest":                   {[]float64{1, 2, 3}, quantile(.3, by(rank.Nearest)), 0, []float64{0, 1, 0}},
		"midpoint":                  {[]float64{1, 2, 3}, quantile(.3, by(rank.Midpoint)), 0, []float64{.5, .5, 0}},
		"four equal":                {[]float64{2, 2, 2, 2}, quantile(.5), 0, []float64{0, .5, .5, 0}},
		"NaN":                       {[]float64{1, nan, 3}, quantile(.5), 0, []float64{0, 1, 0}},
		"last NaN":                  {[]float64{nan, 1, nan, 3}, quantile(.5), 0, []float64{0, 0, 1, 0}},
		"last NaN, each q":          {[]float64{nan, 1, nan, 3}, quantiles([]float64{0, .3, 1}), 2, []float64{0, 0, 6, 0}},
		"NaN dropped":               {[]float64{1, nan, 3}, nanQuantile(.5), 0, []float64{.5, 0, .5}},
		"only NaN dropped":          {[]float64{nan, nan, nan}, nanQuantile(.5), 0, []float64{1, 0, 0}},
		"only NaN":                  {[]float64{nan, nan, nan}, quantile(.5), 0, []float64{0, 0, 1}},
		"several q":                 {[]float64{1, 2, 3, 4}, quantiles([]float64{.55, .7}), 2, []float64{0, 2 * (1 - g), 2*g + 2*(1-h), 2 * h}},
		"one q twice":               {[]float64{1, 2, 3}, quantiles([]float64{.5, .5}), 0, []float64{0, 2, 0}},
		"infinite upstream":         {[]float64{1, 2, 3}, quantile(.5), inf, []float64{0, inf, 0}},
		"infinite upstream, two":    {[]float64{1, 2, 3}, quantile(.75), inf, []float64{0, inf, inf}},
		"NaN upstream":              {[]float64{1, 2, 3}, quantile(0), nan, []float64{nan, 0, 0}},
		"infinities":                {[]float64{inf, -inf}, quantile(.5), 0, []float64{.5, .5}},
		"zero upstream":             {[]float64{1, 2, 3}, quantile(0), negZero, []float64{0, 0, 0}},
		"median zero upstream":      {[]float64{1, 2}, median(), negZero, []float64{0, 0}},
		"signed zeros":              {[]float64{0, negZero}, quantile(0), 0, []float64{0, 1}},
		"median of equals":          {[]float64{2, 2, 2, 2}, median(), 0, []float64{.25, .25, .25, .25}},
		"median of odd equals":      {[]float64{1, 2, 2, 2, 3}, median(), 0, []float64{0, third, third, third, 0}},
		"median of pairs":           {[]float64{1, 1, 2, 2}, median(), 0, []float64{.25, .25, .25, .25}},
		"median of two":             {[]float64{5, 1, 2, 9}, median(), 0, []float64{.5, 0, .5, 0}},
		"median of one":             {[]float64{5}, median(), 0, []float64{1}},
		"median of zeros":           {[]float64{0, 1, negZero, -1}, median(), 0, []float64{.5, 0, .5, 0}},
		"median, upper of zeros":    {[]float64{negZero, 0, 3, -1}, median(), 0, []float64{.5, .5, 0, 0}},
		"median beside zeros":       {[]float64{0, negZero, 1, 1}, median(), 0, []float64{.25, .25, .25, .25}},
		"median lower":              {[]float64{1, 1, 2, 2}, median(ogive.Mode(ogive.ModeLower)), 0, []float64{.5, .5, 0, 0}},
		"median upper":              {[]float64{1, 1, 2, 2}, median(ogive.Mode(ogive.ModeUpper)), 0, []float64{0, 0, .5, .5}},
		"median of NaNs":            {[]float64{nan, 1, nan, 3}, median(), 0, []float64{.5, 0, .5, 0}},
		"nanmedian":                 {[]float64{nan, 1, nan, 3}, nanMedian(), 0, []float64{0, .5, 0, .5}},
		"nanmedian of NaNs":         {[]float64{nan, nan, nan, nan}, nanMedian(), 0, []float64{.25, .25, .25, .25}},
		"median of infinities":      {[]float64{inf, -inf, inf, -inf}, median(), 0, []float64{.25, .25, .25, .25}},
		"index":                     {[]float64{4, 1, 3, 2}, withIndex(), 0, []float64{0, 0, 0, 1}},
		"index upper":               {[]float64{4, 1, 3, 2}, withIndex(ogive.Mode(ogive.ModeUpper)), 0, []float64{0, 0, 1, 0}},
		"index among equals":        {[]float64{2, 2, 2}, withIndex(), 0, []float64{0, 1, 0}},
		"index of NaN":              {[]float64{1, nan, nan}, withIndex(), 0, []float64{0, 1, 0}},
		"index, NaN dropped":        {[]float64{1, nan, nan}, nanWithIndex(), 0, []float64{1, 0, 0}},
		"index -1":                  {[]float64{nan, nan}, nanWithIndex(), 0, []float64{0, 0}},
		"counts":                    {[]float64{3, 1, 2}, quantile(.5, counts(1, 2, 1)), 0, []float64{0, .5, .5}},
		"counts in one element":     {[]float64{3, 1, 2}, quantile(.5, counts(1, 1, 4)), 0, []float64{0, 0, 1}},
		"count 0":                   {[]float64{3, 1, 2}, quantile(.5, counts(1, 1, 0)), 0, []float64{.5, .5, 0}},
		"counts among equals":       {[]float64{1, 1, 1}, quantile(.5, counts(1, 0, 3)), 0, []float64{0, 0, 1}},
		"NaN of count 0":            {[]float64{nan, 1, 2}, quantile(.5, counts(0, 1, 1)), 0, []float64{1, 0, 0}},
		"NaNs of counts":            {[]float64{nan, nan, 2, nan}, quantile(.5, counts(2, 1, 1, 0)), 0, []float64{0, 1, 0, 0}},
		"nothing but NaN has count": {[]float64{7, nan, nan}, nanQuantile(.5, counts(0, 0, 2)), 0, []float64{0, 0, 1}},
		"median counts":             {[]float64{1, 1, 2}, median(counts(1, 2, 3)), 0, []float64{.5 / 3, 1. / 3, .5}},
		"median counts, equal":      {[]float64{1, 1, 2}, median(counts(1, 3, 1)), 0, []float64{.25, .75, 0}},
		"median NaN counts":         {[]float64{nan, 1, nan}, median(counts(1, 5, 3)), 0, []float64{.25, 0, .75}},
		"median NaNs of count 0":    {[]float64{nan, 1, nan}, median(counts(0, 5, 0)), 0, []float64{.5, 0, .5}},
		"nanmedian void":            {[]float64{nan, 1, nan}, nanMedian(counts(3, 0, 1)), 0, []float64{.75, 0, .25}},
		"index counts":              {[]float64{3, 1, 2}, withIndex(counts(1, 1, 4)), 0, []float64{0, 0, 1}},
		"float weights":             {[]float64{3, 1, 2}, quantile(.5, by(rank.InvertedCDF), ogive.Weights(vec(.5, 1.5, .25))), 0, []float64{0, 1, 0}},
		"float weights, NaN":        {[]float64{nan, 1, nan}, quantile(.5, by(rank.InvertedCDF), ogive.Weights(vec(.5, 1.5, 0))), 0, []float64{1, 0, 0}},
		"float weights, only NaN":   {[]float64{1, nan, nan}, nanQuantile(.5, by(rank.InvertedCDF), ogive.Weights(vec(0, 0, 2))), 0, []float64{0, 0, 1}},
	} {
		for _, dt := range floats {
			x := ogive.Must(vec(c.x...).Cast(dt))
			y, pull, err := c.run(x)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			up := make([]float64, y.Len())
			for i := range up {
				if up[i] = c.up; c.up == 0 && !isNegative(c.up) {
					up[i] = 1
				}
			}
			for range 2 { // pulling back twice is allowed
				dx, err := pull(like(t, y, up))
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				same(t, name+" "+dt.String(), dx, oracle.Floats(dt, c.want))
			}
		}
	}
}

func isNegative(v float64) bool { return 1/v < 0 }

// TestRoundedOnce: sums are formed in float64 and rounded once.
func TestRoundedOnce(t *testing.T) {
	x := ogive.Must(vec(7).Cast(dtype.BFloat16))
	qs := make([]float64, 257)
	y, pull, err := grad.Quantiles(x, qs)
	if err != nil {
		t.Fatal(err)
	}
	dx, err := pull(ones(t, y)) // one by one, bfloat16 would stop at 256
	if err != nil {
		t.Fatal(err)
	}
	same(t, "257 ones", dx, oracle.Floats(dtype.BFloat16, []float64{257}))
	two := ogive.Must(vec(7, 7).Cast(dtype.BFloat16))
	y, pull, err = grad.Quantiles(two, append(qs, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	up := make([]float64, len(qs)+2)
	up[0], up[1], up[2] = 256, 1, 1 // 258 is a bfloat16, 257 is not
	up[257], up[258] = 3, -3
	if dx, err = pull(like(t, y, up)); err != nil {
		t.Fatal(err)
	}
	same(t, "256+1+1", dx, oracle.Floats(dtype.BFloat16, []float64{258, 0}))
}

// TestEmpty: inputs without elements, and values without elements.
func TestEmpty(t *testing.T) {
	for name, c := range map[string]struct {
		shape []int
		run   pulled
	}{
		"nanquantile":  {[]int{0}, nanQuantile(.5)},
		"median":       {[]int{3, 0}, median(ogive.Axis(1))},
		"nanmedian":    {[]int{0, 3}, nanMedian(ogive.Axis(0))},
		"index":        {[]int{0}, withIndex()},
		"nanindex":     {[]int{0}, nanWithIndex()},
		"no lanes":     {[]int{0, 3}, quantile(.5, ogive.Axis(1))},
		"no lanes, qs": {[]int{0, 3}, quantiles([]float64{.5, .7}, ogive.Axis(1))},
	} {
		x := ogive.Must(ogive.Zeros(dtype.Float32, c.shape...))
		y, pull, err := c.run(x)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		dx, err := pull(ones(t, y))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same(t, name, dx, oracle.New(dtype.Float32, c.shape...))
	}
	// A kept dimension, a scalar.
	y, pull, err := grad.Quantile(ogive.Scalar(3.5), .25, ogive.KeepDims())
	if err != nil {
		t.Fatal(err)
	}
	dx, err := pull(like(t, y, []float64{2}))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "scalar", dx, &oracle.Array{DType: dtype.Float64, Shape: []int{}, Bits: oracle.Floats(dtype.Float64, []float64{2}).Bits})
}
