package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

// shard is the state of a pass over one shard of the data, or (see header.Begin) what
// the shards of a pass begin with.
//
// A file of it is: shardMagic; the length of the header, 4 bytes, little-endian; the
// header, JSON; the answers (npy) and states (of package stream) of the columns, in
// order; the CRC-32C of all of it, 4 bytes, little-endian.
type shard struct {
	path string // for messages
	header
	columns []shardColumn
	qs      *quantiles // nil for the median family
	op      ogive.Op
	as      ogive.Op       // the operation that takes the options
	options []ogive.Option // quantiles, method, mode
	exact   bool           // the answer is always a value that there is
}

const shardMagic = "ogive shard 1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header says what is computed.
type header struct {
	Begin   bool   // no shard's: made by merge, for the next pass
	Op      string // the name of the command
	Q       string `json:",omitempty"` // --q or --p as it was given
	QFile   *qFile `json:",omitempty"` // in place of Q, what was read from a file
	Method  string `json:",omitempty"`
	Mode    string `json:",omitempty"`
	Budget  int    // of each state, in bytes
	Table   bool   // the columns are named in the answer
	Array   bool   // one state of everything, no column of a table
	Weighed bool
	Weights string   `json:",omitempty"` // the column, if they are one
	Text    []string `json:",omitempty"` // columns left out
	Notes   []string `json:",omitempty"` // on the files
	Columns []columnHead
}

// qFile is quantiles from a file: the bits of their values, which JSON has no numbers for.
type qFile struct {
	Scalar bool
	Bits   []uint64
}

// columnHead describes the state of a column.
type columnHead struct {
	Name    []byte // bytes, for tables in other encodings
	Unit    tensorio.Unit
	Seen    int64 // values that are not missing
	Missing int64
	Invalid int64 // of the missing ones
	Rounded int64 // integers that float64 does not hold, among floats
	Inexact int64 // integers that float64 would not hold
	Answer  int   // its length in the file; 0 until it is known
	States  []stateHead
}

// stateHead describes a state.
type stateHead struct {
	DType string
	Size  int // in the file
}

// shardColumn is a column with what is known of it: the answer, or a state for each
// dtype that the whole column may turn out to have.
type shardColumn struct {
	columnHead
	states []typedState
	answer []byte // npy
	waits  bool   // until others have their answers
	widening
}

// typedState is a state, and the dtype that it takes.
type typedState struct {
	dt dtype.DType
	*stream.State
}

// newShard returns the shard of a header, without columns.
func newShard(path string, h header) (*shard, error) {
	s := &shard{path: path, header: h}
	var err error
	if s.op, err = ogive.ParseOp(h.Op); err != nil {
		return nil, err
	}
	s.as = s.op
	switch family(s.op) {
	case "":
		return nil, fmt.Errorf("no shards of %s", h.Op)
	case "median":
		m, err := ogive.ParseMode(h.Mode)
		if err != nil {
			return nil, err
		}
		s.options, s.exact = append(s.options, ogive.Mode(m)), m != ogive.ModeAvg
	default:
		if s.qs, err = h.quantiles(family(s.op)); err != nil {
			return nil, err
		}
		m, err := rank.Parse(h.Method)
		if err != nil {
			return nil, err
		}
		s.options, s.exact = append(s.options, s.qs.option(), ogive.Method(m)), m.Discrete()
		s.as = s.qs.op(s.op)
	}
	return s, nil
}

// family returns the flag of an operation's quantiles, "median" for those without, and
// "" for an operation that is not taken in shards.
func family(op ogive.Op) string {
	switch f := op.Facts(); {
	case !f.Passes:
		return ""
	case f.Median:
		return "median"
	default:
		return f.Param
	}
}

// quantiles returns what --q or --p was.
func (h *header) quantiles(flag string) (*quantiles, error) {
	if h.QFile == nil {
		qs, err := parseQuantiles(flag, h.Q)
		if err == nil && qs.file != "" {
			err = fmt.Errorf("quantiles of the file %s", qs.file)
		}
		return qs, err
	}
	qs := &quantiles{name: flag, scalar: h.QFile.Scalar}
	if n := len(h.QFile.Bits); n == 0 || qs.scalar && n > 1 {
		return nil, fmt.Errorf("%d quantiles", n)
	}
	var values []float64
	for _, b := range h.QFile.Bits {
		values = append(values, math.Float64frombits(b))
	}
	return qs, qs.addAll(values)
}

// name returns the column's name.
func (c *columnHead) name() string { return string(c.Name) }

// write writes the shard to its file.
func (s *shard) write(ctx context.Context, st streams, path string) error {
	return st.writeFile(ctx, path, s.writeTo)
}

// encode returns the content of the shard's file.
func (s *shard) encode() ([]byte, error) {
	var b bytes.Buffer
	err := s.writeTo(&b)
	return b.Bytes(), err
}

