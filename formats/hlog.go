package formats

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/ogive-go/ogive/tensorio"
)

// readHlog reads an HdrHistogram log, of histograms in any version of their encoding. The table has
// int64 columns "value" and "count": the values with a count in any interval, in rising
// order, and how often each was recorded in all of them. A value is the highest that the
// histogram does not tell from those recorded (highestEquivalentValue), which is what
// HdrHistogram prints at a percentile. Where a line has a tag there is a column of text
// "tag" too, and values are counted for each tag; that of lines without is missing.
func readHlog(s *source, o tensorio.Options) (*tensorio.File, error) {
	r, err := s.reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h := &hlog{memory: s.memory / 2, tags: codes{room: newTextRoom(s.memory / 4)}}
	lines := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := readLine(lines, h.memory)
		if err != nil && err != io.EOF {
			return nil, in(malformed("line %d", line).Detail, err)
		}
		if text == "" {
			break
		}
		if err := h.line(strings.TrimRight(text, "\r\n")); err != nil {
			return nil, in(malformed("line %d", line).Detail, err)
		}
	}
	if h.intervals == 0 {
		return nil, malformed("the log holds no intervals")
	}
	return h.file(s.name, o)
}

// lineTimes is how many times its length a line takes, of which half is being decoded.
const lineTimes = 8

// readLine reads a line with its end, "" behind the last. It may take so much memory, if that
// is not 0.
func readLine(r *bufio.Reader, most int64) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if e := tensorio.TooLarge(int64(len(line)+len(part))*lineTimes, most); e != nil {
			return "", e
		}
		if line == nil && err == nil {
			return string(part), nil
		}
		if line = append(line, part...); err != bufio.ErrBufferFull {
			return string(line), err
		}
	}
}

// hlog is a log being read. Of the memory, half is for a line and its histogram, a quarter
// each for the counts and for the tags.
type hlog struct {
	memory    int64 // of a line; 0 for no bound
	tags      codes
	counts    []map[int64]int64 // of each tag, by value; 0 is no tag
	values    int64             // of all of them
	intervals int
}

// countBytes is about what a value's count takes, in maps and then in lists.
const countBytes = 128

// untagged stands for lines without a tag; no tag is empty.
const untagged = ""

// line reads a line: a comment, the legend, or an interval,
// [Tag=t,]start,length,max,histogram.
func (h *hlog) line(text string) error {
	if text == "" || text[0] == '#' || strings.HasPrefix(text, `"StartTimestamp"`) {
		return nil
	}
	tag := untagged
	rest := text
	if after, ok := strings.CutPrefix(text, "Tag="); ok {
		if tag, rest, ok = strings.Cut(after, ","); !ok || tag == "" {
			return malformed("a tag without an interval: %.40q", text)
		}
	}
	fields := strings.Split(rest, ",")
	if len(fields) != 4 {
		return malformed("%d fields, an interval has 4: start, length, maximum, histogram", len(fields))
	}
	var histogram *hdrhistogram.Histogram
	err := guard("HdrHistogram", func() (err error) {
		histogram, err = decodeHistogram([]byte(strings.TrimSpace(fields[3])), h.memory)
		return err
	})
	if err != nil {
		return in("the histogram", err)
	}
	code, err := h.tags.of([]byte(tag))
	if err != nil {
		return err
	}
	for len(h.counts) <= int(code) {
		h.counts = append(h.counts, map[int64]int64{})
	}
	if err := h.add(h.counts[code], histogram); err != nil {
		return err
	}
	h.intervals++
	return nil
}

// add adds the counts of a histogram to those of a tag.
func (h *hlog) add(counts map[int64]int64, histogram *hdrhistogram.Histogram) error {
	for _, bar := range histogram.Distribution() {
		if bar.Count == 0 {
			continue
		}
		had, known := counts[bar.To]
		if had > math.MaxInt64-bar.Count {
			return malformed("more than 2^63-1 counts of value %d", bar.To)
		}
		if !known {
			h.values++
			if err := tensorio.TooLarge(h.values*countBytes, h.memory/2); err != nil {
				return in("counts", err)
			}
		}
		counts[bar.To] = had + bar.Count
	}
	return nil
}

// file returns the table.
func (h *hlog) file(name string, o tensorio.Options) (*tensorio.File, error) {
	var value, count, tag []int64
	var none []bool
	var labels []string
	for i, counts := range h.counts {
		order := make([]int64, 0, len(counts))
		for v := range counts {
			order = append(order, v)
		}
		slices.Sort(order)
		code, missing := int64(0), h.tags.labels[i] == untagged
		if !missing {
			code = int64(len(labels))
			labels = append(labels, h.tags.labels[i])
		}
		for _, v := range order {
			value, count = append(value, v), append(count, counts[v])
			tag, none = append(tag, code), append(none, missing)
		}
	}
	all := []string{"value", "count"}
	text := []error{nil, nil}
	if len(labels) > 0 {
		all, text = append(all, "tag"), append(text, malformed("column %q holds text: %q", "tag", labels[0]))
	}
	f := tensorio.Table{Name: name, Format: "hlog", Columns: all, Text: text, Counts: all[1]}
	if err := f.Choose(o); err != nil {
		return nil, err
	}
	f.Load = func(i int) (tensorio.Column, error) {
		switch i {
		case 0:
			return column(value, nil)
		case 1:
			return column(count, nil)
		}
		c, err := column(tag, none)
		c.Labels = labels
		return c, err
	}
	return f.File(), nil
}
