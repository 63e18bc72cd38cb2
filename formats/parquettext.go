package formats

import (
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bitpacked"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// textPage is a data page of byte arrays, as its header has it.
type textPage struct {
	encoding, levels  format.Encoding
	values            int // with those that are missing, or without in version 2
	v2                bool
	skipped           int // bytes of levels before what is compressed, in version 2
	at, length, large int64
	codec             format.CompressionCodec
}

// checkTexts counts the texts of a page that names them itself: of one that holds others
// than its header says the library tells standard error.
func (p *parquetFile) checkTexts(l *leaf, h *format.PageHeader, at int64, codec format.CompressionCodec) error {
	t := textPage{at: at, length: int64(h.CompressedPageSize), large: int64(h.UncompressedPageSize), codec: codec}
	switch h.Type {
	case format.DataPage:
		v1 := h.DataPageHeader.V
		t.encoding, t.levels, t.values = v1.Encoding, v1.DefinitionLevelEncoding, int(v1.NumValues)
	case format.DataPageV2:
		v2 := h.DataPageHeaderV2.V
		t.v2, t.encoding, t.values = true, v2.Encoding, int(v2.NumValues)-int(v2.NumNulls)
		t.skipped = int(v2.RepetitionLevelsByteLength) + int(v2.DefinitionLevelsByteLength)
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			t.codec = format.Uncompressed
		}
	default:
		return nil
	}
	if t.encoding == format.PlainDictionary || t.encoding == format.RLEDictionary {
		return nil
	}
	b, err := p.body(&t)
	if err == nil && !t.v2 && l.defined > 0 {
		b, err = t.withoutLevels(b, l.defined)
	}
	if err != nil {
		return err
	}
	n, err := countTexts(b, t.encoding)
	if err == nil && n != t.values {
		err = malformed("%d texts, and its header says %d", n, t.values)
	}
	return err
}

// body reads what a page holds, decompressed and without the levels of version 2.
func (p *parquetFile) body(t *textPage) ([]byte, error) {
	b := make([]byte, t.length)
	if _, err := p.at.ReadAt(b, t.at); err != nil && err != io.EOF {
		return nil, err
	}
	if t.skipped < 0 || t.skipped > len(b) {
		return nil, malformed("levels of %d bytes in %d", t.skipped, len(b))
	}
	if b = b[t.skipped:]; t.codec == format.Uncompressed || len(b) == 0 {
		return b, nil
	}
	return parquet.LookupCompressionCodec(t.codec).Decode(make([]byte, 0, max(t.large-int64(t.skipped), 0)), b)
}

// withoutLevels cuts off the levels of version 1, and leaves out of values what is missing.
func (t *textPage) withoutLevels(b []byte, defined byte) ([]byte, error) {
	if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
		return nil, malformed("its levels are cut off")
	}
	n := 4 + int(binary.LittleEndian.Uint32(b))
	var decode encoding.Encoding = &rle.Encoding{BitWidth: bits.Len8(defined)}
	if t.levels == format.BitPacked {
		decode = &bitpacked.Encoding{BitWidth: bits.Len8(defined)}
	}
	levels, err := decode.DecodeLevels(nil, b[4:n])
	if err == nil && len(levels) < t.values {
		err = malformed("%d levels of %d values", len(levels), t.values)
	}
	if err != nil {
		return nil, err
	}
	there := 0
	for _, level := range levels[:t.values] {
		if level == defined {
			there++
		}
	}
	t.values = there
	return b[n:], nil
}

// countTexts returns how many byte arrays there are.
func countTexts(b []byte, as format.Encoding) (n int, err error) {
	if as != format.Plain {
		_, offsets, err := parquet.LookupEncoding(as).DecodeByteArray(nil, b, nil)
		return max(len(offsets)-1, 0), err
	}
	for ; len(b) > 0; n++ {
		if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
			return n, malformed("text %d is cut off", n)
		}
		b = b[4+binary.LittleEndian.Uint32(b):]
	}
	return n, nil
}