// writeTo writes the content of the shard's file. States are encoded one by one, and twice:
// their sizes come first.
func (s *shard) writeTo(w io.Writer) error {
	h := s.header
	h.Columns = nil
	var memory []byte
	for i := range s.columns {
		c := s.columns[i].columnHead
		c.Answer, c.States = len(s.columns[i].answer), nil
		for _, state := range s.columns[i].states {
			var err error
			if memory, err = state.AppendBinary(memory[:0]); err != nil {
				return err
			}
			c.States = append(c.States, stateHead{state.dt.String(), len(memory)})
		}
		h.Columns = append(h.Columns, c)
	}
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	all := io.MultiWriter(w, sum)
	begin := append([]byte(shardMagic), binary.LittleEndian.AppendUint32(nil, uint32(len(head)))...)
	if _, err = all.Write(append(begin, head...)); err != nil {
		return err
	}
	for i := range s.columns {
		if _, err = all.Write(s.columns[i].answer); err != nil {
			return err
		}
		for _, state := range s.columns[i].states {
			if memory, err = state.AppendBinary(memory[:0]); err != nil {
				return err
			}
			if _, err = all.Write(memory); err != nil {
				return err
			}
		}
	}
	_, err = w.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

// readShard reads a shard's file.
func readShard(path string) (*shard, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decodeShard(path, b)
}

// decodeShard reads the content of a shard's file. Whatever is wrong with it is
// ErrFormat; it takes memory in proportion to its length.
func decodeShard(path string, b []byte) (*shard, error) {
	bad := func(format string, args ...any) (*shard, error) {
		return nil, usage{path + ": " + fmt.Sprintf(format, args...), ogive.ErrFormat}
	}
	rest, ok := bytes.CutPrefix(b, []byte(shardMagic))
	switch {
	case !ok && bytes.HasPrefix(b, []byte("ogive shard ")):
		return bad("the state of another version of ogive")
	case !ok:
		return bad("no state that ogive partial or merge has written")
	case len(rest) < 8:
		return bad("the state is truncated")
	}
	end := len(b) - 4
	if crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return bad("the state is damaged or truncated: its checksum differs")
	}
	n := int64(binary.LittleEndian.Uint32(rest))
	rest = rest[4 : len(rest)-4]
	if n > int64(len(rest)) {
		return bad("the header is longer than the file")
	}
	var h header
	if err := json.Unmarshal(rest[:n], &h); err != nil {
		return bad("the header: %v", err)
	}
	rest = rest[n:]
	s, err := newShard(path, h)
	if err != nil {
		return bad("the header: %v", err)
	}
	take := func(n int) []byte {
		if n < 0 || n > len(rest) {
			return nil
		}
		taken := rest[:n]
		rest = rest[n:]
		return taken
	}
	for _, head := range h.Columns {
		c := shardColumn{columnHead: head}
		if c.answer = take(head.Answer); len(c.answer) != head.Answer {
			return bad("an answer is longer than the file")
		}
		if (len(c.answer) == 0) == (len(head.States) == 0) {
			return bad("column %q has neither an answer nor a state, or both", head.name())
		}
		if min(head.Seen, head.Missing, head.Invalid, head.Rounded, head.Inexact) < 0 || !head.Unit.Valid() {
			return bad("column %q has counts or units that cannot be", head.name())
		}
		for _, of := range head.States {
			state, err := decodeState(of, take(of.Size))
			if err != nil {
				return bad("column %q: %v", head.name(), err)
			}
			c.states = append(c.states, state)
		}
		s.columns = append(s.columns, c)
	}
	if len(rest) > 0 || len(s.columns) == 0 {
		return bad("bytes behind the last column, or no column")
	}
	pass := s.pass()
	for i := range s.columns {
		for k, state := range s.columns[i].states {
			again := func(other typedState) bool { return other.dt == state.dt }
			if slices.ContainsFunc(s.columns[i].states[:k], again) || state.Pass() != pass {
				return bad("column %q has states that contradict each other", s.columns[i].name())
			}
		}
	}
	return s, nil
}

// decodeState reads a state, whose pass must be open.
func decodeState(head stateHead, b []byte) (s typedState, err error) {
	s.State = new(stream.State)
	if s.dt, err = dtype.Parse(head.DType); err == nil {
		err = s.UnmarshalBinary(b)
	}
	if err == nil {
		err = s.Add(ogive.Must(ogive.Zeros(s.dt, 0)), nil) // refuses another dtype, and a pass that is over
	}
	return s, err
}

// pass returns which pass the shard is of; 0 if all answers are known.
func (s *shard) pass() int {
	for i := range s.columns {
		if states := s.columns[i].states; len(states) > 0 {
			return states[0].Pass()
		}
	}
	return 0
}
