// Rows: a lane lies in shared memory, is read once, and is searched there. A guess is
// made of the wanted key, the keys below it are counted, and the next guess is where the
// line through two counts says, until few keys are left. A lane is the work of a team, a
// warp or a block.
#include "keys.h"

namespace {

extern __attribute__((shared)) u64 dynamic[];

// sort_from is how many quantiles make it worth while to sort a row.
const u32 sort_from = 6;

// aim is how many keys beyond the wanted one a guess aims.
const float aim = 8;

// few is how many keys are compared all with all: one for each lane of a warp.
const u32 few = warp_size;

// Team is the threads that share a lane.
template <bool warp> struct Team {
	u32 me, size;
	u64 *room; // a word for each warp of a block
	DEVICE void sync() const {
		if (warp) warp_barrier();
		else barrier();
	}
	// all returns the fold of v over the team, to each of its threads. A block has a power
	// of two of warps.
	template <class V, class F> DEVICE V all(V v, F fold) const {
		for (u32 by = 16; by; by /= 2) v = fold(v, lane_xor(v, by));
		if (warp) return v;
		u32 warps = size / warp_size;
		if (in_warp() == 0) room[me / warp_size] = v;
		barrier();
		v = (V)room[in_warp() % warps];
		barrier();
		for (u32 by = warps / 2; by; by /= 2) v = fold(v, lane_xor(v, by));
		return v;
	}
	// count returns for how many of 0 … n-1 f is true.
	template <class F> DEVICE u32 count(u32 n, F f) const {
		u32 sum = 0, i = me;
		if (warp) {
			for (; i - me + 4 * warp_size <= n; i += 4 * warp_size)
				sum += popcount(ballot(f(i))) + popcount(ballot(f(i + 32))) + popcount(ballot(f(i + 64))) + popcount(ballot(f(i + 96)));
			for (; i - me < n; i += warp_size) sum += popcount(ballot(i < n && f(i)));
			return sum;
		}
		for (; i + 3 * size < n; i += 4 * size) sum += f(i) + f(i + size) + f(i + 2 * size) + f(i + 3 * size);
		for (; i < n; i += size) sum += f(i);
		return all(sum, [](u32 a, u32 b) { return a + b; });
	}
};

template <class V> DEVICE V smaller(V a, V b) { return least(a, b); }
template <class V> DEVICE V larger(V a, V b) { return most(a, b); }

// Row is a lane whose keys its team has stored: those of NaN are above all.
template <bool warp> struct Row {
	typedef Wide<K> V;
	Team<warp> team;
	K *keys;
	K *left;   // of those few that are compared all with all
	u32 *used; // how many these are
	u32 n, valid;
	K low, high; // the smallest and the largest that is not NaN
	K code;

	// select finds the keys of the ranks k and k+1; the second one only if there is one
	// and it is wanted.
	DEVICE void select(u32 k, bool two, K *a, K *b) {
		K lo = low, hi = high;
		u32 before = 0, upto = valid; // keys below lo, and keys up to hi
		for (u32 turn = 0; upto - before > few && lo < hi; turn++) {
			V span = (K)(hi - lo), step = span / 2; // every third guess halves what is left
			if (turn % 3 != 2) {
				// Aimed beyond the wanted key on the side where more keys are, so that
				// these fall away.
				float all = (float)(upto - before), at = (float)(k - before) + 0.5f;
				step = T::between(lo, hi, (at < all / 2 ? at + aim : at - aim) / all, code);
			}
			K guess = (K)(lo + least(step, (V)(span - 1)) + 1);
			u32 below = team.count(n, [&](u32 i) { return keys[i] < guess; });
			if (below <= k) lo = guess, before = below;
			else hi = (K)(guess - 1), upto = below;
		}
		*a = *b = lo;
		if (lo < hi) compare(lo, hi, before, k, a, b);
		if (two && k + 1 >= upto) *b = above(hi);
	}

	// compare finds the keys of the ranks k and k+1 among those from lo to hi, of which
	// there are a few and which before are below: for the second one that of k if there is
	// none of it. Each warp sorts the few, a key in each lane.
	DEVICE void compare(K lo, K hi, u32 before, u32 k, K *a, K *b) {
		if (team.me == 0) *used = 0;
		team.sync();
		for (u32 i = team.me; i < n; i += team.size) {
			K x = keys[i];
			if ((K)(x - lo) <= (K)(hi - lo)) left[atomic_add(used, 1u)] = x;
		}
		team.sync();
		u32 count = *used, mine = in_warp();
		V x = mine < count ? (V)left[mine] : (V)T::top;
		for (u32 size = 2; size <= few; size *= 2)
			for (u32 by = size / 2; by; by /= 2) {
				V y = lane_xor(x, by);
				x = ((mine & by) == 0) == ((mine & size) == 0) ? least(x, y) : most(x, y);
			}
		k -= before;
		*a = (K)lane_of(x, k);
		*b = k + 1 < count ? (K)lane_of(x, k + 1) : *a;
		team.sync();
	}

	// above returns the smallest key above one.
	DEVICE K above(K key) {
		V next = T::top;
		for (u32 i = team.me; i < n; i += team.size)
			if (keys[i] > key) next = least(next, (V)keys[i]);
		return (K)team.all(next, smaller<V>);
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

	// load stores the keys of a lane.
	DEVICE void load(const K *p, i64 element) {
		K l = T::top, h = 0;
		u32 nans = 0;
		for (u32 i = team.me; i < n; i += team.size) {
			K k = T::key(p[(i64)i * element], code);
			keys[i] = k;
			bool nan = T::is_nan(k);
			nans += nan;
			l = least(l, k);
			if (!nan) h = most(h, k);
		}
		low = (K)team.all((V)l, smaller<V>);
		high = (K)team.all((V)h, larger<V>);
		valid = n;
		if (T::is_float) valid -= team.all(nans, [](u32 a, u32 b) { return a + b; });
		if (warp) team.sync(); // a block has met since
	}
};

// rows_of writes the keys of the wanted elements of each lane, and the number of those
// that are not NaN where these are skipped. A team has shared memory for the keys, for
// the few and for their number, each of whole words, and then there is room for all.
template <bool warp> DEVICE void rows_of(const K *x, const Lanes &l, u64 code, Wanted w, K *lo, K *hi, u32 *rows) {
	u32 size = warp ? warp_size : threads(), number = thread() / size, teams = threads() / size;
	u32 n = (u32)l.n, words = (u32)((l.n * sizeof(K) + 7) / 8), each = words + few * sizeof(K) / 8 + 1;
	u64 lane = (u64)block() * teams + number;
	if (lane >= l.count) return; // a whole team
	u64 *memory = dynamic + number * each;
	Row<warp> row{{thread() % size, size, dynamic + teams * each}, (K *)memory, (K *)(memory + words), (u32 *)(memory + each - 1), n, 0, 0, 0, (K)code};
	row.load(x + start_of(l, lane), l.element);
	const Position *position = w.table;
	if (w.skip) {
		position += (u64)row.valid * w.quantiles;
		if (row.team.me == 0) rows[lane] = row.valid;
	}
	bool nan = w.skip ? row.valid == 0 : row.valid < n, sorted = w.quantiles >= sort_from && !nan;
	if (sorted) row.sort();
	for (u32 q = 0; q < w.quantiles; q++, position++) {
		K a = T::top, b = T::top;
		if (sorted) a = row.keys[position->lo], b = row.keys[position->hi];
		else if (!nan) {
			row.select((u32)position->lo, hi && position->hi > position->lo, &a, &b);
		}
		if (row.team.me == 0) {
			lo[(u64)q * l.count + lane] = a;
			if (hi) hi[(u64)q * l.count + lane] = position->hi > position->lo ? b : a;
		}
	}
}

}

KERNEL BOUNDS(256) NAMED(warps)(const K *x, LANES, u64 code, WANTED, K *lo, K *hi, u32 *rows) {
	rows_of<true>(x, LANES_OF, code, WANTED_OF, lo, hi, rows);
}
KERNEL BOUNDS(512) NAMED(rows)(const K *x, LANES, u64 code, WANTED, K *lo, K *hi, u32 *rows) {
	rows_of<false>(x, LANES_OF, code, WANTED_OF, lo, hi, rows);
}
