// Package groups finds the groups of elements with equal keys: it numbers them
// in the order of their keys, and brings together what belongs to neighbouring
// numbers. It knows nothing of what is done with a group.
package groups

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
)

// MaxLen is the most keys there may be: numbers, and positions, are uint32.
const MaxLen = 1<<32 - 1

// Numbers are the numbers of groups, in the ascending order of their keys. The
// zero value is ready, and keeps its memory from one use to the next.
type Numbers struct {
	Of    []uint32 // by element
	Span  int      // numbers are 0 … Span-1, of which some may have no elements
	Count int      // groups, which have

	// Of keys in a narrow range the number is the distance from the smallest.
	least   uint64
	present []uint64 // a bit for each number that has elements; nil where all have
	before  []uint32 // for each word of present, the groups before it

	// The keys of others are looked up in tables, one for each chunk.
	tables   []table
	distinct []int64 // ascending; distances from the smallest key, less 2^63
	spare    []int64
	tops     []uint32 // for each value of the highest bits of a key, the distinct keys below it
	topShift uint
}

// integer is the type of a key.
type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Init numbers the groups of n contiguous keys, n ≤ MaxLen, of an integer dtype or
// bool. It fails only if the context of c ends.
func (g *Numbers) Init(c *crew.Crew, dt dtype.DType, at unsafe.Pointer, n int) error {
	g.Of = crew.Resize(g.Of, n)
	g.Span, g.Count, g.present = 0, 0, g.present[:0]
	if n == 0 {
		return nil
	}
	switch dt {
	case dtype.Int8:
		return number(g, c, unsafe.Slice((*int8)(at), n))
	case dtype.Int16:
		return number(g, c, unsafe.Slice((*int16)(at), n))
	case dtype.Int32:
		return number(g, c, unsafe.Slice((*int32)(at), n))
	case dtype.Int64:
		return number(g, c, unsafe.Slice((*int64)(at), n))
	case dtype.Uint16:
		return number(g, c, unsafe.Slice((*uint16)(at), n))
	case dtype.Uint32:
		return number(g, c, unsafe.Slice((*uint32)(at), n))
	case dtype.Uint64:
		return number(g, c, unsafe.Slice((*uint64)(at), n))
	default:
		return number(g, c, unsafe.Slice((*uint8)(at), n))
	}
}

// narrow is the range of keys that are always numbered by distance, and
// narrowShare how many times the count of keys a wider one may be: a bit is kept
// for each number, and a counter while a part of them is looked at.
const (
	narrow      = 1 << 16
	narrowShare = 2
)

// number is Init for keys of type T, of which there are some.
func number[T integer](g *Numbers, c *crew.Crew, keys []T) error {
	least, most, err := ends(c, keys)
	if err != nil {
		return err
	}
	g.least = uint64(least)
	span := uint64(most) - g.least
	if span < min(max(narrow, narrowShare*uint64(len(keys))), MaxLen) {
		return byRange(g, c, keys, int(span)+1)
	}
	return byTable(g, c, keys)
}

// chunks returns into how many chunks of which length n elements are cut, for each
// worker up to the given number: of fewer, one goroutine does all.
func chunks(c *crew.Crew, n, each int) (count, length int) {
	count = max(1, min(each*c.Workers(), n/max(c.Config.Thresholds().SoloWork, 1)))
	length = (n + count - 1) / count
	return (n + length - 1) / length, length
}

// ends returns the smallest and the largest key.
func ends[T integer](c *crew.Crew, keys []T) (least, most T, err error) {
	count, length := chunks(c, len(keys), 4)
	found := make([][2]T, count)
	err = c.Each(count, len(keys), func(i int, _ *crew.Scratch) {
		part := keys[i*length : min((i+1)*length, len(keys))]
		lo, hi := part[0], part[0]
		for _, k := range part {
			lo, hi = min(lo, k), max(hi, k)
		}
		found[i] = [2]T{lo, hi}
	})
	least, most = found[0][0], found[0][1]
	for _, f := range found {
		least, most = min(least, f[0]), max(most, f[1])
	}
	return least, most, err
}

// byRange numbers keys by their distance from the smallest.
func byRange[T integer](g *Numbers, c *crew.Crew, keys []T, span int) error {
	words := (span + 63) / 64
	g.Span, g.present, g.before = span, crew.Resize(g.present, words), crew.Resize(g.before, words)
	clear(g.present)
	count, length := chunks(c, len(keys), 4)
	last := uint64(span - 1)
	err := c.Each(count, len(keys), func(i int, _ *crew.Scratch) {
		part := keys[i*length : min((i+1)*length, len(keys))]
		of, present, least := g.Of[i*length:][:len(part)], g.present, g.least
		for i, k := range part {
			d := uint32(min(uint64(k)-least, last)) // a key may have changed since its range was found
			of[i] = d
			word, bit := &present[d/64], uint64(1)<<(d%64)
			if atomic.LoadUint64(word)&bit == 0 { // which is rare: most groups have been seen
				atomic.OrUint64(word, bit)
			}
		}
	})
	g.Count = 0
	for i, w := range g.present {
		g.before[i] = uint32(g.Count)
		g.Count += bits.OnesCount64(w)
	}
	return err
}

// Rank returns how many groups have a smaller number.
func (g *Numbers) Rank(number int) int {
	if len(g.present) == 0 {
		return number
	}
	return int(g.before[number/64]) + bits.OnesCount64(g.present[number/64]&(1<<(number%64)-1))
}

// Keys writes the keys of the groups, which are Count of so many bytes each, to dst.
func (g *Numbers) Keys(dst unsafe.Pointer, size int) {
	switch size {
	case 1:
		writeKeys(g, unsafe.Slice((*uint8)(dst), g.Count))
	case 2:
		writeKeys(g, unsafe.Slice((*uint16)(dst), g.Count))
	case 4:
		writeKeys(g, unsafe.Slice((*uint32)(dst), g.Count))
	default:
		writeKeys(g, unsafe.Slice((*uint64)(dst), g.Count))
	}
}

func writeKeys[T uint8 | uint16 | uint32 | uint64](g *Numbers, dst []T) {
	if len(g.present) == 0 {
		for i := range dst {
			dst[i] = T(g.least + (uint64(g.distinct[i]) ^ 1<<63))
		}
		return
	}
	at := 0
	for i, w := range g.present {
		for ; w != 0; w &= w - 1 {
			dst[at] = T(g.least + uint64(64*i+bits.TrailingZeros64(w)))
			at++
		}
	}
}
