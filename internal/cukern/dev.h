// What the kernels need of CUDA, without its headers: clang alone compiles them.
#pragma once

#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE inline __attribute__((device, always_inline))
#define SHARED static __attribute__((shared))
#define BOUNDS(threads) __attribute__((launch_bounds(threads)))

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;

DEVICE u32 thread() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE u32 threads() { return __nvvm_read_ptx_sreg_ntid_x(); }
DEVICE u32 block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE u32 block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
DEVICE u32 blocks() { return __nvvm_read_ptx_sreg_nctaid_x(); }
DEVICE u32 blocks_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }

// Operations of a warp name all its lanes and are reached by all of them under the same
// conditions: below sm_70 lanes cannot wait for each other, they meet again behind what
// parted them.
const u32 warp_size = 32, whole_warp = ~0u;
DEVICE u32 in_warp() { return thread() % warp_size; }

DEVICE void barrier() { __syncthreads(); }
DEVICE void warp_barrier() { __nvvm_bar_warp_sync(whole_warp); }
DEVICE u32 ballot(bool p) { return __nvvm_vote_ballot_sync(whole_warp, p); }
DEVICE u32 lane_down(u32 v, u32 by) { return __nvvm_shfl_sync_down_i32(whole_warp, v, by, 31); }
DEVICE u32 lane_up(u32 v, u32 by) { return __nvvm_shfl_sync_up_i32(whole_warp, v, by, 0); }
DEVICE u32 lane_xor(u32 v, u32 by) { return __nvvm_shfl_sync_bfly_i32(whole_warp, v, by, 31); }
DEVICE u32 lane_of(u32 v, u32 lane) { return __nvvm_shfl_sync_idx_i32(whole_warp, v, lane, 31); }
DEVICE u64 pair_of(u32 low, u32 high) { return (u64)high << 32 | low; }
DEVICE u64 lane_down(u64 v, u32 by) { return pair_of(lane_down((u32)v, by), lane_down((u32)(v >> 32), by)); }
DEVICE u64 lane_up(u64 v, u32 by) { return pair_of(lane_up((u32)v, by), lane_up((u32)(v >> 32), by)); }
DEVICE u64 lane_xor(u64 v, u32 by) { return pair_of(lane_xor((u32)v, by), lane_xor((u32)(v >> 32), by)); }
DEVICE u64 lane_of(u64 v, u32 lane) { return pair_of(lane_of((u32)v, lane), lane_of((u32)(v >> 32), lane)); }

// atomic_add returns what was there before.
DEVICE u32 atomic_add(u32 *p, u32 v) { return (u32)__nvvm_atom_add_gen_i((volatile int *)p, (int)v); }
DEVICE u64 atomic_add(u64 *p, u64 v) { return (u64)__nvvm_atom_add_gen_ll((volatile long long *)p, (long long)v); }

DEVICE u32 popcount(u32 v) { return __builtin_popcount(v); }
DEVICE u32 trailing_zeros(u32 v) { return __builtin_ctz(v); }
DEVICE u32 leading_zeros(u32 v) { return __builtin_clz(v); }
DEVICE u32 leading_zeros(u64 v) { return __builtin_clzll(v); }

template <class T> DEVICE T least(T a, T b) { return a < b ? a : b; }
template <class T> DEVICE T most(T a, T b) { return a < b ? b : a; }
template <class To, class From> DEVICE To bits_as(From v) {
	static_assert(sizeof(To) == sizeof(From), "");
	return __builtin_bit_cast(To, v);
}

// sum_of_warp returns the sum of the warp's v, to its first lane.
template <class T> DEVICE T sum_of_warp(T v) {
	for (u32 by = 16; by; by /= 2) v += lane_down(v, by);
	return v;
}

// sum_before returns the sum of v of the warp's lanes before this one.
template <class T> DEVICE T sum_before(T v) {
	T sum = v;
	for (u32 by = 1; by < 32; by *= 2) {
		T up = lane_up(sum, by);
		if (in_warp() >= by) sum += up;
	}
	return sum - v;
}
