package plot

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// examplePage is a report with groups, odd names and infinities.
func examplePage() *Page {
	one := skewed("", 10000, 0)
	groups := []Sample{skewed("east", 10000, 0), skewed("west", 300, 8), skewed(`</script><b onclick="x()">&`, 50, 20)}
	infinite := skewed("infinite", 1000, 0)
	infinite.Q[0], infinite.Q[len(infinite.Q)-1] = math.Inf(-1), math.Inf(1)
	none := Sample{Name: "none", P: one.P, Q: slices.Repeat([]float64{math.NaN()}, len(one.P))}
	groups = append(groups, infinite, none)
	return &Page{
		Title: `latency <i>"ms"</i>.csv`, About: []string{"10000 rows", "2 columns of numbers"},
		Header: []string{"region", "column", "count", "min", "median", "max"}, Labels: 2,
		Rows: [][]string{{"east", "ms", "10000", "3.0999999999999996", "20", "123456789"}, {"<west>", "ms", "300", "NaN", "2026-01-02", "1e+300"}},
		Sections: []Section{
			{Name: "ms", Log: true, Discrete: []Sample{one}, Linear: []Sample{one}},
			{Name: "a<b>", Discrete: groups, Linear: groups},
		},
	}
}

func write(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPageFetchesNothing looks for what would load or run something.
func TestPageFetchesNothing(t *testing.T) {
	page := write(t, examplePage())
	for _, bad := range []string{"<link", "<img", "<iframe", "src=", "href=", "url(", "@import", "fetch(", "XMLHttpRequest", "http://", "https://"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, bad := range []string{"<b onclick", `<i>"ms`, "<west>", "a<b>", "NaN,", "+Inf", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(page, "</script>"); n != 1 {
		t.Errorf("%d ends of scripts", n)
	}
	for _, want := range []string{`title="3.0999999999999996">3.1<`, ">20<", ">123456789<", ">2026-01-02<", "prefers-color-scheme: dark", "default-src 'none'", "latency &lt;i&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// chromium returns the command of a browser; without one the test is skipped, or fails
// where OGIVE_REQUIRE_CHROMIUM is 1.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("OGIVE_REQUIRE_CHROMIUM") == "1" {
		t.Fatal("there is no chromium, and OGIVE_REQUIRE_CHROMIUM is 1")
	}
	t.Skip("there is no chromium: apt-get install chromium")
	return ""
}

// browse opens a page in a window, and returns the standard output.
func browse(t *testing.T, page string, width int, args ...string) string {
	t.Helper()
	browser := chromium(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "page.html")
	if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + folder + "/user",
		fmt.Sprintf("--window-size=%d,1800", width), "--virtual-time-budget=3000"}, args...)
	var stderr bytes.Buffer
	cmd := exec.Command(browser, append(args, (&url.URL{Scheme: "file", Path: path}).String())...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return string(out)
}

// probe is run in the page: it moves the pointer to the middle of each chart, and
// writes down what is shown, and how wide all is.
const probe = `<script>
const found = [];
document.querySelectorAll("svg").forEach(svg => {
  const r = svg.getBoundingClientRect();
  svg.dispatchEvent(new PointerEvent("pointermove", {clientX: r.left + r.width / 2, clientY: r.top + r.height / 3, bubbles: true}));
  found.push(svg.dataset.kind + ": " + (tip.style.display === "block" ? tip.innerText.replace(/\s+/g, " ") : "nothing"));
});
const wide = document.documentElement;
found.push("overflow " + (wide.scrollWidth - wide.clientWidth), "paper " + getComputedStyle(document.body).backgroundColor);
document.title = found.join(" | ");
</script></body>`

// hashOf is how a policy names the only script of some text.
func hashOf(t *testing.T, text string) string {
	t.Helper()
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(text, -1)
	if len(scripts) != 1 {
		t.Fatalf("%d scripts", len(scripts))
	}
	sum := sha256.Sum256([]byte(scripts[0][1]))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// allowing returns a page with a policy that lets another script run too.
func allowing(t *testing.T, page, script string) string {
	t.Helper()
	return strings.Replace(page, "script-src ", "script-src "+hashOf(t, script)+" ", 1)
}

// TestPolicy has the page's script, whatever its data, and no other allowed.
func TestPolicy(t *testing.T) {
	other := examplePage()
	other.Sections = other.Sections[:1]
	other.Title = "script-src SCRIPT-HASH"
	for _, p := range []*Page{examplePage(), other} {
		page := write(t, p)
		if want := "; script-src " + hashOf(t, page) + ";"; strings.Count(page, want) != 1 {
			t.Errorf("no %q in %.600q", want, page)
		}
	}
	if hashOf(t, write(t, other)) == hashOf(t, write(t, examplePage())) {
		t.Error("pages of other data have the same script")
	}
}

// FuzzNames gives pictures and pages names of any text: SVG is XML, and a page has no
// characters that a line of text has not.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"a\x00b\x1b\x7f\u0085", "\ufffe\uffff\U0001fffe\ufdd0", "\u2028\u2029\u202e\r\n\t", "\xff\xed\xa0\x80", "</script>]]>&<!--\"'", "中 é 😀"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s := skewed(name, 3, 0)
		p := Boxes([]Sample{s}, name, false)
		p.Title = name
		var b bytes.Buffer
		if err := WriteVector(&b, p, "svg"); err != nil {
			t.Fatal(err)
		}
		readSVG(t, b.Bytes())
		page := write(t, &Page{Title: name, About: []string{name}, Header: []string{name}, Labels: 1, Rows: [][]string{{name}},
			Sections: []Section{{Name: name, Discrete: []Sample{s}}}})
		for line := range strings.SplitSeq(string(page), "\n") {
			if clean := Clean(line); clean != line {
				t.Fatalf("the page has %q, want %q", line, clean)
			}
		}
	})
}

