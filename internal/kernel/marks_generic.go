package kernel

import "encoding/binary"

// markGeneric returns the marks of 64 bytes.
func markGeneric(text *[markBytes]byte, delim, eol, quote byte) (m Marks) {
	const each = 0x0101_0101_0101_0101
	d, e, q := each*uint64(delim), each*uint64(eol), each*uint64(quote)
	for i := 0; i < markBytes; i += 8 {
		word := binary.LittleEndian.Uint64(text[i:])
		m.Delims |= gathered(zeroBytes(word^d)) << i
		m.Stops |= gathered(zeroBytes(word^e)|zeroBytes(word^q)) << i
	}
	return m
}

// zeroBytes returns the bytes of a word that are 0, by their highest bits.
func zeroBytes(x uint64) uint64 {
	const low = 0x7f7f_7f7f_7f7f_7f7f
	return ^((x&low + low) | x | low)
}

// gathered returns the highest bits of the bytes of a word, in which nothing else is
// set, as its lowest eight. No two products of bits meet in one place.
func gathered(x uint64) uint64 { return x * 0x0002_0408_1020_4081 >> 56 }
