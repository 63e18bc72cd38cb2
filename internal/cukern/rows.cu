// Rows: a lane lies in shared memory, and is searched there by digits of its keys. A
// lane is the work of a warp or of a block; it is read once.
#include "keys.h"

namespace {

extern __attribute__((shared)) u64 dynamic[];

const u32 digit_bits = 8, bins = 1 << digit_bits;

// sort_from is how many quantiles make it worth while to sort a row.
const u32 sort_from = 6;

// Team is the threads that share a lane: a warp or the block.
template <bool warp> struct Team {
	u32 me, size;
	u64 *room; // for sums, of a word for each warp of a block
	DEVICE void sync() const {
		if (warp) warp_barrier();
		else barrier();
	}
	// all returns the fold of v over the team, to each of its threads.
	template <class V, class F> DEVICE V all(V v, F fold) const {
		for (u32 by = 16; by; by /= 2) v = fold(v, lane_down(v, by));
		if (warp) return lane_of(v, 0);
		if (in_warp() == 0) room[me / warp_size] = v;
		barrier();
		V sum = (V)room[0];
		for (u32 i = 1; i < size / warp_size; i++) sum = fold(sum, (V)room[i]);
		barrier();
		return sum;
	}
};

// row finds the wanted keys of a lane whose keys its team has stored at keys: those of
// NaN are above all.
template <bool warp> struct Row {
	Team<warp> team;
	K *keys;
	u32 *counts; // a bin for each digit, and one for the answer
	u32 n;
	K low, high; // the smallest and the largest that is not NaN

	// at returns the key of rank k, by digits of its distance from low.
	DEVICE K at(u32 k) {
		Wide<K> range = (K)(high - low);
		u32 width = range ? 8 * sizeof(range) - leading_zeros(range) : 0;
		K found = 0;
		while (width) {
			u32 bits = least(width, digit_bits);
			width -= bits;
			for (u32 i = team.me; i < bins; i += team.size) counts[i] = 0;
			team.sync();
			for (u32 i = team.me; i < n; i += team.size) {
				K d = (K)(keys[i] - low) >> width;
				if (keys[i] <= high && d >> bits == found) atomic_add(&counts[d & ((1u << bits) - 1)], 1u);
			}
			team.sync();
			if (team.me < warp_size) {
				u32 sum = 0, first = team.me * (bins / warp_size);
				for (u32 i = 0; i < bins / warp_size; i++) sum += counts[first + i];
				u32 below = sum_before(sum);
				if (below <= k && k < below + sum) {
					while (below + counts[first] <= k) below += counts[first++];
					counts[bins] = first, counts[bins + 1] = below;
				}
			}
			team.sync();
			found = (K)(found << bits) | (K)counts[bins];
			k -= counts[bins + 1];
		}
		team.sync();
		return low + found;
	}

	// sort orders the keys, by Batcher's odd-even merge sort of any number.
	DEVICE void sort() {
		for (u32 p = 1; p < n; p *= 2)
			for (u32 k = p; k; k /= 2) {
				for (u32 i = team.me + k % p; i + k < n; i += team.size) {
					if ((i - k % p) & k || i / (2 * p) != (i + k) / (2 * p)) continue;
					K a = keys[i], b = keys[i + k];
					if (b < a) keys[i] = b, keys[i + k] = a;
				}
				team.sync();
			}
	}

	// after returns the key of rank k + 1, given that of rank k.
	DEVICE K after(K key, u32 k) {
		u32 upto = 0;
		K next = T::top;
		for (u32 i = team.me; i < n; i += team.size) {
			upto += keys[i] <= key;
			if (keys[i] > key) next = least(next, keys[i]);
		}
		upto = team.all(upto, [](u32 a, u32 b) { return a + b; });
		if (upto > k + 1) return key;
		typedef Wide<K> V;
		return (K)team.all((V)next, [](V a, V b) { return least(a, b); });
	}
};

// rows_of writes the keys of the wanted elements of each lane, and the number of those
// that are not NaN where these are skipped.
template <bool warp> DEVICE void rows_of(const K *x, const Lanes &l, u64 code, Wanted w, K *lo, K *hi, u32 *rows) {
	typedef Wide<K> V;
	u32 size = warp ? warp_size : threads(), number = thread() / size, teams = threads() / size;
	u32 n = (u32)l.n, words = (u32)((l.n * sizeof(K) + 7) / 8), each = words + bins / 2 + 1;
	u64 lane = (u64)block() * teams + number;
	if (lane >= l.count) return; // a whole team
	u64 *memory = dynamic + number * each;
	Row<warp> row{{thread() % size, size, dynamic + teams * each}, (K *)memory, (u32 *)(memory + words), n, 0, 0};
	const K *p = x + start_of(l, lane);
	K low = T::top, high = 0;
	u32 valid = 0;
	for (u32 i = row.team.me; i < n; i += size) {
		K k = T::key(p[(i64)i * l.element], (K)code);
		row.keys[i] = k;
		bool nan = T::is_nan(k);
		valid += !nan;
		low = least(low, k);
		if (!nan) high = most(high, k);
	}
	row.low = (K)row.team.all((V)low, [](V a, V b) { return least(a, b); });
	row.high = (K)row.team.all((V)high, [](V a, V b) { return most(a, b); });
	valid = row.team.all(valid, [](u32 a, u32 b) { return a + b; });
	row.team.sync();
	const Position *position = w.table;
	if (w.skip) {
		position += (u64)valid * w.quantiles;
		if (row.team.me == 0) rows[lane] = valid;
	}
	bool nan = w.skip ? valid == 0 : valid < n, sorted = w.quantiles >= sort_from && !nan;
	if (sorted) row.sort();
	for (u32 q = 0; q < w.quantiles; q++, position++) {
		K a = T::top, b = T::top;
		if (sorted) a = row.keys[position->lo], b = row.keys[position->hi];
		else if (!nan) {
			a = b = row.at((u32)position->lo);
			if (hi && position->hi > position->lo) b = row.after(a, (u32)position->lo);
		}
		if (row.team.me == 0) {
			lo[(u64)q * l.count + lane] = a;
			if (hi) hi[(u64)q * l.count + lane] = b;
		}
	}
}

}

KERNEL BOUNDS(256) NAMED(warps)(const K *x, LANES, u64 code, WANTED, K *lo, K *hi, u32 *rows) {
	rows_of<true>(x, LANES_OF, code, WANTED_OF, lo, hi, rows);
}
KERNEL BOUNDS(256) NAMED(rows)(const K *x, LANES, u64 code, WANTED, K *lo, K *hi, u32 *rows) {
	rows_of<false>(x, LANES_OF, code, WANTED_OF, lo, hi, rows);
}
