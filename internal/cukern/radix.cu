// Radix: a pass over lanes of any length counts the digits of those keys that begin as
// a wanted one does; the next digit of each wanted key follows from the counts. A lane
// is the work of many blocks.
#include "keys.h"

namespace {

extern __attribute__((shared)) u32 shared_counts[];

// slot_of returns which of the ascending prefixes is p, or count if none is.
DEVICE u32 slot_of(const K *prefixes, u32 count, K p) {
	u32 at = 0;
	for (u32 left = count; left > 1;) {
		u32 half = left / 2;
		if (prefixes[at + half] <= p) at += half;
		left -= half;
	}
	return prefixes[at] == p ? at : count;
}

// digits counts, for each lane and each of its prefixes, the digits of so many bits
// above shift of the keys that begin with it. counts has slots × 2^bits numbers for
// each lane. In a first pass (prefixes null) the keys that are not NaN are counted, too.
// A block counts chunk elements, in shared memory if in_shared is set; there the thread
// that has added a number up clears it for the next lane.
DEVICE void digits(const K *x, const Lanes &l, u64 code, u64 chunk, u32 shift, u32 bits, u32 slots, u32 in_shared,
	const K *prefixes, const u32 *slot_counts, u64 *counts, u64 *valid) {
	u32 bins = 1u << bits, mask = bins - 1;
	u64 first = (u64)block() * chunk, end = least(first + chunk, l.n);
	for (u64 lane = block_y(); lane < l.count; lane += blocks_y()) {
		const K *p = x + start_of(l, lane);
		u64 *to = counts + lane * slots * bins;
		if (!prefixes) {
			for (u32 i = thread(); i < bins; i += threads()) shared_counts[i] = 0;
			barrier();
			u32 good = 0;
			auto count = [&](K element) {
				K k = T::key(element, (K)code);
				if (T::is_float) good += !T::is_nan(k);
				atomic_add(&shared_counts[k >> shift], 1u);
			};
			walk(p, l.element, first, end, count);
			if (T::is_float) {
				u64 sum = sum_of_warp((u64)good);
				if (in_warp() == 0 && sum) atomic_add(&valid[lane], sum);
			}
			barrier();
			for (u32 i = thread(); i < bins; i += threads())
				if (u32 c = shared_counts[i]) atomic_add(&to[i], (u64)c);
			continue;
		}
		const K *mine = prefixes + lane * slots;
		u32 used = slot_counts[lane];
		if (in_shared) {
			for (u32 i = thread(); i < used * bins; i += threads()) shared_counts[i] = 0;
			barrier();
		}
		if (used == 1 && in_shared) {
			Wide<K> head = (Wide<K>)mine[0] << bits;
			walk(p, l.element, first, end, [&](K element) {
				Wide<K> digit = (Wide<K>)T::key(element, (K)code) >> shift ^ head;
				if (digit < bins) atomic_add(&shared_counts[digit], 1u);
			});
		} else {
			walk(p, l.element, first, end, [&](K element) {
				K k = T::key(element, (K)code);
				u32 slot = slot_of(mine, used, (K)(k >> shift >> bits));
				if (slot >= used) return;
				u32 at = slot * bins + ((u32)(k >> shift) & mask);
				if (in_shared) atomic_add(&shared_counts[at], 1u);
				else atomic_add(&to[at], (u64)1);
			});
		}
		if (in_shared) {
			barrier();
			for (u32 i = thread(); i < used * bins; i += threads())
				if (u32 c = shared_counts[i]) atomic_add(&to[i], (u64)c);
		}
	}
}

}

KERNEL BOUNDS(256) NAMED(digits)(const K *x, LANES, u64 code, u64 chunk, u32 shift, u32 bits, u32 slots, u32 in_shared, const K *prefixes, const u32 *slot_counts, u64 *counts, u64 *valid) {
	digits(x, LANES_OF, code, chunk, shift, bits, slots, in_shared, prefixes, slot_counts, counts, valid);
}
