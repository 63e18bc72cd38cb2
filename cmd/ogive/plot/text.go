package plot

import (
	"io"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// Text says how a picture is written as text.
type Text struct {
	Width  int  // cells of a line, at least MinWidth
	Height int  // lines of a panel; 0 to choose
	ASCII  bool // no other characters, those of names excepted
	Color  bool
}

// MinWidth is the least width of text.
const MinWidth = 20

// glyphs are the characters of axes.
type glyphs struct {
	side, tickY, corner, base, tickX rune
	ellipsis                         string
}

var (
	unicodeGlyphs = glyphs{'│', '┤', '└', '─', '┬', "…"}
	asciiGlyphs   = glyphs{'|', '+', '+', '-', '+', "."}
)

// seriesMarks tell series apart where colours cannot.
const seriesMarks = "*+ox#@%&"

// Write writes the picture.
func (t Text) Write(w io.Writer, p *Picture) error {
	t.Width = max(t.Width, MinWidth)
	var lines []string
	if p.Title != "" {
		lines = append(lines, paint(t.cut(p.Title, t.Width), inkBold, t.Color))
	}
	for i := range p.Panels {
		panel := &p.Panels[i]
		if panel.Title != "" {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, paint(t.cut(panel.Title, t.Width), t.ink(panel), t.Color))
		}
		if panel.Y.Rows != nil {
			lines = append(lines, t.rows(panel)...)
		} else {
			lines = append(lines, t.panel(p, panel)...)
		}
	}
	if len(p.Panels) == 1 && p.Panels[0].Y.Rows == nil && len(p.Names) > 1 {
		lines = append(lines, t.legend(p)...)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// ink returns the ink of a panel's title, that of its series.
func (t Text) ink(p *Panel) int {
	if len(p.Marks) > 0 {
		return p.Marks[0].Series
	}
	return inkNone
}

func (t Text) glyphs() glyphs {
	if t.ASCII {
		return asciiGlyphs
	}
	return unicodeGlyphs
}

// cut shortens text to a width.
func (t Text) cut(text string, width int) string {
	if lipgloss.Width(text) <= width {
		return text
	}
	more := t.glyphs().ellipsis
	end, w := 0, 0
	for i, r := range text {
		if w += lipgloss.Width(string(r)); w > width-len([]rune(more)) {
			break
		}
		end = i + len(string(r))
	}
	return text[:end] + more
}

// words replaces what ASCII has not in text that is no name.
func (t Text) words(text string) string {
	if t.ASCII {
		return strings.NewReplacer("≤", "<=", "–", "-", "·", "-").Replace(text)
	}
	return text
}

// frame is the place of a panel's marks on a canvas.
type frame struct {
	*canvas
	left, top, width, height int
	x, y                     Scale
}

// column and row return where a value lies, in parts of a cell: dots or eighths.
func (f *frame) column(v float64, parts int) int {
	return place(f.x.At(v), f.width*parts)
}

func (f *frame) row(v float64, parts int) int {
	return f.height*parts - 1 - place(f.y.At(v), f.height*parts)
}

// place returns which of n parts of [0, 1] a place is in, the upper end in the last one;
// far outside for what is not finite.
func place(at float64, n int) int {
	if math.IsNaN(at) || math.Abs(at) > 1e6 {
		return -1 << 30
	}
	if at == 1 {
		return n - 1
	}
	return int(math.Floor(at * float64(n)))
}

// panel draws a panel with two axes.
func (t Text) panel(p *Picture, panel *Panel) []string {
	g := t.glyphs()
	x, y := panel.scales()
	height := t.Height
	if height == 0 {
		if height = min(max(t.Width/4, 8), 20); len(p.Panels) > 1 {
			height = max(height/2, 5)
		}
	}
	yTicks := y.Ticks(max(height/3, 2))
	gutter := 0
	for _, tick := range yTicks {
		gutter = max(gutter, lipgloss.Width(tick.Label))
	}
	gutter = min(gutter+1, t.Width/2)
	c := newCanvas(t.Width, height+2)
	f := &frame{canvas: c, left: gutter + 1, width: t.Width - gutter - 1, height: height, x: x, y: y}
	for i := range height {
		c.set(gutter, i, g.side, inkFaint)
	}
	for _, tick := range yTicks {
		row := f.row(tick.Value, 1)
		c.set(gutter, row, g.tickY, inkFaint)
		c.write(gutter-1-lipgloss.Width(tick.Label), row, tick.Label, inkNone)
	}
	t.base(f, g)
	t.marks(p, panel, f)
	var lines []string
	if panel.Y.Name != "" {
		lines = append(lines, t.cut(t.words(panel.Y.Name), t.Width))
	}
	lines = append(lines, c.lines(t.Color)...)
	return append(lines, t.axisName(f, panel.X.Name)...)
}

// base draws the axis below the marks, with its ticks.
func (t Text) base(f *frame, g glyphs) {
	axis := f.top + f.height
	f.set(f.left-1, axis, g.corner, inkFaint)
	for i := range f.width {
		f.set(f.left+i, axis, g.base, inkFaint)
	}
	ticks := f.x.Ticks(max(f.width/9, 2))
	end := 0 // of the label before
	for _, tick := range ticks {
		column := f.column(tick.Value, 1)
		if column < 0 || column >= f.width {
			continue
		}
		f.set(f.left+column, axis, g.tickX, inkFaint)
		w := lipgloss.Width(tick.Label)
		from := min(max(f.left+column-w/2, 0), f.canvas.width-w)
		if from >= end {
			f.write(from, axis+1, tick.Label, inkNone)
			end = from + w + 1
		}
	}
}

// axisName returns the line with the name of the axis below.
func (t Text) axisName(f *frame, name string) []string {
	if name == "" {
		return nil
	}
	name = t.cut(t.words(name), f.width)
	return []string{strings.Repeat(" ", f.left+(f.width-lipgloss.Width(name))/2) + name}
}

// legend returns the names of the series with what they are drawn with.
func (t Text) legend(p *Picture) []string {
	var lines []string
	line, width := "", 0
	for i, name := range p.Names {
		name = t.cut(name, t.Width-2)
		key := "━"
		if t.marked(p) {
			key = string(seriesMarks[i%len(seriesMarks)])
		}
		if w := lipgloss.Width(name) + 2; width > 0 && width+2+w > t.Width {
			lines, line, width = append(lines, line), "", 0
		}
		if width > 0 {
			line, width = line+"  ", width+2
		}
		line += paint(key, i, t.Color) + " " + name
		width += lipgloss.Width(name) + 2
	}
	return append(lines, line)
}

// marked reports whether series are drawn with characters: dots look alike without
// colours.
func (t Text) marked(p *Picture) bool { return t.ASCII || !t.Color && len(p.Names) > 1 }

// marks draws the marks of a panel with two axes.
func (t Text) marks(p *Picture, panel *Panel, f *frame) {
	inner := newCanvas(f.width, f.height)
	fine := newDots(inner)
	for _, m := range panel.Marks {
		switch m.Shape {
		case Bars:
			t.bars(f, inner, &m)
		case Band:
			t.band(f, inner, &m)
		}
	}
	// Marks in rows of cells; dots in a grid that is finer.
	across, down, at := 2, 4, func(x, y, ink int, _ rune) { fine.dot(x, y, ink) }
	if t.marked(p) {
		across, down, at = 1, 1, func(x, y, ink int, r rune) { inner.set(x, y, r, ink) }
	}
	for _, m := range panel.Marks {
		if m.Shape == Bars || m.Shape == Band {
			continue
		}
		ink, r := m.Series, rune(seriesMarks[max(m.Series, 0)%len(seriesMarks)])
		if m.Shape == Guide {
			ink, r = inkFaint, '.'
		}
		if slices.ContainsFunc(panel.Marks, func(m Mark) bool { return m.Shape == Band }) {
			ink = inkBold
		}
		point := func(i int) (int, int, bool) {
			x, y := f.column(m.X[i], across), f.row(m.Y[i], down)
			return x, y, finite(m.X[i], m.Y[i]) && x > -1<<20 && y < 1<<20
		}
		for i := range m.X {
			x, y, ok := point(i)
			switch m.Shape {
			case Dots:
				if ok {
					at(x, y, ink, r)
				}
			case Line, Steps, Guide:
				if !ok {
					continue
				}
				if i == 0 {
					at(x, y, ink, r)
					continue
				}
				px, py, was := point(i - 1)
				if !was {
					at(x, y, ink, r)
					continue
				}
				if m.Shape == Steps {
					segment(px, py, x, py, func(x, y int) { at(x, y, ink, r) })
					px = x
				}
				segment(px, py, x, y, func(x, y int) { at(x, y, ink, r) })
			}
		}
	}
	fine.flush()
	for y, row := range inner.cells {
		for x, c := range row {
			if c.r != ' ' {
				f.set(f.left+x, f.top+y, c.r, c.ink)
			}
		}
	}
}

// bars draws columns, in eighths of a cell.
func (t Text) bars(f *frame, c *canvas, m *Mark) {
	for x := range c.width {
		// The highest of the bins of a cell.
		lo, hi := f.x.Value(float64(x)/float64(c.width)), f.x.Value(float64(x+1)/float64(c.width))
		high := math.Inf(-1)
		for i := range m.Y {
			if mid := m.X[i]; mid < hi && m.X[i+1] > lo && (m.X[i+1]-lo > (hi-lo)/2 || hi-mid >= (hi-lo)/2) {
				high = max(high, m.Y[i])
			}
		}
		if !(high > 0) {
			continue
		}
		eighths := max(int(math.Round(f.y.At(high)*float64(8*c.height))), 1)
		for y := range c.height {
			n := min(max(eighths-8*y, 0), 8)
			r := []rune(" ▁▂▃▄▅▆▇█")[n]
			if t.ASCII {
				r = []rune("  ...:::#")[n]
				if n > 0 && y == 0 && r == ' ' {
					r = '.'
				}
			}
			if n > 0 {
				c.set(x, c.height-1-y, r, m.Series)
			}
		}
	}
}

// band fills what lies between two curves.
func (t Text) band(f *frame, c *canvas, m *Mark) {
	shades := []rune("░▒▓")
	if t.ASCII {
		shades = []rune(".:=")
	}
	shade := shades[min(m.Weight, len(shades)-1)]
	for x := range c.width {
		at := f.x.Value((float64(x) + 0.5) / float64(c.width))
		lo, hi := between(m.X, m.Y, at), between(m.X, m.Y2, at)
		if !finite(lo, hi) {
			continue
		}
		top, bottom := f.row(hi, 1), f.row(lo, 1)
		for y := max(top, 0); y <= min(bottom, c.height-1); y++ {
			c.set(x, y, shade, m.Series)
		}
	}
}

// between returns the height of the line through points, whose xs ascend, at x.
func between(xs, ys []float64, x float64) float64 {
	i, found := slices.BinarySearch(xs, x)
	switch {
	case found:
		return ys[i]
	case i == 0:
		return ys[0]
	case i == len(xs):
		return ys[i-1]
	}
	g := (x - xs[i-1]) / (xs[i] - xs[i-1])
	return ys[i-1] + g*(ys[i]-ys[i-1])
}
