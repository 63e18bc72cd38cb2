package main

import (
	"os"
	"strings"
	"testing"
)

// TestColumnsLeftOut is that info, describe, plot and report leave out the columns that they
// cannot use, with a note of a line for each file, unless one is chosen or none is left.
func TestColumnsLeftOut(t *testing.T) {
	dates, err := os.ReadFile("testdata/dates.parquet") // day: dates; price: a decimal of 2^53+1 hundredths; v
	if err != nil {
		t.Fatal(err)
	}
	days, err := os.ReadFile("testdata/days.parquet") // without the price
	if err != nil {
		t.Fatal(err)
	}
	late := "a,b\n" + strings.Repeat("1,2\n", 300_000) // several blocks
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"dates.parquet": string(dates),
		"days.parquet":  string(days),
		"late.csv":      late + "x,7\n" + late[4:] + "y,8\n",
		"alone.csv":     "a\n1\n2\nx\n",
		"good.csv":      "a,b\n1,2\n",
		"same.csv":      "a,a,b\n1,2,3\n4,5,6\n",
		"late.jsonl":    "{\"a\":1,\"b\":2}\n{\"a\":[],\"b\":3}\n",
		"many.csv":      "a,b,c,d,e,f,g,v\n1,1,1,1,1,1,1,1\nx,x,x,x,x,x,x,2\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const (
		lateNote = "late.csv: 1 column left out: a (300002:1: \"x\" is not a number); --skip-invalid takes such cells as missing"
		price    = "price (row group 0, a decimal with scale 2 is more than 2^53 units, which float64 does not hold exactly)"
		skipHint = "ogive: hint: --skip-invalid takes cells that are not numbers as missing\n"
	)
	commands := map[string]string{"info": "info", "describe": "describe -f csv", "plot": "plot box --ascii", "report": "report"}
	for _, c := range []struct{ commands, args, note, failure string }{
		{"info describe plot report", "late.csv", lateNote, ""},
		{"describe plot report", "late.csv good.csv", lateNote, ""},
		{"describe plot report", "good.csv late.csv", lateNote, ""},
		{"info describe plot report", "same.csv", `same.csv: 1 column left out: a (columns 1 and 2 have the same name, "a")`, ""},
		{"info describe plot report", "late.jsonl", "late.jsonl: 1 column left out: a (line 2: [] is not a number); --skip-invalid takes such cells as missing", ""},
		{"info describe", "dates.parquet", "dates.parquet: 1 column left out: " + price, ""},
		{"plot report", "dates.parquet", "dates.parquet: 2 columns left out: " + price + ", day (dates are not drawn)", ""},
		{"plot report", "dates.parquet --per-file", "dates.parquet: 2 columns left out: " + price + ", day (dates are not drawn)", ""},
		{"info describe plot report", "many.csv", `many.csv: 7 columns left out: a (3:1: "x" is not a number), b (3:3: "x" is not a number), c (3:5: "x" is not a number), d (3:7: "x" is not a number) and 3 more; --skip-invalid takes such cells as missing`, ""},
		{"info describe plot report", "alone.csv", "", `alone.csv:4:1: column "a": "x" is not a number` + "\n" + skipHint},
		{"info describe plot report", "late.csv -c a,b", "", `late.csv:300002:1: column "a": "x" is not a number` + "\n" + skipHint},
		{"info describe plot report", "same.csv -c a", "", `same.csv: columns 1 and 2 have the same name, "a"` + "\n"},
		{"plot report", "dates.parquet -c day,v", "", "column day holds dates, which are not drawn (dates.parquet)\n"},
		{"describe", "dates.parquet -c price", "", `dates.parquet: row group 0, column "price": a decimal with scale 2 is more than 2^53 units, which float64 does not hold exactly` + "\n"},
	} {
		for name := range strings.FieldsSeq(c.commands) {
			out, stderr, status := callWith("", append(strings.Fields(commands[name]), strings.Fields(c.args)...)...)
			wantShort(t, name+" "+c.args, stderr)
			switch {
			case c.failure != "":
				if status == 0 || out != "" || !strings.HasSuffix(stderr, ": "+c.failure) {
					t.Errorf("%s %s: %d, %q, want %q", name, c.args, status, stderr, c.failure)
				}
			case status != 0 || out == "" || stderr != "ogive: note: "+c.note+"\n":
				t.Errorf("%s %s: %d\n%s\nwant %s", name, c.args, status, stderr, c.note)
			}
		}
	}
	defer func(swell map[string]int64) { swells = swell }(swells)
	swells = map[string]int64{"csv": 1 << 40, "parquet": 1 << 40} // in passes
	for args, want := range map[string]string{
		"same.csv":             `ogive: note: same.csv: 1 column left out: a (columns 1 and 2 have the same name, "a")` + "\n",
		"dates.parquet":        "ogive: plot box: dates.parquet: row group 0, column \"price\": a decimal with scale 2 is more than 2^53 units, which float64 does not hold exactly\n",
		"dates.parquet -c v":   "",
		"dates.parquet -c day": "ogive: plot box: column day holds dates, which are not drawn (dates.parquet, column day)\n",
		"days.parquet":         "ogive: note: days.parquet: 1 column left out: day (dates are not drawn)\n",
	} {
		if _, stderr, _ := callWith("", append([]string{"plot", "box", "--ascii"}, strings.Fields(args)...)...); stderr != want {
			t.Errorf("in passes, %s: %q, want %q", args, stderr, want)
		}
	}
	for _, args := range []string{"describe late.csv --skip-invalid -f csv", "describe late.csv --quiet -f csv"} {
		if _, stderr, status := callWith("", strings.Fields(args)...); status != 0 || strings.Contains(stderr, "left out") {
			t.Errorf("%s: %d, %s", args, status, stderr)
		}
	}
}
