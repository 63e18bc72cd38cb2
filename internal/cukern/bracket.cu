// Bracket: a sample says between which two keys the wanted one lies; a pass counts the
// keys below and collects those inside.
#include "keys.h"

namespace {

// Found is what a pass finds of a lane.
struct Found {
	u64 less, at_low, at_high, nan, inside;
};

const u32 room = 1024;

// bracket counts the elements of each lane below, at and between the keys low and
// high, and those that are NaN, and collects those strictly between, most for each
// lane. A block looks at chunk elements.
DEVICE void bracket(const K *x, const Lanes &l, u64 code, u64 chunk, const K *lows, const K *highs, u64 most_inside, Found *found, K *inside) {
	SHARED K kept[room];
	SHARED u32 used;
	SHARED u64 begin;
	u64 first = (u64)block() * chunk, end = least(first + chunk, l.n);
	for (u64 lane = block_y(); lane < l.count; lane += blocks_y()) {
		const K *p = x + start_of(l, lane);
		K low = lows[lane], high = highs[lane], span = high - low;
		K *to = inside + lane * most_inside;
		if (thread() == 0) used = 0;
		barrier();
		u32 less = 0, at_low = 0, at_high = 0, nan = 0;
		auto look = [&](K element) {
			K k = T::key(element, (K)code);
			if (T::is_float) nan += T::is_nan(k);
			less += k < low;
			if ((K)(k - low) > span) return;
			if (k == low) at_low++;
			else if (k == high) at_high++;
			else {
				u32 at = atomic_add(&used, 1u);
				if (at < room) kept[at] = element;
				else {
					u64 i = atomic_add(&found[lane].inside, (u64)1);
					if (i < most_inside) to[i] = element;
				}
			}
		};
		walk(p, l.element, first, end, look);
		u64 sums[] = {less, at_low, at_high, nan};
		for (u32 s = 0; s < 4; s++) {
			u64 sum = sum_of_warp(sums[s]);
			if (in_warp() == 0 && sum) atomic_add(&found[lane].less + s, sum);
		}
		barrier();
		u32 n = least(used, room);
		if (thread() == 0 && n) begin = atomic_add(&found[lane].inside, (u64)n);
		barrier();
		for (u32 i = thread(); i < n; i += threads())
			if (begin + i < most_inside) to[begin + i] = kept[i];
		barrier();
	}
}

}

KERNEL BOUNDS(256) NAMED(bracket)(const K *x, LANES, u64 code, u64 chunk, const K *lows, const K *highs, u64 most_inside, u64 *found, K *inside) {
	bracket(x, LANES_OF, code, chunk, lows, highs, most_inside, (Found *)found, inside);
}
