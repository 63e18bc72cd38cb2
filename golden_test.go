package ogive_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
)

// goldenArray is an array of testdata/golden: dtype, shape, and the elements in
// hexadecimal, big-endian.
type goldenArray struct{ *oracle.Array }

func (a *goldenArray) UnmarshalJSON(b []byte) error {
	var name, digits string
	var shape []int
	if err := json.Unmarshal(b, &[]any{&name, &shape, &digits}); err != nil {
		return err
	}
	dt, err := dtype.Parse(name)
	if err != nil {
		return err
	}
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return err
	}
	a.Array = oracle.New(dt, shape...)
	size := dt.Size()
	if dt.IsComplex() {
		size /= 2
	}
	next := func() (v uint64) {
		for _, c := range raw[:size] {
			v = v<<8 | uint64(c)
		}
		raw = raw[size:]
		return v
	}
	for i := range a.Bits {
		a.Bits[i].Re = next()
		if dt.IsComplex() {
			a.Bits[i].Im = next()
		}
	}
	return nil
}

// goldenCase is a call and the peer's answer: arrays, or an error.
type goldenCase struct {
	Peer, Op string
	X        goldenArray
	Q        []string
	Scalar   bool
	Axis     []int
	Keep     bool
	Method   string
	Mode     string
	Index    bool
	Test     *goldenArray
	Invert   bool
	Unique   bool
	Want     []goldenArray
	Error    string

	line int
}

// String says what was called.
func (c *goldenCase) String() string {
	return fmt.Sprintf("line %d: %s %s of %s%v q=%v scalar=%v axis=%v method=%q", c.line, c.Peer, c.Op, c.X.DType, c.X.Shape, c.Q, c.Scalar, c.Axis, c.Method)
}

// readGolden reads the cases.
func readGolden(t *testing.T) []*goldenCase {
	t.Helper()
	f, err := os.Open("testdata/golden/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []*goldenCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		c := &goldenCase{line: len(cases) + 1}
		if err := json.Unmarshal(lines.Bytes(), c); err != nil {
			t.Fatalf("line %d: %v", c.line, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	return cases
}

// call returns the case as an order statistic.
func (c *goldenCase) call(t *testing.T) call {
	t.Helper()
	op, err := ogive.ParseOp(c.Op)
	if err != nil {
		t.Fatal(err)
	}
	k := call{op: op, scalar: c.Scalar, axes: c.Axis, keep: c.Keep, method: c.Method, mode: c.Mode, indices: c.Index, note: c.String()}
	for _, s := range c.Q {
		q, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		k.qs = append(k.qs, q)
	}
	return k
}

// answers returns ogive's and the oracle's answer.
func (c *goldenCase) answers(t *testing.T) (got, exact answer) {
	t.Helper()
	x := layouts[0].lay(t, c.X.Array)
	switch op, _ := ogive.ParseOp(c.Op); {
	case op == ogive.OpIsIn:
		var opts []ogive.Option
		if c.Invert {
			opts = append(opts, ogive.Invert())
		}
		if c.Unique {
			opts = append(opts, ogive.AssumeUnique())
		}
		found, err := x.tensor.IsIn(layouts[0].lay(t, c.Test.Array).tensor, opts...)
		return read(t, found, nil, err), fromOracle(oracle.IsIn(c.X.Array, c.Test.Array, oracle.IsInOptions{Invert: c.Invert}))
	case op >= ogive.OpIsPosInf:
		found, err := elementTests[slices.IndexFunc(elementTests, func(e elementTest) bool { return e.name == c.Op })].run(x.tensor)
		return read(t, found, nil, err), fromOracle(oracle.Predicate(c.Op, c.X.Array))
	default:
		k := c.call(t)
		return k.eager(t, x.tensor), k.want(c.X.Array)
	}
}

// difference is one element, or a whole answer, that is not the peer's.
type difference struct {
	c         *goldenCase
	element   bool // false: the kind of answer differs
	index     bool // the element is an index
	dt        dtype.DType
	got, peer uint64
	gotErr    error
	peerType  dtype.DType
}

func (d difference) String() string {
	switch {
	case d.index:
		return fmt.Sprintf("%v: index %d, the peer's %d", d.c, int64(d.got), int64(d.peer))
	case d.element:
		return fmt.Sprintf("%v: %v %#x, the peer's %#x", d.c, d.dt, d.got, d.peer)
	default:
		return fmt.Sprintf("%v: %v %v, the peer's %v %v", d.c, d.dt, d.gotErr, d.peerType, d.c.Error)
	}
}

// differences compares ogive's answer with the peer's.
func (c *goldenCase) differences(t *testing.T, got answer) (all []difference) {
	t.Helper()
	if got.err != nil || c.Error != "" {
		if got.err == nil || c.Error == "" {
			all = append(all, difference{c: c, dt: got.dt, gotErr: got.err})
		}
		return all
	}
	if !slices.Equal(got.shape, c.Want[0].Shape) {
		t.Errorf("%v: shape %v, the peer's %v", c, got.shape, c.Want[0].Shape)
		return nil
	}
	peer := c.Want[0].Array
	if got.dt != peer.DType {
		all = append(all, difference{c: c, dt: got.dt, peerType: peer.DType})
		var err error
		if peer, err = oracle.Cast(peer, got.dt); err != nil {
			t.Errorf("%v: %v and %v", c, got.dt, peer.DType)
			return all
		}
	}
	for i, b := range oracle.FromBytes(got.dt, got.values, got.shape...).Bits {
		if b != peer.Bits[i] {
			all = append(all, difference{c: c, element: true, dt: got.dt, got: b.Re, peer: peer.Bits[i].Re, peerType: c.Want[0].DType})
		}
	}
	if len(c.Want) > 1 {
		for i, b := range oracle.FromBytes(dtype.Int64, got.indices, got.shape...).Bits {
			if b != c.Want[1].Bits[i] {
				all = append(all, difference{c: c, element: true, index: true, dt: dtype.Int64, got: b.Re, peer: c.Want[1].Bits[i].Re})
			}
		}
	}
	return all
}

// TestGolden holds ogive to what NumPy and PyTorch answer. Where it differs it
// must be right by the oracle, and a clause of the specification must say why;
// every clause is used.
func TestGolden(t *testing.T) {
	used := map[string]int{}
	for _, c := range readGolden(t) {
		got, exact := c.answers(t)
		all := c.differences(t, got)
		if len(all) > 0 {
			compare(t, c.String(), got, exact)
		}
		for _, d := range all {
			i := slices.IndexFunc(clauses, func(k clause) bool { return k.covers(d) })
			if i < 0 {
				t.Errorf("no clause says so: %v", d)
				continue
			}
			used[clauses[i].name]++
		}
	}
	for _, k := range clauses {
		t.Logf("%5d %s", used[k.name], k.name)
		if used[k.name] == 0 {
			t.Errorf("no case differs by %q", k.name)
		}
	}
}
