package ptxemu

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// foldedCases is how many instructions the assembler has to fold, at least.
const foldedCases = 500

// folding is an instruction on constants.
type folding struct {
	name string
	bits int
	in   [3]uint64
	want uint64
}

// foldings returns instructions on constants, some of each operation whose operands and
// result are all of its type, of 32 or 64 bits.
func foldings() (list []folding) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		op, parts := operations[name], strings.Split(name, ".")
		ty, ok := scalarOf(parts[len(parts)-1])
		if !ok || ty.bits < 32 || slices.Contains(parts, "wide") {
			continue
		}
		switch parts[0] {
		case "slct", "bfe", "shl", "shr", "shf", "cvt", "set":
			continue // operands of other types
		case "popc", "clz", "bfind":
			if ty.bits == 64 {
				continue
			}
		}
		for range 16 {
			a, b, c := numbers(r), numbers(r), numbers(r)
			f := folding{name: name, bits: ty.bits, in: [3]uint64{a[0], b[0], c[0]}}
			for i := range f.in {
				f.in[i] &= maskOf(ty.bits)
			}
			if (parts[0] == "div" || parts[0] == "rem") && f.in[1] == 0 {
				continue // means nothing
			}
			f.want = op.f(f.in[0], f.in[1], f.in[2])
			list = append(list, f)
		}
	}
	return list
}

// foldingText returns a kernel for each instruction.
func foldingText(list []folding) string {
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_80\n.address_size 64\n")
	for i, f := range list {
		fmt.Fprintf(&b, ".visible .entry k%d(.param .u64 p)\n{\n\t.reg .b%d %%x<4>;\n\t.reg .b32 %%r<2>;\n\t.reg .b64 %%p;\n\tld.param.u64 %%p, [p];\n", i, f.bits)
		operands := "%x0"
		for k := range operations[f.name].sources {
			fmt.Fprintf(&b, "\tmov.b%d %%x%d, %#x;\n", f.bits, k+1, f.in[k])
			operands += fmt.Sprintf(", %%x%d", k+1)
		}
		fmt.Fprintf(&b, "\t%s %s;\n", f.name, operands)
		if f.bits == 64 {
			b.WriteString("\tmov.b64 {%r0, %r1}, %x0;\n\tst.volatile.global.u32 [%p], %r0;\n\tst.volatile.global.u32 [%p+4], %r1;\n\tret;\n}\n")
		} else {
			b.WriteString("\tst.volatile.global.u32 [%p], %x0;\n\tret;\n}\n")
		}
	}
	return b.String()
}

var (
	sassKernel = regexp.MustCompile(`^\.text\.k(\d+):`)
	sassMove   = regexp.MustCompile(`\b(?:MOV|IMAD\.MOV\.U32) (R\d+), (?:RZ, RZ, )?(0x[0-9a-f]+|RZ) ;`)
	sassZero   = regexp.MustCompile(`\bCS2R(?:\.32)? (R\d+), SRZ ;`)
	sassOther  = regexp.MustCompile(`\s(?:@!?U?P\d )?[A-Z][A-Z0-9_.]* (R\d+)(?:\.64)?,`)
	sassStore  = regexp.MustCompile(`\bSTG\S* (?:desc\[\S+\])?\[R\d+\.64(\+0x4)?\], (R\d+|RZ)`)
)

// readFolded returns the words that each kernel stores, of those that are constants.
func readFolded(sass string) map[int]map[bool]uint64 {
	found := map[int]map[bool]uint64{}
	kernel, known := -1, map[string]uint64{}
	for line := range strings.Lines(sass) {
		if f := sassKernel.FindStringSubmatch(line); f != nil {
			kernel, _ = strconv.Atoi(f[1])
			known = map[string]uint64{"RZ": 0}
			found[kernel] = map[bool]uint64{}
			continue
		}
		if kernel < 0 {
			continue
		}
		if f := sassStore.FindStringSubmatch(line); f != nil {
			if v, ok := known[f[2]]; ok {
				found[kernel][f[1] != ""] = v
			}
		} else if f := sassMove.FindStringSubmatch(line); f != nil {
			known[f[1]], _ = strconv.ParseUint(f[2], 0, 64) // 0 for RZ
		} else if f := sassZero.FindStringSubmatch(line); f != nil {
			known[f[1]] = 0
			if n, _ := strconv.Atoi(f[1][1:]); !strings.Contains(line, "CS2R.32") {
				known[fmt.Sprint("R", n+1)] = 0
			}
		} else if f := sassOther.FindStringSubmatch(line); f != nil {
			delete(known, f[1])
			n, _ := strconv.Atoi(f[1][1:]) // it may be a pair
			delete(known, fmt.Sprint("R", n+1))
		}
	}
	return found
}

// TestFoldedConstants holds the operations to what NVIDIA's assembler makes of them where
// it knows the operands: scripts/ptxas.sh gets it and names it in OGIVE_PTXAS.
func TestFoldedConstants(t *testing.T) {
	ptxas, nvdisasm := os.Getenv("OGIVE_PTXAS"), os.Getenv("OGIVE_NVDISASM")
	if ptxas == "" && nvdisasm == "" {
		t.Skip("OGIVE_PTXAS and OGIVE_NVDISASM do not say where they are")
	}
	if ptxas == "" || nvdisasm == "" {
		t.Fatalf("OGIVE_PTXAS=%q, OGIVE_NVDISASM=%q: one without the other", ptxas, nvdisasm)
	}
	list := foldings()
	text, object := filepath.Join(t.TempDir(), "k.ptx"), filepath.Join(t.TempDir(), "k.cubin")
	if err := os.WriteFile(text, []byte(foldingText(list)), 0o600); err != nil {
		t.Fatal(err)
	}
	if told, err := exec.Command(ptxas, "-O3", "-arch=sm_80", "-o", object, text).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, told[:min(len(told), 2000)])
	}
	sass, err := exec.Command(nvdisasm, "-c", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	read, names := 0, map[string]bool{}
	for i, words := range readFolded(string(sass)) {
		f := list[i]
		got := words[false] | words[true]<<32
		if len(words) != f.bits/32 {
			continue // computed when it runs
		}
		read++
		names[f.name] = true
		nan := strings.HasSuffix(f.name, ".f32") && f32(got) != f32(got) && f32(f.want) != f32(f.want)
		if got != f.want && !nan { // which NaN is nobody's to rely on
			t.Errorf("%s of %#x: %#x, the assembler says %#x", f.name, f.in[:operations[f.name].sources], f.want, got)
		}
	}
	t.Logf("%d instructions folded of %d, of %d operations", read, len(list), len(names))
	if read < foldedCases {
		t.Errorf("%d instructions are folded, fewer than %d", read, foldedCases)
	}
}
