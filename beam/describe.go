package ogivebeam

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	beam.RegisterFunction(centerOf)
	beam.RegisterFunction(byStem)
	beam.RegisterFunction(join)
}

// DescribedPercentiles are those of a Description.
var DescribedPercentiles = []int64{1, 5, 25, 50, 75, 95, 99}

// Description is what the values of a column, or of a group of its rows, are like.
type Description struct {
	Group                          []string // as those of an Answer
	MissingKeys                    []bool
	Column                         string
	Index                          int64     // of the column among those of the files
	Count, Missing, NegInf, PosInf int64     // by weight; Missing are NaNs too, which Count leaves out
	Ends                           []byte    // the smallest and the largest value, npy
	Percentiles                    []float64 // DescribedPercentiles
	IQR, MAD                       float64   // the interquartile range, and the median distance from the median
	Middle                         []byte    // Percentiles in the dtype of the data's answers, npy
}

// DescribeNames are the names of a Description's cells.
func DescribeNames() []string {
	names := []string{"count", "missing", "-inf", "+inf", "min"}
	for _, p := range DescribedPercentiles {
		if p == 50 {
			names = append(names, "median")
		} else {
			names = append(names, "p"+strconv.FormatInt(p, 10))
		}
	}
	return append(names, "max", "iqr", "mad")
}

// Cells returns the description as ogive describe writes it.
func (d Description) Cells() ([]string, error) {
	ends, err := Answer{NPY: d.Ends}.Cells()
	if err != nil {
		return nil, err
	}
	middle, err := Answer{NPY: d.Middle}.Cells()
	if err != nil {
		return nil, err
	}
	var cells []string
	for _, n := range []int64{d.Count, d.Missing, d.NegInf, d.PosInf} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	cells = append(append(append(cells, ends[0]), middle...), ends[1])
	return append(cells, tensorio.FormatFloat(d.IQR, 64), tensorio.FormatFloat(d.MAD, 64)), nil
}

// Describe counts the values of files, and computes their extremes, percentiles,
// interquartile range and median absolute deviation, all exact: a
// PCollection<Description>, one for each column, or for each group and column with
// Options.By. NaNs and missing cells are counted and left out. Of Options it takes
// Columns, By, Weights, Input, Budget and PartBytes; arrays are one column. It takes the
// passes of Quantiles twice, as distances from the median need the median.
func Describe(s beam.Scope, files []string, o Options) beam.PCollection {
	return beam.Must(TryDescribe(s, files, o))
}

// TryDescribe is Describe with the error of wrong options.
func TryDescribe(s beam.Scope, files []string, o Options) (beam.PCollection, error) {
	s = s.Scope("ogive.Describe")
	if o.Op != 0 || len(o.Q) > 0 || len(o.Axis) > 0 {
		return beam.PCollection{}, fmt.Errorf("%w: Describe takes no operation, quantiles or axes", ogive.ErrOption)
	}
	o.Op, o.Q = ogive.OpNaNQuantile, middle.options(&o).Q
	o, err := o.ofFiles(files)
	if err != nil {
		return beam.PCollection{}, err
	}
	parts, plan := divide(s, files, o)
	list := []what{middle, ends, above}
	centers := beam.ParDo(s, noCenters, beam.Impulse(s))
	values := passes(s.Scope("values"), o, list, o.fewKeys(), columns(s, o, list, plan), read(o, list, parts, plan, centers))
	centers = beam.ParDo(s, centerOf, beam.GroupByKey(s, beam.ParDo(s, byStem, values)))
	list = []what{away, awayLower, awayHigher}
	distances := passes(s.Scope("distances"), o, list, o.fewKeys(), columns(s, o, list, plan), read(o, list, parts, plan, centers))
	stems := beam.GroupByKey(s, beam.ParDo(s, byStem, beam.Flatten(s, values, distances)))
	return beam.ParDo(s, join, stems), nil
}

// floats returns the values in float64.
func (r *result) floats() ([]float64, error) {
	x, err := tensorio.ReadNPY(bytes.NewReader(r.NPY))
	if err == nil {
		x, err = x.Cast(dtype.Float64)
	}
	if err != nil {
		return nil, err
	}
	return ogive.Values[float64](x)
}

// byStem returns a result with its key, but for what it is of it.
func byStem(r result) (string, result) {
	k, _ := parseKey(r.Key) // what has made it has read it
	k.what = asked
	return k.String(), r
}

// gatherResults reads the results of one stem.
func gatherResults(next func(*result) bool) (map[what]result, error) {
	list := map[what]result{}
	for r := (result{}); next(&r); r = (result{}) {
		k, err := parseKey(r.Key)
		if err != nil {
			return nil, err
		}
		list[k.what] = r
	}
	return list, nil
}

// join makes the results for a key a Description.
func join(stem string, next func(*result) bool, emit func(Description)) error {
	k, err := parseKey(stem)
	if err != nil {
		return err
	}
	of, err := gatherResults(next)
	if err != nil {
		return err
	}
	d := Description{Column: k.column, Index: int64(k.position), Middle: of[middle].NPY}
	d.Group, d.MissingKeys = k.groups()
	r, c := of[middle], of[middle].Counts
	if d.Percentiles, err = r.floats(); err != nil {
		return err
	}
	d.Count, d.Missing, d.NegInf, d.PosInf = c.Values-c.NaN, c.Gone+c.NaN, c.NegInf, c.PosInf
	if d.Ends, err = extremes(of[ends].NPY); err != nil {
		return err
	}
	if d.IQR, d.MAD, err = spreads(of, &d); err != nil {
		return err
	}
	emit(d)
	return nil
}

// extremes returns the first and the last of the values of ends.
func extremes(npy []byte) ([]byte, error) {
	x, err := tensorio.ReadNPY(bytes.NewReader(npy))
	if err == nil {
		x, err = x.Slice(0, 0, x.Len(), x.Len()-1)
	}
	var r result
	if err == nil {
		err = r.setValues(x)
	}
	return r.NPY, err
}
