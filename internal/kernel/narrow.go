package kernel

// Narrowed are the counts of one narrowing of a block of elements by two keys.
type Narrowed struct {
	Below   int // keys < lo
	AtLo    int // keys == lo
	Between int // keys strictly between lo and hi, all written
	AtHi    int // keys == hi, if hi != lo
	NaN     int // elements that are NaN, counted nowhere else
}

// Narrow counts the keys of src below, at and between lo <= hi, and writes
// those strictly between them to dst, in order. dst must hold len(src) keys:
// what follows the last one written is overwritten too. dst may be src. Neither
// bound is the key of NaN.
func Narrow[K Key](dst, src []K, e Encoding[K], lo, hi K) Narrowed {
	dst = dst[:len(src):len(src)]
	c, done := narrowVector(dst, src, e, lo, hi)
	if done < len(src) {
		rest := narrowGeneric(dst[c.Between:][:len(src)-done], src[done:], e, lo, hi)
		c.Below += rest.Below
		c.AtLo += rest.AtLo
		c.Between += rest.Between
		c.AtHi += rest.AtHi
		c.NaN += rest.NaN
	}
	if lo == hi {
		c.AtHi = 0
	}
	return c
}
