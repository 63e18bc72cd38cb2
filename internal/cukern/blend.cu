// Interpolation, as package rank defines and proves it: a quantile is a + g·(b-a),
// rounded once. What the arithmetic here cannot prove is listed, for rank itself.
#include "keys.h"

namespace {

typedef double f64;

DEVICE f64 magnitude(f64 x) { return bits_as<f64>(bits_as<u64>(x) & ~0ull >> 1); }
DEVICE f64 product(f64 a, f64 b) { return __nvvm_mul_rn_d(a, b); } // never fused with a sum

DEVICE f64 nan64() { return bits_as<f64>(0x7FF8000000000000ull); }
DEVICE bool infinite(f64 x) { return magnitude(x) == bits_as<f64>(0x7FF0000000000000ull); }

// special answers what is not a matter of rounding.
DEVICE bool special(f64 a, f64 b, f64 g, f64 *r) {
	if (a != a || b != b) return *r = nan64(), true;
	if (g == 0 || a == b) return *r = a, true;
	if (infinite(a)) return *r = infinite(b) ? nan64() : a, true;
	if (infinite(b)) return *r = b, true;
	return false;
}

// sum is (a+al) + g·(d+e) rounded once, and whether that is proven; see blendSum of
// package rank.
DEVICE bool sum(f64 a, f64 al, f64 d, f64 e, f64 g, f64 *r) {
	f64 p = product(g, d), s = a + p, size = magnitude(s);
	if (!(size >= 0x1p-900 && size <= 0x1p1000 && magnitude(d) <= 0x1p1000)) return false;
	f64 pe = __builtin_fma(g, d, -p), y = s - a, t = (a - (s - y)) + (p - y);
	f64 low = (t + al) + (pe + product(g, e)), bound = product(size + magnitude(p), 0x1p-102);
	*r = s + (low + bound);
	if (*r == s + (low - bound)) return true;
	*r = s;
	return e == 0 && al == 0 && pe == 0;
}

// odd is a + g·(b-a) rounded to odd, and whether that is proven; see sumOdd.
DEVICE bool odd(f64 a, f64 b, f64 g, f64 *r) {
	f64 d = b - a, y = b - d, e = (b - (d + y)) + (y - a);
	if (e != 0 || g < 0x1p-800) return false;
	f64 p = product(g, d), s = a + p;
	y = s - a;
	f64 low = ((a - (s - y)) + (p - y)) + __builtin_fma(g, d, -p);
	if (!(magnitude(low) <= product(magnitude(s), 0x1p-53))) return false;
	u64 i = bits_as<u64>(s);
	if (low != 0) i = ((low > 0) != (s > 0) ? i - 1 : i) | 1;
	*r = bits_as<f64>(i);
	return true;
}

// far reports whether s = a + p rounds to a format that drops so many of its bits as
// the exact value does; see farFromMiddle.
DEVICE bool far(f64 s, f64 p, u32 drop) {
	u64 rest = (bits_as<u64>(s) & ((1ull << drop) - 1)) - (1ull << (drop - 1)) + 32;
	return rest > 64 && magnitude(p) <= product(8, magnitude(s));
}

// Each format widens its bits to float64 exactly, and narrows a float64 once.
struct F64 {
	typedef Float<u64> Keys;
	static DEVICE f64 widen(u64 b) { return bits_as<f64>(b); }
};

struct F32 {
	typedef Float<u32> Keys;
	static const u32 drop = 29;
	static DEVICE f64 least_normal() { return 0x1p-126; }
	static DEVICE f64 widen(u32 b) { return (f64)bits_as<float>(b); }
	static DEVICE u32 narrow(f64 x) { return x != x ? 0x7FC00000u : bits_as<u32>((float)x); }
};

// narrow16 rounds x to a format whose normal numbers begin at normal, with so many bits
// dropped, and whose subnormals have the last place of anchor.
DEVICE u16 narrow16(f64 x, u32 drop, u64 bias, f64 normal, f64 anchor, u16 inf, u16 nan) {
	if (x != x) return nan;
	u64 i = bits_as<u64>(x), m = i & ~0ull >> 1;
	u16 sign = (u16)(i >> 48) & 0x8000;
	if (m >= 0x7FF0000000000000ull) return sign | inf;
	if (bits_as<f64>(m) < normal) return sign | (u16)bits_as<u64>(bits_as<f64>(m) + anchor);
	m += (1ull << (drop - 1)) - 1 + (m >> drop & 1);
	return sign | (u16)least((m >> drop) - bias, (u64)inf);
}

struct F16 {
	typedef Float<u16> Keys;
	static const u32 drop = 42;
	static DEVICE f64 least_normal() { return 0x1p-14; }
	static DEVICE f64 widen(u16 h) {
		u64 m = h & 0x7FFF, i = m << 42;
		if (m >= 0x7C00) i += 2016ull << 52; // infinities and NaN
		else if (m >= 0x400) i += 1008ull << 52;
		else i = bits_as<u64>((f64)(u32)m * 0x1p-24);
		return bits_as<f64>((u64)(h & 0x8000) << 48 | i);
	}
	static DEVICE u16 narrow(f64 x) { return narrow16(x, 42, 1008ull << 10, 0x1p-14, 0x1p28, 0x7C00, 0x7E00); }
};

struct BF16 {
	typedef Float<u16> Keys;
	static const u32 drop = 45;
	static DEVICE f64 least_normal() { return 0x1p-126; }
	static DEVICE f64 widen(u16 h) { return (f64)bits_as<float>((u32)h << 16); }
	static DEVICE u16 narrow(f64 x) { return narrow16(x, 45, 896ull << 7, 0x1p-126, 0x1p-81, 0x7F80, 0x7FC0); }
};

// between_narrow is the value between elements of a narrow format.
template <class F> DEVICE bool between_narrow(f64 a, f64 b, f64 g, typename F::Keys::Key *to) {
	f64 r;
	bool ok = special(a, b, g, &r);
	if (!ok && g == 0.5) r = product(a + b, 0.5), ok = true; // exact, or far from the middle of two narrow numbers
	if (!ok) {
		f64 p = product(g, b - a), s = a + p;
		if (magnitude(s) >= F::least_normal() && far(s, p, F::drop)) r = s, ok = true;
		else ok = odd(a, b, g, &r);
	}
	*to = F::narrow(r);
	return ok;
}

// half64 is (a+b)/2 rounded once; see half64 of package rank.
DEVICE f64 half64(f64 a, f64 b) {
	f64 s = a + b;
	if (s == 0) return 0;
	return infinite(s) ? product(a, 0.5) + product(b, 0.5) : product(s, 0.5);
}

// between_wide is the value between float64.
DEVICE bool between_wide(f64 a, f64 b, f64 g, f64 *r) {
	if (special(a, b, g, r)) return true;
	if (g == 0.5) return *r = half64(a, b), true;
	f64 d = b - a, y = b - d, e = (b - (d + y)) + (y - a);
	return sum(a, 0, d, e, g, r);
}

// pair is hi·2^32 + lo as s + e, exactly.
DEVICE f64 pair(i64 hi, i64 lo, f64 *e) {
	f64 x = product((f64)hi, 0x1p32), y = (f64)lo, s = x + y;
	*e = y - (s - x);
	return s;
}

// between_integers is the value between 64-bit integers.
DEVICE bool between_integers(u64 a, u64 b, bool is_signed, f64 g, f64 *r) {
	if (g == 0 || a == b) return *r = is_signed ? (f64)(i64)a : (f64)a, true;
	if (g == 0.5) {
		if (is_signed) {
			i64 x = (i64)a, y = (i64)b, m = (x & y) + ((x ^ y) >> 1), rest = (x ^ y) & 1;
			*r = m >= -(1ll << 62) && m < 1ll << 62 ? product((f64)(2 * m + rest), 0.5) : (f64)(m | rest);
		} else {
			u64 m = (a & b) + ((a ^ b) >> 1), rest = (a ^ b) & 1;
			*r = m < 1ull << 63 ? product((f64)(2 * m + rest), 0.5) : (f64)(m | rest);
		}
		return true;
	}
	i64 ah = is_signed ? (i64)a >> 32 : (i64)(a >> 32), bh = is_signed ? (i64)b >> 32 : (i64)(b >> 32);
	i64 al = (i64)(u32)a, bl = (i64)(u32)b;
	f64 x, xl, d, dl;
	x = pair(ah, al, &xl), d = pair(bh - ah, bl - al, &dl);
	return sum(x, xl, d, dl, g, r);
}

// Weights are where the factor of each output is found.
struct Weights {
	const Position *table;
	const u32 *rows;
	u32 quantiles;
	u64 lanes;
	DEVICE f64 of(u64 o) const {
		u64 lane = o % lanes, q = o / lanes;
		return table[(rows ? rows[lane] : 0) * (u64)quantiles + q].g;
	}
};

// Listed is an output that is not proven, with its keys and its weight.
struct Listed {
	u64 output, lo, hi;
	f64 g;
};

// blend writes the values of all outputs; those not proven are listed, up to most.
template <class K, class V, class F>
DEVICE void blend(u64 n, const K *lo, const K *hi, Weights w, V *to, u64 most, u64 *listed, Listed *list, F f) {
	u64 o = (u64)block() * threads() + thread();
	if (o >= n) return;
	K a = lo[o], b = hi ? hi[o] : a;
	f64 g = hi ? w.of(o) : 0;
	if (f(a, b, g, to + o)) return;
	u64 at = atomic_add(listed, (u64)1);
	if (at < most) list[at] = Listed{o, a, b, g};
}

template <class F, class U> DEVICE bool finish_narrow(U lo, U hi, f64 g, U code, U *to) {
	if (g == 0) return *to = F::Keys::element(lo, code), true;
	return between_narrow<F>(F::widen(F::Keys::element(lo, code)), F::widen(F::Keys::element(hi, code)), g, to);
}

}

