package kernel

// Collected are the counts of one narrowing of a block of elements to an
// interval of keys.
type Collected struct {
	Below  int // keys < lo
	Inside int // keys from lo to hi, all written
	NaN    int // elements that are NaN, counted nowhere else
}

// Collect counts the elements of src whose keys are below and inside the
// interval lo … hi, lo <= hi, and writes the keys inside to dst, in order. dst
// must hold len(src) keys: what follows the last one written is overwritten
// too. dst may be src. If lo is hi, its copies need not be written. The key of
// NaN is never inside if e says that there is one.
func Collect[K Key](dst, src []K, e Encoding[K], lo, hi K) Collected {
	dst = dst[:len(src):len(src)]
	one := lo == hi
	if e.Code == Float {
		// Beyond the infinities are the bits of NaN.
		lo, hi = min(max(lo, ^e.Inf), e.Inf+1), max(min(hi, e.Inf), ^e.Inf-1)
	}
	c, done := collectVector(dst, src, e, lo, hi)
	if done < len(src) {
		rest := collectGeneric(dst[c.Inside:][:len(src)-done], src[done:], e, lo, hi)
		c.Below += rest.Below
		c.Inside += rest.Inside
		c.NaN += rest.NaN
	}
	if lo == hi && !one {
		for i := range dst[:c.Inside] { // infinities alone
			dst[i] = lo
		}
	}
	return c
}
