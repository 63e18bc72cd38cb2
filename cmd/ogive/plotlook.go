package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive/cmd/ogive/plot"
)

// lookFlags say how a picture looks, and where it goes.
type lookFlags struct {
	path    string
	format  string
	title   string
	ascii   bool
	noColor bool
	width   int
	height  int
	changed func(flag string) bool
}

// pictureFormats are text, and what gonum/plot writes.
var pictureFormats = []string{"text", "svg", "png", "pdf"}

func (f *lookFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.path, "output", "o", "", "file to write, complete or not at all: .svg, .png, .pdf or .txt (default: text on standard output)")
	flags.StringVarP(&f.format, "format", "f", "", strings.Join(pictureFormats, "|")+" (default: by the ending of -o)")
	flags.StringVar(&f.title, "title", "", "text above the picture (default: the name of FILE)")
	flags.BoolVar(&f.ascii, "ascii", false, "text of ASCII characters alone")
	flags.IntVar(&f.width, "width", 0, "cells of a line of text (default: those of the terminal, 80 without one)")
	flags.IntVar(&f.height, "height", 0, "lines of text of each panel (default: by the width)")
	flags.BoolVar(&f.noColor, "no-color", false, "no colour on a terminal, as with NO_COLOR")
	completes(cmd, "format", pictureFormats)
	f.changed = flags.Changed
}

// choose returns the format.
func (f *lookFlags) choose() (string, error) {
	if f.format != "" {
		if !slices.Contains(pictureFormats, f.format) {
			return "", usageError("", "unknown format %q of pictures; known: %s", f.format, strings.Join(pictureFormats, ", "))
		}
		return f.format, nil
	}
	if isStdout(f.path) {
		return "text", nil
	}
	switch ending := strings.ToLower(filepath.Ext(f.path)); ending {
	case ".svg", ".png", ".pdf":
		return ending[1:], nil
	case ".txt":
		return "text", nil
	}
	return "", usageError("-o x.svg, x.png, x.pdf or x.txt", "the ending of %s names no format of pictures", f.path)
}

// check finds mistakes before any work is done.
func (f *lookFlags) check(s streams) error {
	format, err := f.choose()
	if err != nil {
		return err
	}
	if isStdout(f.path) && s.outTTY && (format == "png" || format == "pdf") {
		return usageError("-o FILE, or redirect standard output", "%s is binary, and standard output is a terminal", format)
	}
	if f.changed("width") && (f.width < plot.MinWidth || f.width > 1000) {
		return usageError("", "--width takes %d to 1000, got %d", plot.MinWidth, f.width)
	}
	if f.changed("height") && (f.height < 3 || f.height > 1000) {
		return usageError("", "--height takes 3 to 1000, got %d", f.height)
	}
	for _, flag := range []string{"ascii", "width", "height"} {
		if format != "text" && f.changed(flag) {
			return usageError("", "--%s is of text, and %s is none", flag, format)
		}
	}
	return nil
}

// write writes the picture where the flags say.
func (f *lookFlags) write(ctx context.Context, s streams, p *plot.Picture, title string) error {
	format, err := f.choose()
	if err != nil {
		return err
	}
	heading := plot.Clean(title)
	if f.changed("title") {
		heading = plot.Clean(f.title)
	}
	if p.Title != "" {
		heading += " · " + p.Title
	}
	p.Title = heading
	draw := func(w io.Writer, color bool) error {
		if format != "text" {
			return plot.WriteVector(w, p, format)
		}
		width := f.width
		if width == 0 {
			width = terminalWidth(s)
		}
		return plot.Text{Width: width, Height: f.height, ASCII: f.ascii, Color: color}.Write(w, p)
	}
	color := isStdout(f.path) && !f.noColor && s.color()
	return s.writeFile(ctx, f.path, func(w io.Writer) error { return draw(w, color) })
}
