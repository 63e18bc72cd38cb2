package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

// pieceBytes is how much of an array is read at a time, where memory allows it. Tests set
// less.
var pieceBytes = 8 << 20

// sizeOf returns how many bytes a tensor has, or the result of a plan.
func sizeOf(of interface {
	DType() dtype.DType
	Shape() []int
}) int64 {
	n := int64(of.DType().Size())
	for _, d := range of.Shape() {
		n *= int64(d)
	}
	return n
}

// errInMemory says that an array is better computed in memory.
var errInMemory = errors.New("in memory")

// array opens a FILE that is one array in a regular file, of which any part can be read.
func (f *opener) array(path string, o tensorio.Options) (*tensorio.Array, error) {
	if path != stdinName {
		pipe, err := f.pipe(path)
		if err != nil {
			return nil, err
		}
		if file, ok := pipe.(*os.File); ok {
			return tensorio.ArrayOf(file, path, o)
		}
		return tensorio.OpenArray(path, o)
	}
	stdin, ok := f.stdin.(*os.File)
	if !ok {
		stdin, ok = f.kept.(*os.File)
	}
	if !ok {
		return nil, errInMemory
	}
	return tensorio.ArrayOf(stdin, stdinTitle, o)
}

// done ends the use of an array, whose file is closed unless it may be read again.
func (f *opener) done(a *tensorio.Array, path string) {
	f.s.read.forget(a)
	if path != stdinName && f.pipes[path] == nil {
		a.Close()
	}
}

// piece is how much of an array is read at a time.
func (b budget) piece() int {
	if !b.bound() {
		return pieceBytes
	}
	return int(min(int64(pieceBytes), b.atOnce()/4))
}

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
	} else if _, err := f.pipe(path); err != nil {
		return nil, err
	}
	if f.size(path) <= f.budget.mapped() {
		return nil, errInMemory
	}
	a, err := f.array(path, o)
	if err != nil {
		return nil, errInMemory // no single array that can be read in parts; what it is, who reads it tells
	}
	defer f.done(a, path)
	plan, err := ogive.Prepare(r.as, dtype.Float64, a.Shape(), r.options...)
	if err == nil && f.budget.bound() {
		err = inFile(tensorio.TooLarge(sizeOf(plan), f.budget.answers()), title(path)+", the answers", "")
	}
	if err != nil {
		return nil, r.named(err)
	}
	values, err := stream.Reduce(r.as, a, int(f.budget.states()), append(slices.Clip(r.options), ogive.Workers(r.work.workers), ogive.Context(f.ctx))...)
	if err != nil {
		return nil, inFile(r.named(err), title(path), "")
	}
	return &part{axes: keptAxes(plan, len(a.Shape())), values: values, of: a.DType()}, nil
}

// elements adds the elements of an array.
func (f *feeder) elements(file input) error {
	c := &f.shard.columns[0]
	for x, err := range f.blocks(file) {
		if err == nil {
			err = context.Cause(f.ctx)
		}
		if err != nil {
			return err
		}
		w, err := f.nextWeights(x)
		if err == nil && len(c.states) > 0 && c.states[0].dt != x.DType() {
			err = fmt.Errorf("%v, and the data before are %v", x.DType(), c.states[0].dt)
		}
		if err == nil && len(c.states) == 0 {
			err = f.start(c, []dtype.DType{x.DType()})
		}
		if err == nil {
			if f.first {
				c.Seen += int64(x.Len())
			}
			err = c.states[0].Add(x, w)
		}
		if err != nil {
			return inFile(err, title(file.path), "")
		}
	}
	return nil
}

// blocks yields an array in pieces of the file, or whole where it cannot be read so.
func (f *feeder) blocks(file input) iter.Seq2[*ogive.Tensor, error] {
	return func(yield func(*ogive.Tensor, error) bool) {
		if a := f.inPieces(file); a != nil {
			defer f.done(a, file.path)
			if err := f.weighs(a.Shape()); err != nil {
				yield(nil, err)
				return
			}
			a.Pieces(f.budget.piece())(yield)
			return
		}
		x, err := f.whole(file)
		if err == nil {
			err = f.weighs(x.Shape())
		}
		yield(x, err)
	}
}

// whole returns an array of which memory holds all.
func (f *feeder) whole(file input) (*ogive.Tensor, error) {
	if err := f.fits(file); err != nil {
		return nil, err
	}
	x, err := file.Tensor(file.member)
	if err == nil && f.bound {
		err = inFile(tensorio.TooLarge(sizeOf(x), f.budget.inMemory()), title(file.path), "")
	}
	return x, err
}

// inPieces opens an array of which any part can be read, nil if it is none: those with
// weights beside them are read in the order of C.
func (f *feeder) inPieces(file input) *tensorio.Array {
	if file.path != stdinName && !plain(file.path, file.Format()) {
		return nil
	}
	o := file.options
	o.Format = file.Format()
	a, err := f.array(file.path, o)
	if err == nil && (f.side == nil || !a.Fortran()) {
		return a
	}
	if err == nil {
		f.done(a, file.path)
	}
	return nil
}

// weighs checks that weights of a file are of the shape of the data, or a vector.
func (f *feeder) weighs(shape []int) error {
	if f.side == nil {
		return nil
	}
	if of := f.side.Shape(); len(of) > 1 && (len(of) != len(shape) || !slices.Equal(of[1:], shape[1:])) {
		return usage{fmt.Sprintf("weights have shape %v, which is not that of the data", of), ogive.ErrWeights}
	}
	return nil
}

// plain reports whether a file is one that tensorio.OpenArray opens: npy or raw, and not
// compressed.
func plain(path, format string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	switch format {
	case "npy":
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		head := make([]byte, 6)
		_, err = f.Read(head)
		return err == nil && string(head) == "\x93NUMPY"
	case "raw": // may begin with anything: its name says whether it is compressed
		return !slices.Contains(packedEndings, strings.ToLower(filepath.Ext(path)))
	}
	return false
}

// nextWeights returns the weights of the next values, of their shape; nil without a file
// of them.
func (f *feeder) nextWeights(x *ogive.Tensor) (*ogive.Tensor, error) {
	if f.side == nil {
		return nil, nil
	}
	shape := x.Shape()
	if f.side.Len()-f.at < x.Len() {
		return nil, usage{fmt.Sprintf("weights have shape %v, which is not that of the data", f.side.Shape()), ogive.ErrWeights}
	}
	flat, err := f.side.Reshape(f.side.Len())
	if err == nil {
		flat, err = flat.Slice(0, f.at, f.at+x.Len(), 1)
	}
	if err != nil {
		return nil, err
	}
	f.at += x.Len()
	return flat.Reshape(shape...)
}
