package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// seriesHues are the colours of series on white: those that people tell apart who see
// red and green alike (Okabe and Ito), darkened to be seen as thin lines.
var seriesHues = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff},
	{0xd5, 0x5e, 0x00, 0xff},
	{0x00, 0x8f, 0x6b, 0xff},
	{0xb3, 0x4f, 0x8c, 0xff},
	{0x9a, 0x6f, 0x00, 0xff},
	{0x3b, 0x8f, 0xc4, 0xff},
	{0x55, 0x55, 0x55, 0xff},
	{0xa3, 0x2a, 0x2a, 0xff},
}

func hue(series int) color.NRGBA { return seriesHues[series%len(seriesHues)] }

// faint returns a colour with an opacity.
func faint(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

var (
	textInk  = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	axisInk  = color.NRGBA{0x66, 0x66, 0x66, 0xff}
	gridInk  = color.NRGBA{0xe3, 0xe3, 0xe3, 0xff}
	guideInk = color.NRGBA{0xaa, 0xaa, 0xaa, 0xff}
)

const (
	pictureWidth = 18 * vg.Centimeter
	panelHeight  = 10 * vg.Centimeter
	smallHeight  = 5 * vg.Centimeter // of each of several panels
	rowHeight    = 1.1 * vg.Centimeter
	titleHeight  = 0.9 * vg.Centimeter
	legendLine   = 0.6 * vg.Centimeter
	margin       = 0.25 * vg.Centimeter
	pngDPI       = 144
)

// textFont is of all text. SVG names substitutes of the same widths, for the font is not
// part of the file.
var textFont = font.Font{Typeface: "Liberation", Variant: "Sans"}

const svgFamily = "font-family:Liberation Sans"

// WriteVector writes the picture as "svg", "png" or "pdf".
func WriteVector(w io.Writer, p *Picture, format string) error {
	p.clean()
	height := p.height()
	var canvas vg.CanvasWriterTo
	switch format {
	case "svg":
		canvas = vgsvg.New(pictureWidth, height)
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(pictureWidth, height), vgimg.UseDPI(pngDPI))}
	case "pdf":
		canvas = vgpdf.New(pictureWidth, height)
	default:
		return fmt.Errorf("%s is no format of pictures", format)
	}
	p.drawOn(draw.New(canvas))
	if format != "svg" {
		_, err := canvas.WriteTo(w)
		return err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), svgFamily+";", svgFamily+",Arial,Helvetica,sans-serif;"))
	return err
}

// height returns how high the picture is drawn.
func (p *Picture) height() vg.Length {
	height := 2 * margin
	for i := range p.Panels {
		height += p.Panels[i].height(len(p.Panels))
	}
	if p.Title != "" {
		height += titleHeight
	}
	return height + legendLine*vg.Length(len(p.legend()))
}

func (p *Panel) height(of int) vg.Length {
	switch {
	case p.Y.Rows != nil:
		return rowHeight*vg.Length(len(p.Y.Rows)) + 2*vg.Centimeter
	case of > 1:
		return smallHeight
	}
	return panelHeight
}

