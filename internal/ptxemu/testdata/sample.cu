// Kernels that the tests of ptxemu run as clang compiles them; build.sh does that.
#define GLOBAL extern "C" __attribute__((global)) void
#define DEVICE static __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef u32 vec4 __attribute__((vector_size(16)));

DEVICE inline int thread() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE inline int block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE inline int threads() { return __nvvm_read_ptx_sreg_ntid_x(); }
DEVICE inline int blocks() { return __nvvm_read_ptx_sreg_nctaid_x(); }
DEVICE inline int lane() { return __nvvm_read_ptx_sreg_laneid(); }
DEVICE inline void barrier() { __nvvm_bar_sync(0); }
template <class T> DEVICE inline T add(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }

// grid3 notes at its place who a block is.
GLOBAL grid3(u32 *out) {
  int x = __nvvm_read_ptx_sreg_ctaid_x(), y = __nvvm_read_ptx_sreg_ctaid_y(), z = __nvvm_read_ptx_sreg_ctaid_z();
  int nx = __nvvm_read_ptx_sreg_nctaid_x(), ny = __nvvm_read_ptx_sreg_nctaid_y(), nz = __nvvm_read_ptx_sreg_nctaid_z();
  out[((z * ny + y) * nx + x) * threads() + thread()] = ((nz * 16 + z) * 16 + y) * 16 + x;
}

// histogram counts bytes: static shared memory, atomics there and in global memory.
GLOBAL histogram(const vec4 *x, u32 vectors, u32 *bins) {
  SHARED u32 mine[256];
  for (int i = thread(); i < 256; i += threads()) mine[i] = 0;
  barrier();
  for (u32 i = block() * threads() + thread(); i < vectors; i += blocks() * threads()) {
    vec4 v = x[i];
    for (int k = 0; k < 4; k++)
      for (int b = 0; b < 32; b += 8) add(&mine[v[k] >> b & 255], 1u);
  }
  barrier();
  for (int i = thread(); i < 256; i += threads())
    if (mine[i]) add(&bins[i], mine[i]);
}

extern SHARED u32 dynamic[];

// reverse turns round each block's part: dynamic shared memory.
GLOBAL reverse(u32 *x) {
  int i = block() * threads() + thread();
  dynamic[thread()] = x[i];
  barrier();
  x[i] = dynamic[threads() - 1 - thread()];
}

// scan makes inclusive sums of up to 1024 words: shuffles, then the warps' sums.
GLOBAL scan(u32 *x, u32 n) {
  SHARED u32 sums[32];
  int i = thread();
  u32 v = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    u32 o = __nvvm_shfl_sync_up_i32(~0u, v, d, 0);
    if (lane() >= d) v += o;
  }
  if (lane() == 31) sums[i / 32] = v;
  barrier();
  if (i < 32) {
    u32 s = i < threads() / 32 ? sums[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
      u32 o = __nvvm_shfl_sync_up_i32(~0u, s, d, 0);
      if (lane() >= d) s += o;
    }
    __nvvm_bar_warp_sync(~0u);
    if (i < threads() / 32) sums[i] = s;
  }
  barrier();
  if (i >= 32) v += sums[i / 32 - 1];
  if (i < n) x[i] = v;
}

// lastblock adds up what all blocks make, in the block that is last.
GLOBAL lastblock(const u32 *x, u64 *partial, u32 *ticket, u64 *sum) {
  SHARED u32 last;
  SHARED u64 total;
  if (thread() == 0) total = 0;
  barrier();
  add(&total, (u64)x[block() * threads() + thread()]);
  barrier();
  if (thread() == 0) {
    partial[block()] = total;
    __nvvm_membar_gl();
    last = __nvvm_atom_inc_gen_ui(ticket, blocks() - 1) == blocks() - 1;
  }
  barrier();
  if (last && thread() == 0) {
    u64 s = 0;
    for (int i = 0; i < blocks(); i++) s += ((volatile u64 *)partial)[i];
    *sum = s;
  }
}

