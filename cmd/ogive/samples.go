package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/cmd/ogive/plot"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// sampleOptions say which distributions are wanted.
type sampleOptions struct {
	files   []string
	input   tensorio.Options
	perFile bool
	by      []string
	weights string
	sorted  bool
	work    workFlags
	methods []rank.Method // each gives a list of samples
	most    int           // samples
	whole   bool          // all is kept in memory
}

// take sets what a call of the command says of FILEs.
func (o *sampleOptions) take(cmd *cobra.Command, args []string, in *inputFlags) (err error) {
	o.files, o.perFile = filesOf(args), in.perFile
	o.input, err = in.options()
	o.input = apart(o.input)
	return err
}

// samples are the distributions of the columns, groups, arrays or FILEs.
type samples struct {
	title string
	axis  string          // what their values have in common, a column's name; "" if nothing
	lists [][]plot.Sample // by method, alike but for the quantiles
	keys  []sampleKey
	in    *operands // nil where they are larger than memory
	group *grouping
	count func(*plot.Bins) error // counts the values of all samples, reading what is larger than memory again
}

// sampleKey says what a sample is of.
type sampleKey struct{ file, group, column string }

// samples computes the quantiles that tell the distributions. list are the open FILEs,
// which stay open for the counts; nil for an array that is read piece by piece.
func (f *opener) samples(s streams, o *sampleOptions) (out *samples, list []input, err error) {
	levels := plot.Levels()
	request := func(m rank.Method) *request {
		return &request{op: ogive.OpNaNQuantile, as: ogive.OpNaNQuantile, counts: true, work: o.work,
			options: []ogive.Option{ogive.Fractions(levels...), ogive.Method(m)}}
	}
	out = &samples{title: titles(o.files)}
	if len(o.files) == 1 && o.by == nil && !o.whole && !weighted(o.weights) {
		p, err := f.reduce(request(o.methods[0]), o.files[0], o.input)
		if err == nil {
			return out, nil, f.pieces(out, p, o, request)
		}
		if err != errInMemory {
			return nil, nil, err
		}
	}
	o.input.Groups = o.by
	o.input.Keys = []string{o.weights}
	if list, err = f.openAll(o.files, o.input); err != nil {
		return nil, nil, err
	}
	exact := make([]string, len(levels))
	order := &orderOptions{op: ogive.OpNaNQuantile, by: o.by, perFile: o.perFile, input: o.input, noDates: true,
		qs: &quantiles{name: "q", list: levels, labels: exact}}
	counts, err := f.weightsName(list, o.weights, o.perFile)
	if err != nil {
		return nil, list, err
	}
	if !o.whole && counts == "" && f.inPasses(list, order) {
		for _, m := range o.methods {
			order.method = m.String()
			answer, in, err := f.passes(list, order, request(m))
			if err != nil {
				return nil, list, err
			}
			if len(out.lists) == 0 {
				in.tell(s, o.work)
			}
			if err := out.addParts(answer.parts, o, nil); err != nil {
				return nil, list, err
			}
		}
		out.count = func(b *plot.Bins) error { return f.countTables(list, out, b) }
		return out, list, out.name()
	}
	in, err := f.inputs(list, o.perFile)
	if err != nil {
		return nil, list, err
	}
	out.in = in
	if err = f.weigh(in, counts, len(o.input.Columns) == 0); err == nil {
		err = in.weighEach()
	}
	if err != nil {
		return nil, list, err
	}
	if o.by != nil {
		if out.group, err = f.groups(in, o.by, o.sorted); err != nil {
			return nil, list, err
		}
	}
	if err := in.unitsApart(len(o.input.Columns) > 0); err != nil {
		return nil, list, err
	}
	for i := range in.list {
		c := &in.list[i]
		if n := c.missing() - c.Invalid; n > 0 && !o.whole {
			in.note("%s: %d missing %s left out", c.name, n, plural(n, "cell"))
		}
	}
	for i, m := range o.methods {
		r := request(in.methodFor(m))
		r.work.quiet = r.work.quiet || i > 0
		if out.group != nil {
			err = out.addGroups(f.ctx, s, r, o)
		} else {
			var parts []part
			if parts, err = compute(f.ctx, s, r, in); err == nil {
				err = out.addParts(parts, o, in.list)
			}
		}
		if err != nil {
			return nil, list, err
		}
	}
	out.count = func(b *plot.Bins) error { return out.countMemory(f.ctx, b) }
	return out, list, out.name()
}

// titles names the FILEs.
func titles(files []string) string {
	if len(files) == 1 {
		return title(files[0])
	}
	return fmt.Sprintf("%d files", len(files))
}

// pieces completes the sample of an array that is larger than memory.
func (f *opener) pieces(out *samples, first *part, o *sampleOptions, request func(rank.Method) *request) error {
	parts := []part{*first}
	for i, m := range o.methods {
		if i > 0 {
			p, err := f.reduce(request(m), o.files[0], o.input)
			if errors.Is(err, errInMemory) || o.files[0] == stdinName {
				err = fmt.Errorf("%s is larger than the memory, and would be read twice", title(o.files[0]))
			}
			if err != nil {
				return err
			}
			parts = []part{*p}
		}
		if err := out.addParts(parts, o, nil); err != nil {
			return err
		}
	}
	out.count = func(b *plot.Bins) error { return f.countArray(o.files[0], o.input, b) }
	return out.name()
}

