package formats

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bitpacked"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ogive-go/ogive/tensorio"
)

// page is what a page of a column holds, or a part of it.
type page struct {
	rows   int
	levels []byte // the definition level of each row; nil if every value is there
	values encoding.Values
	past   int        // how many of the values lie before those of the rows
	words  *dictWords // of which the values are places; nil if they are values
}

// dictWords is a dictionary.
type dictWords struct {
	encoding.Values
	count int
}

// rowsFrom returns n rows of a page from one on, before which so many values lie.
func (p *page) rowsFrom(from, n, past int) *page {
	part := *p
	part.rows, part.past = n, past
	if p.levels != nil {
		part.levels = p.levels[from : from+n]
	}
	return &part
}

// there returns how many values of a page are not missing.
func (p *page) there(defined byte) int {
	if p.levels == nil {
		return p.rows
	}
	return bytes.Count(p.levels, []byte{defined})
}

// pageReader reads the pages of a column chunk one after the other, in memory that the next
// one uses again. The library decodes what is in them once it is known that this does not
// claim more than their headers, which are checked against the file, do.
type pageReader struct {
	*parquetFile
	leaf    *leaf
	codec   format.CompressionCodec
	at, end int64
	words   *dictWords
	raw     []byte // a page as it stands in the file
	body    []byte // and decompressed
	levels  []byte
	decoded pageValues
}

// pages returns the reader of a column in a row group, whose headers are checked.
func (p *parquetFile) pages(i int, g rowGroup) *pageReader {
	meta := &g.meta[i].MetaData
	begin, end := pagesAt(meta)
	return &pageReader{parquetFile: p, leaf: p.leaves[i], codec: meta.Codec, at: begin, end: end}
}

// next returns the next page of rows, io.EOF behind the last.
func (r *pageReader) next() (*page, error) {
	for r.at < r.end {
		at := r.at
		h, n, err := r.pageHeader(at, r.end)
		if err != nil {
			return nil, err
		}
		p, err := r.page(h, at+int64(n))
		if err != nil {
			return nil, in(malformed("byte %d: a page", at).Detail, err)
		}
		if r.at = at + int64(n) + int64(h.CompressedPageSize); p != nil {
			return p, nil
		}
	}
	return nil, io.EOF
}

// page reads a page, nil if it is one without rows.
func (r *pageReader) page(h *format.PageHeader, at int64) (*page, error) {
	r.raw = resized(r.raw, int(h.CompressedPageSize))
	if _, err := r.parquetFile.at.ReadAt(r.raw, at); err != nil && err != io.EOF {
		return nil, err
	}
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(r.raw) {
		return nil, malformed("its checksum differs")
	}
	size := int(h.UncompressedPageSize)
	switch h.Type {
	case format.DictionaryPage:
		body, err := r.unpack(r.raw, size, r.codec)
		if err == nil {
			err = r.dictionary(body, int(h.DictionaryPageHeader.V.NumValues), h.DictionaryPageHeader.V.Encoding)
		}
		return nil, err
	case format.DataPage:
		v1 := h.DataPageHeader.V
		body, err := r.unpack(r.raw, size, r.codec)
		if err != nil {
			return nil, err
		}
		p := &page{rows: int(v1.NumValues)}
		if r.leaf.defined > 0 {
			if body, err = r.cutLevels(p, body, v1.DefinitionLevelEncoding); err != nil {
				return nil, err
			}
		}
		return p, r.values(p, body, v1.Encoding)
	case format.DataPageV2:
		v2 := h.DataPageHeaderV2.V
		skip, levels := int(v2.RepetitionLevelsByteLength), int(v2.DefinitionLevelsByteLength)
		if skip < 0 || levels < 0 || skip > len(r.raw) || levels > len(r.raw)-skip || skip+levels > size {
			return nil, malformed("levels of %d and %d bytes in %d", skip, levels, len(r.raw))
		}
		p, codec, err := &page{rows: int(v2.NumValues)}, r.codec, error(nil)
		if r.leaf.defined > 0 {
			err = r.runLevels(p, r.raw[skip:skip+levels])
		}
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			codec = format.Uncompressed
		}
		var body []byte
		if err == nil {
			body, err = r.unpack(r.raw[skip+levels:], size-skip-levels, codec)
		}
		if err == nil {
			err = r.values(p, body, v2.Encoding)
		}
		return p, err
	}
	return nil, malformed("of type %v", h.Type)
}

