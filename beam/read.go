package ogivebeam

import (
	"context"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/formats"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	beam.RegisterType(reflect.TypeFor[readFn]())
}

// CounterNamespace is that of the counters of a pipeline, as a runner shows them: parts and
// elements read, of all passes, and further_passes, of keys.
const CounterNamespace = "ogive"

var (
	partsRead    = counter{Counter: beam.NewCounter(CounterNamespace, "parts")}
	elementsRead = counter{Counter: beam.NewCounter(CounterNamespace, "elements")}
)

// counter is one that this process can read too.
type counter struct {
	beam.Counter
	here atomic.Int64
}

func (c *counter) Inc(ctx context.Context, n int64) {
	c.Counter.Inc(ctx, n)
	c.here.Add(n)
}

// Read returns how many parts and elements the workers in this process have read so far.
func Read() (parts, elements int64) { return partsRead.here.Load(), elementsRead.here.Load() }

// readFn reads parts in one pass: in the first if First, else with what it begins with.
// Its side inputs are opened once in a bundle, as that takes a request to the runner, and
// by the first part: runners in Java answer none before.
type readFn struct {
	Options Options
	What    []what // the statistics that are wanted of each value
	First   bool
	r       *reader
}

type (
	plans   = func() func(*plan) bool
	centers = func() func(*string, *center) bool
	tallies = func() func(*string, *tally) bool
)

func (fn *readFn) StartBundle(plans, centers, tallies, func(string, tally)) { fn.r = nil }

func (fn *readFn) ProcessElement(ctx context.Context, p part, of plans, from centers, open tallies, emit func(string, tally)) error {
	if p.Whole {
		return nil // wholeFn answers
	}
	if fn.r == nil {
		fn.r = &reader{collector: collector{o: &fn.Options}, what: fn.What, centers: map[string]center{}}
		if !of()(&fn.r.plan) {
			return fmt.Errorf("%w: no plan", ogive.ErrFormat)
		}
		if !fn.First {
			fn.r.begin(open())
		}
		var k string
		next := from()
		for c := (center{}); next(&k, &c); c = (center{}) {
			fn.r.centers[k] = c
		}
	}
	if !fn.First && len(fn.r.open) == 0 {
		return nil
	}
	return fn.r.read(ctx, p, emit)
}

func (fn *readFn) FinishBundle(_ plans, _ centers, _ tallies, emit func(string, tally)) {
	if fn.r != nil {
		fn.r.emit(fn.r.spread(emit))
	}
}

// reader adds what parts hold to tallies.
type reader struct {
	collector
	plan    plan
	what    []what
	centers map[string]center // from which distances are described, by the keys of what was asked
	fan     int64
	block   []byte // of an array
}

// spread emits tallies by keys that several workers merge, if these are few.
func (r *reader) spread(emit func(string, tally)) func(string, tally) {
	if !r.o.fewKeys() {
		return emit
	}
	return func(k string, t tally) { emit(spread(k, r.fan), t) }
}

