// Locate: the element of rank k with b smaller ones is the one numbered k - b of its
// equals, in the order of the lane. A NaN is the first one of the lane, or nowhere (-1)
// where NaNs are skipped.
#include "keys.h"

namespace {

// rank_of returns the rank that quantile q wants of a lane.
DEVICE u64 rank_of(const Wanted &w, const u32 *rows, u64 lane, u32 q) {
	return (u64)w.table[(rows ? rows[lane] : 0) * (u64)w.quantiles + q].lo;
}

// short_lanes does it with a thread for each lane and quantile.
DEVICE void short_lanes(const K *x, const Lanes &l, u64 code, Wanted w, const u32 *rows, const K *keys, i64 *to) {
	u64 o = (u64)block() * threads() + thread();
	if (o >= l.count * w.quantiles) return;
	u64 lane = o % l.count;
	const K *p = x + start_of(l, lane);
	K wanted = keys[o];
	bool nan = T::is_float && T::is_nan(wanted);
	i64 at = -1;
	if (!(nan && w.skip)) {
		u64 less = 0;
		if (!nan)
			for (u64 i = 0; i < l.n; i++) less += T::key(p[(i64)i * l.element], (K)code) < wanted;
		u64 left = nan ? 0 : rank_of(w, rows, lane, (u32)(o / l.count)) - less;
		for (u64 i = 0; i < l.n; i++)
			if (T::key(p[(i64)i * l.element], (K)code) == wanted && left-- == 0) {
				at = (i64)i;
				break;
			}
	}
	to[o] = at;
}

// count_chunks counts the elements of each chunk of a lane that are less than the
// wanted key and those that are equal to it: a block does one chunk for all quantiles
// and lanes of its row of blocks.
DEVICE void count_chunks(const K *x, const Lanes &l, u64 code, u32 quantiles, u64 chunk, const K *keys, u32 *less_of, u32 *equal_of) {
	SHARED u32 sums[2];
	u64 first = (u64)block() * chunk, end = least(first + chunk, l.n);
	for (u64 o = block_y(); o < l.count * quantiles; o += blocks_y()) {
		const K *p = x + start_of(l, o % l.count);
		K wanted = keys[o];
		if (thread() < 2) sums[thread()] = 0;
		barrier();
		u32 less = 0, equal = 0;
		walk(p, l.element, first, end, [&](K element) {
			K k = T::key(element, (K)code);
			less += k < wanted, equal += k == wanted;
		});
		less = sum_of_warp(less), equal = sum_of_warp(equal);
		if (in_warp() == 0) atomic_add(&sums[0], less), atomic_add(&sums[1], equal);
		barrier();
		if (thread() == 0) less_of[o * blocks() + block()] = sums[0], equal_of[o * blocks() + block()] = sums[1];
		barrier();
	}
}

// find looks for the element in the chunk that the counts say: a warp does a lane and
// a quantile.
DEVICE void find(const K *x, const Lanes &l, u64 code, Wanted w, const u32 *rows, u64 chunk, const K *keys, const u32 *less_of, const u32 *equal_of, i64 *to) {
	u64 chunks = (l.n + chunk - 1) / chunk;
	u64 o = ((u64)block() * threads() + thread()) / warp_size;
	if (o >= l.count * w.quantiles) return;
	u64 lane = o % l.count;
	const K *p = x + start_of(l, lane);
	K wanted = keys[o];
	bool nan = T::is_float && T::is_nan(wanted);
	if (nan && w.skip) {
		if (in_warp() == 0) to[o] = -1;
		return;
	}
	u64 left = 0;
	if (!nan) {
		u64 less = 0;
		for (u64 c = in_warp(); c < chunks; c += warp_size) less += less_of[o * chunks + c];
		left = rank_of(w, rows, lane, (u32)(o / l.count)) - lane_of(sum_of_warp(less), 0);
	}
	u64 c = 0;
	while (equal_of[o * chunks + c] <= left) left -= equal_of[o * chunks + c++];
	for (u64 first = c * chunk;; first += warp_size) {
		u64 i = first + in_warp();
		u32 hits = ballot(i < l.n && T::key(p[(i64)least(i, l.n - 1) * l.element], (K)code) == wanted);
		u32 n = popcount(hits);
		if (left >= n) {
			left -= n;
			continue;
		}
		while (left--) hits &= hits - 1;
		if (in_warp() == 0) to[o] = (i64)(first + trailing_zeros(hits));
		return;
	}
}

}

KERNEL BOUNDS(128) NAMED(locate)(const K *x, LANES, u64 code, WANTED, const u32 *rows, const K *keys, i64 *to) {
	short_lanes(x, LANES_OF, code, WANTED_OF, rows, keys, to);
}
KERNEL BOUNDS(256) NAMED(chunks)(const K *x, LANES, u64 code, u32 quantiles, u64 chunk, const K *keys, u32 *less, u32 *equal) {
	count_chunks(x, LANES_OF, code, quantiles, chunk, keys, less, equal);
}
KERNEL BOUNDS(128) NAMED(find)(const K *x, LANES, u64 code, WANTED, const u32 *rows, u64 chunk, const K *keys, const u32 *less, const u32 *equal, i64 *to) {
	find(x, LANES_OF, code, WANTED_OF, rows, chunk, keys, less, equal, to);
}
