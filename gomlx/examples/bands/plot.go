package main

import (
	"bytes"
	"image/color"
	"os"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

const yearDays = 365

var (
	ink  = color.NRGBA{R: 0x33, G: 0x33, B: 0x33, A: 0xff}
	pale = color.NRGBA{R: 0x88, G: 0x88, B: 0x88, A: 0x70}
	grid = color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
	line = color.NRGBA{R: 0xb2, G: 0x3a, B: 0x1e, A: 0xff}
	edge = color.NRGBA{R: 0xd9, G: 0x7b, B: 0x4f, A: 0xff}
	band = color.NRGBA{R: 0xf2, G: 0xb1, B: 0x84, A: 0x70}
)

// plotBands draws the data and the model to a PNG file.
func plotBands(path string, days []int, temperatures []float64, m model) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.Title.Text = "Seattle, daily maximum temperature 2012–2015: quantile regression with pinball loss"
	p.Title.Padding = vg.Points(8)
	p.Y.Label.Text = "°C"
	p.X.Min, p.X.Max = 0, yearDays
	p.X.Tick.Marker = plot.ConstantTicks(months())
	p.Y.Tick.Marker = plot.ConstantTicks(tens())
	p.Y.Min, p.Y.Max = -5, 40
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = ink, ink
		axis.Padding = vg.Points(4)
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(3)

	rules := plotter.NewGrid()
	rules.Vertical.Color, rules.Horizontal.Color = grid, grid
	points := make(plotter.XYs, len(days))
	for i, day := range days {
		points[i] = plotter.XY{X: float64(day), Y: temperatures[i]}
	}
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: pale, Radius: vg.Points(1.4), Shape: draw.CircleGlyph{}}

	curves := make([]plotter.XYs, len(quantiles))
	for i := range quantiles {
		for day := range yearDays + 1 {
			curves[i] = append(curves[i], plotter.XY{X: float64(day), Y: m.at(i, day)})
		}
	}
	outline := append(plotter.XYs{}, curves[len(curves)-1]...)
	for i := len(curves[0]) - 1; i >= 0; i-- {
		outline = append(outline, curves[0][i])
	}
	between, err := plotter.NewPolygon(outline)
	if err != nil {
		return err
	}
	between.Color, between.LineStyle.Width = band, 0
	p.Add(rules, dots, between)
	p.Legend.Add("a day", dots)
	p.Legend.Add("8 of 10 days: quantiles 0.1 to 0.9", between)
	for i, q := range quantiles {
		l, err := plotter.NewLine(curves[i])
		if err != nil {
			return err
		}
		l.Color, l.Width = edge, vg.Points(1)
		if q == 0.5 {
			l.Color, l.Width = line, vg.Points(2)
			p.Legend.Add("median", l)
		}
		p.Add(l)
	}

	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(9*vg.Inch, 5*vg.Inch), vgimg.UseDPI(144))}
	p.Draw(draw.Crop(draw.New(canvas), vg.Points(8), -vg.Points(16), vg.Points(8), -vg.Points(8)))
	var png bytes.Buffer
	if _, err := canvas.WriteTo(&png); err != nil {
		return err
	}
	return os.WriteFile(path, png.Bytes(), 0o644)
}

// months returns a tick at the first day of each month, and its name.
func months() (ticks []plot.Tick) {
	for month := time.January; month <= time.December; month++ {
		day := time.Date(2013, month, 1, 0, 0, 0, 0, time.UTC).YearDay() - 1
		ticks = append(ticks, plot.Tick{Value: float64(day), Label: month.String()[:3]})
	}
	return ticks
}

// tens returns a tick every ten degrees.
func tens() []plot.Tick {
	return []plot.Tick{{Value: 0, Label: "0"}, {Value: 10, Label: "10"}, {Value: 20, Label: "20"}, {Value: 30, Label: "30"}, {Value: 40, Label: "40"}}
}
