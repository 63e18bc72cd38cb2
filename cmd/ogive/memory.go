package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"

	"github.com/ogive-go/ogive/cmd/ogive/early"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

// budget is how much memory a command may use.
type budget struct {
	bytes   int64
	given   bool // by --memory
	limited bool // by what the process may have
}

// parseBudget reads a size, 512M or 1GiB; an empty text is half of the machine's
// memory. A third of what the limits of the process leave is the most.
func parseBudget(text string) (b budget, err error) {
	room, limited := early.Room()
	if limited {
		// What is not in use is given back before more is asked for.
		debug.SetMemoryLimit(room / 2)
		defer func() {
			if b.bytes > room/3 {
				b.bytes, b.limited = room/3, true
			}
		}()
	}
	if text == "" {
		return budget{bytes: physicalMemory() / 2}, nil
	}
	n, err := parseSize("memory", text)
	if err != nil {
		return b, err
	}
	b = budget{bytes: int64(n), given: true}
	if b.bytes < leastMemory {
		return b, usageError("", "--memory %s is too little; at least %dM", text, leastMemory>>20)
	}
	b.keep(fileMemory)
	return b, nil
}

// What the program itself takes is programMemory: the pages of its file that are mapped,
// fonts of pictures among them, and what Go begins with. Of leastMemory it leaves enough to
// read most files.
const (
	programMemory = 36 << 20
	leastMemory   = 64 << 20
)

// fileMemory is about how much of the program's file is mapped, by pages of the system's
// choice, and reserve what the collector leaves for what it does not count, as the program's
// variables, and for what is taken while it runs.
const (
	fileMemory = 32 << 20
	reserve    = 6 << 20
)

// keep makes the collector keep what Go has within the budget, beside so much that is
// mapped of files.
func (b budget) keep(mapped int64) {
	debug.SetMemoryLimit(max(b.bytes-mapped-max(b.bytes/32, reserve), (b.bytes-programMemory)/2))
}

// tidy is how a loop that reads run after run keeps what it does not need any more within
// a sixth of what a budget leaves: the runtime collects while memory is taken, and on a
// busy machine comes late.
type tidy struct {
	every int64 // bytes; 0 for never
	next  int64
	count [1]metrics.Sample
}

func (b budget) tidy() *tidy {
	t := &tidy{}
	if t.count[0].Name = "/gc/heap/allocs:bytes"; b.bound() {
		t.every = max((b.bytes-programMemory)/6, 1<<20)
	}
	return t
}

// step collects what is not needed any more, if it may be so much.
func (t *tidy) step() {
	if t.every == 0 {
		return
	}
	metrics.Read(t.count[:])
	if taken := int64(t.count[0].Value.Uint64()); taken >= t.next {
		runtime.GC()
		t.next = taken + t.every
	}
}

// physicalMemory returns the machine's memory; where that is not known, so much that it
// limits nothing.
func physicalMemory() int64 {
	const unknown = 1 << 62
	if runtime.GOOS != "linux" {
		return unknown
	}
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return unknown
	}
	for line := range strings.Lines(string(info)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" {
			if kib, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				return kib << 10
			}
		}
	}
	return unknown
}

// bound reports whether the budget is one to be kept, and not what a machine has.
func (b budget) bound() bool { return b.given || b.limited }

// A budget that is to be kept is divided: beside the program, half is for what is read, all
// that lives at a time, and a quarter for what has been seen of the data. The rest is for
// copies of a run of rows, and for what is not needed any more and not yet collected. Where
// all is in memory, a third is for the data, of which commands make a copy, and a quarter for
// the answers.

// atOnce is how much of the budget may be taken to read a file.
func (b budget) atOnce() int64 {
	if !b.bound() {
		return b.bytes
	}
	return max((b.bytes-programMemory)/2, 1<<20)
}

// inMemory is how much data are held in memory.
func (b budget) inMemory() int64 { return max((b.bytes-programMemory)/3, 1<<20) }

// answers is how much memory answers may take, 0 for no bound.
func (b budget) answers() int64 {
	if !b.bound() {
		return 0
	}
	return max((b.bytes-programMemory)/4, 1<<20)
}

// answer checks that there is memory for answers of some bytes.
func (in *operands) answer(bytes int64) error {
	return inFile(tensorio.TooLarge(bytes, in.most), in.title+", the answers", "")
}

// mapped is how large an array may be that is mapped, and not read piece by piece.
func (b budget) mapped() int64 {
	if !b.bound() {
		return b.bytes / 2
	}
	return b.inMemory()
}

// states is how much of the budget what has been seen of the data may take.
func (b budget) states() int64 {
	return max((b.bytes-programMemory)/4, 4*stream.MinBudget)
}

// swells is how many times its size a file's columns or arrays may take in memory, with
// what is computed of them, by its format; that of compressed ones is a guess.
var swells = map[string]int64{"npy": 2, "raw": 2, "npz": 2, "netcdf": 3, "csv": 5, "tsv": 5, "json": 4, "arrow": 4, "parquet": 20}

// swell is how many times its size a file may take.
func swell(path, format string) int64 {
	if ending := strings.ToLower(filepath.Ext(path)); slices.Contains(packedEndings, ending) {
		return 40
	}
	return max(swells[format], 2)
}

// packedEndings are those of compressed files.
var packedEndings = []string{".gz", ".gzip", ".zst", ".zstd"}

// fits checks that a file that is mapped whole can be held beside what is held already in
// the memory that was given, if it was. Of others the readers tell.
func (f *opener) fits(in input) error {
	if !f.budget.bound() || in.Format() != "npy" && in.Format() != "raw" {
		return nil
	}
	if err := tensorio.TooLarge(f.size(in.path), f.budget.inMemory()); err != nil {
		return fmt.Errorf("%s: %w", title(in.path), err)
	}
	return nil
}

// room is how much of the budget may be taken to read a file, beside what was read.
func (f *opener) room() int64 {
	if !f.budget.bound() {
		return f.budget.atOnce()
	}
	return max(f.budget.atOnce()-f.held, 1)
}

// hold counts what has been read of a FILE.
func (f *opener) hold(in *operands) error {
	bytes := int64(0)
	for _, o := range in.list {
		bytes += bytesOf(&o)
	}
	return f.take(bytes)
}

// take counts memory that is held from now on, and says whether there is so much.
func (f *opener) take(bytes int64) error {
	if f.held += bytes; !f.budget.bound() {
		return nil
	}
	return tensorio.TooLarge(f.held, f.budget.inMemory())
}

// bytesOf returns how much memory the values of an operand take.
func bytesOf(o *operand) int64 {
	n := sizeOf(o.x)
	if o.Missing != nil {
		n += int64(o.Missing.Len())
	}
	for _, label := range o.Labels {
		n += int64(len(label)) + labelBytes
	}
	return n
}

// labelBytes is what a text takes beside its bytes.
const labelBytes = 16

// enough is the advice for a file that needs more memory than was given: what each thing may
// take grows as the budget does.
func enough(given string, m *tensorio.MemoryError) string {
	n, err := parseSize("memory", given)
	if err != nil || m.Most <= 0 {
		return ""
	}
	need := float64(n-programMemory)*float64(m.Need)/float64(m.Most) + programMemory
	if need > 1<<50 {
		return ""
	}
	return fmt.Sprintf("--memory %dM may be enough", int64(need)>>20+1)
}
