// Command _gen writes the assembly of package kernel: one file for each kernel
// and architecture, from algorithms that take the instruction set and the width
// of the keys as values. Its test fails if what is committed differs.
//
//	go generate ./internal/kernel
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// file is a generated file with the functions it holds.
type file struct {
	name string
	emit func(*gen)
}

// files are those of amd64.
var files = []file{
	{"collect_amd64.s", collects},
	{"brackets_amd64.s", brackets},
	{"network_amd64.s", networks},
	{"network_rows_amd64.s", networkRows},
	{"bins_amd64.s", bins},
	{"count_amd64.s", counts},
	{"atmost_amd64.s", atMosts},
	{"pairs_amd64.s", pairs},
	{"encode_amd64.s", encodes},
	{"search_amd64.s", searches},
	{"transpose_amd64.s", transposes},
	{"pack_amd64.s", packs},
	{"window_amd64.s", windows},
	{"marks_amd64.s", marks},
	{"blend_amd64.s", blends},
	{"widen_amd64.s", widens},
	{"nth_amd64.s", nths},
	{"isin_buckets_amd64.s", bucketTables},
	{"isin_amd64.s", members},
	{"locate_amd64.s", locates},
}

// armFiles are those of arm64, from the same functions.
var armFiles = []file{
	{"network_rows_arm64.s", networkRows},
	{"transpose_arm64.s", transposes},
	{"pack_arm64.s", packs},
	{"search_arm64.s", searches},
	{"bins_arm64.s", bins},
	{"isin_arm64.s", members},
	{"brackets_arm64.s", brackets},
	{"isin_buckets_arm64.s", bucketTables},
}

// target is the folder of package kernel.
const target = ".."

func main() {
	texts, err := all()
	for name, text := range texts {
		if err == nil {
			err = os.WriteFile(filepath.Join(target, name), text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "_gen: %v\n", err)
		os.Exit(1)
	}
}

// all returns the text of every generated file by its name.
func all() (map[string][]byte, error) {
	texts := map[string][]byte{}
	for _, f := range files {
		compiled, err := compile(f.emit, short, avx512)
		if err == nil {
			texts[f.name], err = printer.NewGoAsm(printer.Config{Name: "_gen", Pkg: "kernel"}).Print(compiled)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	for _, f := range armFiles {
		compiled, err := compile(f.emit, shortARM)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		texts[f.name] = lower(compiled)
	}
	for _, f := range neonFiles {
		var a neon
		a.header()
		f.emit(&a)
		texts[f.name] = a.Bytes()
	}
	return texts, nil
}

// compile returns the functions that emit writes, for instruction sets of one
// architecture.
func compile(emit func(*gen), sets ...isa) (*ir.File, error) {
	g := &gen{build.NewContext(), sets}
	g.ConstraintExpr("!noasm")
	emit(g)
	f, err := g.Result()
	if err != nil {
		return nil, err
	}
	return f, pass.Compile.Execute(f)
}
