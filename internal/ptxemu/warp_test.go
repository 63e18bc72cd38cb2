package ptxemu_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/internal/ptxemu"
)

// words runs a short kernel that leaves a word for each of 64 threads.
func words(t *testing.T, body string) []uint32 {
	t.Helper()
	m, p, err := runShort(t, body, ptxemu.Options{Seed: 3})
	check(t, err)
	return get[uint32](m, p, 64)
}

// eachThread checks the words against a function of the thread.
func eachThread(t *testing.T, body string, want func(i int) uint32) {
	t.Helper()
	t.Run(body, func(t *testing.T) {
		t.Helper()
		for i, got := range words(t, body) {
			if got != want(i) {
				t.Fatalf("thread %d has %#x, want %#x", i, got, want(i))
			}
		}
	})
}

func TestShuffles(t *testing.T) {
	// The definitions of CUDA's __shfl functions with a width.
	for _, width := range []int{4, 16, 32} {
		for _, b := range []int{0, 1, 3, 5, 17, 31} {
			c := (32 - width) << 8
			inside := map[string]func(i int) (int, bool){
				"up":   func(i int) (int, bool) { return i - b, i%width >= b },
				"down": func(i int) (int, bool) { return i + b, i%width+b < width },
				"idx":  func(i int) (int, bool) { return i/width*width + b%width, true },
				"bfly": func(i int) (int, bool) { return i ^ b, i^b < (i/width+1)*width },
			}
			for mode, from := range inside {
				clamp := c | 31
				if mode == "up" {
					clamp = c
				}
				body := fmt.Sprintf("shfl.sync.%s.b32 %%r2|%%p2, %%r1, %d, %d, -1; selp.b32 %%r3, 256, 0, %%p2; or.b32 %%r2, %%r2, %%r3; st.global.u32 [%%d1], %%r2;", mode, b, clamp)
				eachThread(t, body, func(i int) uint32 {
					// Lanes of a warp of 32, not of the block.
					j, ok := from(i % 32)
					if mode == "bfly" && j >= (i%32/width+1)*width {
						ok = false
					}
					if !ok {
						return uint32(i)
					}
					return uint32(i/32*32+j) | 256
				})
			}
		}
	}
}

func TestWarpOperations(t *testing.T) {
	const store = " st.global.u32 [%d1], %r2;"
	eachThread(t, "redux.sync.add.s32 %r2, %r1, -1;"+store, func(i int) uint32 { return uint32(i/32*1024 + 31*16) })
	eachThread(t, "sub.s32 %r3, %r1, 40; redux.sync.min.s32 %r2, %r3, -1;"+store, func(i int) uint32 { return uint32(int32(i/32*32 - 40)) })
	eachThread(t, "sub.s32 %r3, %r1, 40; redux.sync.max.u32 %r2, %r3, -1;"+store, func(i int) uint32 {
		return []uint32{uint32(31 - 40 + 1<<32), 1<<32 - 1}[i/32]
	})
	eachThread(t, "redux.sync.or.b32 %r2, %r1, -1;"+store, func(i int) uint32 { return uint32(i | 31) })
	eachThread(t, "redux.sync.and.b32 %r2, %r1, -1;"+store, func(i int) uint32 { return uint32(i &^ 31) })
	eachThread(t, "redux.sync.xor.b32 %r2, %r1, -1;"+store, func(int) uint32 { return 0 })
	eachThread(t, "and.b32 %r3, %r1, 3; match.any.sync.b32 %r2, %r3, -1;"+store, func(i int) uint32 { return 0x11111111 << (i & 3) })
	eachThread(t, "shr.u32 %r3, %r1, 5; mov.b64 %d4, {%r3, %r3}; match.all.sync.b64 %r2|%p2, %d4, -1; @!%p2 mov.u32 %r2, 5;"+store,
		func(int) uint32 { return 0xFFFFFFFF })
	eachThread(t, "match.all.sync.b32 %r2|%p2, %r1, -1; @!%p2 add.u32 %r2, %r2, 5;"+store, func(int) uint32 { return 5 })
	eachThread(t, "setp.gt.u32 %p2, %r1, 35; vote.sync.uni.pred %p3, %p2, -1; selp.u32 %r2, 1, 0, %p3;"+store,
		func(i int) uint32 { return uint32(1 - i/32) })
	eachThread(t, "and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 1; mov.u32 %r2, 0; @%p2 bra $E; activemask.b32 %r2; $E:"+store,
		func(i int) uint32 { return []uint32{0x55555555, 0}[i&1] })
	// Both halves are in the same instruction, each for itself.
	eachThread(t, "and.b32 %r3, %r1, 16; mov.u32 %r4, 0xFFFF; shl.b32 %r4, %r4, %r3; redux.sync.add.s32 %r2, %r1, %r4;"+store,
		func(i int) uint32 { return uint32(i/16*256 + 15*8) })
	// Some lanes come to the shuffle from below, when the others wait there.
	eachThread(t, "and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 1; @%p2 bra $B; $S: shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; bra $E; $B: add.u32 %r4, %r1, 0; bra $S; $E:"+store,
		func(i int) uint32 { return uint32(i ^ 1) })
	// Lanes that have ended are not waited for.
	eachThread(t, "mov.u32 %r2, 9;"+store+" setp.gt.u32 %p2, %r1, 47; @%p2 ret; vote.sync.ballot.b32 %r2, 1, -1;"+store, func(i int) uint32 {
		return []uint32{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFF, 9}[i/16]
	})
	for _, c := range []struct {
		name string
		want func(l int) uint32
	}{
		{"%lanemask_eq", func(l int) uint32 { return 1 << l }},
		{"%lanemask_lt", func(l int) uint32 { return 1<<l - 1 }},
		{"%lanemask_le", func(l int) uint32 { return 2<<l - 1 }},
		{"%lanemask_gt", func(l int) uint32 { return ^uint32(2<<l - 1) }},
		{"%lanemask_ge", func(l int) uint32 { return ^uint32(1<<l - 1) }},
		{"%warpid", func(int) uint32 { return 0 }},
	} {
		eachThread(t, "mov.u32 %r2, "+c.name+"; @%p1 add.u32 %r2, %r2, 0;"+store, func(i int) uint32 {
			if c.name == "%warpid" {
				return uint32(i / 32)
			}
			return c.want(i % 32)
		})
	}
}

