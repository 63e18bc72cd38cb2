package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ogive-go/ogive"
)

// cube is a result of shape [2 2 2] whose last two dimensions are axes 0 and 2.
func cube(qs *quantiles, axes ...int) *result {
	x := ogive.Must(ogive.FromSlice([]int64{0, 1, 2, 3, 4, 5, 6, 7}, 2, 2, 2))
	return &result{op: "quantile", qs: qs, parts: []part{{axes: axes, values: x}}}
}

func TestSheets(t *testing.T) {
	list := &quantiles{name: "q", values: []float64{0, 1}, labels: []string{"0", "1"}}
	empty := ogive.Must(ogive.FromSlice([]bool{}, 0, 3))
	for _, c := range []struct {
		name string
		r    *result
		want string
	}{
		{"list", cube(list, 0, 2), "axis0\taxis2\t0\t1\n0\t0\t0\t4\n0\t1\t1\t5\n1\t0\t2\t6\n1\t1\t3\t7\n"},
		{"no list", cube(nil, 0, 1, 3), "axis0\taxis1\t0\t1\n0\t0\t0\t1\n0\t1\t2\t3\n1\t0\t4\t5\n1\t1\t6\t7\n"},
		{"empty", &result{op: "isnan", parts: []part{{axes: []int{0, 1}, values: empty}}}, ""},
		{"names with tabs", &result{op: "median", table: true, parts: []part{{name: "a\tb\nc", values: ogive.Scalar(1.5)}}}, "column\tmedian\na b c\t1.5\n"},
	} {
		var b bytes.Buffer
		s, err := c.r.sheet()
		if err == nil {
			err = s.writeTSV(&b)
		}
		if err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%s", c.name, err, &b)
		}
	}
}

func TestTableIsAligned(t *testing.T) {
	r := &result{op: "median", table: true, parts: []part{
		{name: "größe", values: ogive.Scalar(1.5)},
		{name: "温度", values: ogive.Scalar(-12.25)},
	}}
	s, err := r.sheet()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.writeTable(&b, look{}); err != nil {
		t.Fatal(err)
	}
	if want := "column  median\ngröße      1.5\n温度    -12.25\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

// TestInterruptedWrite ends the context before a file is written: the old one
// stays, and nothing else is left.
func TestInterruptedWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.npy")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupted{statusInterrupt})
	err := (&outputFlags{path: path}).write(ctx, streams{}, cube(nil, 0, 1, 2))
	if statusOf(err) != statusInterrupt {
		t.Errorf("%v: exit status %d", err, statusOf(err))
	}
	b, err := os.ReadFile(path)
	if string(b) != "old" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}
