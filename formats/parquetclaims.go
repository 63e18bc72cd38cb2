package formats

import "encoding/binary"

// What values claim that are decoded: how many they are, for which the library makes room.

// checkRuns returns the part of a run-length encoding that holds n values of some bits, and
// refuses one that claims many more.
func checkRuns(b []byte, width, n int) ([]byte, error) {
	at, have := 0, 0
	for have < n && at < len(b) {
		head, size := binary.Uvarint(b[at:])
		if size <= 0 || head>>1 > 1<<31 {
			return nil, malformed("a run without a length")
		}
		count, bytes := int64(head>>1), int64(width+7)/8
		if head&1 == 1 { // groups of eight
			count, bytes = 8*count, count*int64(width)
		}
		if at += size; count > int64(n-have)+moreRun {
			return nil, malformed("a run of %d values where %d are left", count, n-have)
		}
		have += int(count)
		at = int(min(int64(at)+bytes, int64(len(b)))) // the last group may be cut off
	}
	return b[:at], nil
}

// moreRun is how many values the last run may have that nobody asks for: a group has
// eight, and some writers fill more of them.
const moreRun = 512

// deltaRest returns what is behind numbers that are encoded by their differences
// (DELTA_BINARY_PACKED), and refuses more than n of them.
func deltaRest(b []byte, n int) ([]byte, error) {
	var head [3]uint64 // the values in a block, its parts, and all values
	for i := range head {
		v, size := binary.Uvarint(b)
		if size <= 0 {
			return nil, malformed("numbers without a length")
		}
		head[i], b = v, b[size:]
	}
	_, size := binary.Varint(b) // the first value
	if size <= 0 || head[0] == 0 || head[1] == 0 || head[0]%head[1] != 0 || head[0] > 1<<20 || head[2] > uint64(n) {
		return nil, malformed("%d numbers in blocks of %d, where %d are left", head[2], head[0], n)
	}
	b = b[size:]
	part := head[0] / head[1]
	for left := int64(head[2]) - 1; left > 0; {
		_, size := binary.Varint(b) // the least difference
		if size <= 0 || uint64(len(b)-size) < head[1] {
			return nil, malformed("numbers that are cut off")
		}
		widths := b[size:][:head[1]]
		b = b[size+int(head[1]):]
		for _, width := range widths {
			if left <= 0 {
				break
			}
			b, left = b[min(uint64(width)*part/8, uint64(len(b))):], left-int64(part)
		}
	}
	return b, nil
}