// cutLevels reads the definition levels that a page of version 1 begins with, and returns
// what follows them.
func (r *pageReader) cutLevels(p *page, body []byte, as format.Encoding) ([]byte, error) {
	width := bits.Len8(r.leaf.defined)
	if as == format.BitPacked {
		n := (p.rows*width + 7) / 8
		if n > len(body) {
			return nil, malformed("its levels are cut off")
		}
		var err error
		r.levels, err = (&bitpacked.Encoding{BitWidth: width}).DecodeLevels(r.levels[:0], body[:n])
		if err == nil {
			err = r.setLevels(p)
		}
		return body[n:], err
	}
	if len(body) < 4 || int64(binary.LittleEndian.Uint32(body)) > int64(len(body)-4) {
		return nil, malformed("its levels are cut off")
	}
	n := 4 + int(binary.LittleEndian.Uint32(body))
	return body[n:], r.runLevels(p, body[4:n])
}

// runLevels reads definition levels in runs.
func (r *pageReader) runLevels(p *page, b []byte) error {
	width := bits.Len8(r.leaf.defined)
	b, err := checkRuns(b, width, p.rows)
	if err == nil {
		r.levels, err = (&rle.Encoding{BitWidth: width}).DecodeLevels(r.levels[:0], b)
	}
	if err != nil {
		return in("levels", err)
	}
	return r.setLevels(p)
}

// setLevels makes the levels that have been read those of a page.
func (r *pageReader) setLevels(p *page) error {
	if len(r.levels) < p.rows {
		return malformed("a page of %d rows with %d definition levels", p.rows, len(r.levels))
	}
	p.levels = r.levels[:p.rows]
	return nil
}

// values reads the values of a page: those that are there.
func (r *pageReader) values(p *page, b []byte, as format.Encoding) (err error) {
	there := p.there(r.leaf.defined)
	if as != format.PlainDictionary && as != format.RLEDictionary {
		p.values, err = r.decoded.decode(r, b, as, there)
		return err
	}
	if r.words == nil {
		return malformed("places of a dictionary that is not there")
	}
	if p.words = r.words; there == 0 {
		return nil
	}
	if len(b) == 0 || b[0] > 32 {
		return malformed("places of %d bytes", len(b))
	}
	width := int(b[0])
	if b, err = checkRuns(b[1:], width, there); err != nil {
		return err
	}
	if width == 0 { // all are the first
		r.decoded.int32s = resized(r.decoded.int32s, there)
		clear(r.decoded.int32s)
	} else if r.decoded.int32s, err = (&rle.Encoding{BitWidth: width}).DecodeInt32(r.decoded.int32s[:0], b); err != nil {
		return err
	}
	p.values = encoding.Int32Values(r.decoded.int32s)
	return nil
}

// dictionary reads a dictionary of n values, in memory that it keeps.
func (r *pageReader) dictionary(b []byte, n int, as format.Encoding) error {
	if r.words != nil {
		return malformed("a second dictionary")
	}
	if as == format.PlainDictionary {
		as = format.Plain
	}
	var own pageValues
	v, err := own.decode(r, bytes.Clone(b), as, n)
	if err == nil {
		r.words = &dictWords{v, n}
	}
	return err
}

// pageValues is memory for the values of a page, of any type.
type pageValues struct {
	int32s  []int32
	int64s  []int64
	floats  []float32
	doubles []float64
	bytes   []byte
	offsets []uint32
}

