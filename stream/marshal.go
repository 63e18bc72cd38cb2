package stream

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/weighted"
	"github.com/ogive-go/ogive/rank"
)

// A serialised State is: magic; the fields below in the order of the code, numbers as
// varints and keys as little-endian integers; the CRC-32C of all of it, 4 bytes.
const magic = "ogive stream 1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	_ encoding.BinaryMarshaler   = (*State)(nil)
	_ encoding.BinaryAppender    = (*State)(nil)
	_ encoding.BinaryUnmarshaler = (*State)(nil)
)

// encoder is the part of a finder that is serialised.
type encoder interface {
	// encode appends what has been found and seen. It may reorder lists.
	encode(b []byte) []byte
	// decode reads what encode has written, of a State of which all else is known, into
	// a finder of a first pass.
	decode(r *reader, s *State)
}

// MarshalBinary returns the State as bytes that mean the same on every machine. They are
// the same for the same data in whatever order and chunks they came (with weights: as
// long as elements with weights and without do not share a pass). A State that New has
// not made is ErrOption. It may sort what s holds, so that no other goroutine may use s.
func (s *State) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// AppendBinary appends what MarshalBinary returns to b.
func (s *State) AppendBinary(b []byte) ([]byte, error) {
	if s.finder == nil {
		return b, s.fail(errs.ErrOption, "the State is none that New made")
	}
	from := len(b)
	b = append(b, magic...)
	for _, name := range []string{s.op.String(), s.dt.String(), s.set.Method().String()} {
		b = binary.AppendUvarint(b, uint64(len(name)))
		b = append(b, name...)
	}
	b = appendBool(b, s.vector)
	b = binary.AppendUvarint(b, uint64(s.budget))
	b = binary.AppendUvarint(b, uint64(s.set.Len()))
	for i := range s.set.Len() {
		q := s.set.Q(i)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(q.Value))
		b = binary.AppendUvarint(b, uint64(q.Num))
		b = binary.AppendUvarint(b, uint64(q.Den))
	}
	b = binary.AppendUvarint(b, uint64(s.pass))
	b = appendBool(b, s.done)
	for _, t := range []tally{s.first, s.now} {
		for _, n := range []int64{t.elements, t.nan, t.weight, t.valid} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		b = appendBool(b, t.weighted)
	}
	b = s.finder.encode(b)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli)), nil
}

// UnmarshalBinary makes s the State that was serialised. Bytes that are no State's,
// damaged, of a later version, or followed by others are ErrFormat; s does not change
// then. It takes memory in proportion to len(b) alone, at most some 20 times that.
func (s *State) UnmarshalBinary(b []byte) error {
	n := len(b) - crc32.Size
	switch {
	case !bytes.HasPrefix(b, []byte(magic)):
		return errs.New(errs.ErrFormat, "not a state of version 1: the first bytes are not %q", magic).In("UnmarshalBinary")
	case n < len(magic) || binary.LittleEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli):
		return errs.New(errs.ErrFormat, "the state is damaged: its checksum differs").In("UnmarshalBinary")
	}
	r := &reader{all: b[:n], b: b[len(magic):n]}
	read := r.state()
	r.check(len(r.b) == 0, "the state goes on after its end")
	if r.err != nil {
		return r.err.In("UnmarshalBinary")
	}
	*s = *read
	return nil
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// reader reads the fields of a State. After the first error it reads zeros.
type reader struct {
	all, b []byte
	err    *errs.Error
}

// check makes the State malformed unless ok.
func (r *reader) check(ok bool, problem string) {
	if !ok && r.err == nil {
		r.err = errs.New(errs.ErrFormat, "byte %d: %s", len(r.all)-len(r.b), problem)
		r.b = nil
	}
}

