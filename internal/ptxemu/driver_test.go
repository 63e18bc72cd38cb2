package ptxemu_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/ptxemu"
)

func TestMemory(t *testing.T) {
	m := newMachine(t, sample, ptxemu.Options{Memory: 1024})
	p, err := m.dev.Alloc(300)
	check(t, err)
	if free, total, err := m.dev.MemInfo(); free != 512 || total != 1024 || err != nil {
		t.Fatal(free, total, err)
	}
	if p%256 != 0 || !m.dev.Owns(p) || !m.dev.Owns(p+299) || m.dev.Owns(p+300) || m.dev.Owns(p-1) || m.dev.Owns(0) {
		t.Fatal("what the device owns")
	}
	var oom *cudrv.OutOfMemoryError
	if _, err := m.dev.Alloc(513); !errors.As(err, &oom) || oom.Want != 513 || oom.Free != 512 {
		t.Fatal(err)
	}
	fresh := make([]byte, 300)
	check(t, m.str.Upload(p, []byte{1, 2, 3, 4}))
	check(t, m.str.Copy(p+4, p, 4))
	check(t, m.str.Fill(p+2, 9, 3))
	check(t, m.str.Download(fresh[:8], p))
	equal(t, fresh[:8], []byte{1, 2, 9, 9, 9, 2, 3, 4})
	var call *cudrv.CallError
	for _, err := range []error{
		m.str.Upload(p+298, make([]byte, 3)), m.str.Download(make([]byte, 301), p), m.str.Copy(p, p+1, 300),
		m.str.Fill(p-1, 0, 2), m.dev.Free(p + 1), m.str.Fill(p, 0, -1),
	} {
		if !errors.As(err, &call) {
			t.Errorf("%v", err)
		}
	}
	if n, bytes := m.dev.Allocations(); n != 1 || bytes != 300 {
		t.Fatal(n, bytes)
	}
	check(t, m.dev.Free(p))
	if err := m.dev.Free(p); !errors.As(err, &call) {
		t.Fatal(err)
	}
	if n, _ := m.dev.Allocations(); n != 0 {
		t.Fatal(n)
	}
}

// TestFreshMemory: it holds rubbish, other rubbish in each allocation, and the same
// again where the seed is.
func TestFreshMemory(t *testing.T) {
	contents := func(seed uint64) (all []string) {
		m := newMachine(t, sample, ptxemu.Options{Seed: seed})
		for range 100 {
			p, err := m.dev.Alloc(24)
			check(t, err)
			b := make([]byte, 24)
			check(t, m.str.Download(b, p))
			all = append(all, string(b))
		}
		return all
	}
	first := contents(1)
	distinct := slices.Clone(first)
	slices.Sort(distinct)
	if n := len(slices.Compact(distinct)); n < 40 {
		t.Errorf("%d contents of 100", n)
	}
	equal(t, contents(1), first)
	if slices.Equal(contents(2), first) {
		t.Error("another seed makes the same contents")
	}
}

// TestRewrite: a driver loads what its Rewrite makes of a text, and no other does.
func TestRewrite(t *testing.T) {
	text := short("st.global.u32 [%d1], %r1;")
	run := func(o ptxemu.Options) []uint32 {
		m := newMachine(t, text, o)
		p := put(m, make([]uint32, 64))
		m.run("k", 1, 64, 0, p)
		return get[uint32](m, p, 64)
	}
	changed := run(ptxemu.Options{Rewrite: func(ptx string) string {
		return strings.Replace(ptx, "[%d1], %r1;", "[%d1], 7;", 1)
	}})
	if own := run(ptxemu.Options{Rewrite: func(ptx string) string { return ptx }}); changed[9] != 7 || own[9] != 9 {
		t.Error(changed[9], own[9])
	}
}

func TestClosedAndLost(t *testing.T) {
	driver := ptxemu.New(ptxemu.Options{Devices: 2, Version: 11080})
	if driver.Devices() != 2 || driver.Version() != 11080 {
		t.Fatal("devices or version")
	}
	if _, err := driver.Open(2); !errors.Is(err, cudrv.ErrNoDevice) {
		t.Fatal(err)
	}
	one, err := driver.Open(0)
	check(t, err)
	again, err := driver.Open(0)
	check(t, err)
	other, err := driver.Open(1)
	check(t, err)
	if one.Info().UUID == other.Info().UUID || one.Info().UUID != again.Info().UUID {
		t.Fatal("identities of devices")
	}
	s, err := one.NewStream()
	check(t, err)
	check(t, s.Close())
	if err := s.Synchronize(); !errors.Is(err, cudrv.ErrClosed) {
		t.Fatal(err)
	}
	check(t, one.Close())
	if _, err := one.Alloc(1); !errors.Is(err, cudrv.ErrClosed) {
		t.Fatal(err)
	}
	if err := one.Close(); !errors.Is(err, cudrv.ErrClosed) {
		t.Fatal(err)
	}
	_, err = again.Alloc(1)
	check(t, err)
	again.(*ptxemu.Device).Lose()
	if _, err := again.Load(sample); !errors.Is(err, cudrv.ErrDeviceLost) {
		t.Fatal(err)
	}
	_, err = other.Alloc(1)
	check(t, err)
}

