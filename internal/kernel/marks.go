package kernel

// Marks tells which of 64 bytes of a text are delimiters, and which are line breaks or
// quotes: bit i stands for byte i.
type Marks struct{ Delims, Stops uint64 }

// markBytes is how many bytes Marks stands for.
const markBytes = 64

// MarkText writes the marks of each 64 bytes that a text begins with. Bits past its end
// are 0.
func MarkText(dst []Marks, text []byte, delim, eol, quote byte) {
	done := markTextVector(dst[:min(len(dst), len(text)/markBytes)], text, delim, eol, quote)
	for i := done; i < len(dst); i++ {
		var part [markBytes]byte
		n := copy(part[:], text[min(i*markBytes, len(text)):])
		dst[i] = markGeneric(&part, delim, eol, quote)
		dst[i].Delims &= 1<<n - 1
		dst[i].Stops &= 1<<n - 1
	}
}