func TestBarriers(t *testing.T) {
	const store = " st.global.u32 [%d1], %r2;"
	const odd = "and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 1; "
	eachThread(t, odd+"barrier.red.popc.aligned.u32 %r2, 0, !%p2;"+strings.Repeat(store, 1), func(int) uint32 { return 32 })
	eachThread(t, odd+"bar.red.and.pred %p3, 0, %p2; selp.u32 %r2, 1, 0, %p3;"+store, func(int) uint32 { return 0 })
	eachThread(t, odd+"bar.red.or.pred %p3, 0, 64, %p2; selp.u32 %r2, 1, 0, %p3;"+store, func(int) uint32 { return 1 })
	// The first warp makes what the second takes, and does not wait for it.
	eachThread(t, "setp.gt.u32 %p2, %r1, 31; mov.u32 %r2, 1; @%p2 bra $T;"+
		" st.shared.u32 [%d3], %r1; bar.arrive 3, 64; bra $E;"+
		" $T: bar.sync 3, 64; ld.shared.u32 %r2, [%d3+-128]; $E:"+store, func(i int) uint32 {
		if i < 32 {
			return 1
		}
		return uint32(i - 32)
	})
	// The two sides of a branch meet at different instructions of a warp's barrier.
	eachThread(t, odd+"@%p2 bra $T; st.shared.u32 [%d3], %r1; bar.warp.sync -1; mov.u32 %r2, 7; bra $E;"+
		" $T: bar.warp.sync -1; ld.shared.u32 %r2, [%d3+-4]; $E:"+store, func(i int) uint32 {
		if i&1 == 0 {
			return 7
		}
		return uint32(i - 1)
	})
}

func TestBranchTable(t *testing.T) {
	eachThread(t, "and.b32 %r3, %r1, 3; ts: .branchtargets $A, $B, $A, $C; brx.idx %r3, ts;"+
		" $A: mov.u32 %r2, 10; bra.uni $E; $B: mov.u32 %r2, 20; bra.uni $E; $C: mov.u32 %r2, 30; $E: st.global.u32 [%d1], %r2;",
		func(i int) uint32 { return []uint32{10, 20, 10, 30}[i&3] })
}