// addParts adds the samples of a method. of are the operands, if they are in memory.
func (s *samples) addParts(parts []part, o *sampleOptions, of []operand) error {
	if len(parts) > o.most {
		return tooMany(len(parts), "columns", o.most)
	}
	var list []plot.Sample
	keys := make([]sampleKey, len(parts))
	for i := range parts {
		p := &parts[i]
		if p.unit != tensorio.UnitNone {
			return fmt.Errorf("column %s holds %s, which are not drawn", p.name, p.unit.Kind())
		}
		sample := plot.Sample{Count: -1, P: levelValues()}
		if of != nil {
			sample.Count, sample.Integer = of[i].valid(), isInteger(of[i].x.DType())
		}
		wide, err := p.values.Cast(dtype.Float64)
		if err != nil {
			return err
		}
		if sample.Q, err = ogive.Values[float64](wide); err != nil {
			return err
		}
		list = append(list, sample)
		keys[i] = sampleKey{file: p.file, column: p.name}
	}
	s.lists, s.keys = append(s.lists, list), keys
	return nil
}

// addGroups adds the samples of the groups, for a method.
func (s *samples) addGroups(ctx context.Context, to streams, r *request, o *sampleOptions) error {
	in, g := s.in, s.group
	if !in.table {
		return usageError("", "--by takes a table, and %s is none", in.title)
	}
	if n := len(in.list) * len(g.order); n > o.most {
		return tooMany(n, "columns and groups", o.most)
	}
	var meter ogive.Meter
	r.options = append(slices.Clip(r.options), ogive.Workers(r.work.workers), ogive.Context(ctx), ogive.Progress(&meter))
	var list []plot.Sample
	s.keys = nil
	err := watch(ctx, to, r.work.quiet, r.op.String(), &meter, func() error {
		for i := range in.list {
			of := &in.list[i]
			answers, err := r.byGroup(of, g)
			if err != nil {
				return inFile(r.named(err), in.title, of.name)
			}
			if !r.work.quiet {
				in.noteColumn(r, of)
			}
			wide, err := answers.values.Cast(dtype.Float64)
			if err != nil {
				return err
			}
			all, err := ogive.Values[float64](wide)
			if err != nil {
				return err
			}
			counts := of.validOf(g)
			for _, group := range g.order {
				sample := plot.Sample{Count: counts[group], Integer: isInteger(of.x.DType()), P: levelValues()}
				for q := range sample.P {
					v := nanValue
					if !answers.none[group] {
						v = all[q*answers.groups+answers.place[group]]
					}
					sample.Q = append(sample.Q, v)
				}
				list = append(list, sample)
				s.keys = append(s.keys, sampleKey{of.file, strings.Join(g.label(nil, group), ", "), of.name})
			}
		}
		return nil
	})
	if err == nil {
		in.tell(to, r.work)
	}
	s.lists = append(s.lists, list)
	return err
}

// tooMany is the error of a picture that nobody could read.
func tooMany(n int, what string, most int) error {
	return usageError("choose columns with -c, or draw another kind of plot", "%d %s are too many to tell apart; at most %d", n, what, most)
}

// levelValues are the levels as numbers.
func levelValues() (list []float64) {
	for _, q := range plot.Levels() {
		list = append(list, number(q))
	}
	return list
}

// name names the samples by what tells them apart.
func (s *samples) name() error {
	differ := func(of func(sampleKey) string) bool {
		return slices.ContainsFunc(s.keys, func(k sampleKey) bool { return of(k) != of(s.keys[0]) })
	}
	files := differ(func(k sampleKey) string { return k.file })
	columns := differ(func(k sampleKey) string { return k.column })
	groups := differ(func(k sampleKey) string { return k.group })
	for i, k := range s.keys {
		var words []string
		for _, w := range []struct {
			text string
			is   bool
		}{{k.file, files}, {k.column, columns}, {k.group, groups}} {
			if w.is && w.text != "" {
				words = append(words, w.text)
			}
		}
		name := strings.Join(words, " · ")
		if len(words) == 0 {
			name = k.column
		}
		for _, list := range s.lists {
			list[i].Name = name
		}
	}
	if !columns {
		s.axis = s.keys[0].column
	}
	return nil
}

func isInteger(d dtype.DType) bool { return !d.IsFloat() && !d.IsComplex() && !d.IsBool() }

// valid returns how many values an operand has, counted as often as their weights say. Of
// very many, missing ones are not looked for among floats: it makes no difference that
// could be seen.
func (o *operand) valid() int {
	if o.weights != nil {
		return o.validOf(nil)[0]
	}
	n := o.x.Len()
	switch gone := o.gone(); {
	case gone != nil && !o.x.DType().IsFloat():
		return n - o.missing()
	case o.x.DType().IsFloat() && n < 1<<26:
		return n - countTrue(ogive.Must(o.x.IsNaN()))
	}
	return n
}

// validOf is valid for each group. Weights that are not frequencies do not say how many
// values there are.
func (o *operand) validOf(g *grouping) []int {
	groups, of := groupsOf(g)
	counts := make([]int, groups)
	gone := o.gone()
	if o.x.DType().IsFloat() {
		gone = ogive.Must(ogive.Values[bool](ogive.Must(o.x.IsNaN())))
	}
	for row := range o.x.Len() {
		switch {
		case gone != nil && gone[row]:
		case o.weights != nil && o.weights.whole != nil:
			counts[of(row)] += int(o.weights.whole[row])
		default:
			counts[of(row)]++
		}
	}
	return counts
}
