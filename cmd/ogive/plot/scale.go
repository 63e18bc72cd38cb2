package plot

import (
	"math"
	"strconv"
	"strings"
)

// Scale maps values to places: Lo to 0, Hi to 1.
type Scale struct {
	Lo, Hi float64
	Log    bool
}

// around returns a scale that shows lo to hi with a margin.
func around(lo, hi float64, log bool) Scale {
	if log {
		a, b := math.Log10(lo), math.Log10(hi)
		margin := (b - a) * 0.03
		if margin == 0 {
			margin = 0.3
		}
		return Scale{max(math.Pow(10, a-margin), math.SmallestNonzeroFloat64), min(math.Pow(10, b+margin), math.MaxFloat64), true}
	}
	margin := hi/32 - lo/32 // which does not overflow
	if margin == 0 {
		margin = max(math.Abs(lo)/10, math.SmallestNonzeroFloat64)
		if lo == 0 {
			margin = 1
		}
	}
	return Scale{max(lo-margin, -math.MaxFloat64/4), min(hi+margin, math.MaxFloat64/4), false}
}

// At returns the place of v; NaN if it has none.
func (s Scale) At(v float64) float64 {
	if s.Log {
		if v <= 0 {
			return math.NaN()
		}
		return (math.Log(v) - math.Log(s.Lo)) / (math.Log(s.Hi) - math.Log(s.Lo))
	}
	return (v - s.Lo) / (s.Hi - s.Lo)
}

// Value returns the value at a place.
func (s Scale) Value(at float64) float64 {
	if s.Log {
		return math.Exp(math.Log(s.Lo) + at*(math.Log(s.Hi)-math.Log(s.Lo)))
	}
	return s.Lo + at*(s.Hi-s.Lo)
}

// Tick is a value that an axis names.
type Tick struct {
	Value float64
	Label string
}

// Ticks returns round values within the scale, n or fewer, in ascending order.
func (s Scale) Ticks(n int) []Tick {
	n = max(n, 2)
	lo, hi := min(s.Lo, s.Hi), max(s.Lo, s.Hi)
	if s.Log {
		if list := logTicks(lo, hi, n); len(list) > 1 {
			return list
		}
	}
	var list []Tick
	step := niceStep((hi/2 - lo/2) / float64(n) * 2)
	for {
		list = list[:0]
		first, last := math.Ceil(lo/step.size()-1e-9), math.Floor(hi/step.size()+1e-9)
		for k := first; k <= last && len(list) <= n; k++ {
			if v := step.times(k); !s.Log || v > 0 {
				list = append(list, Tick{v, step.label(v, max(math.Abs(lo), math.Abs(hi)))})
			}
		}
		if len(list) <= n || len(list) == 0 {
			return list
		}
		step = step.next()
	}
}

// logTicks returns powers of ten, every so many where there are more than n, and the
// doubles and fives between them where there is room.
func logTicks(lo, hi float64, n int) (list []Tick) {
	first, last := math.Ceil(math.Log10(lo)-1e-9), math.Floor(math.Log10(hi)+1e-9)
	last = min(last, 307) // five times which is finite
	for _, digits := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		list = list[:0]
		for e := first - 1; e <= last; e++ {
			for _, d := range digits {
				s := step{d, int(e)}
				if v := s.size(); v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
					list = append(list, Tick{v, s.label(v, v)})
				}
			}
		}
		if len(list) <= n {
			return list
		}
	}
	every := math.Ceil((last - first + 1) / float64(n))
	list = list[:0]
	for e := math.Ceil(first/every) * every; e <= last; e += every {
		s := step{1, int(e)}
		list = append(list, Tick{s.size(), s.label(s.size(), s.size())})
	}
	return list
}

// step is a round number, digit × 10^exponent.
type step struct {
	digit    float64 // 1, 2 or 5, or 3 of a tick
	exponent int
}

// niceStep returns the smallest step that is not below v.
func niceStep(v float64) step {
	if !(v > 0) || math.IsInf(v, 0) {
		return step{1, 0}
	}
	s := step{1, int(math.Floor(math.Log10(v)))}
	for s.size() < v*(1-1e-9) {
		s = s.next()
	}
	return s
}

func (s step) next() step {
	switch s.digit {
	case 1:
		return step{2, s.exponent}
	case 2:
		return step{5, s.exponent}
	}
	return step{1, s.exponent + 1}
}

func (s step) size() float64 { return s.times(1) }

// times returns k steps, the float64 that is nearest to the decimal number.
func (s step) times(k float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(k*s.digit, 'f', -1, 64)+"e"+strconv.Itoa(s.exponent), 64)
	return v
}

// label writes a multiple of the step, with the decimals that the step needs; far
// from one, as an axis to the given value is, in scientific notation.
func (s step) label(v, largest float64) string {
	if v == 0 {
		return "0"
	}
	if largest >= 1e7 || s.exponent < -5 {
		digits := max(int(math.Floor(math.Log10(math.Abs(v))))-s.exponent, 0)
		text := strconv.FormatFloat(v, 'e', min(digits, 15), 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		sign := strings.TrimSuffix(exponent[:1], "+")
		return mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(v, 'f', max(-s.exponent, 0), 64)
}
