package plot

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Page is a report: one file of HTML that fetches nothing.
type Page struct {
	Title    string
	About    []string   // short facts beside the title
	Header   []string   // of the table
	Labels   int        // how many leading cells of a line say what it is about
	Rows     [][]string // shown with six digits
	Sections []Section
}

// Section is the distributions of one column, or of an array. Discrete has the quantiles
// of the method inverted_cdf, Linear those of linear; both have the same series.
type Section struct {
	Name             string
	Log              bool
	Discrete, Linear []Sample
	At               []float64   // what the pointer shows shares at, ascending: see Places
	Shares           [][]float64 // of each series, of the values that are at most so much; nil of none
}

// placeCount is how many places the pointer finds, about: one for each unit of a chart.
const placeCount = chartWidth

// Places returns values from the smallest finite one to the largest, evenly on the axis, of
// so few digits that what is shown is what is meant.
func (s *Section) Places() (at []float64) {
	var all span
	for i := range s.Discrete {
		if !s.Discrete[i].Empty() {
			for _, v := range s.Discrete[i].Q {
				all.add(v, s.Log)
			}
		}
	}
	if !all.some {
		return nil
	}
	for digits := 4; digits <= 17 && len(at) < placeCount/2; digits++ {
		at = at[:0]
		for i := range placeCount + 1 {
			t := float64(i) / placeCount
			v := all.lo*(1-t) + all.hi*t
			if s.Log {
				v = math.Exp(math.Log(all.lo)*(1-t) + math.Log(all.hi)*t)
			}
			v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
			if v > all.lo && v < all.hi && (len(at) == 0 || v > at[len(at)-1]) {
				at = append(at, v)
			}
		}
	}
	return slices.Compact(append(append([]float64{all.lo}, at...), all.hi))
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// scriptHash is what stands in the template for the hash of the script, the only one that
// a browser is to run.
const scriptHash = "SCRIPT-HASH"

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	clean := p.clean()
	v := pageView{Page: &clean}
	for i := range p.Sections {
		v.Charts = append(v.Charts, p.Sections[i].view())
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, v); err != nil {
		return err
	}
	before, after, _ := bytes.Cut(b.Bytes(), []byte(scriptHash))
	_, script, _ := bytes.Cut(after, []byte("<script>"))
	script, _, _ = bytes.Cut(script, []byte("</script>"))
	hash := sha256.Sum256(script)
	for _, part := range [][]byte{before, []byte("sha256-" + base64.StdEncoding.EncodeToString(hash[:])), after} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// clean returns the page with its text cleaned, but for that of its sections.
func (p *Page) clean() Page {
	all := func(list []string) []string {
		list = slices.Clone(list)
		for i := range list {
			list[i] = Clean(list[i])
		}
		return list
	}
	c := *p
	c.Title, c.About, c.Header, c.Rows = Clean(p.Title), all(p.About), all(p.Header), slices.Clone(p.Rows)
	for i := range c.Rows {
		c.Rows[i] = all(c.Rows[i])
	}
	return c
}

// pageView is what the template sees.
type pageView struct {
	*Page
	Charts []sectionView
}

// Short writes a number with six digits at most; what is no number, and integers, stay as they
// are.
func (p *Page) Short(cell string) string {
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil || v == math.Trunc(v) && math.Abs(v) < 1e15 || v-v != 0 {
		return cell
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

type sectionView struct {
	Name   string
	Series []string
	Charts []chart
	Data   sectionData
}

// sectionData is what the script shows under the pointer.
type sectionData struct {
	Levels []number   `json:"p"`
	Series []string   `json:"names"`
	Steps  [][]number `json:"q"`
	Boxes  [][]number `json:"boxes"`
	At     []number   `json:"at"`
	Shares [][]number `json:"shares"`
}

// number is a float that JSON can tell: null where it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); v-v != 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

func numbers(list []float64) []number {
	out := make([]number, len(list))
	for i, v := range list {
		out[i] = number(v)
	}
	return out
}

// chart is a panel laid out in the units of its view box.
type chart struct {
	Kind, Title            string
	Width, Height          int
	Left, Top, Right, Foot float64 // the sides of the area of the marks
	X, Y                   Scale
	XName                  string
	XTicks, YTicks         []chartTick
	Paths                  []chartPath
	Boxes                  []chartBox
	Rows                   []chartTick // names of rows
}

type chartTick struct {
	At     float64
	Label  string
	Anchor string
}

type chartPath struct {
	Series int // of a colour
	D      string
}

// chartBox is a box in the units of the view box.
type chartBox struct {
	Series                 int
	Y, Top, Height         float64
	At                     [7]float64
	Box, Low, High         bool // what is finite
	Width                  float64
	WhiskerTop, WhiskerEnd float64
}

// The size of charts, small enough that their text can be read on a phone.
const (
	chartWidth  = 400
	chartHeight = 250
	chartFoot   = 40
	letterWidth = 6.4 // of labels, about
)

// pageHues is how many colours of series the style sheet has.
const pageHues = 8

func (s *Section) view() sectionView {
	v := sectionView{Name: Clean(s.Name)}
	for i := range s.Discrete {
		sample := &s.Discrete[i]
		v.Series = append(v.Series, Clean(sample.Name))
		v.Data.Levels = numbers(sample.P)
		q := sample.Q
		if sample.Empty() {
			q = nil
		}
		v.Data.Steps = append(v.Data.Steps, numbers(q))
	}
	v.Data.Series, v.Data.At = v.Series, numbers(s.At)
	for _, list := range s.Shares {
		v.Data.Shares = append(v.Data.Shares, numbers(list))
	}
	box, ecdf, quantile := Boxes(s.Linear, "", s.Log), ECDF(s.Discrete, "", s.Log), Quantiles(s.Discrete, "", s.Log)
	for i := range quantile.Panels[0].Marks {
		m := &quantile.Panels[0].Marks[i]
		m.X, m.Y = stairs(m.X, m.Y)
	}
	v.Data.Boxes = make([][]number, len(s.Linear))
	for _, m := range box.Panels[0].Marks {
		v.Data.Boxes[m.Series] = numbers(m.X)
	}
	v.Charts = []chart{
		layBoxes(&box.Panels[0]),
		layCurves("ecdf", "Share of values at most x", &ecdf.Panels[0]),
		layCurves("quantile", "Value of each quantile", &quantile.Panels[0]),
	}
	return v
}

// stairs are the points of a quantile function of the method inverted_cdf: a value is
// that of all levels down to the one before.
func stairs(p, q []float64) (x, y []float64) {
	for i := range p {
		if i > 0 && q[i] != q[i-1] {
			x, y = append(x, p[i-1]), append(y, q[i])
		}
		if i == 0 || i == len(p)-1 || q[i] != q[i-1] || q[i+1] != q[i] {
			x, y = append(x, p[i]), append(y, q[i])
		}
	}
	return x, y
}

// frame lays out the axes of a panel.
func newChart(kind, title string, p *Panel, height int, left float64) chart {
	c := chart{Kind: kind, Title: title, Width: chartWidth, Height: height, Left: left, Top: 10,
		Right: chartWidth - 14, Foot: float64(height - chartFoot), XName: p.X.Name}
	c.X, c.Y = p.scales()
	end := math.Inf(-1)
	for _, t := range c.X.Ticks(6) {
		at, half := c.x(t.Value), float64(len(t.Label))*letterWidth/2
		if at-half > end+6 {
			tick := chartTick{at, t.Label, "middle"}
			if at+half > chartWidth {
				tick.Anchor = "end"
			}
			c.XTicks = append(c.XTicks, tick)
			end = at + half
		}
	}
	return c
}

func (c *chart) x(v float64) float64 { return round(c.Left + c.X.At(v)*(c.Right-c.Left)) }
func (c *chart) y(v float64) float64 { return round(c.Foot - c.Y.At(v)*(c.Foot-c.Top)) }

// round rounds to a tenth of a unit, and brings what is far outside near.
func round(v float64) float64 { return math.Round(min(max(v, -1e4), 1e4)*10) / 10 }

func layCurves(kind, title string, p *Panel) chart {
	_, y := p.scales()
	ticks, widest := y.Ticks(6), 0
	for _, t := range ticks {
		widest = max(widest, len(t.Label))
	}
	c := newChart(kind, title, p, chartHeight, float64(widest)*letterWidth+14)
	for _, t := range ticks {
		c.YTicks = append(c.YTicks, chartTick{At: c.y(t.Value), Label: t.Label})
	}
	for _, m := range p.Marks {
		c.Paths = append(c.Paths, chartPath{m.Series % pageHues, c.path(&m)})
	}
	return c
}

// path returns the line of a mark; points that fall on the same place are one.
func (c *chart) path(m *Mark) string {
	var b strings.Builder
	text := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	var lastX, lastY float64
	pen := false
	for i := range m.X {
		if !finite(m.X[i], m.Y[i]) {
			pen = false
			continue
		}
		x, y := c.x(m.X[i]), c.y(m.Y[i])
		switch {
		case !pen:
			b.WriteString("M" + text(x) + " " + text(y))
		case x == lastX && y == lastY:
			continue
		case m.Shape == Steps:
			if x != lastX {
				b.WriteString("H" + text(x))
			}
			if y != lastY {
				b.WriteString("V" + text(y))
			}
		default:
			b.WriteString("L" + text(x) + " " + text(y))
		}
		pen, lastX, lastY = true, x, y
	}
	return b.String()
}

// The heights of rows of boxes.
const (
	boxRow    = 46
	boxHeight = 24
	nameRoom  = 18 // above the box, for its name
)

func layBoxes(p *Panel) chart {
	n := len(p.Y.Rows)
	row := boxRow
	if n > 1 {
		row += nameRoom
	}
	c := newChart("box", "Quartiles, 5 and 95 %, extremes", p, n*row+20+chartFoot, 14)
	top := c.Top
	for i, name := range p.Y.Rows {
		if n > 1 {
			c.Rows = append(c.Rows, chartTick{At: top + float64(i*row) + 13, Label: shorten(name, 50)})
		}
	}
	for _, m := range p.Marks {
		i := int(m.Y[0])
		mid := top + float64(i*row) + float64(row)/2
		if n > 1 {
			mid += nameRoom / 2
		}
		b := chartBox{Series: m.Series % pageHues, Y: mid, Top: mid - boxHeight/2, Height: boxHeight, WhiskerTop: mid - 6, WhiskerEnd: mid + 6}
		for k, v := range m.X {
			b.At[k] = c.x(v)
		}
		b.Box = finite(m.X[2], m.X[4])
		b.Low, b.High = finite(m.X[1], m.X[2]), finite(m.X[5], m.X[4])
		b.Width = round(b.At[4] - b.At[2])
		c.Boxes = append(c.Boxes, b)
	}
	return c
}
