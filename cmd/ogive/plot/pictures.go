package plot

import (
	"fmt"
	"math"
)

// boxLevels are the numbers of a box: the whiskers end at 5 and 95 %, and the smallest
// and the largest value are dots of their own.
var boxLevels = [7]float64{0, 0.05, 0.25, 0.5, 0.75, 0.95, 1}

// Boxes shows each sample as a box from quartile to quartile, one below the other.
func Boxes(samples []Sample, axis string, log bool) *Picture {
	p := &Picture{Panels: []Panel{{X: Axis{Name: axis, Log: log}}}}
	panel := &p.Panels[0]
	for i := range samples {
		s := &samples[i]
		p.Names = append(p.Names, s.Name)
		panel.Y.Rows = append(panel.Y.Rows, s.Name)
		if s.Empty() {
			continue
		}
		box := Mark{Shape: Box, Series: i, Y: []float64{float64(i)}}
		for _, level := range boxLevels {
			box.X = append(box.X, s.At(level))
		}
		panel.Marks = append(panel.Marks, box)
	}
	return p.clean()
}

// ECDF shows which share of each sample's values is at most x; the quantiles are those
// of the method inverted_cdf.
func ECDF(samples []Sample, axis string, log bool) *Picture {
	p := &Picture{Panels: []Panel{{
		X: Axis{Name: axis, Log: log},
		Y: Axis{Name: "share of values ≤ x", Lo: 0, Hi: 1},
	}}}
	for i := range samples {
		s := &samples[i]
		p.Names = append(p.Names, s.Name)
		if s.Empty() {
			continue
		}
		m := Mark{Shape: Steps, Series: i}
		for k, v := range s.Q {
			if k == 0 {
				m.X, m.Y = append(m.X, v), append(m.Y, 0)
				continue
			}
			// Of equal quantiles the last tells the share.
			if n := len(m.X) - 1; n > 0 && m.X[n] == v {
				m.Y[n] = s.P[k]
				continue
			}
			m.X, m.Y = append(m.X, v), append(m.Y, s.P[k])
		}
		p.Panels[0].Marks = append(p.Panels[0].Marks, m)
	}
	return p.clean()
}

// Quantiles shows the value of each quantile.
func Quantiles(samples []Sample, axis string, log bool) *Picture {
	p := &Picture{Panels: []Panel{{
		X: Axis{Name: "quantile", Lo: 0, Hi: 1},
		Y: Axis{Name: axis, Log: log},
	}}}
	for i := range samples {
		p.Names = append(p.Names, samples[i].Name)
		if samples[i].Empty() {
			continue
		}
		p.Panels[0].Marks = append(p.Panels[0].Marks, Mark{Shape: Line, Series: i, X: samples[i].P, Y: samples[i].Q})
	}
	return p.clean()
}

// Histogram shows the counts of bins, a panel for each series.
func Histogram(names []string, b *Bins, axis string, log bool) *Picture {
	p := &Picture{Names: names}
	for i, name := range names {
		m := Mark{Shape: Bars, Series: i, X: b.Edges}
		for _, n := range b.Counts[i] {
			m.Y = append(m.Y, float64(n))
		}
		panel := Panel{X: Axis{Log: log}, Y: Axis{Name: "count"}, Marks: []Mark{m}}
		if len(names) > 1 {
			panel.Title = name
		}
		p.Panels = append(p.Panels, panel)
	}
	if n := len(p.Panels); n > 0 {
		p.Panels[n-1].X.Name = axis
	}
	return p.clean()
}

