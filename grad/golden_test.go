package grad_test

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// peerArray is an array of the golden file: float32 or float64.
type peerArray struct {
	dt     dtype.DType
	shape  []int
	values []float64
}

func (a *peerArray) UnmarshalJSON(b []byte) error {
	var name, digits string
	if err := json.Unmarshal(b, &[]any{&name, &a.shape, &digits}); err != nil {
		return err
	}
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return err
	}
	if a.dt, err = dtype.Parse(name); err != nil {
		return err
	}
	for i := 0; i < len(raw); i += a.dt.Size() {
		if a.dt == dtype.Float32 {
			a.values = append(a.values, float64(math.Float32frombits(binary.BigEndian.Uint32(raw[i:]))))
		} else {
			a.values = append(a.values, math.Float64frombits(binary.BigEndian.Uint64(raw[i:])))
		}
	}
	return nil
}

// tensor returns the array as a tensor.
func (a *peerArray) tensor() *ogive.Tensor {
	x := ogive.Must(ogive.Must(ogive.FromSlice(a.values)).Cast(a.dt))
	return ogive.Must(x.Reshape(a.shape...))
}

// peerCase is a gradient of PyTorch's autograd.
type peerCase struct {
	Op            string
	X, Dy, Dx     peerArray
	Q             []float64
	Scalar, Keep  bool
	Axis          *int
	Method        string
	Index         bool
	line          int
	ogiveGradient []float64
}

func (c *peerCase) String() string {
	return fmt.Sprintf("line %d: %s of %v%v q=%v axis=%v method=%s", c.line, c.Op, c.X.dt, c.X.shape, c.Q, c.Axis, c.Method)
}

// run returns ogive's gradient.
func (c *peerCase) run(t *testing.T) ([]float64, error) {
	t.Helper()
	var opts []ogive.Option
	if c.Axis != nil {
		opts = append(opts, ogive.Axis(*c.Axis))
	}
	if c.Keep {
		opts = append(opts, ogive.KeepDims())
	}
	if c.Method != "" {
		opts = append(opts, ogive.Method(method(t, c.Method)))
	}
	lower := append(slices.Clone(opts), ogive.Mode(ogive.ModeLower)) // torch's median
	d := drawn{model: model{skipNaN: c.Op[:3] == "nan"}, floats: c.Q, scalar: c.Scalar, opts: opts}
	switch {
	case c.Index:
		d.rule = byIndex
	case len(c.Q) == 0:
		d.rule, d.opts = evenly, lower
	}
	_, pull, err := d.forward(c.X.tensor())
	if err != nil {
		return nil, err
	}
	dx, err := pull(c.Dy.tensor())
	if err != nil {
		return nil, err
	}
	return ogive.Values[float64](ogive.Must(dx.Cast(dtype.Float64)))
}

// clause is a choice of the specification that PyTorch makes otherwise: it
// covers a lane if it says so.
type clause struct {
	name   string
	covers func(c *peerCase, lane []int) bool
}

var clauses = []clause{
	{"1.8: gradients are formed in float64 and rounded once; torch rounds each step to float32", func(c *peerCase, lane []int) bool {
		return c.X.dt == dtype.Float32 && len(c.Q) > 0 && c.near(lane, 4*0x1p-24)
	}},
	{"1.8: the upstream gradient is multiplied by the share; torch divides it by their number", func(c *peerCase, lane []int) bool {
		return len(c.Q) == 0 && !c.Index && c.near(lane, 0x1p-52)
	}},
	{"1.1: ranks are float64 whatever the dtype of x; torch forms them in float32", func(c *peerCase, lane []int) bool {
		return c.X.dt == dtype.Float32 && c.ranksDiffer(lane)
	}},
	{"1.2: -0 comes before +0; to torch they are equal", func(c *peerCase, lane []int) bool {
		return c.has(lane, func(v float64) bool { return v == 0 && !isNegative(v) }) &&
			c.has(lane, func(v float64) bool { return v == 0 && isNegative(v) }) && c.byValue(lane)
	}},
	{"1.2: among equal elements position decides; torch's quantile takes its sort's order, which is another", func(c *peerCase, lane []int) bool {
		return len(c.Q) > 0 && c.byValue(lane)
	}},
	{"1.6: the index of nothing but NaN is -1, so nothing gets a gradient; torch's is 0", func(c *peerCase, lane []int) bool {
		return c.Op == "nanmedian" && c.Index && !c.has(lane, func(v float64) bool { return v == v })
	}},
}

