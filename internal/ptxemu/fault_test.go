package ptxemu_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/ptxemu"
)

// short is a kernel of one parameter, whose address of a word for each thread is in %d1,
// and the thread's number in %r1.
func short(body string) []byte {
	return []byte(`.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dyn[];
.const .align 4 .b8 c[4] = {1, 2, 3, 4};
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<8>;
	.reg .b32 %r<20>;
	.reg .b64 %d<20>;
	.shared .align 16 .b8 s[256];
	.local .align 16 .b8 l[16];
	ld.param.u64 %d0, [p];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %d1, %r1, 4, %d0;
	mov.u64 %d2, s;
	mad.wide.u32 %d3, %r1, 4, %d2;
	setp.eq.u32 %p1, %r1, 0;
` + body + "\n\tret;\n}\n")
}

// runShort runs a short kernel with 64 threads on 64 words.
func runShort(t *testing.T, body string, o ptxemu.Options) (*machine, uint64, error) {
	t.Helper()
	m := newMachine(t, short(body), o)
	p := put(m, make([]uint32, 64))
	return m, p, m.try("k", [3]int{}, 64, 0, p)
}

// TestFaults has a kernel that is right and, for each line of it that can be wrong, one
// in which it is.
func TestFaults(t *testing.T) {
	const loop = "$L: add.s32 %r2, %r1, 1; bra $L;"
	for _, c := range []struct {
		name, body string
		want       error // nil if the kernel is right
		detail     string
	}{
		{"in bounds", "st.global.u32 [%d1], %r1;", nil, ""},
		{"behind the end", "st.global.u32 [%d1+4], %r1;", ptxemu.ErrIllegalAddress, "0 bytes behind the end of an allocation of 256 bytes"},
		{"across the end", "ld.global.u64 %d5, [%d0+252];", ptxemu.ErrIllegalAddress, "at 252 of 256"},
		{"before the start", "ld.global.u32 %r2, [%d1+-4];", ptxemu.ErrIllegalAddress, "4 bytes before"},
		{"null", "mov.u64 %d4, 0; ld.global.u32 %r2, [%d4];", ptxemu.ErrIllegalAddress, "no memory"},
		{"a shared address as a global one", "ld.global.u32 %r2, [%d3];", ptxemu.ErrIllegalAddress, "no memory"},
		{"misaligned", "ld.global.u32 %r2, [%d1+2];", ptxemu.ErrMisaligned, "4 bytes"},
		{"misaligned vector", "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%d0+8];", ptxemu.ErrMisaligned, "16 bytes"},
		{"only active lanes count", "@%p1 st.global.u32 [%d1+128], %r1;", nil, ""},

		{"constant", "ld.const.u32 %r2, [c];", nil, ""},
		{"constant, written", "mov.u64 %d4, c; st.global.u32 [%d4], %r1;", ptxemu.ErrIllegalAddress, "constant"},
		{"constant, behind the end", "mov.u64 %d4, c; ld.const.u32 %r2, [%d4+4];", ptxemu.ErrIllegalAddress, "4 bytes"},

		{"shared", "st.shared.u32 [%d3], %r1; ld.shared.u32 %r2, [%d3];", nil, ""},
		{"shared, generic", "cvta.shared.u64 %d4, %d3; st.u32 [%d4], %r1; ld.shared.u32 %r2, [%d3]; st.u32 [%d1], %r2;", nil, ""},
		{"shared, behind the end", "st.shared.u32 [%d3+4], %r1;", ptxemu.ErrIllegalAddress, "256 of 256"},
		{"shared, misaligned", "st.shared.u32 [%d3+1], %r1;", ptxemu.ErrMisaligned, "shared"},
		{"dynamic without any", "mov.u64 %d4, dyn; st.shared.u32 [%d4], %r1;", ptxemu.ErrIllegalAddress, "shared"},
		{"shared, not written", "ld.shared.u32 %r2, [%d3];", ptxemu.ErrUninitialized, "shared"},
		{"shared atomic, not written", "red.shared.add.u32 [%d3], 1;", ptxemu.ErrUninitialized, "shared"},
		{"shared, partly written", "st.shared.u16 [%d3], %r1; ld.shared.u32 %r2, [%d3];", ptxemu.ErrUninitialized, "shared"},

		{"local", "st.local.u32 [l+12], %r1; ld.local.u32 %r2, [l+12]; st.global.u32 [%d1], %r2;", nil, ""},
		{"local, behind the end", "mov.u64 %d4, l; st.local.u32 [%d4+16], %r1;", ptxemu.ErrIllegalAddress, "local"},

		{"register not written", "st.global.u32 [%d1], %r2;", ptxemu.ErrUninitialized, "register"},
		{"register written by some", "@%p1 mov.u32 %r2, 1; add.s32 %r3, %r2, 1;", ptxemu.ErrUninitialized, "register"},
		{"register said to be defined", "// implicit-def: %r2\n add.s32 %r3, %r2, 1;", nil, ""},
		{"predicate not written", "@%p2 mov.u32 %r2, 1;", ptxemu.ErrUninitialized, "predicate"},

		{"neighbour after a barrier", "st.shared.u32 [%d3], %r1; bar.sync 0; xor.b32 %r2, %r1, 63; mad.wide.u32 %d4, %r2, 4, %d2; ld.shared.u32 %r3, [%d4];", nil, ""},
		{"no barrier before a read", "st.shared.u32 [%d3], %r1; xor.b32 %r2, %r1, 1; mad.wide.u32 %d4, %r2, 4, %d2; ld.shared.u32 %r3, [%d4];", ptxemu.ErrRace, "written"},
		{"no barrier before a write", "st.shared.u32 [%d3], %r1; bar.sync 0; xor.b32 %r2, %r1, 33; mad.wide.u32 %d4, %r2, 4, %d2; ld.shared.u32 %r3, [%d4]; st.shared.u32 [%d3], %r3;", ptxemu.ErrRace, "read"},
		{"different values at one place", "st.shared.u32 [%d2], %r1;", ptxemu.ErrRace, "written"},
		{"the same value at one place", "st.shared.u32 [%d2], 7;", nil, ""},
		{"warp barrier", "st.shared.u32 [%d3], %r1; bar.warp.sync -1; xor.b32 %r2, %r1, 1; mad.wide.u32 %d4, %r2, 4, %d2; ld.shared.u32 %r3, [%d4];", nil, ""},
		{"warp barrier across warps", "st.shared.u32 [%d3], %r1; bar.warp.sync -1; xor.b32 %r2, %r1, 33; mad.wide.u32 %d4, %r2, 4, %d2; @!%p1 ld.shared.u32 %r3, [%d4];", nil, "may"},
		{"shuffle as a warp barrier", "st.shared.u32 [%d3], %r1; shfl.sync.idx.b32 %r5, %r1, 0, 31, -1; xor.b32 %r2, %r1, 1; mad.wide.u32 %d4, %r2, 4, %d2; ld.shared.u32 %r3, [%d4];", ptxemu.ErrRace, "written"},
		{"atomics meet", "@%p1 st.shared.u32 [%d2], 0; bar.sync 0; atom.shared.add.u32 %r2, [%d2], 1;", nil, ""},
		{"a read meets atomics", "@%p1 st.shared.u32 [%d2], 0; bar.sync 0; atom.shared.add.u32 %r2, [%d2], 1; ld.shared.u32 %r3, [%d2];", ptxemu.ErrRace, "written"},
		{"a volatile read meets atomics", "@%p1 st.shared.u32 [%d2], 0; bar.sync 0; atom.shared.add.u32 %r2, [%d2], 1; ld.volatile.shared.u32 %r3, [%d2];", nil, ""},
		{"a write after several lanes' reads", "@%p1 st.shared.u32 [%d2], 0; bar.sync 0; setp.gt.u32 %p2, %r1, 31; @%p2 ret; ld.shared.u32 %r2, [%d2]; setp.eq.u32 %p3, %r1, 31; @%p3 st.shared.u32 [%d2], %r1;", ptxemu.ErrRace, "read by several threads"},
		{"a write after several warps' reads", "@%p1 st.shared.u32 [%d2], 0; bar.sync 0; ld.shared.u32 %r2, [%d2]; bar.warp.sync -1; setp.eq.u32 %p3, %r1, 31; @%p3 st.shared.u32 [%d2], %r1;", ptxemu.ErrRace, ""},
		{"a write after the warp's reads and its barrier", "@%p1 st.shared.u32 [%d2], 0; bar.sync 0; setp.gt.u32 %p2, %r1, 31; @%p2 ret; ld.shared.u32 %r2, [%d2]; bar.warp.sync -1; setp.eq.u32 %p3, %r1, 31; @%p3 st.shared.u32 [%d2], %r1;", nil, ""},
		{"bytes of one word", "cvt.u64.u32 %d4, %r1; add.u64 %d4, %d4, %d2; st.shared.u8 [%d4], %r1; ld.shared.u8 %r2, [%d4];", nil, ""},

		{"barrier in a branch", "@%p1 bra $E; bar.sync 0; $E: bar.sync 0;", ptxemu.ErrBarrier, "another barrier"},
		{"a barrier some skip by ending", "@%p1 ret; bar.sync 0;", nil, ""},
		{"two barriers", "@%p1 bra $E; bar.sync 1; $E: bar.sync 2;", ptxemu.ErrBarrier, "never come"},
		{"shuffle in a branch", "@%p1 bra $E; shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; $E: bar.sync 0;", ptxemu.ErrWarpOperation, "never come"},
		{"shuffle of those that are there", "@!%p1 bra $E; shfl.sync.idx.b32 %r2, %r1, 0, 31, 1; $E: bar.sync 0;", nil, ""},
		{"shuffle from outside of the mask", "setp.lt.u32 %p2, %r1, 2; @!%p2 bra $E; shfl.sync.idx.b32 %r2, %r1, 5, 31, 3; $E: bar.sync 0;", ptxemu.ErrWarpOperation, "lane 5"},
		{"shuffle by one not in its mask", "shfl.sync.idx.b32 %r2, %r1, 0, 31, 1;", ptxemu.ErrWarpOperation, "not in its mask"},
		{"a barrier for an odd number", "bar.sync 1, 40;", ptxemu.ErrBarrier, "no multiple"},

		{"trap", "@%p1 trap;", ptxemu.ErrTrap, ""},
		{"endless", loop, ptxemu.ErrEndless, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _, err := runShort(t, c.body, ptxemu.Options{Budget: 1 << 16})
			if c.detail == "may" {
				// Which of two warps is first decides whether there is a race or no value.
				if !errors.Is(err, ptxemu.ErrRace) && !errors.Is(err, ptxemu.ErrUninitialized) {
					t.Fatalf("%v", err)
				}
				return
			}
			if c.want == nil {
				check(t, err)
				return
			}
			var fault *ptxemu.Fault
			if !errors.As(err, &fault) || !errors.Is(err, c.want) || !errors.Is(err, cudrv.ErrDeviceLost) || !strings.Contains(err.Error(), c.detail) {
				t.Fatalf("%v, want %v with %q", err, c.want, c.detail)
			}
			if fault.Kernel != "k" || fault.Line < 19 || fault.Instruction == "" || fault.Thread >= 64 {
				t.Fatalf("%+v", fault)
			}
			if m.dev.Fault() != fault {
				t.Fatal("the device does not remember the fault")
			}
			if err := m.str.Synchronize(); !errors.Is(err, cudrv.ErrDeviceLost) {
				t.Fatalf("after it: %v", err)
			}
			if _, err := m.dev.Alloc(8); !errors.Is(err, cudrv.ErrDeviceLost) {
				t.Fatalf("after it: %v", err)
			}
		})
	}
}