// decode decodes n values. Those that are plain stay where they are.
func (d *pageValues) decode(r *pageReader, b []byte, as format.Encoding, n int) (v encoding.Values, err error) {
	kind, e := r.leaf.element.Type.V, parquet.LookupEncoding(as)
	if as == format.Plain && kind != format.ByteArray {
		return plainValues(kind, b, int(r.leaf.element.TypeLength.V))
	}
	switch {
	case as == format.Plain || as == format.ByteStreamSplit: // these claim nothing
	case as == format.DeltaBinaryPacked || as == format.DeltaLengthByteArray:
		_, err = deltaRest(b, n)
	case as == format.DeltaByteArray:
		err = r.checkPrefixes(b, n)
	case as == format.RLE && kind == format.Boolean && len(b) >= 4: // behind their length
		if b, err = checkRuns(b[4:], 1, n); err == nil {
			b = append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
		}
	default:
		err = malformed("values of type %v in encoding %v", kind, as)
	}
	if err != nil {
		return v, err
	}
	switch kind {
	case format.Boolean:
		d.bytes, err = e.DecodeBoolean(d.bytes[:0], b)
		return encoding.BooleanValues(d.bytes), err
	case format.Int32:
		d.int32s, err = e.DecodeInt32(d.int32s[:0], b)
		return encoding.Int32Values(d.int32s), err
	case format.Int64:
		d.int64s, err = e.DecodeInt64(d.int64s[:0], b)
		return encoding.Int64Values(d.int64s), err
	case format.Float:
		d.floats, err = e.DecodeFloat(d.floats[:0], b)
		return encoding.FloatValues(d.floats), err
	case format.Double:
		d.doubles, err = e.DecodeDouble(d.doubles[:0], b)
		return encoding.DoubleValues(d.doubles), err
	case format.FixedLenByteArray:
		size := int(r.leaf.element.TypeLength.V)
		d.bytes, err = e.DecodeFixedLenByteArray(d.bytes[:0], b, size)
		return encoding.FixedLenByteArrayValues(d.bytes, size), err
	case format.ByteArray:
		d.bytes, d.offsets, err = e.DecodeByteArray(d.bytes[:0], b, d.offsets[:0])
		if have := max(len(d.offsets)-1, 0); err == nil && have != n {
			err = malformed("%d texts, and its header says %d", have, n)
		}
		return encoding.ByteArrayValues(d.bytes, d.offsets), err
	}
	return v, malformed("values of type %v in encoding %v", kind, as)
}

// plainValues returns values that lie as they are.
func plainValues(kind format.Type, b []byte, length int) (v encoding.Values, err error) {
	switch kind {
	case format.Boolean:
		return encoding.BooleanValues(b), nil
	case format.Int32:
		return encoding.Int32ValuesFromBytes(b[:len(b)/4*4]), nil
	case format.Int64:
		return encoding.Int64ValuesFromBytes(b[:len(b)/8*8]), nil
	case format.Int96:
		return encoding.Int96ValuesFromBytes(b[:len(b)/12*12]), nil
	case format.Float:
		return encoding.FloatValuesFromBytes(b[:len(b)/4*4]), nil
	case format.Double:
		return encoding.DoubleValuesFromBytes(b[:len(b)/8*8]), nil
	case format.FixedLenByteArray:
		return encoding.FixedLenByteArrayValues(b, length), nil
	}
	return v, malformed("values of type %v", kind)
}

// checkPrefixes checks how long texts are of which each begins as the last one does.
func (r *pageReader) checkPrefixes(b []byte, n int) error {
	rest, err := deltaRest(b, n)
	if err == nil {
		_, err = deltaRest(rest, n)
	}
	if err != nil {
		return err
	}
	prefixes, err := parquet.LookupEncoding(format.DeltaBinaryPacked).DecodeInt32(nil, b)
	if err != nil {
		return err
	}
	total := int64(len(b))
	for _, p := range prefixes {
		total += int64(max(p, 0))
	}
	if total > freeBytes+maxExpansion*int64(len(b)) {
		return malformed("texts of %d bytes together", total)
	}
	return in("texts", tensorio.TooLarge(total, r.memory))
}