// style returns the style of text.
func style(size vg.Length, c color.Color) draw.TextStyle {
	f := textFont
	f.Size = size
	return draw.TextStyle{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// legendEntry is a series with its place in a line.
type legendEntry struct {
	series int
	name   string
	x      vg.Length
}

// legend returns the lines of the legend; none where names stand beside what they name.
func (p *Picture) legend() (lines [][]legendEntry) {
	if len(p.Panels) != 1 || p.Panels[0].Y.Rows != nil || len(p.Names) < 2 {
		return nil
	}
	sty := style(vg.Points(10), textInk)
	x := vg.Length(0)
	for i, name := range p.Names {
		name = shorten(name, 60)
		w := sty.Width(name) + vg.Points(40)
		if lines == nil || x+w > pictureWidth-2*margin && x > 0 {
			lines, x = append(lines, nil), 0
		}
		last := len(lines) - 1
		lines[last] = append(lines[last], legendEntry{i, name, x})
		x += w
	}
	return lines
}

// shorten cuts text to n characters.
func shorten(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

func (p *Picture) drawOn(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	if p.Title != "" {
		sty := style(vg.Points(13), textInk)
		c.FillText(sty, vg.Point{X: c.Min.X + vg.Points(3), Y: c.Max.Y - vg.Points(14)}, shorten(p.Title, 80))
		c.Max.Y -= titleHeight
	}
	legend := p.legend()
	for i, line := range legend {
		y := c.Min.Y + legendLine*vg.Length(len(legend)-1-i) + vg.Points(4)
		for _, e := range line {
			x := c.Min.X + e.x
			c.StrokeLine2(draw.LineStyle{Color: hue(e.series), Width: vg.Points(2.5)}, x, y+vg.Points(4), x+vg.Points(16), y+vg.Points(4))
			c.FillText(style(vg.Points(10), textInk), vg.Point{X: x + vg.Points(22), Y: y}, e.name)
		}
	}
	c.Min.Y += legendLine * vg.Length(len(legend))
	var plots [][]*plot.Plot
	for i := range p.Panels {
		plots = append(plots, []*plot.Plot{p.Panels[i].plot()})
	}
	for i, row := range plot.Align(plots, draw.Tiles{Rows: len(plots), Cols: 1, PadY: vg.Points(10)}, c) {
		plots[i][0].Draw(row[0])
	}
}

// plot returns the panel as a plot of gonum.
func (p *Panel) plot() *plot.Plot {
	g := plot.New()
	g.BackgroundColor = color.Transparent
	x, y := p.scales()
	if p.Title != "" {
		g.Title.Text = shorten(p.Title, 90)
		sty := style(vg.Points(11), textInk)
		g.Title.TextStyle.Font, g.Title.TextStyle.Color = sty.Font, sty.Color
		g.Title.Padding = vg.Points(4)
	}
	axis := func(a *plot.Axis, of Axis, s Scale, ticks int) {
		a.Min, a.Max = min(s.Lo, s.Hi), max(s.Lo, s.Hi)
		a.Scale = norm(s)
		a.Padding = 0
		a.Label.Text = of.Name
		a.LineStyle.Color, a.Tick.LineStyle.Color = axisInk, axisInk
		var list plot.ConstantTicks
		if of.Rows != nil {
			for i, name := range of.Rows {
				list = append(list, plot.Tick{Value: float64(i), Label: shorten(name, 30)})
			}
		} else {
			for _, t := range s.Ticks(ticks) {
				list = append(list, plot.Tick{Value: t.Value, Label: t.Label})
			}
		}
		a.Tick.Marker = list
	}
	axis(&g.X, p.X, x, 9)
	axis(&g.Y, p.Y, y, 7)
	size := vg.Points(10)
	for _, a := range []*plot.Axis{&g.X, &g.Y} {
		label, tick := style(size, textInk), style(vg.Points(9), textInk)
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = label.Font, label.Color
		a.Tick.Label.Font, a.Tick.Label.Color = tick.Font, tick.Color
	}
	g.Add(grid{x, y, p.Y.Rows == nil})
	for i := range p.Marks {
		g.Add(ink{&p.Marks[i]})
	}
	return g
}

// norm is a Scale as gonum's Normalizer.
type norm Scale

func (n norm) Normalize(_, _, v float64) float64 { return Scale(n).At(v) }

// grid is lines at the ticks.
type grid struct {
	x, y   Scale
	across bool
}

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	sty := draw.LineStyle{Color: gridInk, Width: vg.Points(0.5)}
	for _, t := range p.X.Tick.Marker.Ticks(0, 0) {
		c.StrokeLine2(sty, toX(t.Value), c.Min.Y, toX(t.Value), c.Max.Y)
	}
	if g.across {
		for _, t := range p.Y.Tick.Marker.Ticks(0, 0) {
			c.StrokeLine2(sty, c.Min.X, toY(t.Value), c.Max.X, toY(t.Value))
		}
	}
}

// ink draws a mark.
type ink struct{ *Mark }

func (m ink) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	at := func(i int) vg.Point { return vg.Point{X: toX(m.X[i]), Y: toY(m.Y[i])} }
	shade := hue(max(m.Series, 0))
	switch m.Shape {
	case Line, Steps, Guide:
		sty := draw.LineStyle{Color: shade, Width: vg.Points(1.6)}
		if m.Shape == Guide {
			shade = guideInk
			if m.Series >= 0 {
				shade = faint(hue(m.Series), 0x90)
			}
			sty = draw.LineStyle{Color: shade, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}
		}
		for _, run := range m.runs(at) {
			c.StrokeLines(sty, c.ClipLinesXY(run)...)
		}
	case Dots:
		for i := range m.X {
			if finite(m.X[i], m.Y[i]) {
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: faint(shade, 0xb0), Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}, at(i))
			}
		}
	case Band:
		m.band(c, at, toX, toY, faint(shade, uint8(min(0x38+0x28*m.Weight, 0xc0))))
	case Bars:
		base := toY(max(0, p.Y.Min))
		for i, v := range m.Y {
			if v > 0 {
				gap := min(vg.Points(0.6), (toX(m.X[i+1])-toX(m.X[i]))/8)
				box := vg.Rectangle{Min: vg.Point{X: toX(m.X[i]) + gap/2, Y: base}, Max: vg.Point{X: toX(m.X[i+1]) - gap/2, Y: toY(v)}}
				c.SetColor(faint(shade, 0xd0))
				c.Fill(box.Path())
			}
		}
	case Box:
		m.box(c, toX, toY, shade)
	}
}