CONSTANT u32 primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__attribute__((device)) u64 squares[4] = {0, 1, 4, 9};

// mix is a device function that is called and not inlined.
DEVICE __attribute__((noinline)) u64 mix(u64 h, u32 k) {
  switch (k % 8) {
  case 0: return h * 31 + k;
  case 1: return h ^ (u64)k << 17;
  case 2: return h / (k + 1);
  case 3: return h % (k + 1);
  case 4: return (h >> 7) - primes[k & 7];
  case 5: return h + squares[k & 3];
  case 6: return ~h;
  }
  return h << (k & 63);
}

// hash runs device functions, loops of different lengths, tables and local memory.
GLOBAL hash(const u32 *x, u64 *out, int n) {
  int i = block() * threads() + thread();
  if (i >= n) return;
  u64 trail[12];
  u64 h = i;
  u32 steps = x[i] % 11;
  for (u32 k = 0; k < steps; k++) {
    h = mix(h, x[i] >> (2 * k));
    trail[k] = h;
  }
  u64 sum = h;
  for (u32 k = 0; k < steps; k++) sum += trail[(k * 5 + i) % (steps)] * (k + 1);
  out[i] = sum;
}

// narrow works on bytes and halfwords, signed and not, in shared memory too.
GLOBAL narrow(const signed char *x, const u16 *y, short *out) {
  SHARED u8 bytes[64];
  int i = thread();
  bytes[i] = (u8)x[i];
  barrier();
  short v = x[i] / 3 - (signed char)bytes[63 - i];
  out[i] = v + (short)(y[i] >> 3) + (x[i] < 0) * 1000;
}

// ballots tells how lanes vote, after they have gone different ways.
GLOBAL ballots(const u32 *x, u32 *out) {
  int i = thread();
  u32 v = x[i];
  if (v & 1) v = v * 3 + 1; else if (v & 2) v = v / 2 + 7;
  u32 odd = __nvvm_vote_ballot_sync(~0u, v & 1);
  bool all = __nvvm_vote_all_sync(~0u, v > 5), any = __nvvm_vote_any_sync(~0u, v > 90);
  u32 same = __nvvm_match_any_sync_i32(~0u, v & 3);
  u32 few = __nvvm_vote_ballot_sync(~0u, v < 50);
  u32 low = 0;
  if (v < 50) low = __nvvm_vote_ballot_sync(few, v & 4);
  out[4 * i] = odd;
  out[4 * i + 1] = all | any << 1;
  out[4 * i + 2] = same;
  out[4 * i + 3] = low;
}

// lerp is float arithmetic in both precisions.
GLOBAL lerp(const float *a, const double *b, float *c, double *d, long long *e, int n) {
  int i = block() * threads() + thread();
  if (i >= n) return;
  float x = a[i];
  double y = b[i];
  c[i] = __builtin_sqrtf(x * x + 1.0f) / (x - 3.5f);
  d[i] = y + (double)x * (y - __builtin_floor(y)) * __builtin_fma(y, 2.0, -1.0);
  e[i] = (long long)(y * 1e3) + (int)x + (y > x) * 10 + (u32)__builtin_ceil(__builtin_fabs(y));
}

// squeeze is integer arithmetic and little else: the middle of each five neighbours.
GLOBAL squeeze(const u32 *x, u32 *out, u32 n) {
  u32 i = block() * threads() + thread();
  if (i + 5 > n) return;
  u32 v[5];
  for (int k = 0; k < 5; k++) v[k] = x[i + k];
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4 - a; b++) {
      u32 lo = v[b] < v[b + 1] ? v[b] : v[b + 1], hi = v[b] < v[b + 1] ? v[b + 1] : v[b];
      v[b] = lo;
      v[b + 1] = hi;
    }
  out[i] = v[2] * 5 + (v[2] >> 3 ^ v[1]);
}
