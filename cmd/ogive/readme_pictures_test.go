package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

// escape finds the codes of colours in the output of a terminal.
var escape = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// terminalColors are the looks of codes: a style sheet's classes.
var terminalColors = map[string]string{"1": "b", "2": "f", "31": "r", "32": "g", "33": "y", "34": "u", "35": "m", "36": "c"}

// terminalSVG draws a terminal in which commands have been typed. Each word is as wide
// as its cells, whatever the font.
func terminalSVG(t *testing.T, commands ...string) []byte {
	const cellWidth, lineHeight, edge = 8.4, 18.0, 16.0
	var lines []string
	for i, command := range commands {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, "\x1b[32m$\x1b[m \x1b[1mogive "+command+"\x1b[m")
		lines = append(lines, strings.Split(strings.TrimSuffix(terminalOutput(t, command, "TERM=xterm-256color"), "\n"), "\n")...)
	}
	widest := 0
	for _, line := range lines {
		widest = max(widest, lipgloss.Width(escape.ReplaceAllString(line, "")))
	}
	width, height := float64(widest)*cellWidth+2*edge, float64(len(lines))*lineHeight+2*edge+14
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="ogive in a terminal">
<style>text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d5dae3 }
.b { fill: #fff; font-weight: 600 } .f { fill: #7d8799 } .r { fill: #f2828d } .g { fill: #6cc98a } .y { fill: #e6c15a } .u { fill: #7aa8f5 } .m { fill: #d493e0 } .c { fill: #5fc9d8 }</style>
<rect width="%.0f" height="%.0f" rx="9" fill="#171b22"/>
<circle cx="20" cy="17" r="5.5" fill="#e4695e"/><circle cx="38" cy="17" r="5.5" fill="#e2b33c"/><circle cx="56" cy="17" r="5.5" fill="#59b44c"/>
`, width, height, width, height, width, height)
	for i, line := range lines {
		y, column, class := edge+26+float64(i)*lineHeight, 0, ""
		write := func(text string) { // word by word: renderers differ in what they make of blanks
			for _, word := range strings.SplitAfter(text, " ") {
				if bare := strings.TrimSpace(word); bare != "" {
					fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" textLength="%.1f" lengthAdjust="spacingAndGlyphs"`, edge+float64(column)*cellWidth, y, float64(lipgloss.Width(bare))*cellWidth)
					if class != "" {
						fmt.Fprintf(&b, ` class="%s"`, class)
					}
					fmt.Fprintf(&b, ">%s</text>\n", html.EscapeString(bare))
				}
				column += lipgloss.Width(word)
			}
		}
		from := 0
		for _, at := range escape.FindAllStringSubmatchIndex(line, -1) {
			write(line[from:at[0]])
			class, from = terminalColors[line[at[2]:at[3]]], at[1]
		}
		write(line[from:])
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// speedCases are rows of docs/speed.md, and how they are called beside bars.
var speedCases = [][2]string{
	{"median float64 10M", "median, 10M float64"},
	{"quantile 101 q float32 10M", "101 quantiles, 10M float32"},
	{"nanmedian float32 20x500k 10% NaN axis 0", "nanmedian, 20 × 500k, axis 0"},
	{"median float32 10kx1000 axis 1", "median, 10k × 1000, axis 1"},
	{"median uint8 20x500k axis 0", "median, 20 × 500k uint8, axis 0"},
	{"isin int64 10M in 10k", "isin, 10M int64 in 10k"},
}

// speedTools are columns of docs/speed.md.
var speedTools = []string{"ogive", "NumPy", "PyTorch", "bottleneck", "gonum"}

// speedSVG draws times of docs/speed.md as bars on a logarithmic axis.
func speedSVG(t *testing.T) []byte {
	times := map[string][]float64{} // by case, in the order of speedTools; 0 where there is none
	var columns []string
	text, err := os.ReadFile("docs/speed.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] == "case" {
			columns = cells
		}
		for _, tool := range speedTools {
			for i, name := range columns {
				if name == tool && len(cells) == len(columns) {
					ms, _ := strconv.ParseFloat(cells[i], 64)
					times[cells[0]] = append(times[cells[0]], ms)
				}
			}
		}
	}
	const left, right, top, bar = 230.0, 700.0, 58.0, 13.0
	const lo, hi = 0.1, 10000.0
	place := func(ms float64) float64 { return left + (right-left)*math.Log(ms/lo)/math.Log(hi/lo) }
	var bars bytes.Buffer
	y := top
	for _, c := range speedCases {
		all := times[c[0]]
		if len(all) != len(speedTools) {
			t.Fatalf("docs/speed.md has no case %q with all tools", c[0])
		}
		from := y
		for i, ms := range all {
			if ms == 0 {
				continue
			}
			fmt.Fprintf(&bars, `<rect class="t%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2"/><text class="ms" x="%.1f" y="%.1f">%s</text>`+"\n",
				i, left, y, place(ms)-left, bar-2, place(ms)+5, y+bar-3.2, strconv.FormatFloat(ms, 'g', -1, 64))
			y += bar
		}
		fmt.Fprintf(&bars, `<text class="name" x="%.1f" y="%.1f">%s</text>`+"\n", left-12, (from+y)/2+3, html.EscapeString(c[1]))
		y += 12
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="%.0f" viewBox="0 0 760 %.0f" role="img" aria-label="Times of ogive and others, in milliseconds">
<style>text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: #1d2129 } .name { text-anchor: end } .tick { text-anchor: middle; fill: #667080 } .ms { font-size: 10px; fill: #667080 }
.paper { fill: #fff } .grid { stroke: #e2e5ea } .t0 { fill: #0a6ebd } .t1 { fill: #e08a3c } .t2 { fill: #c3503c } .t3 { fill: #8a93a1 } .t4 { fill: #7fae5a }
@media (prefers-color-scheme: dark) { text { fill: #e6e9ef } .tick, .ms { fill: #98a2b3 } .paper { fill: #14181f } .grid { stroke: #2d3440 } .t0 { fill: #4ea6ee } }</style>
<rect class="paper" width="760" height="%.0f" rx="8"/>
`, y+28, y+28, y+28)
	x := left
	for i, tool := range speedTools {
		fmt.Fprintf(&b, `<rect class="t%d" x="%.1f" y="14" width="11" height="11" rx="2"/><text x="%.1f" y="24">%s</text>`+"\n", i, x, x+16, tool)
		x += 92
	}
	for ms := lo; ms <= hi*1.01; ms *= 10 {
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.0f" y2="%.1f"/><text class="tick" x="%.1f" y="47">%s ms</text>`+"\n", place(ms), place(ms), top-6, y, place(ms), strconv.FormatFloat(ms, 'g', 6, 64))
	}
	bars.WriteTo(&b)
	fmt.Fprintf(&b, `<text class="ms" x="%.1f" y="%.1f">milliseconds on a logarithmic axis, two threads; shorter is faster. Numbers of docs/speed.md.</text>`+"\n</svg>\n", left, y+14)
	return b.Bytes()
}
