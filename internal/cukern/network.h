// Network: a thread sorts a lane in its registers, by a fixed list of compare-exchange
// steps. Lanes side by side are read together by the threads of a warp.
#pragma once
#include "keys.h"

namespace {

// Network is Batcher's odd-even merge sort of N elements.
template <u32 N> struct Network {
	u32 count = 0;
	u8 a[N * 9 + 1] = {}, b[N * 9 + 1] = {};
	constexpr Network() {
		for (u32 p = 1; p < N; p *= 2)
			for (u32 k = p; k; k /= 2)
				for (u32 j = k % p; j + k < N; j += 2 * k)
					for (u32 i = 0; i < k && i + j + k < N; i++)
						if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) a[count] = i + j, b[count++] = i + j + k;
	}
};

template <u32... I> struct Indices {};
template <class T, T... I> using IndicesOf = Indices<I...>;

template <u32 A, u32 B, class R> DEVICE void exchange(R *r) {
	R x = r[A], y = r[B];
	r[A] = least(x, y), r[B] = most(x, y);
}

template <u32 N, class R, u32... I> DEVICE void sort(R *r, Indices<I...>) {
	constexpr Network<N> net;
	(exchange<net.a[I], net.b[I]>(r), ...);
}

// at_least is the fewest elements that a network of N is used for: these are there
// without being asked for.
constexpr u32 at_least(u32 N) { return N <= 4 ? 1 : N <= 8 ? N - 3 : N <= 32 ? N - 7 : N - 15; }

// visit calls f with the number and the bits of each element of a lane of at most N,
// and then rest with the numbers of those that are not there.
template <u32 N, class F, class G> DEVICE void visit(const K *x, const Lanes &l, u64 lane, F f, G rest) {
	const K *p = x + start_of(l, lane);
#pragma unroll
	for (u32 i = 0; i < N; i++, p += l.element) {
		if (i < at_least(N) || i < (u32)l.n) f(i, *p);
		else rest(i);
	}
}

template <u32 N, class R> DEVICE R pick(const R *r, u32 at) {
	R v = r[0];
#pragma unroll
	for (u32 i = 1; i < N; i++) v = i == at ? r[i] : v;
	return v;
}

// middle writes the keys of the two middle elements of each lane, or of NaN where
// there is one. Keys that are not there are above all and below all by turns: n and N
// are both odd or both even, and the middle stays where it is.
template <u32 N> DEVICE void middle(const K *x, const Lanes &l, u64 code, K *lo, K *hi) {
	typedef Wide<K> R;
	u64 lane = (u64)block() * threads() + thread();
	if (lane >= l.count) return;
	R r[N];
	R size = 0;
	visit<N>(x, l, lane,
		[&](u32 i, K bits) { r[i] = T::plain(bits, (K)code), size = most(size, (R)T::size(bits)); },
		[&](u32 i) { r[i] = i % 2 ? (R)0 : ~(R)0; });
	sort<N>(r, __make_integer_seq<IndicesOf, u32, Network<N>().count>());
	bool nan = T::is_nan_size((K)size, (K)code);
	lo[lane] = nan ? T::top : r[(N - 1) / 2];
	if (N % 2 == 0) hi[lane] = nan ? T::top : r[N / 2];
}

// quantiles writes the keys of the wanted elements of each lane, and where NaNs are
// skipped the number of the others.
template <u32 N> DEVICE void quantiles(const K *x, const Lanes &l, u64 code, Wanted w, K *lo, K *hi, u32 *rows) {
	typedef Wide<K> R;
	u64 lane = (u64)block() * threads() + thread();
	if (lane >= l.count) return;
	R r[N];
	u32 valid = (u32)l.n;
	visit<N>(x, l, lane,
		[&](u32 i, K bits) { K k = T::key(bits, (K)code); r[i] = k, valid -= T::is_nan(k); },
		[&](u32 i) { r[i] = ~(R)0; });
	sort<N>(r, __make_integer_seq<IndicesOf, u32, Network<N>().count>());
	const Position *p = w.table;
	if (w.skip) p += (u64)valid * w.quantiles, rows[lane] = valid;
	bool nan = w.skip ? valid == 0 : valid < (u32)l.n;
	for (u32 q = 0; q < w.quantiles; q++, p++) {
		u64 at = (u64)q * l.count + lane;
		u32 i = (u32)p->lo, j = (u32)p->hi;
		K k = pick<N>(r, i);
		lo[at] = nan ? T::top : k;
		if (hi) hi[at] = nan ? T::top : i == j ? k : (K)pick<N>(r, j);
	}
}

}

#define MIDDLE(N) \
	KERNEL BOUNDS(128) NAMED(middle##N)(const K *x, LANES, u64 code, K *lo, K *hi) { middle<N>(x, LANES_OF, code, lo, hi); }

#define QUANTILES(N) \
	KERNEL BOUNDS(128) NAMED(quantiles##N)(const K *x, LANES, u64 code, WANTED, K *lo, K *hi, u32 *rows) { \
		quantiles<N>(x, LANES_OF, code, WANTED_OF, lo, hi, rows); \
	}