var titleOf = regexp.MustCompile(`(?s)<title>(.*?)</title>`)

// TestPageInChromium hovers over charts, and looks at widths and at light and dark. With
// OGIVE_SCREENSHOTS=FOLDER it leaves pictures to look at there.
func TestPageInChromium(t *testing.T) {
	page := write(t, examplePage())
	probed := strings.Replace(allowing(t, page, probe), "</body>", probe, 1)
	for _, c := range []struct {
		name  string
		width int
		dark  bool
		paper string
	}{
		{"light", 1200, false, "rgb(246, 247, 249)"},
		{"dark", 1200, true, "rgb(18, 21, 27)"},
		{"phone", 390, false, "rgb(246, 247, 249)"},
		{"phone-dark", 390, true, "rgb(18, 21, 27)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var args []string
			if c.dark {
				args = append(args, "--blink-settings=preferredColorScheme=0")
			}
			dom := browse(t, probed, c.width, append(args, "--dump-dom")...)
			match := titleOf.FindStringSubmatch(dom)
			if match == nil {
				t.Fatalf("no title in %q", dom)
			}
			for _, want := range []string{
				"box: box smallest 1.937", "median 20 ", "ecdf: at most ", "quantile: quantile 0.4727 value 19.19", "east", "west",
				"box: west", "infinite", "overflow 0", "paper " + c.paper,
			} {
				if !strings.Contains(match[1], want) {
					t.Errorf("no %q in %q", want, match[1])
				}
			}
			if strings.Contains(match[1], "nothing") {
				t.Errorf("a chart shows nothing: %q", match[1])
			}
			if folder := os.Getenv("OGIVE_SCREENSHOTS"); folder != "" {
				one := strings.Replace(probe, `document.querySelectorAll("svg")`, `[document.querySelectorAll("svg")[4]]`, 1)
				hovered := strings.Replace(allowing(t, page, one), "</body>", one, 1)
				browse(t, hovered, c.width, append(args, "--screenshot="+filepath.Join(folder, c.name+".png"))...)
			}
		})
	}
}

func TestNumbersOfPages(t *testing.T) {
	got, err := json.Marshal(numbers([]float64{1.5, math.NaN(), math.Inf(-1), 1e300}))
	if want := "[1.5,null,null,1e+300]"; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
