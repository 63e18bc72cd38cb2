package kernel

import "testing"

func testManyEqual[K Key](t *testing.T) {
	const n = 1<<18 + 5
	src, dst := make([]K, n), make([]K, n)
	for i := range src {
		src[i] = 3
	}
	if below, equal := CountBelow(src, 3); below != 0 || equal != n {
		t.Errorf("CountBelow of the key: %d, %d", below, equal)
	}
	if below, equal := CountBelow(src, 4); below != n || equal != 0 {
		t.Errorf("CountBelow of a larger one: %d, %d", below, equal)
	}
	for _, c := range []struct {
		lo, hi K
		want   Collected
	}{
		{3, 4, Collected{Inside: n}}, {2, 3, Collected{Inside: n}}, {4, 5, Collected{Below: n}}, {1, 2, Collected{}},
	} {
		if got := Collect(dst, src, Encoding[K]{}, c.lo, c.hi); got != c.want {
			t.Errorf("Collect by %d and %d: %+v", c.lo, c.hi, got)
		}
	}
	for _, e := range encodings[K]() {
		if e.Code != Float {
			continue
		}
		for i := range src {
			src[i] = MaxKey[K]() - K(i%2)
		}
		if nan := Encode(dst, src, e); nan != n {
			t.Errorf("Encode of NaNs: %d", nan)
		}
	}
}

// The counters of the vector code do not overflow, however many keys are alike.
func TestManyEqual(t *testing.T) {
	for _, kernel := range []string{"CountBelow", "Collect", "Encode"} {
		t.Run(kernel, func(t *testing.T) {
			eachImpl(t, kernel, func(t *testing.T) {
				forKeys(t, testManyEqual[int8], testManyEqual[int16], testManyEqual[int32], testManyEqual[int64])
			})
		})
	}
}