#define BLEND u64 n
#define WEIGHTS const Position *table, const u32 *rows, u32 quantiles, u64 lanes
#define WEIGHTS_OF Weights{table, rows, quantiles, lanes}
#define LIST u64 most, u64 *listed, Listed *list

// The values between floats are floats of the dtype, those between integers float64.
KERNEL BOUNDS(256) blend_f64(BLEND, const u64 *lo, const u64 *hi, u64 code, WEIGHTS, u64 *to, LIST) {
	blend(n, lo, hi, WEIGHTS_OF, to, most, listed, list, [&](u64 a, u64 b, f64 g, u64 *to) {
		if (g == 0) return *to = Float<u64>::element(a, code), true;
		f64 r;
		bool ok = between_wide(bits_as<f64>(Float<u64>::element(a, code)), bits_as<f64>(Float<u64>::element(b, code)), g, &r);
		*to = bits_as<u64>(r);
		return ok;
	});
}

KERNEL BOUNDS(256) blend_f32(BLEND, const u32 *lo, const u32 *hi, u64 code, WEIGHTS, u32 *to, LIST) {
	blend(n, lo, hi, WEIGHTS_OF, to, most, listed, list, [&](u32 a, u32 b, f64 g, u32 *to) { return finish_narrow<F32>(a, b, g, (u32)code, to); });
}