func TestIntercept(t *testing.T) {
	failure := errors.New("no luck")
	var calls []string
	m := newMachine(t, sample, ptxemu.Options{Intercept: func(call string) error {
		calls = append(calls, call)
		if call == "Alloc" && slices.Contains(calls, "Launch") {
			return failure
		}
		return nil
	}})
	m.run("reverse", 1, 32, 128, put(m, make([]uint32, 32)))
	if _, err := m.dev.Alloc(1); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	equal(t, calls, []string{"Load", "NewStream", "Alloc", "Upload", "Function", "Launch", "Alloc"})
}

func TestLoad(t *testing.T) {
	load := func(o ptxemu.Options, text string) error {
		d, err := ptxemu.New(o).Open(0)
		check(t, err)
		_, err = d.Load([]byte(text))
		return err
	}
	good := string(short(""))
	check(t, load(ptxemu.Options{}, good))
	if err := load(ptxemu.Options{Version: 10020}, good); !errors.Is(err, cudrv.ErrPTXVersion) {
		t.Fatal(err)
	}
	check(t, load(ptxemu.Options{Version: 10000, Capability: 75}, string(sample)))
	for text, want := range map[string]string{
		string(short("\tex2.approx.f32 %r2, %r1;")):              "line 19: unsupported instruction ex2.approx.f32",
		string(short("\tadd.s32 %r2, %r1;")):                     "line 19: add.s32: 2 operands",
		string(short("\tbra $N;")):                               "line 19: no label $N",
		string(short("\tadd.s32 %r2, %r99, 1;")):                 `unknown name "%r99"`,
		string(short("\tld.global.u32 %d2, [x];")):               `unknown name "x"`,
		string(short("\tld.global.u32 %r2, [s];")):               "another state space",
		string(short("\tst.global.v3.u32 [%d1], {%r1};")):        "unsupported instruction st.global.v3.u32",
		string(short("\tadd.s32 %r2, %r1, %p1;")):                "predicate",
		string(short("\tadd.s32 %r2, %r1 + ;")):                  "a number is expected",
		string(short("\tcall.uni f, ();")):                       "no device function f",
		strings.Replace(good, "ret;\n}", "ret;", 1):              "does not end",
		strings.Replace(good, ".visible", ".flavour", 1):         "unknown directive .flavour",
		strings.Replace(good, ".param .u64 p", ".param .v p", 1): "unknown type .v",
	} {
		var launch *cudrv.LaunchError
		if err := load(ptxemu.Options{}, text); !errors.As(err, &launch) || !strings.Contains(launch.Log, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	var launch *cudrv.LaunchError
	if err := load(ptxemu.Options{Capability: 75}, good); !errors.As(err, &launch) {
		t.Fatal(err)
	}
}

func TestRefusedLaunches(t *testing.T) {
	m := newMachine(t, []byte(strings.Replace(string(sample), ".visible .entry reverse(", ".visible .entry limited(.param .u64 p) .maxntid 64, 1, 1 { ret; }\n.visible .entry reverse(", 1)), ptxemu.Options{})
	p := put(m, make([]uint32, 2048))
	one := [3]int{1, 1, 1}
	for want, err := range map[string]error{
		"blocks of 1025 threads":        m.try("reverse", one, 1025, 0, p),
		"blocks of 0 threads":           m.try("reverse", one, 0, 0, p),
		"compiled for 64":               m.try("limited", one, 65, 0, p),
		"2 arguments: the kernel has 1": m.try("reverse", one, 32, 128, p, p),
		"a grid of [1 65536 1]":         m.try("reverse", [3]int{1, 65536, 1}, 32, 128, p),
		"a grid of [2147483647 2 1]":    m.try("reverse", [3]int{1<<31 - 1, 2, 1}, 32, 128, p),
		"a function of another device":  m.str.Launch(&cudrv.Launch{Block: 1}),
		"-4 bytes of dynamic shared":    m.try("reverse", one, 32, -4, p),
	} {
		var launch *cudrv.LaunchError
		if !errors.As(err, &launch) || !errors.Is(err, ptxemu.ErrInvalidLaunch) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f, err := m.mod.Function("reverse", 0)
	check(t, err)
	if err := m.str.Launch(&cudrv.Launch{Function: f, Block: 32, Shared: 48<<10 + 4, Args: []uint64{p}}); !errors.Is(err, ptxemu.ErrInvalidLaunch) {
		t.Error(err)
	}
	var call *cudrv.CallError
	if _, err := m.mod.Function("reverse", 99<<10+1); !errors.As(err, &call) {
		t.Error(err)
	}
	if _, err := m.mod.Function("missing", 0); !errors.As(err, &call) || call.Name != "CUDA_ERROR_NOT_FOUND" {
		t.Error(err)
	}
	check(t, m.try("reverse", one, 1024, 99<<10, p))
}

func TestConcurrentStreams(t *testing.T) {
	m := newMachine(t, sample, ptxemu.Options{})
	var wg sync.WaitGroup
	for range 8 {
		s, err := m.dev.NewStream()
		check(t, err)
		wg.Go(func() {
			own := &machine{t, m.dev, m.mod, s}
			for range 20 {
				x := []uint32{1, 2, 3, 4, 5, 6, 7, 8}
				p := put(own, x)
				own.run("reverse", 1, 8, 32, p)
				slices.Reverse(x)
				equal(t, get[uint32](own, p, 8), x)
				check(t, m.dev.Free(cudrv.Ptr(p)))
			}
		})
	}
	wg.Wait()
	if n := m.dev.Stats().Kernels["reverse"].Launches; n != 160 {
		t.Fatalf("%d launches", n)
	}
}

// order is what a kernel shows of the order in which its blocks run.
func order(t *testing.T, seed uint64) []uint32 {
	m := newMachine(t, short("atom.global.add.u32 %r2, [%d0], 1; mov.u32 %r3, %ctaid.x; mad.wide.u32 %d1, %r3, 4, %d0; st.global.u32 [%d1+4], %r2;"), ptxemu.Options{Seed: seed})
	p := put(m, make([]uint32, 41))
	m.run("k", 40, 1, 0, p)
	return get[uint32](m, p, 41)[1:]
}

func TestOrderIsThatOfTheSeed(t *testing.T) {
	if a := order(t, 1); !slices.Equal(a, order(t, 1)) || slices.Equal(a, order(t, 2)) || slices.IsSorted(a) {
		t.Fatal("the order of blocks is not random by the seed")
	}
}

func TestStatisticsOfAKernel(t *testing.T) {
	m := newMachine(t, short("ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%d0]; @%p1 red.global.add.u32 [%d0], 1;"), ptxemu.Options{})
	p := put(m, make([]uint32, 64))
	m.dev.ResetStats()
	m.run("k", 3, 40, 0, p)
	want := ptxemu.KernelStats{
		Traffic:  ptxemu.Traffic{Read: 3 * (40*16 + 4), Written: 3 * 4},
		Launches: 1, Blocks: 3,
		// Six instructions before the body, two of it and the return.
		Instructions: 3 * 40 * 9, WarpInstructions: 3 * 2 * 9,
	}
	if got := m.dev.Stats().Kernels["k"]; got != want || m.dev.Stats().Total() != want {
		t.Fatalf("%+v, want %+v", got, want)
	}
	if got := m.dev.Traffic(cudrv.Ptr(p)); got != want.Traffic {
		t.Fatalf("%+v, want %+v", got, want.Traffic)
	}
}

// TestDamagedText changes texts at random: whatever it makes of them, loading ends.
func TestDamagedText(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	texts := []string{string(short("bfi.b32 %r2, %r1, %r1, 3, 4; not.pred %p2, %p1; mov.b64 {%r2, %r3}, %d1; call.uni f, (x); bar.red.popc.u32 %r2, 0, %p1;" +
		" atom.global.cas.b32 %r2, [%d1], 1, 2; shfl.sync.up.b32 %r2|%p2, %r1, 1, 0, -1; vote.sync.ballot.b32 %r2, %p1, -1; match.any.sync.b32 %r2, %r1, -1;" +
		" cvta.shared.u64 %d4, %d3; isspacep.shared %p2, %d4; set.lt.u32.s32 %r2, %r1, 5; testp.nan.f32 %p2, %r1; lop3.b32 %r2, %r1, %r1, %r1, 3; activemask.b32 %r2;"))}
	for entry := range strings.SplitSeq(string(sample), ".globl") {
		texts = append(texts, ".version 6.3\n.target sm_75\n//"+entry)
	}
	loaded := 0
	for range 3000 {
		text := []byte(texts[r.IntN(len(texts))])
		for range 1 + r.IntN(3) {
			at := r.IntN(len(text))
			switch end := min(len(text), at+1+r.IntN(12)); r.IntN(3) {
			case 0:
				text = slices.Delete(text, at, end)
			case 1:
				text = slices.Insert(text, at, text[r.IntN(at+1):at]...)
			default:
				text[at] = ";,.%{}[]()0 \n"[r.IntN(13)]
			}
		}
		d, err := ptxemu.New(ptxemu.Options{}).Open(0)
		check(t, err)
		if _, err := d.Load(text); err == nil {
			loaded++
		}
	}
	if loaded == 0 || loaded == 3000 {
		t.Fatalf("%d texts were loaded", loaded)
	}
}

// TestLanesMeetAgain counts what a warp executes: both sides of a branch, and what
// follows them once.
func TestLanesMeetAgain(t *testing.T) {
	body := "@%p1 bra $T; mov.u32 %r2, 1; bra $E; $T: mov.u32 %r2, 2; mov.u32 %r2, 3; $E: add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;"
	m := newMachine(t, short(body), ptxemu.Options{})
	m.run("k", 1, 32, 0, put(m, make([]uint32, 32)))
	got := m.dev.Stats().Kernels["k"]
	// Six before the body, the branch, two on each side, two after it and the return.
	if got.WarpInstructions != 6+1+2+2+2+1 || got.Instructions != 32*(6+1+2+2+1) {
		t.Fatalf("%+v", got)
	}
}
