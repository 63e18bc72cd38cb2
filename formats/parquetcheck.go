package formats

import (
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ogive-go/ogive/tensorio"
)

const (
	// maxExpansion bounds how much a page grows when it is decompressed: what zstd does
	// with zeros.
	maxExpansion = 1 << 15
	// freeBytes is what a page may have however small it is compressed.
	freeBytes = 16 << 20
	// freeValues is how many values a page may have however few bytes they take: a run
	// of equal ones takes a few.
	freeValues = 1 << 26
	// headerBytes is what a page's header takes but for its statistics.
	headerBytes = 256
)

// check walks over the headers of a column's pages in a row group and compares what
// they claim with the file and with one another, before the library allocates by it. It
// returns what reading them takes.
func (p *parquetFile) check(l *leaf, i int, g rowGroup) (need pageMemory, err error) {
	meta := &g.meta[i].MetaData
	if meta.Type != l.element.Type.V {
		return need, malformed("it is not of the type in the schema")
	}
	begin, end := pagesAt(meta)
	if begin < 4 || meta.TotalCompressedSize < 0 || end < begin || end > p.size {
		return need, malformed("%d bytes from byte %d in a file of %d", meta.TotalCompressedSize, begin, p.size)
	}
	values := int64(0)
	for at := begin; at < end; {
		h, n, err := p.pageHeader(at, end)
		if err != nil {
			return need, in(malformed("byte %d: the header of a page", at).Detail, err)
		}
		at += int64(n)
		compressed, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
		if compressed < 0 || size < 0 || compressed > end-at || size > freeBytes+maxExpansion*compressed {
			return need, malformed("byte %d: a page of %d bytes, %d decompressed, where %d are left", at, compressed, size, end-at)
		}
		if err := tensorio.TooLarge(compressed+size, p.memory); err != nil {
			return need, in(malformed("byte %d: a page", at).Detail, err)
		}
		count, encoding := int64(0), format.Plain
		switch h.Type {
		case format.DataPage:
			count, encoding = int64(h.DataPageHeader.V.NumValues), h.DataPageHeader.V.Encoding
		case format.DataPageV2:
			count, encoding = int64(h.DataPageHeaderV2.V.NumValues), h.DataPageHeaderV2.V.Encoding
		case format.DictionaryPage:
			if n := int64(h.DictionaryPageHeader.V.NumValues); n < 0 || n > 8*size {
				return need, malformed("byte %d: a dictionary of %d values in %d bytes", at, n, size)
			} else {
				need.dictionary(size, n)
			}
		}
		if count < 0 || count > freeValues+8*size || count > int64(g.rows)-values {
			return need, malformed("byte %d: a page of %d values in %d bytes, of %d rows", at, count, size, g.rows)
		}
		need.page(compressed, size, count, encoding)
		values += count
		at += compressed
	}
	if values != int64(g.rows) {
		return need, malformed("its pages hold %d rows of %d", values, g.rows)
	}
	return need, nil
}

// pagesAt returns where the pages of a column in a row group begin and end, as the footer has
// it.
func pagesAt(meta *format.ColumnMetaData) (begin, end int64) {
	begin = meta.DataPageOffset
	if meta.DictionaryPageOffset != 0 {
		begin = meta.DictionaryPageOffset
	}
	return begin, begin + meta.TotalCompressedSize
}

// pageMemory is what the pages of a column take, one after the other, in memory that is used
// again.
type pageMemory struct {
	raw, body, decoded, levels int64 // the most of one page
	words                      int64 // of the dictionary
}

// page counts a page of values.
func (m *pageMemory) page(compressed, size, count int64, encoding format.Encoding) {
	decoded := 8*count + size
	switch encoding {
	case format.Plain: // numbers stay where they were decompressed, texts do not
		decoded = 4*count + size
	case format.PlainDictionary, format.RLEDictionary:
		decoded = 4 * count
	}
	m.raw, m.body, m.decoded, m.levels = max(m.raw, compressed), max(m.body, size), max(m.decoded, decoded), max(m.levels, count)
}

// dictionary counts a page of n values that others refer to: as it is kept, and as they are
// looked up.
func (m *pageMemory) dictionary(size, n int64) { m.words = max(m.words, 2*size+16*n) }

// total is what reading the pages takes.
func (m *pageMemory) total() int64 { return m.raw + m.body + m.decoded + m.levels + m.words }

// pageHeader reads the header at a byte, and returns its length.
func (p *parquetFile) pageHeader(at, end int64) (*format.PageHeader, int, error) {
	for size := int64(headerBytes); ; size *= 16 {
		b := make([]byte, min(size, end-at))
		if _, err := p.at.ReadAt(b, at); err != nil && err != io.EOF {
			return nil, 0, err
		}
		n, err := thriftStruct(b)
		if err != nil && int64(len(b)) < end-at {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		var protocol thrift.CompactProtocol
		h := new(format.PageHeader)
		return h, n, thrift.NewDecoder(protocol.NewReaderFromBytes(b[:n])).Decode(h)
	}
}
