// Element tests, copies between memory in one order and in another, and isin.
#include "keys.h"

namespace {

struct Pair {
	u64 a, b;
};
DEVICE bool same(u64 x, u64 y) { return x == y; }
DEVICE bool same(Pair x, Pair y) { return x.a == y.a && x.b == y.b; }

// Window is a range of bits under a mask; see kernel.Window.
template <class U> struct Window {
	U mask, low, span;
	DEVICE bool has(U x) const { return (U)((x & mask) - low) <= span; }
};

// four tests four elements of a thread at a time, whose answers are a word.
template <class U> struct alignas(sizeof(U) > 4 ? 16 : 4 * sizeof(U)) Four { U v[4]; };

// each writes f of every element. Where x is aligned for it a thread does four.
template <class U, class F> DEVICE void each(u64 n, const U *x, u8 *to, F f) {
	u64 i = (u64)block() * threads() + thread(), step = (u64)blocks() * threads();
	u64 fours = ((u64)x % alignof(Four<U>) | (u64)to % 4) == 0 ? n / 4 : 0;
	for (u64 j = i; j < fours; j += step) {
		Four<U> q = ((const Four<U> *)x)[j];
		u32 word = 0;
		for (u32 k = 0; k < 4; k++) word |= (u32)f(q.v[k]) << 8 * k;
		((u32 *)to)[j] = word;
	}
	for (u64 j = 4 * fours + i; j < n; j += step) to[j] = f(x[j]);
}

// position returns how far element i of an array lies from its first, in elements.
// about holds the number of dimensions, their lengths and their strides.
DEVICE i64 position(u64 i, const i64 *about) {
	u32 dims = (u32)about[0];
	const i64 *length = about + 1, *stride = length + dims;
	i64 at = 0;
	for (u32 d = dims; d-- > 1;) {
		u64 n = (u64)length[d], rest;
		if ((i | n) >> 32 == 0) rest = (u32)i % (u32)n, i = (u32)i / (u32)n;
		else rest = i % n, i /= n;
		at += (i64)rest * stride[d];
	}
	return dims ? at + (i64)i * stride[0] : 0;
}

// turn copies lanes to rows, one after the other, a tile of 32 lanes and 32 elements at a
// time: neighbouring threads read neighbouring lanes and write neighbouring elements.
template <class U> DEVICE void turn(const U *x, const Lanes &l, U *to) {
	SHARED U tile[32][33];
	u64 run = l.inner == 1 ? l.count : l.inner, tiles = (run + 31) / 32;
	i64 near = l.inner == 1 ? l.outer : l.near, outer = l.inner == 1 ? 0 : l.outer;
	u64 group = block() / tiles, first = block() % tiles * 32;
	u32 column = thread() % 32, row = thread() / 32;
	const U *from = x + (i64)group * outer;
	for (u64 at = (u64)block_y() * 32; at < l.n; at += (u64)blocks_y() * 32) {
		for (u32 i = row; i < 32; i += 8)
			if (first + column < run && at + i < l.n) tile[i][column] = from[(i64)(first + column) * near + (i64)(at + i) * l.element];
		barrier();
		for (u32 i = row; i < 32; i += 8)
			if (first + i < run && at + column < l.n) to[(group * run + first + i) * l.n + at + column] = tile[column][i];
		barrier();
	}
}

// Hash is a table of patterns, of 2^bits places, bits > 0, those without one holding
// none.
template <class U> struct Hash {
	const U *places;
	u32 bits;
	U none;
	static DEVICE u64 mix(u64 x) { return x; }
	static DEVICE u64 mix(Pair x) { return x.a ^ (x.b << 32 | x.b >> 32) * 0xD6E8FEB86659FD93ull; }
	DEVICE bool has(U x) const {
		u64 at = mix(x) * 0x9E3779B97F4A7C15ull >> (64 - bits);
		while (!same(places[at], x)) {
			if (same(places[at], none)) return false;
			at = (at + 1) & ((1ull << bits) - 1);
		}
		return !same(x, none);
	}
};

const u32 shared_bytes = 32 << 10;

// member writes whether elements are among the patterns of a table, or NaN as windows
// say, of each half of the bits if pairs is set; or whether not.
template <class U, class F>
DEVICE void member(u64 n, const U *x, u8 *to, const U *places, u32 bits, U none, u32 invert, F is_nan) {
	SHARED U copy[shared_bytes / sizeof(U)];
	u32 size = 1u << bits;
	if (size * sizeof(U) <= shared_bytes) {
		for (u32 i = thread(); i < size; i += threads()) copy[i] = places[i];
		barrier();
		places = copy;
	}
	Hash<U> h{places, bits, none};
	each(n, x, to, [&](U v) { return (u32)(h.has(v) || is_nan(v)) ^ invert; });
}

}