// take returns the next n bytes, nil if there are none.
func (r *reader) take(n int) []byte {
	if r.check(n <= len(r.b), "the state ends within a field"); r.err != nil {
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) bool() bool {
	b := r.take(1)
	r.check(len(b) == 0 || b[0] <= 1, "a bool that is neither 0 nor 1")
	return r.err == nil && b[0] == 1
}

// number returns a number from 0 to most.
func (r *reader) number(most int64) int64 {
	v, n := binary.Uvarint(r.b)
	if r.check(n > 0, "a number has no end"); r.err != nil {
		return 0
	}
	r.b = r.b[n:]
	if r.check(v <= uint64(most), "a number is too large"); r.err != nil {
		return 0
	}
	return int64(v)
}

// length returns a number of things that take at least size bytes each.
func (r *reader) length(size int) int { return int(r.number(int64(len(r.b) / size))) }

func (r *reader) name() string { return string(r.take(r.length(1))) }

// state reads all of a State.
func (r *reader) state() *State {
	s := new(State)
	op, err := ogive.ParseOp(r.name())
	r.check(err == nil && checkOp(op) == nil, "an unknown operation")
	dt, err := dtype.Parse(r.name())
	r.check(err == nil && dt.IsOrdered(), "an unknown dtype")
	method, err := rank.Parse(r.name())
	r.check(err == nil, "an unknown method")
	vector, budget := r.bool(), r.number(math.MaxInt)
	qs := make([]rank.Q, r.length(10))
	for i := range qs {
		qs[i] = r.quantile()
	}
	r.check(len(qs) == 1 || len(qs) > 1 && vector, "no quantiles, or more than one without a dimension")
	r.check(budget >= leastBudget, "a budget that is too small")
	s.spec = spec{op, dt, rank.NewSet(method, qs), vector, int(budget)}
	s.pass, s.done = int(r.number(math.MaxInt32)), r.bool()
	s.first, s.now = r.tally(), r.tally()
	r.check(s.pass > 1 || s.pass == 1 && (s.done || s.first == tally{}), "a first pass that is over")
	if r.err != nil {
		return nil
	}
	if s.first.valid > 0 && (s.first.nan == 0 || s.dropsNaN()) {
		s.wants.Resolve(s.set, s.first.valid)
	}
	s.finder = newFinder(dt, s.budget)
	s.finder.decode(r, s)
	return s
}

// quantile reads a quantile and checks it.
func (r *reader) quantile() (q rank.Q) {
	if b := r.take(8); b != nil {
		q.Value = math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	q.Num, q.Den = r.number(math.MaxInt64), r.number(math.MaxInt64)
	r.check(q.Num <= q.Den && q.Value >= 0 && q.Value <= 1, "a quantile outside [0, 1]")
	return q
}

// tally reads a tally.
func (r *reader) tally() tally {
	t := tally{elements: r.number(math.MaxInt64 / 2), nan: r.number(math.MaxInt64 / 2)}
	t.weight, t.valid = r.number(weighted.MaxFrequencies-1), r.number(weighted.MaxFrequencies-1)
	t.weighted = r.bool()
	r.check(t.nan <= t.elements && t.valid <= t.weight, "counts that contradict each other")
	return t
}

func (p *passes[K]) encode(b []byte) []byte {
	b = appendBool(b, p.whole)
	b = binary.AppendUvarint(b, uint64(len(p.answers)))
	for _, k := range p.answers {
		b = appendKey(b, k)
	}
	if !p.whole {
		b = binary.AppendUvarint(b, uint64(len(p.parts)+len(p.later)))
		for i := range p.parts {
			b = p.parts[i].interval.encode(b)
		}
		for i := range p.later {
			b = p.later[i].encode(b)
		}
	}
	for i := range p.parts {
		b = p.parts[i].encode(b)
	}
	return b
}

func (p *passes[K]) decode(r *reader, s *State) {
	size := int(unsafe.Sizeof(K(0)))
	p.whole = r.bool()
	p.answers = make([]K, r.length(size))
	for i := range p.answers {
		p.answers[i] = readKey[K](r)
	}
	wanted := len(s.wants.Ranks)
	if p.whole {
		r.check(len(p.answers) == 0 && s.pass == 1 && (!s.done || wanted == 0), "a first pass with answers")
	} else {
		r.check(len(p.answers) == wanted && wanted > 0, "another number of answers than of order statistics")
		open := make([]interval[K], r.length(2*size+4))
		all := p.parts[0].interval
		for i := range open {
			open[i] = readInterval[K](r, s, all)
			r.check(i == 0 || open[i-1].hi < open[i].lo && open[i-1].to <= open[i].from, "intervals that are not ascending")
		}
		r.check(s.done == (len(open) == 0), "intervals where none are open, or none where some are")
		p.allot(open, s.first.weighted)
	}
	for i := range p.parts {
		if r.err == nil {
			p.parts[i].decode(r, p.enc)
		}
	}
}

// appendKey appends a key, little-endian.
func appendKey[K kernel.Key](b []byte, k K) []byte {
	for i := range int(unsafe.Sizeof(k)) {
		b = append(b, byte(k>>(8*i)))
	}
	return b
}

// readKey reads a key.
func readKey[K kernel.Key](r *reader) (k K) {
	for i, v := range r.take(int(unsafe.Sizeof(k))) {
		k |= K(v) << (8 * i)
	}
	return k
}

func (v *interval[K]) encode(b []byte) []byte {
	b = appendKey(appendKey(b, v.lo), v.hi)
	for _, n := range []int64{v.below, v.count, int64(v.from), int64(v.to)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// readInterval reads an interval of a State among all keys.
func readInterval[K kernel.Key](r *reader, s *State, all interval[K]) interval[K] {
	ranks := s.wants.Ranks
	v := interval[K]{lo: readKey[K](r), hi: readKey[K](r)}
	v.below, v.count = r.number(s.first.valid), r.number(s.first.valid)
	v.from, v.to = int(r.number(int64(len(ranks)))), int(r.number(int64(len(ranks))))
	r.check(all.lo <= v.lo && v.lo < v.hi && v.hi <= all.hi && v.from < v.to, "an interval without keys, or in which none are wanted")
	if r.err == nil {
		r.check(v.below <= ranks[v.from] && ranks[v.to-1] < v.below+v.count, "an interval beside what is wanted in it")
	}
	return v
}

// The ways in which a part holds its keys.
const (
	listed = iota
	listedWeighted
	counted
)

func (p *part[K]) encode(b []byte) []byte {
	if p.hist != nil {
		return p.hist.encode(append(b, counted))
	}
	p.sort()
	if p.weights == nil {
		b = append(b, listed)
	} else {
		b = append(b, listedWeighted)
	}
	b = binary.AppendUvarint(b, uint64(len(p.keys)))
	for _, k := range p.keys {
		b = appendKey(b, k)
	}
	for _, w := range p.weights {
		b = binary.AppendUvarint(b, uint64(w))
	}
	return b
}

func (p *part[K]) decode(r *reader, enc kernel.Encoding[K]) {
	kind := r.number(counted)
	if kind == counted {
		p.hist = &histogram[K]{enc: enc, most: p.bins}
		p.hist.decode(r, p.interval)
		return
	}
	n := r.length(int(unsafe.Sizeof(K(0))))
	r.check(n <= p.room(kind == listedWeighted), "a list that is too long for the budget")
	if r.err != nil {
		return
	}
	p.keys = make([]K, n)
	for i := range p.keys {
		p.keys[i] = readKey[K](r)
		r.check(p.lo <= p.keys[i] && p.keys[i] <= p.hi, "a key outside its interval")
	}
	if kind == listedWeighted {
		sum := int64(0)
		p.weights = make([]int64, n)
		for i := range p.weights {
			p.weights[i] = r.number(weighted.MaxFrequencies - 1 - sum)
			sum += p.weights[i]
		}
		r.check(!slices.Contains(p.weights, 0), "a weight of 0")
	}
}

func (h *histogram[K]) encode(b []byte) []byte {
	for _, n := range h.special {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = appendBool(b, h.used)
	if !h.used {
		return b
	}
	b = append(b, byte(h.shift))
	b = binary.AppendVarint(b, h.lo)
	b = binary.AppendUvarint(b, uint64(h.hi-h.lo))
	for i := range h.bins() {
		b = binary.AppendUvarint(b, uint64(h.in(h.lo+i)))
	}
	return b
}

// decode reads a histogram of keys of an interval.
func (h *histogram[K]) decode(r *reader, of interval[K]) {
	sum := int64(0)
	number := func() int64 {
		n := r.number(weighted.MaxFrequencies - 1 - sum)
		sum += n
		return n
	}
	for i := range h.special {
		h.special[i] = number()
		r.check(h.special[i] == 0 || h.enc.Code == kernel.Float, "infinities among integers")
	}
	if !r.bool() || r.err != nil {
		return
	}
	shift := r.number(8*int64(unsafe.Sizeof(K(0))) - 1)
	lo, n := binary.Varint(r.b)
	r.check(n > 0, "a number has no end")
	r.take(max(n, 0))
	span := int64(r.length(1))
	first, last := int64(of.lo)>>shift, int64(of.hi)>>shift
	r.check(first <= lo && lo <= last && uint64(span) <= uint64(last)-uint64(lo) && span < int64(h.most), "bins outside their interval")
	if r.err != nil {
		return
	}
	h.extend(lo, lo+span, uint(shift))
	for i := range int(span + 1) {
		h.counts[i] = number()
	}
}
