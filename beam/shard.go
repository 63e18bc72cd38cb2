package ogivebeam

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/formats"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	beam.RegisterType(reflect.TypeFor[matchFn]())
	beam.RegisterType(reflect.TypeFor[inspectFn]())
	beam.RegisterType(reflect.TypeFor[agreeFn]())
	beam.RegisterType(reflect.TypeFor[divideFn]())
}

// shard is a file, and what has to be known of it before the work begins. dtypes are by
// their names, empty where only the values tell.
type shard struct {
	Path    string
	IsTable bool
	Columns []string // of a table, and their dtypes and units
	DTypes  []string
	Units   []int64
	Counts  string // the column of how often each row counts, if the format has one
	DType   string // of an array, and its shape
	Shape   []int64
	Fortran bool
}

// plan is what all shards have in common.
type plan struct {
	IsTable bool
	Columns []string
	DTypes  []string
	Units   []int64
	Weights string  // the column of the weights; empty for none
	Shape   []int64 // of an array, that of one along Options.Along
	Shards  int64
	Fan     int64 // how many workers merge the tallies of one key at first
}

// part is what one worker reads of a shard.
type part struct {
	Path           string
	From, To, Line int64 // rows of an array; else as tensorio.Part
	IsTable        bool
	Whole          bool // an array with an Answer of its own
}

