package narrow

import (
	"sync/atomic"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/tuning"
)

// bucket is a set of keys that a pass collects, consecutive in order, and among
// which targets are then selected.
type bucket[K kernel.Key] struct {
	keys     []K // room for them
	cursor   atomic.Int64
	below    int64 // keys less than they
	room     int64 // for how many there is to be room
	from, to int   // the targets

	// Of the keys of a bin:
	bin     int
	whole   int64 // how many there are
	under   int64 // those smaller than all that are kept, if the pass guesses
	drops   bool  // the copies of dropped are all that is not kept
	dropped K
}

// add adds keys in any order. What does not fit is lost; the cursor tells.
func (b *bucket[K]) add(keys []K) {
	n := len(keys)
	if end := b.cursor.Add(int64(n)); end <= int64(len(b.keys)) {
		copy(b.keys[end-int64(n):end], keys)
	}
}

// drop makes the bucket keep all keys of its bin but so many copies of one.
func (b *bucket[K]) drop(key K, copies int64) {
	b.drops, b.dropped, b.room = true, key, b.whole-copies
}

// selectIn finds the targets that lie in the bucket, with memory from s.
func (b *bucket[K]) selectIn(targets []target[K], tuned *tuning.Thresholds, s *crew.Scratch) {
	have := b.cursor.Load()
	if b.from == b.to || have > int64(len(b.keys)) {
		return
	}
	keys := b.keys[:have]
	var smaller, copies int64 // of the keys dropped: how many others are smaller, how many they are
	if b.drops {
		copies = b.whole - have
		below, _ := kernel.CountBelow(keys, b.dropped)
		smaller = int64(below)
	}
	mark := s.Mark()
	wanted, at := crew.Alloc[int64](s, b.to-b.from)[:0], crew.Alloc[int](s, b.to-b.from)
	for i := b.from; i < b.to; i++ {
		k := targets[i].k - b.below - b.under
		if k >= smaller+copies {
			k -= copies
		} else if k >= smaller {
			targets[i].found(b.dropped)
			continue
		}
		if k >= 0 && k < have {
			at[len(wanted)] = i
			wanted = append(wanted, k)
		}
	}
	if len(wanted) > 0 {
		answers := crew.Alloc[K](s, len(wanted))
		bracket.Select(answers, keys, wanted, s, tuned)
		for i, key := range answers {
			targets[at[i]].found(key)
		}
	}
	s.Release(mark)
}

// buckets are those of a pass, in memory that is kept for the next.
type buckets[K kernel.Key] struct {
	list   []bucket[K]
	memory []K
}

// more appends a bucket without room.
func (b *buckets[K]) more() *bucket[K] {
	b.list = append(b.list, bucket[K]{})
	return &b.list[len(b.list)-1]
}

// reserve gives the buckets the room that they need, or as much as there is
// memory for so many keys.
func (b *buckets[K]) reserve(capacity int) {
	total := int64(0)
	for i := range b.list {
		total += b.list[i].room
	}
	b.memory = crew.Resize(b.memory, int(min(total, int64(capacity))))
	memory := b.memory
	for i := range b.list {
		one := &b.list[i]
		room := min(one.room, int64(len(memory)))
		one.keys, memory = memory[:room:room], memory[room:]
	}
}