// runs returns the points of a line, divided where one is not finite.
func (m ink) runs(at func(int) vg.Point) (list [][]vg.Point) {
	var run []vg.Point
	for i := range m.X {
		if !finite(m.X[i], m.Y[i]) {
			if run != nil {
				list, run = append(list, run), nil
			}
			continue
		}
		next := at(i)
		if m.Shape == Steps && run != nil {
			run = append(run, vg.Point{X: next.X, Y: run[len(run)-1].Y})
		}
		run = append(run, next)
	}
	if run != nil {
		list = append(list, run)
	}
	return list
}

// band fills the area between two curves, in pieces where they have gaps.
func (m ink) band(c draw.Canvas, at func(int) vg.Point, toX, toY func(float64) vg.Length, shade color.Color) {
	var low, high []vg.Point
	flush := func() {
		for i := len(high) - 1; i >= 0; i-- {
			low = append(low, high[i])
		}
		if len(low) > 2 {
			c.FillPolygon(shade, c.ClipPolygonXY(low))
		}
		low, high = nil, nil
	}
	for i := range m.X {
		if !finite(m.Y[i], m.Y2[i]) {
			flush()
			continue
		}
		low, high = append(low, at(i)), append(high, vg.Point{X: toX(m.X[i]), Y: toY(m.Y2[i])})
	}
	flush()
}

// box draws the seven numbers of boxLevels.
func (m ink) box(c draw.Canvas, toX, toY func(float64) vg.Length, shade color.NRGBA) {
	y := toY(m.Y[0])
	half := (toY(m.Y[0]-0.3) - toY(m.Y[0]+0.3)) / 2
	line := draw.LineStyle{Color: shade, Width: vg.Points(1.2)}
	is := func(i int) bool { return !math.IsInf(m.X[i], 0) }
	if is(2) && is(4) {
		box := vg.Rectangle{Min: vg.Point{X: toX(m.X[2]), Y: y - half}, Max: vg.Point{X: toX(m.X[4]), Y: y + half}}
		c.SetColor(faint(shade, 0x38))
		c.Fill(box.Path())
		c.SetColor(shade)
		c.SetLineWidth(line.Width)
		c.Stroke(box.Path())
	}
	if is(3) {
		c.StrokeLine2(draw.LineStyle{Color: shade, Width: vg.Points(2.4)}, toX(m.X[3]), y-half, toX(m.X[3]), y+half)
	}
	for _, w := range [][2]int{{1, 2}, {5, 4}} {
		if is(w[0]) && is(w[1]) {
			c.StrokeLine2(line, toX(m.X[w[0]]), y, toX(m.X[w[1]]), y)
			c.StrokeLine2(line, toX(m.X[w[0]]), y-half/2, toX(m.X[w[0]]), y+half/2)
		}
	}
	for _, i := range []int{0, 6} {
		if is(i) {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: shade, Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}, vg.Point{X: toX(m.X[i]), Y: y})
		}
	}
}