// openPath opens a file of any of Beam's file systems: a local one where it is, others as a
// copy that is gone when it is closed.
func openPath(ctx context.Context, path string) (*os.File, error) {
	if !strings.Contains(path, "://") {
		return os.Open(path)
	}
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer r.Close()
	f, err := os.CreateTemp("", "ogive-*")
	if err != nil {
		return nil, err
	}
	if err = os.Remove(f.Name()); err == nil { // it lasts as long as it is open
		_, err = io.Copy(f, r)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// matchFn lists the files that a pattern means.
type matchFn struct{}

func (*matchFn) ProcessElement(ctx context.Context, pattern string, emit func(string)) error {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return err
	}
	defer fs.Close()
	paths, err := fs.List(ctx, pattern)
	if err == nil && len(paths) == 0 {
		err = os.ErrNotExist
	}
	if err != nil {
		return fmt.Errorf("%s: %w", pattern, err)
	}
	for _, path := range paths {
		emit(path)
	}
	return nil
}

// inspectFn looks at what a file holds.
type inspectFn struct{ Options Options }

func (fn *inspectFn) ProcessElement(ctx context.Context, path string, emit func(shard)) error {
	f, err := openPath(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	o := fn.Options.Input
	o.Columns = fn.Options.Columns
	file, err := formats.Read(f, path, o)
	if err != nil {
		return err
	}
	defer file.Close()
	if !file.IsTable() {
		o.Columns = nil
		a, err := tensorio.ArrayOf(f, path, o)
		if err != nil {
			return err
		}
		emit(shard{Path: path, DType: a.DType().String(), Shape: int64s(a.Shape()), Fortran: a.Fortran()})
		return nil
	}
	s := shard{Path: path, IsTable: true}
	weights := fn.Options.weights()
	if fn.Options.Weights == "" {
		s.Counts = file.Counts()
		weights = s.Counts
	}
	for _, name := range file.Names() {
		if slices.Contains(fn.Options.By, name) || fn.Options.Columns == nil && name == weights {
			continue
		}
		dt, unit, known, err := file.Type(name)
		if err != nil {
			return err
		}
		text := ""
		if known {
			text = dt.String()
		}
		s.Columns, s.DTypes, s.Units = append(s.Columns, name), append(s.DTypes, text), append(s.Units, int64(unit))
	}
	for _, name := range append(slices.Clone(fn.Options.By), weights) {
		if name != "" && !file.HasColumn(name) {
			return fmt.Errorf("%w: %s has no column %q", ogive.ErrOption, path, name)
		}
	}
	if len(s.Columns) == 0 {
		return fmt.Errorf("%w: %s has no column of numbers", ogive.ErrFormat, path)
	}
	emit(s)
	return nil
}

func int64s(list []int) []int64 {
	out := make([]int64, len(list))
	for i, v := range list {
		out[i] = int64(v)
	}
	return out
}

func ints(list []int64) []int {
	out := make([]int, len(list))
	for i, v := range list {
		out[i] = int(v)
	}
	return out
}

// agreeFn checks that shards fit together.
type agreeFn struct{ Options Options }

func (fn *agreeFn) ProcessElement(_ int, next func(*shard) bool, emit func(plan)) error {
	var first shard
	var p plan
	for s := (shard{}); next(&s); s = (shard{}) {
		if p.Shards++; p.Shards == 1 {
			first = s
			p.IsTable, p.Columns, p.DTypes, p.Units, p.Shape = s.IsTable, s.Columns, s.DTypes, s.Units, s.Shape
			if err := fn.begin(&p, &s); err != nil {
				return err
			}
			continue
		}
		if err := fn.agree(&p, &first, &s); err != nil {
			return err
		}
	}
	p.Fan = max(1, int64(math.Sqrt(float64(p.Shards))))
	emit(p)
	return nil
}

// begin checks the options by the first shard.
func (fn *agreeFn) begin(p *plan, s *shard) error {
	o := &fn.Options
	if s.IsTable {
		if len(o.Axis) > 0 || o.Along != 0 {
			return fmt.Errorf("%w: axes are those of arrays, and %s is a table", ogive.ErrOption, s.Path)
		}
		if p.Weights = o.weights(); o.Weights == "" {
			p.Weights = s.Counts
		}
		for i := range s.Columns {
			if err := o.checkUnit(s.Columns[i], tensorio.Unit(s.Units[i])); err != nil {
				return err
			}
		}
		return nil
	}
	if len(o.Columns) > 0 || len(o.By) > 0 || o.weights() != "" {
		return fmt.Errorf("%w: columns are those of tables, and %s is an array", ogive.ErrOption, s.Path)
	}
	p.Columns, p.DTypes, p.Units = []string{""}, []string{s.DType}, []int64{0}
	dt, err := dtype.Parse(s.DType)
	if err != nil {
		return err
	}
	if _, err := o.state(dt); err != nil { // complex, above all
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	if n := len(s.Shape); n > 0 && (o.Along < -n || o.Along >= n) || n == 0 && o.Along != 0 {
		return fmt.Errorf("%w: arrays of %d dimensions (%s) have no axis %d to follow each other along", ogive.ErrAxis, n, s.Path, o.Along)
	}
	_, _, err = o.axes(len(s.Shape))
	return err
}

// checkUnit refuses dates that would have to be interpolated: of two dates that states
// hold, the answer would be rounded otherwise than in memory.
func (o *Options) checkUnit(column string, unit tensorio.Unit) error {
	if unit != tensorio.UnitNone && !o.isDiscrete() {
		return fmt.Errorf("%w: column %s holds %s, which passes pick and do not interpolate: choose a method such as lower, or other columns", ogive.ErrOption, column, unit.Kind())
	}
	return nil
}

// axes returns the kept and the reduced axes of arrays, ascending.
func (o *Options) axes(dims int) (kept, reduced []int, err error) {
	for _, a := range o.Axis {
		if a < -dims || a >= dims {
			return nil, nil, fmt.Errorf("%w: axis %d of %d dimensions", ogive.ErrAxis, a, dims)
		}
		if a = (a + dims) % dims; slices.Contains(reduced, a) {
			return nil, nil, fmt.Errorf("%w: axis %d twice", ogive.ErrAxis, a)
		}
		reduced = append(reduced, (a+dims)%dims)
	}
	for a := range dims {
		switch {
		case len(o.Axis) == 0:
			reduced = append(reduced, a)
		case !slices.Contains(reduced, a):
			kept = append(kept, a)
		}
	}
	slices.Sort(reduced)
	return kept, reduced, nil
}

// along returns the axis along which arrays follow each other.
func (o *Options) along(dims int) int { return (o.Along + dims) % max(dims, 1) }

// agree checks a shard against the first one.
func (fn *agreeFn) agree(p *plan, first, s *shard) error {
	differ := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s and %s differ: %s", ogive.ErrFormat, first.Path, s.Path, fmt.Sprintf(format, args...))
	}
	if first.IsTable != s.IsTable {
		return differ("one is a table, the other an array")
	}
	if !s.IsTable {
		if first.DType != s.DType {
			return differ("%s and %s", first.DType, s.DType)
		}
		same := len(first.Shape) == len(s.Shape)
		for a := 0; same && a < len(s.Shape); a++ {
			same = first.Shape[a] == s.Shape[a] || a == fn.Options.along(len(s.Shape))
		}
		if !same || len(s.Shape) == 0 {
			return differ("shapes %v and %v, which may differ along axis %d", first.Shape, s.Shape, fn.Options.Along)
		}
		return nil
	}
	if first.Counts != s.Counts {
		return differ("the counts of one are weights, and the other has none: name weights, or %s", NoWeights)
	}
	if !slices.Equal(slices.Sorted(slices.Values(first.Columns)), slices.Sorted(slices.Values(s.Columns))) {
		return differ("columns %v and %v", first.Columns, s.Columns)
	}
	for i, name := range s.Columns {
		at := slices.Index(p.Columns, name)
		if a, b := p.DTypes[at], s.DTypes[i]; a != b && a != "" && b != "" || a != "" && b != "" && p.Units[at] != s.Units[i] {
			return differ("column %s: %s and %s", name, typeText(a, p.Units[at]), typeText(b, s.Units[i]))
		} else if a != b {
			p.DTypes[at] = "" // the values decide
		}
	}
	return nil
}

func typeText(dt string, unit int64) string {
	if unit != 0 {
		return fmt.Sprintf("%s of %s (unit %d)", dt, tensorio.Unit(unit).Kind(), unit)
	}
	return dt
}

// divideFn divides a shard into parts.
type divideFn struct{ Options Options }

func (fn *divideFn) ProcessElement(ctx context.Context, s shard, p plan, emit func(part)) error {
	if !s.IsTable {
		dims := len(s.Shape)
		kept, _, err := fn.Options.axes(dims)
		if err != nil {
			return err
		}
		if slices.Contains(kept, fn.Options.along(dims)) {
			emit(part{Path: s.Path, Whole: true})
			return nil
		}
		dt, err := dtype.Parse(s.DType)
		if err != nil {
			return err
		}
		rows, row := int64(1), int64(dt.Size())
		for i, n := range s.Shape {
			if i == slowest(dims, s.Fortran) {
				rows = n
			} else {
				row *= n
			}
		}
		each := rows
		if row > 0 && !strings.Contains(s.Path, "://") { // another would be copied for each part
			each = max(fn.Options.PartBytes/row, 1)
		}
		for from := int64(0); from < rows; from += each {
			emit(part{Path: s.Path, From: from, To: min(from+each, rows)})
		}
		return nil
	}
	if strings.Contains(s.Path, "://") {
		emit(part{Path: s.Path, IsTable: true})
		return nil
	}
	f, err := openPath(ctx, s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	o := fn.Options.Input
	o.Columns = p.Columns
	file, err := formats.Read(f, s.Path, o)
	if err != nil {
		return err
	}
	defer file.Close()
	parts, err := file.Parts(fn.Options.PartBytes)
	for _, of := range parts {
		emit(part{Path: s.Path, From: of.From, To: of.To, Line: of.Line, IsTable: true})
	}
	return err
}

// slowest returns the dimension whose elements lie farthest apart; 0 of none.
func slowest(dims int, fortran bool) int {
	if fortran {
		return max(dims-1, 0)
	}
	return 0
}