// QQ shows the quantiles of the samples, of the method hazen, over those of a
// distribution of Against, and the line through the quartiles.
func QQ(samples []Sample, against int, axis string) *Picture {
	a := Against[against]
	p := &Picture{Panels: []Panel{{X: Axis{Name: a.About}, Y: Axis{Name: axis}}}}
	for i := range samples {
		s := &samples[i]
		p.Names = append(p.Names, s.Name)
		if s.Empty() {
			continue
		}
		x1, x2, y1, y2 := a.Quantile(0.25), a.Quantile(0.75), s.At(0.25), s.At(0.75)
		dots := Mark{Shape: Dots, Series: i}
		for k, at := range s.P {
			if inner(at, s.Count) {
				dots.X, dots.Y = append(dots.X, a.Quantile(at)), append(dots.Y, s.Q[k])
			}
		}
		if n := len(dots.X); n > 0 && y2 > y1 {
			slope := (y2 - y1) / (x2 - x1)
			lo, hi := dots.X[0], dots.X[n-1]
			p.Panels[0].Marks = append(p.Panels[0].Marks, Mark{Shape: Guide, Series: i,
				X: []float64{lo, hi}, Y: []float64{y1 + (lo-x1)*slope, y1 + (hi-x1)*slope}})
		}
		p.Panels[0].Marks = append(p.Panels[0].Marks, dots)
	}
	return p.clean()
}

// QQFirst shows the quantiles of the other samples over those of the first, and the line
// on which equal ones lie.
func QQFirst(samples []Sample, axis string, log bool) *Picture {
	first := &samples[0]
	p := &Picture{Names: []string{}, Panels: []Panel{{X: Axis{Name: first.Name, Log: log}, Y: Axis{Name: axis, Log: log}}}}
	var all span
	for i := range samples[1:] {
		s := &samples[i+1]
		p.Names = append(p.Names, s.Name)
		if s.Empty() || first.Empty() {
			continue
		}
		dots := Mark{Shape: Dots, Series: i}
		for k, at := range s.P {
			if inner(at, s.Count) && inner(at, first.Count) {
				dots.X, dots.Y = append(dots.X, first.Q[k]), append(dots.Y, s.Q[k])
				all.add(first.Q[k], log)
			}
		}
		p.Panels[0].Marks = append(p.Panels[0].Marks, dots)
	}
	if all.some {
		line := Mark{Shape: Guide, Series: noSeries, X: []float64{all.lo, all.hi}, Y: []float64{all.lo, all.hi}}
		p.Panels[0].Marks = append([]Mark{line}, p.Panels[0].Marks...)
	}
	if len(p.Names) == 1 && axis == "" {
		p.Panels[0].Y.Name = p.Names[0]
	}
	return p.clean()
}

// inner reports whether a level lies between the places of the smallest and the largest
// of n values; outside, quantiles repeat the two.
func inner(p float64, n int) bool {
	if p <= 0 || p >= 1 {
		return false
	}
	edge := 0.5 / float64(n) * (1 - 1e-9)
	return n < 0 || p >= edge && p <= 1-edge
}

// Fan shows quantiles along an axis of an array: bands between the first and the last,
// the second and the second last and so on, and a line of the one in the middle. values
// are those of each level, at the places of the axis.
func Fan(levels []string, values [][]float64, places []float64, along, axis string, log bool) *Picture {
	p := &Picture{Panels: []Panel{{X: Axis{Name: along}, Y: Axis{Name: axis, Log: log}}}}
	panel := &p.Panels[0]
	n := len(values)
	for i := range n / 2 {
		panel.Marks = append(panel.Marks, Mark{Shape: Band, Series: 0, X: places, Y: values[i], Y2: values[n-1-i], Weight: i})
	}
	if n%2 == 1 {
		panel.Marks = append(panel.Marks, Mark{Shape: Line, Series: 0, X: places, Y: values[n/2]})
	}
	for i := range n / 2 {
		if p.Title += fmt.Sprintf("%s to %s", levels[i], levels[n-1-i]); i < (n-1)/2 {
			p.Title += ", "
		}
	}
	if n%2 == 1 {
		p.Title += "line: " + levels[n/2]
	}
	return p.clean()
}

// finite reports whether both are finite numbers.
func finite(x, y float64) bool {
	return !math.IsNaN(x) && !math.IsNaN(y) && !math.IsInf(x, 0) && !math.IsInf(y, 0)
}
