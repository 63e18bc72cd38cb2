package main

import (
	"bufio"
	"encoding/csv"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/ogive-go/ogive/tensorio"
)

// writeTSV writes cells between tabs; tabs and line breaks within names become
// spaces, and other control characters are escaped.
func (s *sheet) writeTSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	line := func(row []string) error {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(oneLineCell(cell))
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

// widestCell is how much of a name a table shows.
const widestCell = 200

// tableCell is oneLineCell, shortened.
func tableCell(cell string) string { return tensorio.Shown(oneLineCell(cell), widestCell) }

// writeTable writes aligned columns for people: labels to the left, values to
// the right. The lines are formed twice, first for their widths, so that a
// long table needs no memory.
func (s *sheet) writeTable(w io.Writer, color bool) error {
	var widths []int
	measure := func(row []string) {
		for len(widths) < len(row) {
			widths = append(widths, 0)
		}
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(tableCell(cell)))
		}
	}
	measure(s.header)
	for row := range s.rows {
		measure(row)
	}
	b := bufio.NewWriter(w)
	line := func(row []string, style func(i int) lipgloss.Style) error {
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			cell = tableCell(cell)
			pad := strings.Repeat(" ", widths[i]-min(lipgloss.Width(cell), widths[i]))
			if color {
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
	return b.Flush()
}
