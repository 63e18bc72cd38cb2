package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// svgContent is what an SVG file shows: its text, and the numbers of its paths.
type svgContent struct {
	texts []string
	paths [][]float64
}

var svgNumber = regexp.MustCompile(`-?[0-9.]+(e-?[0-9]+)?`)

// readSVG parses an SVG file.
func readSVG(t *testing.T, data []byte) (c svgContent) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(data))
	inText := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return c
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
			if token.Name.Local == "script" || token.Name.Local == "image" {
				t.Errorf("an element %s", token.Name.Local)
			}
			for _, a := range token.Attr {
				if a.Name.Local != "d" || strings.Contains(a.Value, "A") { // arcs are dots
					continue
				}
				var path []float64
				for _, n := range svgNumber.FindAllString(a.Value, -1) {
					v, err := strconv.ParseFloat(n, 64)
					if err != nil {
						t.Fatal(err)
					}
					path = append(path, v)
				}
				c.paths = append(c.paths, path)
			}
		case xml.CharData:
			if inText {
				c.texts = append(c.texts, string(token))
			}
		case xml.EndElement:
			inText = false
		}
	}
}

// TestSVG reads titles, names and ticks, and where lines go, off pictures of each kind.
func TestSVG(t *testing.T) {
	for kind, p := range examples() {
		var b bytes.Buffer
		if err := WriteVector(&b, p, "svg"); err != nil {
			t.Fatal(err)
		}
		c := readSVG(t, b.Bytes())
		want := append([]string{p.Title}, p.Names...)
		if len(p.Names) == 1 && p.Panels[0].Y.Rows == nil {
			want = want[:1]
		}
		for i := range p.Panels {
			x, y := p.Panels[i].scales()
			for _, tick := range x.Ticks(9) {
				want = append(want, tick.Label)
			}
			if p.Panels[i].Y.Rows == nil {
				for _, tick := range y.Ticks(7) {
					want = append(want, tick.Label)
				}
			}
			want = append(want, p.Panels[i].X.Name, p.Panels[i].Y.Name)
		}
		for _, text := range want {
			if text = shorten(text, 30); text != "" && !slices.ContainsFunc(c.texts, func(s string) bool { return shorten(s, 30) == text }) {
				t.Errorf("%s: no text %q among %q", kind, text, c.texts)
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: a number that is none", kind)
		}
		// Nothing lies outside the picture.
		for _, path := range c.paths {
			for i := 0; i+1 < len(path); i += 2 {
				if path[i] < -1 || path[i] > float64(pictureWidth)+1 || path[i+1] < -1 || path[i+1] > float64(p.height())+1 {
					t.Errorf("%s: a path goes to %v, %v", kind, path[i], path[i+1])
					break
				}
			}
		}
	}
}

// TestSVGCurve compares the points of a curve with the quantiles.
func TestSVGCurve(t *testing.T) {
	s := skewed("x", 1000, 0)
	p := Quantiles([]Sample{s}, "ms", true)
	var b bytes.Buffer
	if err := WriteVector(&b, p, "svg"); err != nil {
		t.Fatal(err)
	}
	var curve []float64
	for _, path := range readSVG(t, b.Bytes()).paths {
		if len(path) > len(curve) {
			curve = path
		}
	}
	if len(curve) != 2*len(s.P) {
		t.Fatalf("%d numbers for %d points", len(curve), len(s.P))
	}
	n := len(s.P) - 1
	for k := range s.P {
		across := (curve[2*k] - curve[0]) / (curve[2*n] - curve[0])
		up := (curve[2*k+1] - curve[1]) / (curve[2*n+1] - curve[1])
		want := math.Log(s.Q[k]/s.Q[0]) / math.Log(s.Q[n]/s.Q[0])
		if math.Abs(across-s.P[k]) > 1e-3 || math.Abs(up-want) > 1e-3 {
			t.Errorf("point %d lies at %.4f, %.4f, want %.4f, %.4f", k, across, up, s.P[k], want)
		}
	}
}

func TestNamesInSVG(t *testing.T) {
	name := "<script>alert('&')</script>\x00\x1b[31m\xff"
	s := skewed(name, 10, 0)
	p := Boxes([]Sample{s, skewed("]]>", 10, 0)}, name, false)
	p.Title = Clean(name)
	for _, format := range []string{"svg", "png", "pdf"} {
		var b bytes.Buffer
		if err := WriteVector(&b, p, format); err != nil {
			t.Fatal(err)
		}
		if format == "svg" {
			if c := readSVG(t, b.Bytes()); !slices.Contains(c.texts, Clean(name)) {
				t.Errorf("no %q among %q", Clean(name), c.texts)
			}
		}
	}
}

func TestPNGAndPDF(t *testing.T) {
	for kind, p := range examples() {
		var b bytes.Buffer
		if err := WriteVector(&b, p, "png"); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		size := img.Bounds()
		width := int(math.Round(float64(pictureWidth) / 72 * pngDPI))
		inked := 0
		for y := size.Min.Y; y < size.Max.Y; y += 2 {
			for x := size.Min.X; x < size.Max.X; x += 2 {
				if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0xd000 {
					inked++
				}
			}
		}
		if share := float64(inked) * 4 / float64(size.Dx()*size.Dy()); size.Dx() < width-1 || size.Dx() > width+1 || share < 0.003 || share > 0.5 {
			t.Errorf("%s: %v, of which %.4f is dark", kind, size, share)
		}
		b.Reset()
		if err := WriteVector(&b, p, "pdf"); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(b.Bytes(), []byte("%PDF-")) || !bytes.Contains(b.Bytes()[b.Len()-16:], []byte("%%EOF")) {
			t.Errorf("%s: no PDF", kind)
		}
	}
}
