package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// layer is a way to compress a file.
type layer struct {
	name    string
	endings []string
	marked  func(head []byte) bool
	windows bool // the decoder takes as much memory as a file says, up to a bound
	decoder func(r io.Reader, window int64) (io.ReadCloser, error)
}

var layers = []*layer{
	{"gzip", []string{".gz", ".gzip"}, starts("\x1f\x8b\x08"), false, func(r io.Reader, _ int64) (io.ReadCloser, error) {
		return gzip.NewReader(r)
	}},
	{"zstd", []string{".zst", ".zstd"}, isZstd, true, func(r io.Reader, window int64) (io.ReadCloser, error) {
		b := bufio.NewReader(r)
		head, _ := b.Peek(zstd.HeaderMaxSize)
		if _, err := checkWindow(head, window); err != nil {
			return nil, err
		}
		r = b
		// One block after the other: those decoded ahead each take a window.
		d, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(uint64(window)), zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
}

// maxWindow is how much memory a zstd file may ask for, the limit of the zstd command.
const maxWindow = 128 << 20

// window is how much memory a zstd file may ask for, of what there is or 0. A third is left,
// for what is decompressed is read in blocks.
func window(memory int64) int64 {
	if memory <= 0 {
		return maxWindow
	}
	return min(memory-memory/3, maxWindow)
}

// checkWindow returns how much memory a frame of zstd asks for by its header, and whether it
// may. What else is wrong with it, the decoder tells.
func checkWindow(head []byte, most int64) (size int64, err error) {
	var h zstd.Header
	if h.Decode(head) != nil {
		return 0, nil
	}
	size = int64(min(h.WindowSize, math.MaxInt64))
	if h.SingleSegment {
		size = int64(min(h.FrameContentSize, math.MaxInt64))
	}
	return size, in("its window", tensorio.TooLarge(size, most))
}

// maxLayers bounds how often a file may be compressed.
const maxLayers = 4

// isZstd knows a zstd frame and one to be skipped.
func isZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(head) >= 4 && head[0]&0xf0 == 0x50 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18
}

// detect finds the layers of compression and the format below. Raw memory may begin
// with anything: it is compressed if the name says so.
func (s *source) detect(o tensorio.Options) (choice, error) {
	for {
		head, err := s.head()
		if err != nil {
			return choice{}, err
		}
		l := packedIn(head)
		if l != nil && l.strip(s.ending) == s.ending && (o.Format == "raw" || o.Format == "" && byEnding(s.ending) == "raw") {
			l = nil
		}
		if l == nil {
			return choose(o.Format, s.ending, head)
		}
		if len(s.layers) == maxLayers {
			return choice{}, malformed("is compressed more than %d times", maxLayers)
		}
		if err := s.unpack(l); err != nil {
			return choice{}, err
		}
	}
}

// packedIn returns the layer that first bytes show, nil if there is none.
func packedIn(head []byte) *layer {
	for _, l := range layers {
		if l.marked(head) {
			return l
		}
	}
	return nil
}

// strip returns a file name without the layer's ending.
func (l *layer) strip(name string) string {
	for _, e := range l.endings {
		if n := len(name) - len(e); n >= 0 && strings.EqualFold(name[n:], e) {
			return name[:n]
		}
	}
	return name
}

// open returns r decompressed, with a window of a size at most; closing it closes r.
func (l *layer) open(r io.ReadCloser, window int64) (io.ReadCloser, error) {
	count := &counter{r: r}
	d, err := l.decoder(count, window)
	if err != nil {
		r.Close()
		return nil, l.broken(count, err)
	}
	return &stream{l, d, r, count}, nil
}

// broken is the error of an archive, which says how far it was read. It is never
// io.ErrUnexpectedEOF itself, which readers take for an end.
func (l *layer) broken(count *counter, err error) error {
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = fmt.Errorf("it ends too early")
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = fmt.Errorf("it needs a window of more memory than it may take")
	}
	return &ogive.Error{Kind: ogive.ErrFormat, Detail: fmt.Sprintf("the %s archive, by byte %d", l.name, count.n), Cause: err}
}

// stream is a decompressed stream.
type stream struct {
	*layer
	d, below io.ReadCloser
	count    *counter
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.d.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	if _, ok := err.(*ogive.Error); ok { // of the layer below
		return n, err
	}
	return n, s.broken(s.count, err)
}

func (s *stream) Close() error {
	s.d.Close()
	return s.below.Close()
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded ends a stream that is longer than what no file of its size holds: one that is
// compressed many times over may be longer than can ever be read.
type bounded struct {
	io.ReadCloser
	left int64
}

// freeExpansion is how much any compressed file may hold.
const freeExpansion = 1 << 30

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, malformed("holds more than %d times its size, decompressed", maxExpansion)
	}
	return n, err
}
