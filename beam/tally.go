package ogivebeam

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	beam.RegisterFunction(encodeTally)
	beam.RegisterFunction(decodeTally)
	beam.RegisterCoder(reflect.TypeFor[tally](), encodeTally, decodeTally)
	beam.RegisterType(reflect.TypeFor[mergeFn]())
}

// tally is what a pass has seen of the values of one key.
type tally struct {
	Counts
	unit  tensorio.Unit
	state *stream.State // nil before a value that is not missing
}

// Counts are how many values of a first pass are what.
type Counts struct {
	Missing int64 // cells without a value
	Invalid int64 // of them, cells that hold something: Options.Input.SkipInvalid
	Rounded int64 // integers beside fractions that float64 does not hold

	Values, NaN, NegInf, PosInf, Gone int64 // to describe: those that are not missing, what they are, and those that are; by weight
}

// all returns the counts, in the order in which they travel.
func (c *Counts) all() []*int64 {
	return []*int64{&c.Missing, &c.Invalid, &c.Rounded, &c.Values, &c.NaN, &c.NegInf, &c.PosInf, &c.Gone}
}

func (c *Counts) add(d Counts) {
	for i, n := range d.all() {
		*c.all()[i] += *n
	}
}

// describe counts values, each as often as its weight says.
func (c *Counts) describe(x, weights *ogive.Tensor) {
	w := repeats(weights)
	c.Values = int64(x.Len())
	if w != nil {
		c.Values = 0
	}
	for _, n := range w {
		c.Values += n
	}
	if !x.DType().IsFloat() {
		return
	}
	count := func(test func(...ogive.Option) (*ogive.Tensor, error)) (n int64) {
		for i, is := range ogive.Must(ogive.Values[bool](ogive.Must(test()))) {
			if is {
				n += w.of(i)
			}
		}
		return n
	}
	c.NaN, c.NegInf, c.PosInf = count(x.IsNaN), count(x.IsNegInf), count(x.IsPosInf)
}

// frequencies say how often each value counts; nil is once each.
type frequencies []int64

// repeats returns weights as frequencies; nil where they are not, which is an error of the
// states that they are added to.
func repeats(weights *ogive.Tensor) frequencies {
	if weights == nil || weights.DType().IsFloat() || weights.DType().IsComplex() {
		return nil
	}
	return ogive.Must(ogive.Values[int64](ogive.Must(weights.Cast(dtype.Int64))))
}

// of returns how often value i counts.
func (f frequencies) of(i int) int64 {
	if f == nil {
		return 1
	}
	return f[i]
}

// merge adds what another tally has seen, which is lost.
func (t *tally) merge(o tally) error {
	t.Counts.add(o.Counts)
	switch {
	case o.state == nil:
		return nil
	case t.state == nil:
		t.state, t.unit = o.state, o.unit
		return nil
	case t.unit != o.unit:
		return fmt.Errorf("%w: values of one unit, and of another or none", ogive.ErrFormat)
	}
	return t.state.Merge(o.state)
}

func encodeTally(t tally) ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(t.unit))
	for _, n := range t.all() {
		b = binary.AppendUvarint(b, uint64(*n))
	}
	if t.state == nil {
		return b, nil
	}
	return t.state.AppendBinary(b)
}

func decodeTally(b []byte) (t tally, err error) {
	var unit int64
	for _, n := range append([]*int64{&unit}, t.all()...) {
		v, size := binary.Uvarint(b)
		if size <= 0 {
			return t, fmt.Errorf("%w: a tally without its counts", ogive.ErrFormat)
		}
		*n, b = int64(v), b[size:]
	}
	t.unit = tensorio.Unit(unit)
	if len(b) > 0 {
		t.state = new(stream.State)
		err = t.state.UnmarshalBinary(b)
	}
	return t, err
}

// mergeFn merges the tallies of a key.
type mergeFn struct{}

func (*mergeFn) CreateAccumulator() tally { return tally{} }

func (*mergeFn) MergeAccumulators(a, b tally) (tally, error) { return a, a.merge(b) }

// key is what a tally is of.
type key struct {
	what     what
	group    []string // each labelOf, or missingLabel
	column   string
	position int // of the element of an array's kept axes, in C order; of a column among those of the files
}

// missingLabel is what a key has of the rows whose group is missing; labelOf that of a
// group, which may be NA too.
const missingLabel = ""

func labelOf(text string) string { return "=" + text }

// groups returns the labels as answers have them, and which are missing; nil if none is.
func (k key) groups() (list []string, missing []bool) {
	list = make([]string, len(k.group))
	for i, label := range k.group {
		if list[i] = strings.TrimPrefix(label, "="); label != missingLabel {
			continue
		}
		if missing == nil {
			missing = make([]bool, len(list))
		}
		list[i], missing[i] = MissingGroup, true
	}
	return list, missing
}

// what says which statistic of the values a tally is for.
type what int

const (
	asked     what = iota // that of the Options
	ends                  // the smallest and the largest value, and those below the quartiles
	above                 // those above the quartiles, of integers of 64 bits
	middle                // describedPercentiles
	away                  // the median distance from the median
	awayLower             // of integers of 64 bits, the two that it lies between
	awayHigher
)

// String returns a text that parseKey reads, in UTF-8 whatever the names are.
func (k key) String() string {
	b := strconv.AppendInt(nil, int64(k.what), 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(k.position), 10)
	for _, s := range append([]string{k.column}, k.group...) {
		b = append(b, ' ')
		b = strconv.AppendQuote(b, s)
	}
	return string(b)
}

func parseKey(s string) (k key, err error) {
	bad := fmt.Errorf("%w: a key %q", ogive.ErrFormat, s)
	first, rest, ok := strings.Cut(s, " ")
	n, err := strconv.Atoi(first)
	if !ok || err != nil {
		return k, bad
	}
	k.what = what(n)
	first, rest, ok = strings.Cut(rest, " ")
	if k.position, err = strconv.Atoi(first); !ok || err != nil {
		return k, bad
	}
	var names []string
	for rest != "" {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return k, bad
		}
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return k, bad
		}
		names = append(names, name)
		rest = strings.TrimPrefix(rest[len(quoted):], " ")
	}
	if len(names) == 0 {
		return k, bad
	}
	k.column, k.group = names[0], names[1:]
	return k, nil
}

// spread puts a number before a key, so that several workers merge the tallies of one.
func spread(key string, fan int64) string { return strconv.FormatInt(fan, 10) + " " + key }

// gathered takes the number away again.
func gathered(key string) string {
	_, rest, _ := strings.Cut(key, " ")
	return rest
}