// read adds a part to the tallies.
func (r *reader) read(ctx context.Context, p part, emit func(string, tally)) error {
	h := fnv.New32a()
	fmt.Fprint(h, p.Path, p.From)
	r.fan = int64(h.Sum32()) % max(r.plan.Fan, 1)
	partsRead.Inc(ctx, 1)
	f, err := openPath(ctx, p.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	o := r.o.Input
	if !p.IsTable {
		a, err := tensorio.ArrayOf(f, p.Path, o)
		if err != nil {
			return err
		}
		return r.array(ctx, a, p, emit)
	}
	o.Columns = r.plan.Columns
	o.Part = tensorio.Part{From: p.From, To: p.To, Line: p.Line}
	file, err := formats.Read(f, p.Path, o)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := r.table(ctx, file, emit); err != nil {
		return fmt.Errorf("%s: %w", p.Path, err)
	}
	return nil
}

// table adds the rows of a table.
func (r *reader) table(ctx context.Context, file *tensorio.File, emit func(string, tally)) error {
	o, of := r.o, &r.plan
	names := slices.Concat(of.Columns, o.By)
	if of.Weights != "" {
		names = append(names, of.Weights)
	}
	for list, err := range file.Batches(names...) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		rows := list[0].Values.Len()
		elementsRead.Inc(ctx, int64(rows*len(of.Columns)))
		var weights *ogive.Tensor
		var often frequencies
		if of.Weights != "" {
			w := list[len(list)-1]
			if weights = w.Values; flags(w) != nil {
				return fmt.Errorf("%w: missing cells among the weights, column %s", ogive.ErrWeights, of.Weights)
			}
			often = repeats(weights)
		}
		groups := []rowGroup{{rows: nil}}
		if len(o.By) > 0 {
			if groups, err = groupsOf(list[len(of.Columns):][:len(o.By)]); err != nil {
				return err
			}
		}
		for i, name := range of.Columns {
			dt, err := dtype.Parse(of.DTypes[i])
			if err != nil {
				return err
			}
			c := list[i]
			if dt.IsFloat() {
				inexact, _ := c.Inexact()
				c.Rounded += inexact
			}
			unit, joins := c.Unit.Join(tensorio.Unit(of.Units[i]))
			if !joins && missing(c) < rows {
				return fmt.Errorf("%w: column %s: values of one unit, and of another or none", ogive.ErrFormat, name)
			}
			if c.Values, err = c.Values.Cast(dt); err != nil {
				return fmt.Errorf("column %s: %w", name, err)
			}
			c.Unit = unit
			for _, g := range groups {
				if err := r.column(key{column: name, position: i, group: g.labels}, c, g.rows, weights, often); err != nil {
					return fmt.Errorf("column %s: %w", name, err)
				}
			}
		}
		r.emitFull(r.spread(emit))
	}
	return nil
}

// missing returns how many values of a column are missing.
func missing(c tensorio.Column) (n int) {
	for _, gone := range flags(c) {
		if gone {
			n++
		}
	}
	return n
}

// column adds some rows of a column, nil for all, to the tallies of a key; often are the
// weights of all rows.
func (r *reader) column(k key, c tensorio.Column, rows []int, weights *ogive.Tensor, often frequencies) error {
	gone := flags(c)
	counts := Counts{Invalid: int64(c.Invalid), Rounded: int64(c.Rounded)}
	if rows != nil {
		counts = Counts{} // of which group they are is not known
	}
	places := rows
	if gone != nil {
		places = make([]int, 0, c.Values.Len())
		keep := func(row int) {
			if gone[row] {
				counts.Missing++
				counts.Gone += often.of(row)
			} else {
				places = append(places, row)
			}
		}
		if rows == nil {
			for row := range gone {
				keep(row)
			}
		} else {
			for _, row := range rows {
				keep(row)
			}
		}
	}
	x, w := c.Values, weights
	if places != nil {
		var err error
		if x, err = pick(x, places); err == nil && w != nil {
			w, err = pick(w, places)
		}
		if err != nil {
			return err
		}
	}
	return r.values(k, x, w, c.Unit, counts)
}

// values adds values to the tallies of a key.
func (r *reader) values(k key, x, weights *ogive.Tensor, unit tensorio.Unit, counts Counts) error {
	for i, w := range r.what {
		k.what = w
		name, of := k.String(), x
		switch w {
		case above:
			if !isLong(x.DType()) {
				continue
			}
		case away, awayLower, awayHigher:
			c, ok := r.centers[key{asked, k.group, k.column, k.position}.String()]
			if !ok || isLong(x.DType()) == (w == away) {
				continue
			}
			var err error
			if of, err = c.distances(x); err != nil {
				return err
			}
			unit = 0
		}
		if i == 0 {
			if w == middle {
				counts.describe(x, weights)
			}
			r.count(name, w, counts)
		}
		if err := r.add(name, w, of, weights, unit); err != nil {
			return err
		}
	}
	return nil
}

// rowGroup are the rows of a batch that belong to one group; nil are all. Its labels are
// those of a key.
type rowGroup struct {
	labels []string
	rows   []int
}

