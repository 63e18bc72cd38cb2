package main

import (
	"math"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/gomlx"
	"github.com/ogive-go/ogive/tensorio"
)

const (
	harmonics = 3
	terms     = 1 + 2*harmonics
	steps     = 600
)

// read returns the day of the year, from 0, and the temperature of each day.
func read(path string) (days []int, temperatures []float64, err error) {
	f, err := tensorio.Open(path, tensorio.Options{Columns: []string{"temp_max"}})
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	column, err := f.Tensor("temp_max")
	if err != nil {
		return nil, nil, err
	}
	if column, err = column.Cast(dtype.Float64); err != nil {
		return nil, nil, err
	}
	if temperatures, err = ogive.Values[float64](column); err != nil {
		return nil, nil, err
	}
	first := time.Date(2012, 1, 1, 0, 0, 0, 0, time.UTC) // the days follow each other
	for i := range temperatures {
		days = append(days, first.AddDate(0, 0, i).YearDay()-1)
	}
	return days, temperatures, nil
}

// features returns the terms of the sum for a day of the year.
func features(day int) []float64 {
	row := []float64{1}
	for k := 1; k <= harmonics; k++ {
		angle := 2 * math.Pi * float64(k) * float64(day) / 365.25
		row = append(row, math.Cos(angle), math.Sin(angle))
	}
	return row
}

// model is the weights of the terms for each quantile.
type model struct {
	weights     [][]float64 // terms × quantiles
	first, last float64     // the pinball loss
}

// at returns the quantile number i on a day of the year.
func (m model) at(i, day int) (sum float64) {
	for j, f := range features(day) {
		sum += f * m.weights[j][i]
	}
	return sum
}

// below returns the share of the temperatures below the band of quantile i.
func (m model) below(i int, days []int, temperatures []float64) float64 {
	n := 0
	for j, day := range days {
		if temperatures[j] < m.at(i, day) {
			n++
		}
	}
	return float64(n) / float64(len(days))
}

// pinball returns the mean over all elements of max(q·r, (q-1)·r) of the
// residuals r, days × quantiles: least where the predictions are the quantiles.
func pinball(residuals *Node) *Node {
	q := InsertAxes(Const(residuals.Graph(), quantiles), 0)
	return ReduceAllMean(Max(Mul(residuals, q), Mul(residuals, AddScalar(q, -1))))
}

// residuals returns what the predictions leave, days × quantiles.
func residuals(weights, x, y *Node) *Node { return Sub(y, MatMul(x, weights)) }

// start returns weights that predict the year's quantiles on each day.
func start(y *Node) *Node {
	constant := Reshape(gomlx.Quantiles(y, quantiles), 1, len(quantiles))
	return Concatenate([]*Node{constant, Zeros(y.Graph(), shapes.Make(y.DType(), terms-1, len(quantiles)))}, 0)
}

// step is one of Adam's steps towards less pinball loss: the new weights, the
// moments of the gradient, and the loss before.
func step(in []*Node) []*Node {
	weights, mean, square, rate, x, y := in[0], in[1], in[2], in[3], in[4], in[5]
	loss := pinball(residuals(weights, x, y))
	g := Gradient(loss, weights)[0]
	mean = Add(MulScalar(mean, 0.9), MulScalar(g, 0.1))
	square = Add(MulScalar(square, 0.99), MulScalar(Square(g), 0.01))
	move := Mul(rate, Div(mean, AddScalar(Sqrt(square), 1e-8)))
	return []*Node{Sub(weights, move), mean, square, loss}
}

// finish shifts each band by the quantile of its residuals.
func finish(weights, x, y *Node) *Node {
	r := residuals(weights, x, y)
	shifts := make([]*Node, len(quantiles))
	for i, q := range quantiles {
		shifts[i] = gomlx.Quantile(Slice(r, AxisRange(), AxisElem(i)), q, ogive.Axis(0))
	}
	shift := Reshape(Concatenate(shifts, 0), 1, len(quantiles))
	return Add(weights, Concatenate([]*Node{shift, Zeros(x.Graph(), shapes.Make(y.DType(), terms-1, len(quantiles)))}, 0))
}

// train fits the model.
func train(backend compute.Backend, days []int, temperatures []float64) (m model, err error) {
	rows := make([][]float64, len(days))
	for i, day := range days {
		rows[i] = features(day)
	}
	x := tensors.FromValue(rows)
	y := tensors.FromFlatDataAndDimensions(temperatures, len(temperatures), 1)
	weights, err := ExecOnce(backend, start, y)
	if err != nil {
		return m, err
	}
	exec, err := NewExec(backend, step)
	if err != nil {
		return m, err
	}
	defer exec.Finalize()
	mean := tensors.FromShape(weights.Shape())
	square := tensors.FromShape(weights.Shape())
	for i := range steps {
		rate := 0.5 * (1 - float64(i)/steps)
		out, err := exec.Exec(weights, mean, square, rate, x, y)
		if err != nil {
			return m, err
		}
		weights, mean, square = out[0], out[1], out[2]
		m.last = out[3].Value().(float64)
		if i == 0 {
			m.first = m.last
		}
	}
	if weights, err = ExecOnce(backend, finish, weights, x, y); err != nil {
		return m, err
	}
	m.weights = weights.Value().([][]float64)
	return m, nil
}
