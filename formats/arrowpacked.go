package formats

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/ogive-go/ogive/tensorio"
)

// blockBytes is the size of a block in the footer of an Arrow file, which says where a
// message is: its place, the length of its description, and that of its body.
const blockBytes = 24

// checkBlocks checks the messages that a footer names.
func (a *arrowFile) checkBlocks(footer []byte) error {
	w := &flatWalk{footer, 1}
	root, _ := w.offset(0)
	for _, slot := range []int{2, 3} {
		place, ok := w.field(root, slot)
		if !ok || place == 0 {
			continue
		}
		list, _ := w.offset(place)
		n := int(binary.LittleEndian.Uint32(footer[list:]))
		for i := range n {
			b := footer[list+4+i*blockBytes:]
			at, meta, body := int64(binary.LittleEndian.Uint64(b)), int64(int32(binary.LittleEndian.Uint32(b[8:]))), int64(binary.LittleEndian.Uint64(b[16:]))
			if at < 0 || meta < 8 || body < 0 || at > a.size || meta > a.size-at || body > a.size-at-meta {
				return malformed("a message of %d and %d bytes at byte %d of %d", meta, body, at, a.size)
			}
			if err := tensorio.TooLarge(meta*describedTimes, a.memory); err != nil {
				return in(malformed("byte %d: a message", at).Detail, err)
			}
			message := make([]byte, meta)
			if _, err := a.bytes(message, at); err != nil {
				return err
			}
			begin := 4
			if binary.LittleEndian.Uint32(message) == math.MaxUint32 {
				begin = 8
			}
			detail := malformed("byte %d: a message", at).Detail
			if err := checkFlat(message[begin:], arrowMessage); err != nil {
				return in(detail, err)
			}
			if err := a.checkBody(message[begin:], at+meta, body); err != nil {
				return in(detail, err)
			}
		}
	}
	return nil
}

// The types of a message, and the codec that takes memory by what its frames claim.
const (
	arrowDictionaryType = 2
	arrowRecordType     = 3
	arrowZstd           = 1
)

// checkBody checks the compressed buffers of a message, whose description is checked,
// before each is given the memory that it asks for, and counts the rows.
func (a *arrowFile) checkBody(message []byte, body, length int64) error {
	w := &flatWalk{message, 1}
	root, _ := w.offset(0)
	batch, ok := w.follow(root, 2)
	if !ok {
		return nil
	}
	switch w.byte(root, 1) {
	case arrowDictionaryType:
		if batch, ok = w.follow(batch, 1); !ok {
			return nil
		}
	case arrowRecordType:
	default:
		return nil
	}
	if w.byte(root, 1) == arrowRecordType {
		if place, ok := w.field(batch, 0); ok && place > 0 && place <= len(message)-8 {
			if n := int64(binary.LittleEndian.Uint64(message[place:])); n >= 0 && a.rows <= math.MaxInt64-n {
				a.rows += n
			}
		}
	}
	compression, packed := w.follow(batch, 3)
	buffers, some := w.follow(batch, 2)
	if !packed || !some {
		return nil
	}
	if w.byte(compression, 0) != arrowZstd {
		return nil
	}
	n := int(binary.LittleEndian.Uint32(message[buffers:]))
	for i := range n {
		b := message[buffers+4+16*i:]
		at, size := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))
		if at < 0 || size < 0 || at > length || size > length-at {
			return malformed("buffer %d: %d bytes from byte %d of %d", i, size, at, length)
		}
		if err := a.checkFrame(body+at, size); err != nil {
			return in(malformed("buffer %d", i).Detail, err)
		}
	}
	return nil
}

// follow returns what the field in a slot of a table refers to.
func (w *flatWalk) follow(table, slot int) (int, bool) {
	place, ok := w.field(table, slot)
	if !ok || place == 0 {
		return 0, false
	}
	return w.offset(place)
}

// byte returns the byte in a slot of a table, 0 if it has none.
func (w *flatWalk) byte(table, slot int) byte {
	place, ok := w.field(table, slot)
	if !ok || place == 0 {
		return 0
	}
	return w.b[place]
}

// checkFrame checks the header of a buffer's frame, behind its length decompressed.
func (a *arrowFile) checkFrame(at, size int64) error {
	const length = 8
	b := make([]byte, min(size, length+zstd.HeaderMaxSize))
	if n, err := a.at.ReadAt(b, at); n < len(b) && err != nil && err != io.EOF {
		return err
	}
	if len(b) <= length || int64(binary.LittleEndian.Uint64(b)) == -1 { // stored as it is
		return nil
	}
	size, err := checkWindow(b[length:], window(a.memory))
	a.window = max(a.window, size)
	return in("zstd", err)
}
