// Package plot draws distributions that are told by quantiles: as text for a
// terminal, as SVG, PNG or PDF by gonum/plot, and as a page of HTML.
//
// What there is to see is a Picture, marks on panels with axes, which the functions
// of pictures.go make of samples (sample.go) and counts (bins.go). It says nothing of
// how it is drawn: text.go, vector.go and page.go do that. No number of a picture is
// computed here but those of the normal and other distributions that samples are
// compared with.
package plot

import (
	"math"
	"strings"
	"unicode"
)

// Picture is what there is to see: panels, one below the other.
type Picture struct {
	Title  string
	Names  []string // of the series, which marks refer to; not shown where there is one
	Panels []Panel
}

// Panel is marks within axes.
type Panel struct {
	Title string // beside that of the picture
	X, Y  Axis
	Marks []Mark // in the order of drawing
}

// Axis says what a direction means. With Rows, the values are their numbers, counted from
// the top.
type Axis struct {
	Name   string
	Log    bool
	Lo, Hi float64 // equal where the marks decide
	Rows   []string
}

// Shape is what a mark looks like.
type Shape int

// The shapes. Points with a coordinate that is not finite are left out.
const (
	Line  Shape = iota // through the points
	Steps              // through the points, level from each to the next one's X
	Dots               // at the points
	Guide              // a faint line to compare with
	Band               // between Y and Y2
	Bars               // Y high, from X[i] to X[i+1]
	Box                // in row Y[0]: X is the seven numbers of boxLevels
)

// noSeries is the series of a mark that belongs to none.
const noSeries = -1

// Mark is a shape with its numbers.
type Mark struct {
	Shape  Shape
	Series int
	X, Y   []float64
	Y2     []float64 // of a band
	Weight int       // of a band: 0 is the faintest
}

// Clean makes text one line without control characters; what is no character, in UTF-8 or
// in XML, is replaced.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r):
			return ' '
		case unicode.Is(unicode.Noncharacter_Code_Point, r):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// clean cleans all text of a picture.
func (p *Picture) clean() *Picture {
	p.Title = Clean(p.Title)
	for i := range p.Names {
		p.Names[i] = Clean(p.Names[i])
	}
	for i := range p.Panels {
		panel := &p.Panels[i]
		panel.Title, panel.X.Name, panel.Y.Name = Clean(panel.Title), Clean(panel.X.Name), Clean(panel.Y.Name)
		for j := range panel.Y.Rows {
			panel.Y.Rows[j] = Clean(panel.Y.Rows[j])
		}
	}
	return p
}

// scales returns the scales of a panel, with some space around the marks.
func (p *Panel) scales() (x, y Scale) {
	var xs, ys span
	for _, m := range p.Marks {
		if m.Shape == Guide {
			continue // it ends where the marks do
		}
		for _, v := range m.X {
			xs.add(v, p.X.Log)
		}
		if m.Shape == Bars {
			ys.add(0, p.Y.Log)
		}
		for _, list := range [][]float64{m.Y, m.Y2} {
			for _, v := range list {
				ys.add(v, p.Y.Log)
			}
		}
	}
	x, y = xs.scale(p.X), ys.scale(p.Y)
	for _, m := range p.Marks {
		switch m.Shape {
		case Bars:
			if p.Y.Lo == p.Y.Hi {
				y.Lo = 0
			}
			if p.X.Lo == p.X.Hi {
				x.Lo, x.Hi = xs.lo, xs.hi
			}
		case Band:
			x.Lo, x.Hi = xs.lo, xs.hi
			if xs.lo == xs.hi {
				x.Lo, x.Hi = xs.lo-1, xs.hi+1
			}
		}
	}
	return x, y
}

// span is the range of finite numbers; on a logarithmic axis, of positive ones.
type span struct {
	lo, hi float64
	some   bool
}

func (s *span) add(v float64, log bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) || log && v <= 0 {
		return
	}
	if !s.some {
		*s = span{v, v, true}
	}
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
}

func (s *span) scale(a Axis) Scale {
	if a.Rows != nil {
		return Scale{Lo: float64(len(a.Rows)) - 0.5, Hi: -0.5}
	}
	if a.Lo != a.Hi {
		return Scale{Lo: a.Lo, Hi: a.Hi, Log: a.Log}
	}
	if !s.some {
		if a.Log {
			return Scale{1, 10, true}
		}
		return Scale{0, 1, false}
	}
	return around(s.lo, s.hi, a.Log)
}
