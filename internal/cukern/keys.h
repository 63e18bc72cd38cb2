// Keys are unsigned integers that order the elements: -0 comes before +0, every NaN
// is the largest key. An element type is one of seven: integers of four widths, whose
// code is the sign bit where they are signed, else 0, and floats of three, whose code
// is +Inf.
#pragma once
#include "dev.h"

// Wide is what a key is held in where it is worked on: 32 bits at least.
template <class K> struct WideOf { typedef u32 Type; };
template <> struct WideOf<u64> { typedef u64 Type; };
template <class K> using Wide = typename WideOf<K>::Type;

template <class U> struct Int {
	typedef U Key;
	static const bool is_float = false;
	static const U top = ~(U)0;
	static DEVICE U key(U x, U code) { return x ^ code; }
	static DEVICE U plain(U x, U code) { return x ^ code; }
	static DEVICE U element(U k, U code) { return k ^ code; }
	static DEVICE U size(U) { return 0; }
	static DEVICE bool is_nan(U) { return false; }
	static DEVICE Wide<U> between(U lo, U hi, float share, U) { return (Wide<U>)((float)(Wide<U>)(U)(hi - lo) * share); }
	static DEVICE bool is_nan_size(U, U) { return false; }
};

template <class U> struct Float {
	typedef U Key;
	static const bool is_float = true;
	static const U top = ~(U)0;
	static const U sign = (U)1 << (8 * sizeof(U) - 1);
	// code is known for float32 and float64, which have a width of their own
	static DEVICE U inf(U code) { return sizeof(U) == 4 ? (U)0x7F800000u : sizeof(U) == 8 ? (U)0x7FF0000000000000ull : code; }
	static DEVICE U key(U x, U code) { return is_nan_size(size(x), code) ? top : plain(x, code); }
	// plain is the key of what is not NaN; a NaN is at either end.
	static DEVICE U plain(U x, U) { return x ^ (x & sign ? top : sign); }
	// size is a magnitude, and is_nan_size whether it is that of a NaN.
	static DEVICE U size(U x) { return x & (U)~sign; }
	static DEVICE bool is_nan_size(U m, U code) { return m > inf(code); }
	// The element of the key of NaN is the positive quiet one without payload.
	static DEVICE U element(U k, U code) {
		U i = inf(code);
		return k == top ? (U)(i | (i & -i) >> 1) : k & sign ? k ^ sign : (U)~k;
	}
	static DEVICE bool is_nan(U k) { return k == top; }
	// between returns how far above lo the key lies that is that share of the way to hi:
	// of the way between their values, or for halves between the keys.
	static DEVICE Wide<U> between(U lo, U hi, float share, U code) {
		if (sizeof(U) == 2) return (Wide<U>)((float)(Wide<U>)(U)(hi - lo) * share);
		if (sizeof(U) == 4) {
			float a = bits_as<float>((u32)element(lo, code)), b = bits_as<float>((u32)element(hi, code));
			return (Wide<U>)key((U)bits_as<u32>(a + (b - a) * share), code) - lo;
		}
		double a = bits_as<double>((u64)element(lo, code)), b = bits_as<double>((u64)element(hi, code));
		return (Wide<U>)key((U)bits_as<u64>(a + (b - a) * share), code) - lo;
	}
};

// A file of kernels is compiled once for each element type, which TYPE names; the
// kernels' names end in it.
typedef Int<u8> type_i8;
typedef Int<u16> type_i16;
typedef Float<u16> type_f16;
typedef Int<u32> type_i32;
typedef Float<u32> type_f32;
typedef Int<u64> type_i64;
typedef Float<u64> type_f64;
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#ifdef TYPE
typedef JOIN(type_, TYPE) T;
typedef T::Key K;
#endif
#define NAMED(kernel) JOIN(JOIN(kernel, _), TYPE)

// Lanes are the lanes of an array: element i of lane l lies at
// base + i·element + (l / inner)·outer + (l % inner)·near, in elements.
struct Lanes {
	u64 n, count;
	i64 element, outer, near;
	u64 inner;
};
#define LANES u64 n, u64 count, i64 element, i64 outer, i64 near, u64 inner
#define LANES_OF Lanes{n, count, element, outer, near, inner}

DEVICE i64 start_of(const Lanes &l, u64 lane) {
	if (l.inner == 1) return (i64)lane * l.outer;
	if (l.inner == l.count) return (i64)lane * l.near;
	if ((lane | l.inner) >> 32 == 0) {
		u32 q = (u32)lane / (u32)l.inner, r = (u32)lane - q * (u32)l.inner;
		return (i64)q * l.outer + (i64)r * l.near;
	}
	return (i64)(lane / l.inner) * l.outer + (i64)(lane % l.inner) * l.near;
}

// walk calls f with the elements first … end-1 of a lane, those of a block's threads side
// by side, four at a time where they follow each other.
template <class K, class F> DEVICE void walk(const K *p, i64 element, u64 first, u64 end, F f) {
	u64 i = first + thread();
	if (element == 1) {
		u32 step = threads();
		const K *at = p + i;
		for (; i + 3 * step < end; i += 4 * step, at += 4 * step) {
			K a = at[0], b = at[step], c = at[2 * step], d = at[3 * step];
			f(a), f(b), f(c), f(d);
		}
	}
	for (; i < end; i += threads()) f(p[(i64)i * element]);
}

// Position names the two order statistics of a quantile and the factor between them;
// see package rank.
struct Position {
	i64 lo, hi;
	double g;
};

// Wanted are the positions of the quantiles among so many valid elements: those of
// row valid of a table where NaNs are skipped, else those of its first.
struct Wanted {
	const Position *table;
	u32 quantiles, skip;
};
#define WANTED const Position *table, u32 quantiles_, u32 skip
#define WANTED_OF Wanted{table, quantiles_, skip}