#define WINDOW(suffix, U) \
	KERNEL BOUNDS(256) window_##suffix(u64 n, const U *x, u8 *to, U mask, U low, U span) { \
		Window<U> w{mask, low, span}; \
		each(n, x, to, [&](U v) { return w.has(v); }); \
	} \
	KERNEL BOUNDS(256) pack_##suffix(u64 n, const U *x, const i64 *about, U *to) { \
		u64 i = (u64)block() * threads() + thread(); \
		if (i < n) to[i] = x[position(i, about)]; \
	} \
	KERNEL BOUNDS(256) unpack_##suffix(u64 n, const U *x, const i64 *about, U *to) { \
		u64 i = (u64)block() * threads() + thread(); \
		if (i < n) to[position(i, about)] = x[i]; \
	}
#define TURN(suffix, U) \
	KERNEL BOUNDS(256) turn_##suffix(const U *x, LANES, U *to) { turn(x, LANES_OF, to); }
TURN(8, u8) TURN(16, u16) TURN(32, u32) TURN(64, u64)

WINDOW(8, u8) WINDOW(16, u16) WINDOW(32, u32) WINDOW(64, u64)

KERNEL BOUNDS(256) pack_128(u64 n, const Pair *x, const i64 *about, Pair *to) {
	u64 i = (u64)block() * threads() + thread();
	if (i < n) to[i] = x[position(i, about)];
}

// Complex elements are two halves, which either or both lie in a window of theirs.
#define WINDOWS(suffix, U, V, RE, IM) \
	KERNEL BOUNDS(256) windows_##suffix(u64 n, const V *x, u8 *to, U mask, U low, U span, U mask2, U low2, U span2, u32 either) { \
		Window<U> re{mask, low, span}, im{mask2, low2, span2}; \
		each(n, x, to, [&](V v) { bool a = re.has(RE), b = im.has(IM); return either ? a || b : a && b; }); \
	}
WINDOWS(32, u32, u64, (u32)v, (u32)(v >> 32))
WINDOWS(64, u64, Pair, v.a, v.b)

#define ISIN(suffix, U) \
	KERNEL BOUNDS(256) isin_##suffix(u64 n, const U *x, u8 *to, const U *places, u32 bits, U none, u32 invert, U mask, U low, U span, u32 nans) { \
		Window<U> nan{mask, low, span}; \
		member(n, x, to, places, bits, none, invert, [&](U v) { return nans && nan.has(v); }); \
	}
ISIN(8, u8) ISIN(16, u16) ISIN(32, u32) ISIN(64, u64)

// isin of complex elements: NaN if either half is.
KERNEL BOUNDS(256) isin_pairs32(u64 n, const u64 *x, u8 *to, const u64 *places, u32 bits, u64 none, u32 invert, u32 mask, u32 low, u32 span, u32 nans) {
	Window<u32> nan{mask, low, span};
	member(n, x, to, places, bits, none, invert, [&](u64 v) { return nans && (nan.has((u32)v) || nan.has((u32)(v >> 32))); });
}
KERNEL BOUNDS(256) isin_pairs64(u64 n, const Pair *x, u8 *to, const Pair *places, u32 bits, u64 none, u64 none2, u32 invert, u64 mask, u64 low, u64 span, u32 nans) {
	Window<u64> nan{mask, low, span};
	member(n, x, to, places, bits, Pair{none, none2}, invert, [&](Pair v) { return nans && (nan.has(v.a) || nan.has(v.b)); });
}