// has reports whether an element of the lane is as said.
func (c *peerCase) has(lane []int, is func(v float64) bool) bool {
	return slices.ContainsFunc(lane, func(e int) bool { return is(c.X.values[e]) })
}

// near reports whether the gradients of the lane differ by no more than a
// multiple of the sum of the upstream gradient's magnitudes.
func (c *peerCase) near(lane []int, tolerance float64) bool {
	scale := 0.0
	for _, v := range c.Dy.values {
		scale += math.Abs(v)
	}
	return !slices.ContainsFunc(lane, func(e int) bool {
		return math.Abs(c.ogiveGradient[e]-c.Dx.values[e]) > tolerance*scale
	})
}

// ranksDiffer reports whether a virtual index of the lane changes when it is
// rounded to float32, which moves some of the gradient: a little of it between
// two elements, or all between two order statistics of a discrete method.
func (c *peerCase) ranksDiffer(lane []int) bool {
	n := 0
	for _, e := range lane {
		if v := c.X.values[e]; v == v || c.Op[:3] != "nan" {
			n++
		}
	}
	moved, most := 0.0, 0.0
	for _, e := range lane {
		d := c.ogiveGradient[e] - c.Dx.values[e]
		moved += d
		most = max(most, math.Abs(d))
	}
	return math.Abs(moved) < 1e-4 && (c.Method != "linear" || most < 1e-4) &&
		slices.ContainsFunc(c.Q, func(q float64) bool { v := float64(n-1) * q; return float64(float32(v)) != v })
}

// byValue reports whether the gradients are the same summed over elements of
// one value.
func (c *peerCase) byValue(lane []int) bool {
	for _, e := range lane {
		sum := 0.0
		for _, f := range lane {
			if u, v := c.X.values[e], c.X.values[f]; u == v || u != u && v != v {
				sum += c.ogiveGradient[f] - c.Dx.values[f]
			}
		}
		if math.Abs(sum) > 1e-4 {
			return false
		}
	}
	return true
}

// TestGolden holds the gradients to PyTorch's. Where they differ, a clause of
// the specification must say why; every clause is used.
func TestGolden(t *testing.T) {
	f, err := os.Open("testdata/torch.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	used, same := map[string]int{}, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		c := &peerCase{line: n}
		if err := json.Unmarshal(lines.Bytes(), c); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		if c.ogiveGradient, err = c.run(t); err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		var axes []int
		if c.Axis != nil {
			axes = []int{*c.Axis}
		}
		for _, lane := range lanesOf(c.X.shape, axes) {
			if c.equal(lane) {
				same++
				continue
			}
			i := slices.IndexFunc(clauses, func(k clause) bool { return k.covers(c, lane) })
			if i < 0 {
				t.Errorf("no clause says so: %v", c)
				for _, e := range lane {
					t.Logf("  x %v: %v, torch's %v", c.X.values[e], c.ogiveGradient[e], c.Dx.values[e])
				}
				continue
			}
			used[clauses[i].name]++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%5d lanes are the same", same)
	for _, k := range clauses {
		t.Logf("%5d %s", used[k.name], k.name)
		if used[k.name] == 0 {
			t.Errorf("no case differs by %q", k.name)
		}
	}
}

// equal reports whether the gradients of a lane are the same.
func (c *peerCase) equal(lane []int) bool {
	for _, e := range lane {
		if c.ogiveGradient[e] != c.Dx.values[e] {
			return false
		}
	}
	return true
}
