package tensorio

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sameFloat compares ParseFloat with strconv's.
func sameFloat(t *testing.T, s string) {
	t.Helper()
	want, _ := strconv.ParseFloat(s, 64)
	if got := ParseFloat([]byte(s)); math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%s: %x, want %x", s, math.Float64bits(got), math.Float64bits(want))
	}
}

// TestSubnormal parses numbers about the least normal one and below, with few and many
// digits, and in the middle of two of them.
func TestSubnormal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		v := math.Float64frombits(r.Uint64() >> (10 + r.IntN(54)))
		for _, s := range []string{
			strconv.FormatFloat(v, 'e', -1, 64), strconv.FormatFloat(-v, 'E', r.IntN(40), 64),
			fmt.Sprintf("%d.%de-%d", r.Uint64()>>r.IntN(64), r.Uint32(), 290+r.IntN(80)),
			fmt.Sprintf("%de-%d", r.Uint64()>>r.IntN(64), 290+r.IntN(60)),
		} {
			sameFloat(t, s)
		}
	}
	for range 100 {
		v := math.Float64frombits(r.Uint64() >> (11 + r.IntN(53)))
		sameFloat(t, strconv.FormatFloat(v, 'f', -1, 64))
		middle := strconv.FormatFloat(v, 'e', 800, 64)
		sameFloat(t, middle[:20]+middle[strings.IndexByte(middle, 'e'):])
	}
	for _, s := range []string{"4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.470328229206232720e-324", "2.47032822920623272088284396434110686182e-324",
		"2.47032822920623272088284396434110686183e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "1e-400", "0e-310", "-0.0e-310", "1e-323", "0.000e-330", "9999999999999999999e-343", "1e-343", "00001.5e-310"} {
		sameFloat(t, s)
	}
}

// TestSubnormalTime parses subnormal numbers in the time of others.
func TestSubnormalTime(t *testing.T) {
	took := func(s string) time.Duration {
		best := time.Hour
		for range 5 {
			begin := time.Now()
			for range 20_000 {
				ParseFloat([]byte(s))
			}
			best = min(best, time.Since(begin))
		}
		return best
	}
	usual := took("1.2345678901234567e-300")
	for _, s := range []string{"4.9e-324", "1.234567890123456e-310", "2.2250738585072011e-308"} {
		if d := took(s); d > 12*usual {
			t.Errorf("%s: %v, others %v", s, d, usual)
		}
	}
}

func FuzzParseFloat(f *testing.F) {
	f.Add(uint64(49), 325)
	f.Add(uint64(1234567890123456), 325)
	f.Fuzz(func(t *testing.T, digits uint64, exponent int) {
		sameFloat(t, fmt.Sprintf("%de-%d", digits, uint(exponent)%400))
		sameFloat(t, fmt.Sprintf("-0.%020d7e-%d", digits, uint(exponent)%400))
	})
}