KERNEL BOUNDS(256) blend_f16(BLEND, const u16 *lo, const u16 *hi, u64 code, WEIGHTS, u16 *to, LIST) {
	blend(n, lo, hi, WEIGHTS_OF, to, most, listed, list, [&](u16 a, u16 b, f64 g, u16 *to) {
		return code == 0x7C00 ? finish_narrow<F16>(a, b, g, (u16)code, to) : finish_narrow<BF16>(a, b, g, (u16)code, to);
	});
}

#define BLEND_INT(suffix, K, Signed) \
	KERNEL BOUNDS(256) blend_##suffix(BLEND, const K *lo, const K *hi, u64 code, WEIGHTS, f64 *to, LIST) { \
		blend(n, lo, hi, WEIGHTS_OF, to, most, listed, list, [&](K a, K b, f64 g, f64 *to) { \
			K x = Int<K>::element(a, (K)code), y = Int<K>::element(b, (K)code); \
			return between_wide(code ? (f64)(Signed)x : (f64)x, code ? (f64)(Signed)y : (f64)y, g, to); \
		}); \
	}
BLEND_INT(i8, u8, i8) BLEND_INT(i16, u16, i16) BLEND_INT(i32, u32, i32)

KERNEL BOUNDS(256) blend_i64(BLEND, const u64 *lo, const u64 *hi, u64 code, WEIGHTS, f64 *to, LIST) {
	blend(n, lo, hi, WEIGHTS_OF, to, most, listed, list, [&](u64 a, u64 b, f64 g, f64 *to) {
		return between_integers(Int<u64>::element(a, code), Int<u64>::element(b, code), code != 0, g, to);
	});
}

// elements writes the elements that keys stand for.
#define ELEMENTS(suffix) \
	KERNEL BOUNDS(256) elements_##suffix(u64 n, const type_##suffix::Key *keys, u64 code, type_##suffix::Key *to) { \
		u64 i = (u64)block() * threads() + thread(); \
		if (i < n) to[i] = type_##suffix::element(keys[i], (type_##suffix::Key)code); \
	}
ELEMENTS(i8) ELEMENTS(i16) ELEMENTS(f16) ELEMENTS(i32) ELEMENTS(f32) ELEMENTS(i64) ELEMENTS(f64)

// patch writes values where a list says.
#define PATCH(suffix, U) \
	KERNEL BOUNDS(256) patch_##suffix(u64 n, const u64 *list, const u64 *values, U *to) { \
		u64 i = (u64)block() * threads() + thread(); \
		if (i < n) to[list[i]] = (U)values[i]; \
	}
PATCH(16, u16) PATCH(32, u32) PATCH(64, u64)

// narrow casts float64 to a narrower format, and widen back; NaN is the one of all
// results.
#define CAST(suffix, F) \
	KERNEL BOUNDS(256) narrow_##suffix(u64 n, const f64 *x, typename F::Keys::Key *to) { \
		u64 i = (u64)block() * threads() + thread(); \
		if (i < n) to[i] = F::narrow(x[i]); \
	} \
	KERNEL BOUNDS(256) widen_##suffix(u64 n, const typename F::Keys::Key *x, f64 *to) { \
		u64 i = (u64)block() * threads() + thread(); \
		if (i >= n) return; \
		f64 v = F::widen(x[i]); \
		to[i] = v == v ? v : nan64(); \
	}
CAST(f32, F32) CAST(f16, F16) CAST(bf16, BF16)
