package main

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// writeTSV writes cells between tabs; tabs and line breaks within names become
// spaces.
func (s *sheet) writeTSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	line := func(row []string) error {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			oneLineCell.WriteString(b, cell)
		}
		return b.WriteByte('\n')
	}
	if s.header != nil {
		if err := line(s.header); err != nil {
			return err
		}
	}
	for row := range s.rows {
		if err := line(row); err != nil {
			return err
		}
	}
	return b.Flush()
}

// writeCSV writes RFC 4180.
func (s *sheet) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if s.header != nil {
		if err := c.Write(s.header); err != nil {
			return err
		}
	}
	for row := range s.rows {
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// The looks of a table where colour is wanted. The sixteen colours follow the
// terminal's own theme.
var (
	headerStyle = lipgloss.NewStyle().Bold(true)
	labelStyle  = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

// writeTable writes aligned columns for people: labels to the left, values to
// the right; transposed where that is wanted, or the terminal is too narrow, and
// then in blocks below each other that fit.
func (s *sheet) writeTable(w io.Writer, l look) error {
	b := bufio.NewWriter(w)
	for i, block := range s.blocks(l.width) {
		if i > 0 {
			b.WriteByte('\n')
		}
		if err := block.writeAligned(b, l); err != nil {
			return err
		}
	}
	return b.Flush()
}

// writeAligned writes the lines of a table. They are formed twice, first for their
// widths, so that a long table needs no memory.
func (s *sheet) writeAligned(b *bufio.Writer, l look) error {
	widths := s.widths()
	bar := s.barOf(widths, l.width)
	line := func(row []string, style func(i int) lipgloss.Style) error {
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			cell = oneLineCell.Replace(cell)
			pad := strings.Repeat(" ", widths[i]-min(lipgloss.Width(cell), widths[i]))
			if l.color {
				cell = style(i).Render(cell)
			}
			switch {
			case i >= s.labels:
				cell = pad + cell
			case i < len(row)-1:
				cell += pad
			}
			b.WriteString(cell)
		}
		if bar != nil {
			b.WriteString(bar(row[len(row)-1]))
		}
		return b.WriteByte('\n')
	}
	if s.header != nil {
		if err := line(s.header, func(int) lipgloss.Style { return headerStyle }); err != nil {
			return err
		}
	}
	plain := lipgloss.NewStyle()
	for row := range s.rows {
		err := line(row, func(i int) lipgloss.Style {
			if i < s.labels {
				return labelStyle
			}
			return plain
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// widths returns how many cells of a terminal the columns take.
func (s *sheet) widths() (widths []int) {
	measure := func(row []string) {
		for len(widths) < len(row) {
			widths = append(widths, 0)
		}
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	measure(s.header)
	for row := range s.rows {
		measure(row)
	}
	return widths
}

// total returns how wide a table of such columns is.
func total(widths []int) int {
	sum := 2 * max(len(widths)-1, 0)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// The bars of a table: how wide one is at most and at least, and eighths of a cell.
const (
	mostBar  = 40
	leastBar = 4
	eighths  = " ▏▎▍▌▋▊▉█"
)

// barOf returns what draws a count as a bar beside the columns, the largest as wide as a
// terminal of some width has room for; nil without bars.
func (s *sheet) barOf(widths []int, width int) func(count string) string {
	room := mostBar
	if width > 0 {
		room = min(room, width-total(widths)-2)
	}
	if !s.bars || room < leastBar {
		return nil
	}
	most := 1
	for row := range s.rows {
		n, _ := strconv.Atoi(row[len(row)-1])
		most = max(most, n)
	}
	blocks := []rune(eighths)
	return func(count string) string {
		n, err := strconv.Atoi(count)
		if err != nil || n == 0 {
			return ""
		}
		of := max(int(float64(n)/float64(most)*float64(8*room)+0.5), 1)
		text := "  " + strings.Repeat(string(blocks[8]), of/8)
		if of%8 > 0 {
			text += string(blocks[of%8])
		}
		return text
	}
}
