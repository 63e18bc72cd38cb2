package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/cmd/ogive/early"
	"github.com/ogive-go/ogive/dtype"
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
	b.keep()
	return b, nil
}

// keep makes the runtime give back what is not in use before the system counts it.
func (b budget) keep() { debug.SetMemoryLimit(b.bytes * 5 / 8) }

// budgetOfStates is the budget of a command whose states may take so much.
func budgetOfStates(states int64) budget {
	b := budget{bytes: states + leastMemory, given: true}
	b.keep()
	return b
}

// leastMemory is what the program itself and a block for each worker take, and
// programMemory what the program takes, the fonts of pictures among it.
const (
	leastMemory   = 48 << 20
	programMemory = 32 << 20
)

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

// atOnce is how much of the budget a file that is held in memory may take.
func (b budget) atOnce() int64 {
	if !b.bound() {
		return b.bytes
	}
	return max((b.bytes-programMemory)/2, leastMemory-programMemory)
}

// states is how much of the budget what has been seen of the data may take: buffers take
// as much, and the program the rest.
func (b budget) states() int64 { return max((b.bytes-programMemory)/4, stream.MinBudget) }

// spool reads standard input into a file, unless it is one or small.
func (f *opener) spool() error {
	if f.stdin == nil {
		return usageError("", "standard input can be read once only")
	}
	once, err := await(f.ctx, func() (io.Reader, error) { return spool(f.ctx, f.stdin, f.budget) })
	f.stdin = once
	if file, ok := once.(*os.File); ok {
		if info, statErr := file.Stat(); statErr == nil {
			f.spooled = info.Size()
		}
	}
	return err
}

// spool returns a stream so that it is held once: what is small in memory, all else in
// a temporary file, which nobody else sees and which is gone when the program ends.
func spool(ctx context.Context, r io.Reader, b budget) (io.Reader, error) {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return r, nil
		}
	}
	if _, ok := r.(*bytes.Reader); ok {
		return r, nil
	}
	small := min(b.bytes/16, 16<<20)
	var head bytes.Buffer
	if n, err := io.CopyN(&head, r, small); err == io.EOF {
		return bytes.NewReader(head.Bytes()), nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: byte %d: %w", stdinTitle, n, bare(err))
	}
	file, err := os.CreateTemp("", "ogive-*")
	if err != nil {
		return nil, fmt.Errorf("%s does not fit in memory, and has no temporary file: %w", stdinTitle, err)
	}
	os.Remove(file.Name()) // where the system keeps an open file: an interrupt leaves nothing
	_, err = io.Copy(contextWriter{ctx, file}, io.MultiReader(&head, r))
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, fmt.Errorf("%s: in a temporary file in %s: %w", stdinTitle, os.TempDir(), bare(err))
	}
	return file, nil
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

// fits checks that a file can be held in the memory that was given, if it was.
func (b budget) fits(path, format string, size int64) error {
	swell := swell(path, format)
	if !b.bound() || size <= (b.bytes-programMemory)/swell {
		return nil
	}
	need := (size*swell+programMemory)>>20 + 1
	if b.limited {
		return fmt.Errorf("%s: %d MiB of %s may not fit in the memory that the process may have (ulimit -v), and this is done in memory", title(path), size>>20, format)
	}
	return fmt.Errorf("%s: %d MiB of %s may not fit in --memory %dM, and this is done in memory: it may need %dM", title(path), size>>20, format, b.bytes>>20, need)
}

// size returns how large a regular file is, 0 for all others.
func size(path string) int64 {
	file, _ := splitMember(path)
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// size is the function size, and for standard input that of its file.
func (f *opener) size(path string) int64 {
	if path != stdinName {
		return size(path)
	}
	return f.spooled
}

// errInMemory says that an array is better computed in memory.
var errInMemory = errors.New("in memory")

// reduce computes an order statistic of an array that is larger than the budget, piece
// by piece; errInMemory if it is not, or cannot be.
func (f *opener) reduce(r *request, path string, o tensorio.Options) (*part, error) {
	if r.indices || r.op.Facts().Index {
		return nil, errInMemory
	}
	if path == stdinName {
		if err := f.spool(); err != nil {
			return nil, err
		}
	}
	if f.size(path) <= f.budget.bytes/2 {
		return nil, errInMemory
	}
	var a *tensorio.Array
	var err error
	if stdin, ok := f.stdin.(*os.File); ok && path == stdinName {
		a, err = tensorio.ArrayOf(stdin, stdinTitle, o)
	} else {
		a, err = tensorio.OpenArray(path, o)
	}
	if err != nil {
		return nil, errInMemory // no single array that can be read in parts; what it is, who reads it tells
	}
	defer a.Close()
	defer f.s.read.forget(a)
	values, err := stream.Reduce(r.as, a, int(f.budget.states()), append(slices.Clip(r.options), ogive.Workers(r.work.workers), ogive.Context(f.ctx))...)
	if err != nil {
		return nil, inFile(r.named(err), title(path), "")
	}
	plan, err := ogive.Prepare(r.as, dtype.Float64, a.Shape(), r.options...)
	if err != nil {
		return nil, err
	}
	return &part{axes: keptAxes(plan, len(a.Shape())), values: values, of: a.DType()}, nil
}
