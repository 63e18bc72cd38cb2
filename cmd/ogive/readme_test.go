package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// update makes what the pages show anew: docs/pictures/make.sh sets it.
var update = flag.Bool("update", false, "write the outputs and pictures of README.md and docs anew")

// pages returns the texts of README.md and of docs, by their names from the root of the
// project, which is the working directory then.
func pages(t *testing.T) map[string]string {
	t.Helper()
	t.Chdir("../..")
	texts := map[string]string{}
	for _, name := range append(must(filepath.Glob("docs/*.md"))(t), "README.md") {
		texts[name] = string(must(os.ReadFile(name))(t))
	}
	return texts
}

// TestReadmeCommands: the commands that the pages show work as they stand, from the root of
// the project.
func TestReadmeCommands(t *testing.T) {
	count := 0
	for name, text := range pages(t) {
		for line := range strings.Lines(text) {
			command, ok := strings.CutPrefix(strings.TrimSpace(line), "go run ./cmd/ogive ")
			if !ok {
				continue
			}
			count++
			var out, stderr bytes.Buffer
			s := streams{in: strings.NewReader(""), out: &out, err: &stderr}
			if status := run(context.Background(), strings.Fields(command), s); status != 0 || out.Len() == 0 {
				t.Errorf("%s, %s: status %d: %s", name, command, status, &stderr)
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d commands found", count)
	}
}

// shown finds the outputs of a page: a comment that names the command, and the block
// below it.
var shown = regexp.MustCompile("(?s)<!-- output of: ogive ([^\n]*) -->\n```text\n(.*?)```\n")

// TestReadmeOutputs compares the outputs that the pages show, as they are on a terminal
// of 80 cells without colour.
func TestReadmeOutputs(t *testing.T) {
	count := 0
	for name, text := range pages(t) {
		fresh := shown.ReplaceAllStringFunc(text, func(block string) string {
			parts := shown.FindStringSubmatch(block)
			count++
			out := terminalOutput(t, parts[1], "NO_COLOR=1")
			if !*update && out != parts[2] {
				t.Errorf("%s: the output of ogive %s is stale; run docs/pictures/make.sh. It is\n%s", name, parts[1], out)
			}
			return "<!-- output of: ogive " + parts[1] + " -->\n```text\n" + out + "```\n"
		})
		if *update && fresh != text {
			if err := os.WriteFile(name, []byte(fresh), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if count < 2 {
		t.Errorf("only %d outputs found", count)
	}
}

// link finds what a page links to in this repository.
var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// TestReadmeLinks: README.md leads to every page of docs, and no link leads nowhere.
func TestReadmeLinks(t *testing.T) {
	texts, reached := pages(t), map[string]bool{}
	for name, text := range texts {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to := filepath.Join(filepath.Dir(name), m[1])
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			reached[to] = reached[to] || name == "README.md"
		}
	}
	for name := range texts {
		if !reached[name] && name != "README.md" {
			t.Errorf("README.md does not link to %s", name)
		}
	}
}

// terminalOutput returns what a command writes to a terminal.
func terminalOutput(t *testing.T, command string, environ ...string) string {
	t.Helper()
	status, out, stderr := onTerminal(environ, "", strings.Fields(command)...)
	if status != 0 {
		t.Fatalf("ogive %s: status %d: %s", command, status, stderr)
	}
	return out
}

// readmePictures are the files of docs/pictures, and what makes them.
var readmePictures = map[string]func(*testing.T) []byte{
	"fan.svg":     pictureOf("plot fan examples/data/seattle-hourly-temperature.npy --axis 0 -q 0.05,0.25,0.5,0.75,0.95 -f svg"),
	"latency.svg": pictureOf("plot ecdf examples/data/latency.csv --log -f svg"),
	"terminal.svg": func(t *testing.T) []byte {
		return terminalSVG(t, "quantile examples/data/latency.csv --q 0.5,0.99,0.999", "plot box examples/data/seattle-weather.csv -c temp_max --by weather --width 72")
	},
	"speed.svg": speedSVG,
}

func pictureOf(command string) func(*testing.T) []byte {
	return func(t *testing.T) []byte { return []byte(terminalOutput(t, command)) }
}

// TestReadmePictures compares the pictures of docs/pictures by what they show, and checks
// that a page shows each.
func TestReadmePictures(t *testing.T) {
	all := strings.Join(slices.Collect(maps.Values(pages(t))), "\n")
	for name, draw := range readmePictures {
		path := filepath.Join("docs", "pictures", name)
		got := draw(t)
		if *update {
			if err := os.WriteFile(path, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if why := differ(want, got); why != "" {
			t.Errorf("%s is stale; run docs/pictures/make.sh: %s", path, why)
		}
		if !strings.Contains(all, "pictures/"+name) {
			t.Errorf("no page shows %s", path)
		}
	}
	for _, path := range must(filepath.Glob("docs/pictures/*.svg"))(t) {
		if readmePictures[filepath.Base(path)] == nil {
			t.Errorf("nothing makes %s", path)
		}
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// numberText finds the numbers of attributes.
var numberText = regexp.MustCompile(`-?\d+(\.\d+)?(e-?\d+)?`)

// differ tells how two SVG files differ, "" if they show the same: numbers of attributes
// may differ in the last place, which the arithmetic of processors may.
func differ(a, b []byte) string {
	left, err := tokens(a)
	if err != nil {
		return err.Error()
	}
	right, err := tokens(b)
	if err != nil {
		return err.Error()
	}
	if len(left) != len(right) {
		return "other elements"
	}
	for i := range left {
		if numberText.ReplaceAllString(left[i], "#") != numberText.ReplaceAllString(right[i], "#") {
			return left[i] + " or " + right[i]
		}
		x, y := numberText.FindAllString(left[i], -1), numberText.FindAllString(right[i], -1)
		for k := range x {
			v, _ := strconv.ParseFloat(x[k], 64)
			w, _ := strconv.ParseFloat(y[k], 64)
			if math.Abs(v-w) > 0.01+1e-3*math.Abs(v) {
				return left[i] + " or " + right[i]
			}
		}
	}
	return ""
}

// tokens returns the elements and the text of an XML file.
func tokens(data []byte) (list []string, err error) {
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			words := []string{token.Name.Local}
			for _, a := range token.Attr {
				words = append(words, a.Name.Local+"="+a.Value)
			}
			list = append(list, strings.Join(words, " "))
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				list = append(list, text)
			}
		}
	}
}

// TestDiffer finds other text, other elements and other numbers.
func TestDiffer(t *testing.T) {
	const a = `<svg><path d="M10 20L30 40"/><text x="1">12</text></svg>`
	for b, same := range map[string]bool{
		a:                                        true,
		strings.Replace(a, "40", "40.004", 1):    true,
		strings.Replace(a, "40", "41", 1):        false,
		strings.Replace(a, "12", "13", 1):        false,
		strings.Replace(a, "<text", "<tspan", 1): false,
		strings.Replace(a, "L30", "M30", 1):      false,
	} {
		if (differ([]byte(a), []byte(b)) == "") != same {
			t.Errorf("%s: same is %v", b, !same)
		}
	}
	if !slices.Equal(must(tokens([]byte(a)))(t), []string{"svg", "path d=M10 20L30 40", "text x=1", "12"}) {
		t.Error(tokens([]byte(a)))
	}
}
