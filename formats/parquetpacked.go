package formats

import (
	"bytes"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// unpack decompresses a part of a page to the size that its header says, and to no more,
// whatever the bytes say themselves.
func (r *pageReader) unpack(b []byte, size int, codec format.CompressionCodec) ([]byte, error) {
	if codec == format.Uncompressed || len(b) == 0 {
		return b, nil
	}
	r.body = resized(r.body, size)
	var stream io.Reader
	switch codec {
	case format.Snappy:
		n, err := snappy.DecodedLen(b)
		if err == nil && n != size {
			return nil, otherSize(n, size)
		}
		if err == nil {
			r.body, err = snappy.Decode(r.body, b)
		}
		return r.body, in("snappy", err)
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(b, r.body)
		if err == nil && n != size {
			err = otherSize(n, size)
		}
		return r.body, in("lz4", err)
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, in("gzip", err)
		}
		stream = z
	case format.Brotli:
		stream = brotli.NewReader(bytes.NewReader(b))
	case format.Zstd:
		d, done, err := r.zstd(b, size)
		if d == nil || err != nil {
			return r.body, in("zstd", err)
		}
		defer done()
		stream = d
	default:
		return nil, malformed("compressed by %v", codec)
	}
	n, err := io.ReadFull(stream, r.body)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, otherSize(n, size)
	}
	if err == nil {
		if n, err = stream.Read(make([]byte, 1)); n > 0 {
			return nil, otherSize(size+n, size)
		}
		if err == io.EOF {
			err = nil
		}
	}
	return r.body, in(codec.String(), err)
}

// zstd decompresses a frame whose header says its size at once, of any other it returns the
// stream, which takes the window that its header says.
func (r *pageReader) zstd(b []byte, size int) (d *zstd.Decoder, done func(), err error) {
	var h zstd.Header
	if err = h.Decode(b); err != nil {
		return nil, nil, err
	}
	if h.HasFCS && h.FrameContentSize != uint64(size) {
		return nil, nil, otherSize(int(min(h.FrameContentSize, 1<<62)), size)
	}
	if !h.HasFCS {
		if _, err = checkWindow(b, window(r.memory)); err != nil {
			return nil, nil, err
		}
		d, err = zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderMaxWindow(uint64(window(r.memory))), zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return d, d.Close, nil
	}
	got, err := wholeFrames.DecodeAll(b, r.body[:0])
	if err == nil && len(got) != size {
		err = otherSize(len(got), size)
	}
	return nil, nil, err
}

// wholeFrames decompresses frames whose size is known.
var wholeFrames, _ = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(1<<40), zstd.WithDecoderConcurrency(0))

func otherSize(n, size int) error {
	return malformed("%d bytes decompressed, and its header says %d", n, size)
}
