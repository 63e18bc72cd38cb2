// What the passes over long lanes share: samples, the next digits of the wanted keys,
// and where a quantile finds its two order statistics. Kernels by the width of a key.
#include "keys.h"

namespace {

// sample takes one element of each of count equal stretches of a lane, at a place that
// seed decides.
template <class U> DEVICE void sample(const U *x, const Lanes &l, u64 count, u64 seed, U *to) {
	u64 step = l.n / count;
	for (u64 lane = block_y(); lane < l.count; lane += blocks_y()) {
		const U *p = x + start_of(l, lane);
		for (u64 i = (u64)block() * threads() + thread(); i < count; i += (u64)blocks() * threads()) {
			u64 h = (i + seed) * 0x9E3779B97F4A7C15ull;
			h = (h ^ h >> 32) * 0xD6E8FEB86659FD93ull;
			u64 at = i * step + (u64)(((h >> 32) * (u32)step) >> 32);
			to[lane * count + i] = p[(i64)at * l.element];
		}
	}
}

// choose appends to each wanted key of a lane its next digit. rest are their ranks
// among the keys that begin alike, slot the prefixes they have now; both are updated.
// There are as many prefixes of a lane as ranks, at most; slots of them were counted.
// The ranks of a lane ascend, and so do the keys and the prefixes made of them.
template <class K>
DEVICE void choose(u64 count, u32 ranks, u32 slots, u32 bits, const u64 *counts, u64 *rest, u32 *slot, K *keys, K *prefixes, u32 *slot_counts) {
	u32 bins = 1u << bits;
	for (u64 lane = block(); lane < count; lane += blocks()) {
		for (u32 r = thread() / warp_size; r < ranks; r += threads() / warp_size) {
			u64 at = lane * ranks + r, left = rest[at];
			u32 s = slot[at];
			const u64 *c = counts + (lane * slots + s) * bins;
			u64 below = 0;
			for (u32 first = 0; first < bins; first += warp_size) {
				u64 v = first + in_warp() < bins ? c[first + in_warp()] : 0;
				u64 before = below + sum_before(v);
				bool here = before <= left && left < before + v;
				if (ballot(here)) {
					if (here) {
						rest[at] = left - before;
						keys[at] = (K)(prefixes[lane * ranks + s] << bits) | (K)(first + in_warp());
					}
					break;
				}
				below = lane_of(before + v, 31);
			}
		}
		barrier();
		if (thread() == 0) {
			u32 used = 0;
			for (u32 r = 0; r < ranks; r++) {
				u64 at = lane * ranks + r;
				if (r == 0 || keys[at] != keys[at - 1]) prefixes[lane * ranks + used++] = keys[at];
				slot[at] = used - 1;
			}
			slot_counts[lane] = used;
		}
		barrier();
	}
}

// answer writes the keys of the quantiles of each lane from those of its ranks. places
// are, for a row and a quantile, where its two order statistics stand among the ranks.
template <class K>
DEVICE void answer(u64 lanes, u64 n, u32 ranks, u32 quantiles, u32 skip, const K *keys, const u32 *places, const u32 *rows, const u64 *valid, K *lo, K *hi) {
	u64 o = (u64)block() * threads() + thread();
	if (o >= lanes * quantiles) return;
	u64 q = o / lanes, lane = o % lanes;
	const u32 *p = places + ((rows ? rows[lane] : 0) * (u64)quantiles + q) * 2;
	bool nan = valid && (skip ? valid[lane] == 0 : valid[lane] < n);
	lo[o] = nan ? ~(K)0 : keys[lane * ranks + p[0]];
	if (hi) hi[o] = nan ? ~(K)0 : keys[lane * ranks + p[1]];
}

}

#define WIDTH(suffix, K) \
	KERNEL BOUNDS(256) sample_##suffix(const K *x, LANES, u64 size, u64 seed, K *to) { sample<K>(x, LANES_OF, size, seed, to); } \
	KERNEL BOUNDS(256) choose_##suffix(u64 count, u32 ranks, u32 slots, u32 bits, const u64 *counts, u64 *rest, u32 *slot, K *keys, K *prefixes, u32 *slot_counts) { \
		choose<K>(count, ranks, slots, bits, counts, rest, slot, keys, prefixes, slot_counts); \
	} \
	KERNEL BOUNDS(256) answer_##suffix(u64 lanes, u64 n, u32 ranks, u32 quantiles, u32 skip, const K *keys, const u32 *places, const u32 *rows, const u64 *valid, K *lo, K *hi) { \
		answer<K>(lanes, n, ranks, quantiles, skip, keys, places, rows, valid, lo, hi); \
	}
WIDTH(8, u8) WIDTH(16, u16) WIDTH(32, u32) WIDTH(64, u64)
