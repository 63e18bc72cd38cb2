package plot

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// tallRows is up to how many boxes are drawn three lines high.
const tallRows = 8

// boxGlyphs are the characters of boxes.
type boxGlyphs struct {
	dot, wire, left, right                 rune // the extremes, the whiskers and their ends
	fill, median                           rune // of a box in one line
	open, shut                             rune // where a whisker meets the box
	topLeft, topRight, botLeft, botRight   rune
	edge, medianTop, medianMid, medianFoot rune
}

var (
	unicodeBox = boxGlyphs{'·', '─', '├', '┤', '▒', '┃', '┤', '├', '┌', '┐', '└', '┘', '─', '┬', '│', '┴'}
	asciiBox   = boxGlyphs{'.', '-', '|', '|', '=', '#', '[', ']', '+', '+', '+', '+', '-', '+', '|', '+'}
)

// rows draws a panel of boxes.
func (t Text) rows(panel *Panel) []string {
	g := t.glyphs()
	x, _ := panel.scales()
	gutter := 0
	for _, name := range panel.Y.Rows {
		gutter = max(gutter, lipgloss.Width(name))
	}
	gutter = min(gutter, t.Width/3)
	if gutter > 0 {
		gutter++
	}
	n := len(panel.Y.Rows)
	each := 1
	if n <= tallRows {
		each = 3
	}
	c := newCanvas(t.Width, n*each+2)
	f := &frame{canvas: c, left: gutter + 1, width: t.Width - gutter - 1, height: n * each, x: x}
	for y := range f.height {
		c.set(gutter, y, g.side, inkFaint)
	}
	for i, name := range panel.Y.Rows {
		c.write(0, i*each+each/2, t.cut(name, max(gutter-1, 0)), i)
	}
	t.base(f, g)
	for _, m := range panel.Marks {
		t.box(f, &m, int(m.Y[0])*each, each)
	}
	lines := c.lines(t.Color)
	lines = append(lines, t.axisName(f, panel.X.Name)...)
	note := "box: quartiles, median; whiskers: 5 and 95 %; dots: extremes"
	if t.ASCII {
		note = strings.ReplaceAll(note, ";", ",")
	}
	return append(lines, paint(t.cut(note, t.Width), inkFaint, t.Color))
}

// box draws a box in one line, or in three.
func (t Text) box(f *frame, m *Mark, top, each int) {
	g := unicodeBox
	if t.ASCII {
		g = asciiBox
	}
	var at [7]int
	for i, v := range m.X {
		at[i] = f.column(v, 1)
	}
	mid, ink := top+each/2, m.Series
	set := func(x, y int, r rune) {
		if x >= 0 && x < f.width {
			f.set(f.left+x, y, r, ink)
		}
	}
	across := func(from, to, y int, r rune) {
		for x := max(from, 0); x <= min(to, f.width-1); x++ {
			set(x, y, r)
		}
	}
	set(at[0], mid, g.dot)
	set(at[6], mid, g.dot)
	if at[1] < at[2] {
		across(at[1], at[2], mid, g.wire)
		set(at[1], mid, g.left)
	}
	if at[5] > at[4] {
		across(at[4], at[5], mid, g.wire)
		set(at[5], mid, g.right)
	}
	if each == 1 {
		across(at[2], at[4], mid, g.fill)
		set(at[3], mid, g.median)
		return
	}
	if at[2] == at[4] { // too narrow for a box
		for y := top; y < top+3; y++ {
			set(at[3], y, unicodeGlyphs.side)
			if t.ASCII {
				set(at[3], y, asciiGlyphs.side)
			}
		}
		return
	}
	across(at[2], at[4], mid, ' ')
	for _, edge := range []struct {
		y           int
		left, right rune
		median      rune
	}{{top, g.topLeft, g.topRight, g.medianTop}, {mid, g.medianMid, g.medianMid, g.medianMid}, {top + 2, g.botLeft, g.botRight, g.medianFoot}} {
		if edge.y != mid {
			across(at[2], at[4], edge.y, g.edge)
		}
		set(at[2], edge.y, edge.left)
		set(at[4], edge.y, edge.right)
		if at[3] > at[2] && at[3] < at[4] {
			set(at[3], edge.y, edge.median)
		}
	}
	if at[1] < at[2] {
		set(at[2], mid, g.open)
	}
	if at[5] > at[4] {
		set(at[4], mid, g.shut)
	}
}
