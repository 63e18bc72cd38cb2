package plot

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// The ink of cells that are none of a series.
const (
	inkNone  = -1 // the terminal's own colour
	inkFaint = -2
	inkBold  = -3
)

// cell is a character and its ink: a series, or one of the constants.
type cell struct {
	r   rune
	ink int
}

// canvas is lines of cells. What is outside is left out.
type canvas struct {
	cells         [][]cell
	width, height int
}

func newCanvas(width, height int) *canvas {
	c := &canvas{width: width, height: height, cells: make([][]cell, height)}
	for y := range c.cells {
		c.cells[y] = make([]cell, width)
		for x := range c.cells[y] {
			c.cells[y][x] = cell{' ', inkNone}
		}
	}
	return c
}

func (c *canvas) set(x, y int, r rune, ink int) {
	if x >= 0 && x < c.width && y >= 0 && y < c.height {
		c.cells[y][x] = cell{r, ink}
	}
}

// write writes text, cut at the right edge. A character that is two cells wide takes the
// next one too.
func (c *canvas) write(x, y int, text string, ink int) {
	for _, r := range text {
		w := lipgloss.Width(string(r))
		if w == 0 || x+w > c.width {
			continue
		}
		c.set(x, y, r, ink)
		for k := 1; k < w; k++ {
			c.set(x+k, y, 0, ink)
		}
		x += w
	}
}

// seriesColors are of the sixteen that follow the terminal's theme.
var seriesColors = []lipgloss.Style{
	lipgloss.NewStyle().Foreground(lipgloss.Cyan),
	lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	lipgloss.NewStyle().Foreground(lipgloss.Magenta),
	lipgloss.NewStyle().Foreground(lipgloss.Green),
	lipgloss.NewStyle().Foreground(lipgloss.Red),
	lipgloss.NewStyle().Foreground(lipgloss.Blue),
}

var (
	faintStyle = lipgloss.NewStyle().Faint(true)
	boldStyle  = lipgloss.NewStyle().Bold(true)
)

// lines returns the canvas as text, without blanks at the ends of lines.
func (c *canvas) lines(color bool) []string {
	var out []string
	for _, row := range c.cells {
		end := len(row)
		for end > 0 && row[end-1].r == ' ' {
			end--
		}
		var line strings.Builder
		for from := 0; from < end; {
			to := from
			var run strings.Builder
			for to < end && row[to].ink == row[from].ink {
				if row[to].r != 0 {
					run.WriteRune(row[to].r)
				}
				to++
			}
			line.WriteString(paint(run.String(), row[from].ink, color))
			from = to
		}
		out = append(out, line.String())
	}
	return out
}

// paint colours text that is not blank.
func paint(text string, ink int, color bool) string {
	if !color || ink == inkNone || strings.TrimSpace(text) == "" {
		return text
	}
	switch ink {
	case inkFaint:
		return faintStyle.Render(text)
	case inkBold:
		return boldStyle.Render(text)
	}
	return seriesColors[ink%len(seriesColors)].Render(text)
}

// dots is a finer grid over a canvas, two by four dots in each cell, which are written
// as braille.
type dots struct {
	*canvas
	mask [][]uint8
	ink  [][]int
}

func newDots(c *canvas) *dots {
	d := &dots{canvas: c, mask: make([][]uint8, c.height), ink: make([][]int, c.height)}
	for y := range d.mask {
		d.mask[y], d.ink[y] = make([]uint8, c.width), make([]int, c.width)
	}
	return d
}

// brailleBits are the bits of a braille character's dots, by row and column.
var brailleBits = [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

func (d *dots) dot(x, y, ink int) {
	if x < 0 || y < 0 || x >= 2*d.width || y >= 4*d.height {
		return
	}
	d.mask[y/4][x/2] |= brailleBits[y%4][x%2]
	d.ink[y/4][x/2] = ink
}

// flush writes the dots over the cells.
func (d *dots) flush() {
	for y, row := range d.mask {
		for x, mask := range row {
			if mask != 0 {
				d.set(x, y, 0x2800+rune(mask), d.ink[y][x])
			}
		}
	}
}

// segment calls at for the places of a line, ends included.
func segment(x0, y0, x1, y1 int, at func(x, y int)) {
	dx, dy := abs(x1-x0), -abs(y1-y0)
	sx, sy := 1, 1
	if x0 > x1 {
		sx = -1
	}
	if y0 > y1 {
		sy = -1
	}
	for e := dx + dy; ; {
		at(x0, y0)
		if x0 == x1 && y0 == y1 {
			return
		}
		if e2 := 2 * e; e2 >= dy {
			e += dy
			x0 += sx
			if e2 <= dx {
				e += dx
				y0 += sy
			}
		} else {
			e += dx
			y0 += sy
		}
	}
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
