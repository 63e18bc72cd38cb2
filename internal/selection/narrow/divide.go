package narrow

import (
	"slices"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
)

// dividedMax is how many intervals a pass divides at most, evenly into six parts or more;
// the others wait.
const dividedMax = kernel.BinCount / 8

// divide prepares a pass that divides the intervals, ascending, in which there are too
// many keys to collect: by keys of the sample that lie in them, or evenly where there are
// few of those or samples have failed.
func (b *bins[K]) divide(list []interval[K]) {
	b.heavy, b.allHeavy, b.counted = b.heavy[:0], false, true
	b.counts = b.counts[:0]
	clear(b.inBin[:])
	list = list[:min(len(list), dividedMax)]
	sampled := 0
	for _, v := range list {
		from, to := b.sampled(v.lo, v.hi)
		sampled += to - from
	}
	even := b.pass > sampledPasses || sampled < fewSampled*len(list)
	if even && len(list) == 1 {
		b.of.Within(list[0].lo, list[0].hi)
		return
	}
	room := kernel.BinCount - 1 - 2*len(list) // splitters, but for the ends
	keys := b.splitters.Memory()
	for _, v := range list {
		if even {
			keys = bracket.AppendEven(keys, v.lo, v.hi, room/len(list))
		} else {
			keys = b.appendSampled(keys, v, (2*sampled+room-1)/room)
		}
		keys = append(keys, v.hi+1) // after the largest key the smallest, which divides nothing
	}
	b.splitters.Set(keys)
	b.of = kernel.Bins[K]{Splitters: &b.splitters}
}

// appendSampled appends the first key of an interval and every so manyeth that the sample
// has of it. One with more copies is set apart.
func (b *bins[K]) appendSampled(keys []K, v interval[K], step int) []K {
	from, to := b.sampled(v.lo, v.hi)
	keys = append(keys, v.lo)
	for i := from; i < to; i += step {
		key := b.sample[i]
		if last := keys[len(keys)-1]; key != last {
			keys = append(keys, key)
		} else {
			keys = append(keys, key+1) // or the smallest, as above
		}
	}
	return slices.Compact(keys)
}