func TestFaultNamesThePlace(t *testing.T) {
	m := newMachine(t, sample, ptxemu.Options{})
	p := put(m, make([]uint32, 24*8-1))
	err := m.try("grid3", [3]int{2, 3, 4}, 8, 0, p)
	var fault *ptxemu.Fault
	if !errors.As(err, &fault) || fault.Block != [3]int{1, 2, 3} || fault.Thread != 7 || !strings.HasPrefix(fault.Instruction, "st.global.u32") {
		t.Fatalf("%v", err)
	}
}

func TestFreedMemoryIsOutOfBounds(t *testing.T) {
	m := newMachine(t, sample, ptxemu.Options{})
	p := put(m, make([]uint32, 64))
	m.run("reverse", 1, 64, 256, p)
	check(t, m.dev.Free(cudrv.Ptr(p)))
	if err := m.try("reverse", [3]int{1, 1, 1}, 64, 256, p); !errors.Is(err, ptxemu.ErrIllegalAddress) {
		t.Fatal(err)
	}
}

// TestDroppedBarriers takes one barrier at a time out of a kernel that needs them all.
func TestDroppedBarriers(t *testing.T) {
	for _, c := range []struct {
		kernel string
		run    func(m *machine) error
	}{
		{"histogram", func(m *machine) error {
			return m.try("histogram", [3]int{3, 1, 1}, 96, 0, put(m, make([]uint32, 4000)), 1000, put(m, make([]uint32, 256)))
		}},
		{"reverse", func(m *machine) error {
			return m.try("reverse", [3]int{3, 1, 1}, 96, 384, put(m, make([]uint32, 288)))
		}},
		{"scan", func(m *machine) error {
			return m.try("scan", [3]int{1, 1, 1}, 128, 0, put(m, []uint32{1, 2, 3, 4, 5}), 5)
		}},
	} {
		text := string(sample)
		start := strings.Index(text, ".entry "+c.kernel+"(")
		end := start + strings.Index(text[start:], "\n}")
		body := text[start:end]
		n := strings.Count(body, "bar.sync")
		if n == 0 {
			t.Fatalf("%s has no barriers", c.kernel)
		}
		for k := range n {
			parts := strings.SplitN(body, "bar.sync", k+2)
			without := strings.Join(parts[:k+1], "bar.sync") + "membar.cta;//" + parts[k+1]
			err := c.run(newMachine(t, []byte(text[:start]+without+text[end:]), ptxemu.Options{}))
			if !errors.Is(err, ptxemu.ErrRace) && !errors.Is(err, ptxemu.ErrUninitialized) {
				t.Errorf("%s without barrier %d: %v", c.kernel, k, err)
			}
		}
	}
}