func TestAtomics(t *testing.T) {
	// Each word of global memory is 0, each of shared memory is 5, and all threads of a
	// group of 8 use the first of it.
	const prologue = "st.shared.u32 [%d3], 5; bar.sync 0; and.b32 %r3, %r1, 56; mad.wide.u32 %d4, %r3, 4, %d2; mad.wide.u32 %d5, %r3, 4, %d0; "
	const epilogue = " bar.sync 0; @%p1 bra $X; $X: ld.shared.u32 %r5, [%d4]; ld.global.u32 %r6, [%d5]; bar.sync 0; shl.b32 %r5, %r5, 16; xor.b32 %r2, %r5, %r6; "
	for _, c := range []struct {
		op   string
		args string
		do   func(old, thread uint32) uint32
	}{
		{"add.u32", "%r1", func(old, i uint32) uint32 { return old + i }},
		{"max.s32", "%r1", func(old, i uint32) uint32 { return max(old, i) }},
		{"min.u32", "%r1", func(old, i uint32) uint32 { return min(old, i) }},
		{"or.b32", "%r1", func(old, i uint32) uint32 { return old | i }},
		{"and.b32", "%r1", func(old, i uint32) uint32 { return old & i }},
		{"xor.b32", "%r1", func(old, i uint32) uint32 { return old ^ i }},
		{"inc.u32", "6", func(old, _ uint32) uint32 {
			if old >= 6 {
				return 0
			}
			return old + 1
		}},
		{"dec.u32", "6", func(old, _ uint32) uint32 {
			if old == 0 || old > 6 {
				return 6
			}
			return old - 1
		}},
		{"exch.b32", "99", func(uint32, uint32) uint32 { return 99 }},
		{"cas.b32", "5, 17", func(old, _ uint32) uint32 {
			if old == 5 {
				return 17
			}
			return old
		}},
	} {
		verb := "red"
		if strings.HasPrefix(c.op, "exch") || strings.HasPrefix(c.op, "cas") {
			verb = "atom"
		}
		to := map[string]string{"atom": "_, "}[verb]
		body := prologue + verb + ".shared." + c.op + " " + to + "[%d4], " + c.args + "; atom.relaxed.gpu.global." + c.op + " %r7, [%d5], " + c.args + ";" + epilogue + " st.global.u32 [%d1], %r2;"
		eachThread(t, body, func(i int) uint32 {
			s, g := uint32(5), uint32(0)
			for j := i &^ 7; j < i&^7+8; j++ {
				s, g = c.do(s, uint32(j)), c.do(g, uint32(j))
			}
			return s<<16 ^ g
		})
	}
	// Each thread of a warp gets a number of its own, in an order of the seed.
	numbers := words(t, "mov.u64 %d4, 0x200000000; @%p1 st.shared.u64 [s], %d4; bar.sync 0; atom.shared.add.u64 %d5, [s], 1; cvt.u32.u64 %r2, %d5; st.global.u32 [%d1], %r2;")
	if slices.IsSorted(numbers[:32]) && slices.IsSorted(numbers[32:]) {
		t.Error("atomic operations of a warp are in the order of its lanes")
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		if int(n) != i {
			t.Fatalf("number %d is %d", i, n)
		}
	}
}

func TestGenericAddresses(t *testing.T) {
	const store = " st.global.u32 [%d1], %r2;"
	// A third of the lanes uses each state space, in one instruction.
	eachThread(t, "cvta.shared.u64 %d4, %d3; mov.u64 %d5, l; cvta.local.u64 %d5, %d5; rem.u32 %r3, %r1, 3; setp.eq.u32 %p2, %r3, 0; setp.eq.u32 %p3, %r3, 1;"+
		" selp.b64 %d6, %d4, %d1, %p2; selp.b64 %d6, %d5, %d6, %p3; add.u32 %r4, %r1, 100; st.u32 [%d6], %r4; ld.u32 %r5, [%d6];"+
		" isspacep.shared %p4, %d6; isspacep.local %p5, %d6; isspacep.global %p6, %d6; selp.b32 %r6, 1000, 0, %p4; @%p5 mov.u32 %r6, 2000; @%p6 mov.u32 %r6, 3000;"+
		" add.u32 %r2, %r5, %r6;"+store, func(i int) uint32 { return uint32(100+i) + []uint32{1000, 2000, 3000}[i%3] })
}

