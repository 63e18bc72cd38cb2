package formats

import "encoding/binary"

// thriftStruct checks that b begins with a struct of Thrift's compact protocol whose
// strings and lists are not larger than b, since readers allocate by what these claim,
// and returns its length.
func thriftStruct(b []byte) (int, error) {
	t := &thriftWalk{b: b}
	t.fields(0)
	if t.broken {
		return 0, malformed("byte %d of its %d is not as it must be", t.at, len(b))
	}
	return t.at, nil
}

// thriftWalk is a walk over a value.
type thriftWalk struct {
	b      []byte
	at     int
	broken bool
}

// The types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt16  = 4
	thriftInt64  = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftFields = 12
)

// maxThrift bounds how deep values are nested; those of Parquet are less than ten.
const maxThrift = 32

func (t *thriftWalk) skip(n uint64) {
	if n > uint64(len(t.b)-t.at) {
		t.broken = true
		return
	}
	t.at += int(n)
}

func (t *thriftWalk) byte() byte {
	t.skip(1)
	if t.broken {
		return 0
	}
	return t.b[t.at-1]
}

func (t *thriftWalk) varint() uint64 {
	v, n := binary.Uvarint(t.b[t.at:])
	if n <= 0 {
		t.broken = true
		return 0
	}
	t.at += n
	return v
}

func (t *thriftWalk) fields(depth int) {
	if depth > maxThrift {
		t.broken = true
	}
	for !t.broken {
		head := t.byte()
		if head == 0 {
			return
		}
		if head>>4 == 0 {
			t.varint() // the field's number
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			t.value(kind, depth)
		}
	}
}

func (t *thriftWalk) value(kind byte, depth int) {
	switch {
	case kind <= thriftByte:
		t.skip(1)
	case thriftInt16 <= kind && kind <= thriftInt64:
		t.varint()
	case kind == thriftDouble:
		t.skip(8)
	case kind == thriftBinary:
		t.skip(t.varint())
	case kind == thriftList || kind == thriftSet:
		head := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = t.varint()
		}
		t.elements(n, depth, head&15)
	case kind == thriftMap:
		n := t.varint()
		if n == 0 {
			return
		}
		kinds := t.byte()
		t.elements(n, depth, kinds>>4, kinds&15)
	case kind == thriftFields:
		t.fields(depth + 1)
	default:
		t.broken = true
	}
}

// elements walks over n elements of a list, or pairs of a map. Each takes a byte at
// least.
func (t *thriftWalk) elements(n uint64, depth int, kinds ...byte) {
	if n > uint64(len(t.b)-t.at) || depth > maxThrift {
		t.broken = true
	}
	for ; n > 0 && !t.broken; n-- {
		for _, kind := range kinds {
			t.value(kind, depth+1)
		}
	}
}