// groupsOf divides the rows of a batch by the values of some columns: -0 is 0, and a NaN
// is missing.
func groupsOf(by []tensorio.Column) ([]rowGroup, error) {
	cells := make([]func(int) string, len(by))
	for i, c := range by {
		if c.Values.DType().IsFloat() {
			wide, err := c.Values.Cast(dtype.Float64)
			if err != nil {
				return nil, err
			}
			list := slices.Clone(ogive.Must(ogive.Values[float64](wide)))
			for j := range list {
				list[j] += 0
			}
			if wide, err = ogive.FromSlice(list); err == nil {
				c.Values, err = wide.Cast(c.Values.DType())
			}
			if err != nil {
				return nil, err
			}
		}
		cell, err := c.Cells()
		if err != nil {
			return nil, err
		}
		gone, isFloat := flags(c), c.Values.DType().IsFloat()
		cells[i] = func(row int) string {
			if gone != nil && gone[row] {
				return missingLabel
			}
			if text := cell(row); !isFloat || text != tensorio.TextNaN {
				return labelOf(text)
			}
			return missingLabel
		}
	}
	var groups []rowGroup
	at := map[string]int{}
	labels := make([]string, len(by))
	for row := range by[0].Values.Len() {
		name := ""
		for i, cell := range cells {
			labels[i] = cell(row)
			name += labels[i] + "\x00"
		}
		g, ok := at[name]
		if !ok {
			g = len(groups)
			at[name] = g
			groups = append(groups, rowGroup{labels: slices.Clone(labels)})
		}
		groups[g].rows = append(groups[g].rows, row)
	}
	return groups, nil
}

// blockBytes is how much of an array is read at a time: what a core's cache holds.
const blockBytes = 1 << 20

// array adds rows of an array.
func (r *reader) array(ctx context.Context, a *tensorio.Array, p part, emit func(string, tally)) error {
	shape := a.Shape()
	outer := slowest(len(shape), a.Fortran())
	lo, hi := make([]int, len(shape)), slices.Clone(shape)
	row := a.DType().Size()
	for i, n := range shape {
		if i != outer {
			row *= n
		}
	}
	each := max(blockBytes/max(row, 1), 1)
	if r.block == nil {
		r.block = make([]byte, blockBytes)
	}
	if len(shape) == 0 {
		return r.box(ctx, a, lo, hi)
	}
	if int(p.To) > shape[outer] {
		return fmt.Errorf("%w: %s has changed since it was divided: shape %v", ogive.ErrFormat, p.Path, shape)
	}
	for at := int(p.From); at < int(p.To); at += each {
		lo[outer], hi[outer] = at, min(at+each, int(p.To))
		if err := r.box(ctx, a, lo, hi); err != nil {
			return err
		}
		r.emitFull(r.spread(emit))
	}
	return nil
}

// box adds a box of an array, with a key for each of its kept elements.
func (r *reader) box(ctx context.Context, a *tensorio.Array, lo, hi []int) error {
	x, err := a.ReadInto(r.block, lo, hi)
	if err != nil {
		return err
	}
	elementsRead.Inc(ctx, int64(x.Len()))
	shape := a.Shape()
	kept, reduced, err := r.o.axes(len(shape))
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		return r.values(key{}, x, nil, 0, Counts{})
	}
	if x, err = x.Transpose(slices.Concat(kept, reduced)...); err == nil {
		x, err = x.Contiguous()
	}
	if err != nil || x.Len() == 0 {
		return err
	}
	lanes := 1
	for _, d := range kept {
		lanes *= hi[d] - lo[d]
	}
	if x, err = x.Reshape(lanes, x.Len()/lanes); err != nil {
		return err
	}
	for i := range lanes {
		lane, err := x.Slice(0, i, i+1, 1)
		if err != nil {
			return err
		}
		position, rest := 0, i
		stride := 1
		for _, d := range slices.Backward(kept) { // of the box, and of the array
			n := hi[d] - lo[d]
			position += (lo[d] + rest%n) * stride
			rest /= n
			stride *= shape[d]
		}
		if err := r.values(key{position: position}, lane, nil, 0, Counts{}); err != nil {
			return err
		}
	}
	return nil
}
