package formats

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/ogive-go/ogive/tensorio"
)

// The first words of histograms, but for the bits that say how wide a count is.
const (
	hdrV0, hdrV0Compressed = 0x1c849308, 0x1c849309
	hdrV1, hdrV1Compressed = 0x1c849301, 0x1c849302

	hdrWidth = 0xf0
)

// The lengths of the words before the counts.
const (
	hdrV0Header = 32
	hdrV1Header = 40
)

// newerTimes is how many times its length an uncompressed histogram takes, until it is
// encoded anew.
const newerTimes = 5

// mostInflated is how long an uncompressed histogram may be: the largest, of values up to
// 2^63 with 5 digits in words of 8 bytes, has less.
const mostInflated = 1 << 27

// decodeHistogram reads a histogram in base64, of any version of its encoding. It may take
// so much memory, if that is not 0.
func decodeHistogram(text []byte, most int64) (*hdrhistogram.Histogram, error) {
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err == nil && len(raw) >= 8 {
		switch binary.BigEndian.Uint32(raw) &^ hdrWidth {
		case hdrV0Compressed:
			text, err = newer(raw, hdrV0, hdrV0Header, most)
		case hdrV1Compressed:
			text, err = newer(raw, hdrV1, hdrV1Header, most)
		}
	}
	if err == nil && most > 0 {
		err = checkHistogram(text, most)
	}
	if err != nil {
		return nil, err
	}
	return hdrhistogram.Decode(text)
}

// What a histogram takes: payloadTimes what its counts are inflated to, and slotBytes for
// each that there may be, as they are decoded and listed.
const (
	payloadTimes = 3
	slotBytes    = 64
)

// checkHistogram checks how much memory the header of a histogram of version 2 asks for.
// What else is wrong with it, the library tells.
func checkHistogram(text []byte, most int64) error {
	raw := base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text))
	if _, err := io.CopyN(io.Discard, raw, 8); err != nil {
		return nil
	}
	z, err := zlib.NewReader(raw)
	if err != nil {
		return nil
	}
	head := make([]byte, hdrV1Header)
	if _, err := io.ReadFull(z, head); err != nil {
		return nil
	}
	payload := int64(binary.BigEndian.Uint32(head[4:]))
	slots := slotsOf(binary.BigEndian.Uint64(head[16:]), binary.BigEndian.Uint64(head[24:]), binary.BigEndian.Uint32(head[12:]))
	return tensorio.TooLarge(payload*payloadTimes+slots*slotBytes, most)
}

// slotsOf returns how many counts a histogram has, of values between two and exact to some
// digits: a run of equally wide ones for each power of two.
func slotsOf(lowest, highest uint64, digits uint32) int64 {
	digits, lowest = min(max(digits, 1), 5), max(lowest, 1)
	half := int64(1) << (bits.Len64(uint64(2*math.Pow10(int(digits)))-1) - 1)
	runs := max(bits.Len64(highest)-bits.Len64(lowest)+1-bits.Len64(uint64(half)), 0) + 1
	return (int64(runs) + 1) * half
}

// newer returns a histogram of encoding version 0 or 1 in that of version 2. The older
// ones have words of a fixed width, big endian, for all counts.
func newer(raw []byte, cookie uint32, header int, memory int64) ([]byte, error) {
	length := binary.BigEndian.Uint32(raw[4:])
	if uint64(length) > uint64(len(raw)-8) {
		return nil, fmt.Errorf("%d bytes of %d", len(raw)-8, length)
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[8:][:length]))
	if err != nil {
		return nil, err
	}
	most := int64(mostInflated)
	if memory > 0 {
		most = min(most, memory/newerTimes)
	}
	all, err := io.ReadAll(io.LimitReader(z, most+1))
	if err == nil && most < mostInflated {
		err = tensorio.TooLarge(int64(len(all))*newerTimes, memory)
	}
	switch {
	case err != nil:
		return nil, err
	case len(all) > mostInflated:
		return nil, fmt.Errorf("more than %d bytes", mostInflated)
	case len(all) < header:
		return nil, fmt.Errorf("%d bytes, of which the first %d say what the counts are", len(all), header)
	}
	first := binary.BigEndian.Uint32(all)
	if first&^hdrWidth != cookie {
		return nil, fmt.Errorf("it begins with %#x, not %#x", first&^hdrWidth, cookie)
	}
	width, words := int(first&hdrWidth>>4&0xe), all[header:]
	if cookie == hdrV1 {
		n := binary.BigEndian.Uint32(all[4:])
		if uint64(n) > uint64(len(words)) {
			return nil, fmt.Errorf("%d bytes of counts, of %d", len(words), n)
		}
		words = words[:n]
	}
	counts, err := packCounts(words, width)
	if err != nil {
		return nil, err
	}
	return encodeV2(all[:header], cookie, counts), nil
}

// packCounts writes counts of a width as version 2 does.
func packCounts(words []byte, width int) (packed []byte, err error) {
	if width != 2 && width != 4 && width != 8 || len(words)%width != 0 {
		return nil, fmt.Errorf("%d bytes of counts, which have %d each", len(words), width)
	}
	kept := 0 // without the zeros at the end, which older writers wrote
	for i := 0; i < len(words); i += width {
		var count uint64
		for _, b := range words[i:][:width] {
			count = count<<8 | uint64(b)
		}
		if count > math.MaxInt64>>(64-8*width) {
			return nil, fmt.Errorf("count %d is negative", i/width)
		}
		if packed = appendPacked(packed, count); count > 0 {
			kept = len(packed)
		}
	}
	return packed[:kept], nil
}

// appendPacked appends a count in LEB128 of its double, of which the ninth byte has all
// eight bits.
func appendPacked(b []byte, count uint64) []byte {
	v := count << 1
	for range 8 {
		if v < 0x80 {
			return append(b, byte(v))
		}
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// encodeV2 writes a histogram of version 2 with the header of an older one.
func encodeV2(header []byte, cookie uint32, counts []byte) []byte {
	head := make([]byte, hdrV1Header)
	if cookie == hdrV1 {
		copy(head, header)
	} else {
		copy(head[12:], header[4:24]) // digits, the lowest and the highest value
		binary.BigEndian.PutUint64(head[32:], math.Float64bits(1))
	}
	binary.BigEndian.PutUint32(head, uint32(hdrhistogram.V2EncodingCookieBase)|0x10)
	binary.BigEndian.PutUint32(head[4:], uint32(len(counts)))
	var b bytes.Buffer
	b.Write(make([]byte, 8))
	z := zlib.NewWriter(&b)
	z.Write(head) // to memory, which does not fail
	z.Write(counts)
	z.Close()
	raw := b.Bytes()
	binary.BigEndian.PutUint32(raw, uint32(hdrhistogram.V2CompressedEncodingCookieBase)|0x10)
	binary.BigEndian.PutUint32(raw[4:], uint32(len(raw)-8))
	return []byte(base64.StdEncoding.EncodeToString(raw))
}
