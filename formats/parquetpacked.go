package formats

import (
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// packedPage is a compressed page of a file.
type packedPage struct {
	at         int64
	compressed int64
	size       int64 // decompressed, as its header says
}

// packed returns what of a page is compressed; nothing if it is not.
func packed(h *format.PageHeader, at int64) packedPage {
	p := packedPage{at, int64(h.CompressedPageSize), int64(h.UncompressedPageSize)}
	if h.Type != format.DataPageV2 {
		return p
	}
	v2 := h.DataPageHeaderV2.V
	if v2.IsCompressed.Valid && !v2.IsCompressed.V {
		return packedPage{}
	}
	levels := int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength)
	return packedPage{at + levels, p.compressed - levels, p.size - levels}
}

// checkPacked compares what compressed bytes say of their size with what the page's header
// does: readers allocate by the former, or more and more as long as they are broken.
func (p *parquetFile) checkPacked(page packedPage, codec format.CompressionCodec) error {
	if page.compressed < 0 || page.size < 0 {
		return malformed("levels of more bytes than the page")
	}
	head := make([]byte, min(page.compressed, zstd.HeaderMaxSize))
	if codec == format.Lz4Raw {
		head = make([]byte, page.compressed)
	}
	if _, err := p.at.ReadAt(head, page.at); err != nil && err != io.EOF {
		return err
	}
	size := page.size
	switch {
	case len(head) == 0:
	case codec == format.Snappy:
		n, err := snappy.DecodedLen(head)
		if err != nil {
			return in("snappy", err)
		}
		size = int64(n)
	case codec == format.Zstd:
		var h zstd.Header
		if err := h.Decode(head); err != nil {
			return in("zstd", err)
		}
		if h.WindowSize > window(p.memory) {
			return malformed("zstd: a window of %d bytes", h.WindowSize)
		}
		if h.HasFCS {
			size = int64(h.FrameContentSize)
		}
	case codec == format.Lz4Raw:
		n, err := lz4.UncompressBlock(head, make([]byte, page.size))
		if err != nil {
			return in("lz4", err)
		}
		size = int64(n)
	}
	if size != page.size {
		return malformed("%d bytes decompressed, and its header says %d", size, page.size)
	}
	return nil
}
