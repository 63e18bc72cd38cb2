package groups

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/selection/partition"
)

// table gives each of the distinct keys of a chunk a number, by the order in which
// they come.
type table struct {
	keys  []uint64
	slots []slot
	shift uint // 64 less the binary logarithm of the number of slots
	seed  uint64
	ranks []uint32 // by number, of the key among the distinct keys of all chunks
}

// slot is a place for a key; number is one more than the key's, 0 where there is none.
type slot struct {
	key    uint64
	number uint32
}

// leastSlots is the binary logarithm of the size of a new table.
const leastSlots = 10

// reset empties t. Its hash function is another one each time, so that nobody can
// make keys that it takes long to look up.
func (t *table) reset() {
	t.keys, t.seed = t.keys[:0], rand.Uint64()
	t.resize(leastSlots)
}

// resize makes room for 2^log slots and puts all keys in them.
func (t *table) resize(log uint) {
	t.slots, t.shift = crew.Resize(t.slots, 1<<log), 64-log
	clear(t.slots)
	for i, k := range t.keys {
		at := t.start(k)
		for t.slots[at].number != 0 {
			at = (at + 1) & (len(t.slots) - 1)
		}
		t.slots[at] = slot{k, uint32(i) + 1}
	}
}

// start returns where the search for a key starts.
func (t *table) start(key uint64) int {
	hi, lo := bits.Mul64(key^t.seed, 0x9E3779B97F4A7C15)
	return int((hi ^ lo) * 0xD6E8FEB86659FD93 >> t.shift)
}

// number returns the number of a key, a new one where it has none.
func (t *table) number(key uint64) uint32 {
	mask := len(t.slots) - 1
	for at := t.start(key); ; at = (at + 1) & mask {
		s := &t.slots[at&mask]
		if s.number != 0 && s.key == key {
			return s.number - 1
		}
		if s.number == 0 {
			t.keys = append(t.keys, key)
			*s = slot{key, uint32(len(t.keys))}
			if 2*len(t.keys) > len(t.slots) {
				t.resize(64 - t.shift + 1)
			}
			return uint32(len(t.keys)) - 1
		}
	}
}

// byTable numbers keys of a wide range: each chunk finds its distinct keys, and the
// numbers follow from the order of those of all chunks.
func byTable[T integer](g *Numbers, c *crew.Crew, keys []T) error {
	count, length := chunks(c, len(keys), 1)
	g.tables = slices.Grow(g.tables[:0], count)[:count]
	err := c.Each(count, len(keys), func(i int, _ *crew.Scratch) {
		t := &g.tables[i]
		t.reset()
		part := keys[i*length : min((i+1)*length, len(keys))]
		of := g.Of[i*length:][:len(part)]
		for i, k := range part {
			of[i] = t.number(uint64(k) - g.least)
		}
	})
	if err != nil {
		return err
	}
	g.merge(c)
	return c.Each(count, len(keys), func(i int, _ *crew.Scratch) {
		t := &g.tables[i]
		t.ranks = crew.Resize(t.ranks, len(t.keys))
		for i, k := range t.keys {
			t.ranks[i] = g.rankOf(k)
		}
		of := g.Of[i*length : min((i+1)*length, len(keys))]
		for i, number := range of {
			of[i] = t.ranks[number]
		}
	})
}

// merge sets the distinct keys of all tables.
func (g *Numbers) merge(c *crew.Crew) {
	g.distinct = g.distinct[:0]
	for i := range g.tables {
		for _, k := range g.tables[i].keys {
			g.distinct = append(g.distinct, int64(k^1<<63))
		}
	}
	g.spare = crew.Resize(g.spare, len(g.distinct))
	partition.Sort(g.distinct, g.spare, c.Config.Thresholds())
	g.distinct = slices.Compact(g.distinct)
	g.Count = len(g.distinct)
	g.Span = g.Count

	last := uint64(g.distinct[g.Count-1]) ^ 1<<63
	g.topShift = uint(max(bits.Len64(last)-topBits, 0))
	tops := int(last>>g.topShift) + 1
	g.tops = crew.Resize(g.tops, tops+1)
	clear(g.tops)
	for _, k := range g.distinct {
		g.tops[(uint64(k)^1<<63)>>g.topShift+1]++
	}
	for i := range tops {
		g.tops[i+1] += g.tops[i]
	}
}

// topBits is how many of the highest bits of a key tell where to search for it. Medians
// of 10M elements in 1M groups with keys of a wide range take 1.3 times as long where all
// keys are searched.
const topBits = 16

// rankOf returns the rank of one of the distinct keys.
func (g *Numbers) rankOf(key uint64) uint32 {
	top := key >> g.topShift
	from, to := g.tops[top], g.tops[top+1]
	rank, _ := slices.BinarySearch(g.distinct[from:to], int64(key^1<<63))
	return from + uint32(rank)
}