func TestSmallInstructions(t *testing.T) {
	const store = " st.global.u32 [%d1], %r2;"
	eachThread(t, "set.gt.f32.u32 %r2, %r1, 9; nanosleep.u32 20; membar.gl; prefetch.global.L1 [%d1]; fence.acq_rel.gpu;"+store, func(i int) uint32 {
		if i > 9 {
			return math.Float32bits(1)
		}
		return 0
	})
	eachThread(t, "mov.b64 %d5, {%r1, 7}; mov.b64 {%r1, %r2}, %d5; add.u32 %r2, %r2, %r1;"+store, func(i int) uint32 { return uint32(i) + 7 })
	eachThread(t, "mov.b64 %d5, 0x100000002; mov.b64 %d6, %d5; mov.b64 {%r3, _}, %d6; mov.u32 %r2, %r3;"+store, func(int) uint32 { return 2 })
	eachThread(t, "{ .reg .b32 %r1; .reg .b32 one; mov.u32 one, 1; mov.u32 %r1, 4; add.u32 %r2, %r1, one; } add.u32 %r2, %r2, %r1;"+store,
		func(i int) uint32 { return uint32(i) + 5 })
	eachThread(t, "ld.param.u8 %r2, [p+5]; ld.param.v2.u32 {%r3, %r4}, [p]; mov.b64 %d5, {%r3, %r4}; sub.s64 %d5, %d5, %d0; cvt.u32.u64 %r3, %d5; add.u32 %r2, %r2, %r3;"+store,
		func(int) uint32 { return 0x7F })
}

// TestCalls has device functions that call each other, some lanes more than others.
func TestCalls(t *testing.T) {
	functions := `.func (.param .b32 r) twice(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	add.u32 %r2, %r1, %r1;
	st.param.b32 [r], %r2;
	ret;
}
.func (.param .b32 r) sum(.param .b32 x, .param .align 4 .b8 y[8])
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	ld.param.b32 %r1, [x];
	ld.param.b32 %r2, [y+4];
	st.param.b32 [r], %r1;
	setp.gt.u32 %p1, %r1, 20;
	@%p1 ret;
	{
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r2;
	call.uni (b), twice, (a);
	ld.param.b32 %r3, [b];
	}
	add.u32 %r4, %r3, %r1;
	st.param.b32 [r], %r4;
	ret;
}
`
	body := `setp.lt.u32 %p2, %r1, 10;
	mov.u32 %r2, 1000;
	{
	.param .b32 a;
	.param .align 4 .b8 b[8];
	.param .b32 c;
	st.param.b32 [c], 77;
	st.param.b32 [a], %r1;
	st.param.v2.b32 [b], {5, 6};
	@!%p2 call (c), sum, (a, b);
	ld.param.b32 %r2, [c];
	}
	st.global.u32 [%d1], %r2;`
	text := strings.Replace(string(short(body)), ".extern", functions+".extern", 1)
	m := newMachine(t, []byte(text), ptxemu.Options{})
	p := put(m, make([]uint32, 64))
	m.run("k", 1, 64, 0, p)
	for i, got := range get[uint32](m, p, 64) {
		want := uint32(i)
		switch {
		case i < 10:
			want = 77
		case i <= 20:
			want += 12
		}
		if got != want {
			t.Errorf("thread %d has %d, want %d", i, got, want)
		}
	}
	endless := strings.Replace(functions, "call.uni (b), twice, (a);", "call.uni (b), sum, (a, y);", 1)
	d, err := ptxemu.New(ptxemu.Options{}).Open(0)
	check(t, err)
	if _, err := d.Load([]byte(strings.Replace(string(short(body)), ".extern", endless+".extern", 1))); err == nil || !strings.Contains(err.Error(), "recursion") {
		t.Fatal(err)
	}
}

// TestVariables has variables of a module, initialised with numbers and addresses.
func TestVariables(t *testing.T) {
	text := `.version 8.0
.target sm_90a, texmode_independent
.address_size 64
.file 1 "x.cu"
.global .align 4 .u32 first = 17;
.visible .global .align 8 .u64 table[2] = {generic(first), second+4};
.const .align 4 .b32 second[3] = {1, -2, 0x30};
/* two
   lines */
.visible .entry k(.param .u64 .ptr .global .align 4 p)
.maxntid 32, 1, 1
.minnctapersm 1
{
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	.pragma "nounroll";
	.loc 1 2 3
	ld.param.u64 %d1, [p];
	ld.global.u64 %d2, [table];
	ld.global.u32 %r1, [%d2];
	ld.global.u64 %d2, [table+8];
	ld.const.u32 %r2, [%d2];
	add.u32 %r1, %r1, %r2;
	st.global.u32 [first], %r1;
	ld.const.u32 %r2, [second+8];
	ld.global.u32 %r1, [first];
	add.u32 %r1, %r1, %r2;
	st.global.u32 [%d1], %r1;
	ret;
}
`
	m := newMachine(t, []byte(text), ptxemu.Options{Capability: 90})
	p := put(m, []uint32{0})
	for _, want := range []uint32{17 - 2 + 48, 17 - 4 + 48} {
		m.run("k", 1, 1, 0, p)
		equal(t, get[uint32](m, p, 1), []uint32{want})
	}
}
