package formats

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ogive-go/ogive/tensorio"
)

// texted is a row of texts in every encoding that is no dictionary's.
type texted struct {
	Plain  string  `parquet:"plain"`
	Maybe  *string `parquet:"maybe,optional"`
	Delta  string  `parquet:"delta,delta"`
	MaybeD string  `parquet:"maybed,optional,delta"` // empty is missing
	Dict   string  `parquet:"dict,dict"`
}

// TestTextPages reads texts of both versions of pages and some compressions, and refuses a
// page that holds more or less of them than its header says, of which the library would tell
// standard error.
func TestTextPages(t *testing.T) {
	var list []texted
	for i := range 300 {
		text := strings.Repeat("x", i%7) + fmt.Sprint(i)
		row := texted{Plain: text, Delta: text, Dict: text[:1]}
		if i%3 > 0 {
			row.Maybe, row.MaybeD = &text, text
		}
		list = append(list, row)
	}
	for version := 1; version <= 2; version++ {
		for name, codec := range map[string]parquet.WriterOption{"uncompressed": parquet.Compression(&parquet.Uncompressed), "snappy": parquet.Compression(&parquet.Snappy),
			"zstd": parquet.Compression(&parquet.Zstd), "gzip": parquet.Compression(&parquet.Gzip)} {
			var b bytes.Buffer
			w := parquet.NewGenericWriter[texted](&b, codec, parquet.DataPageVersion(version), parquet.PageBufferSize(1000))
			if _, err := w.Write(list); err != nil || w.Close() != nil {
				t.Fatal("no Parquet", err)
			}
			f, err := opened(t, "x", b.Bytes(), tensorio.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, column := range []string{"plain", "maybe", "delta", "maybed", "dict"} {
				c, err := f.Key(column)
				if err != nil {
					t.Fatalf("%s, version %d, column %s: %v", name, version, column, err)
				}
				if text, err := c.Cells(); err != nil || column != "dict" && text(298) != list[298].Plain {
					t.Errorf("%s, version %d, column %s: %v", name, version, column, err)
				}
			}
			p := &parquetFile{at: bytes.NewReader(b.Bytes()), size: int64(b.Len())}
			if err := p.open(); err != nil {
				t.Fatal(err)
			}
			for i, l := range p.leaves[:4] {
				if pages := lyingPages(t, p, i); pages < 2 {
					t.Errorf("%s, version %d, column %s: %d pages", name, version, l.name, pages)
				}
			}
		}
	}
}

// lyingPages reads the pages of a column, and looks at what is said of them if their headers
// count otherwise. It returns how many there are.
func lyingPages(t *testing.T, p *parquetFile, i int) (pages int) {
	t.Helper()
	r := p.pages(i, p.groups[0])
	for at := r.at; at < r.end; pages++ {
		h, n, err := p.pageHeader(at, r.end)
		if err != nil {
			t.Fatal(err)
		}
		at += int64(n)
		for _, more := range []int32{0, 3, -3} { // of three rows two hold a text
			if more > 0 && r.leaf.defined > 0 && h.Type == format.DataPage {
				continue // levels that are not there say that a text is missing
			}
			lie := *h
			lie.DataPageHeader.V.NumValues += more
			lie.DataPageHeaderV2.V.NumValues += more
			_, err := r.page(&lie, at)
			if more == 0 && err != nil || more != 0 && (err == nil || !liesTold.MatchString(err.Error())) {
				t.Errorf("column %s, %d more: %v", r.leaf.name, more, err)
			}
		}
		at += int64(h.CompressedPageSize)
	}
	return pages
}

// liesTold finds what is said of a page that holds more or less than its header says.
var liesTold = regexp.MustCompile(`, and its header says |with \d+ definition levels|numbers in blocks of \d+, where \d+ are left`)

// TestLyingTextPages counts texts before the library does: of two pages, one says that it
// holds one more, the other one less.
func TestLyingTextPages(t *testing.T) {
	type row struct {
		Plain string `parquet:"plain"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.Compression(&parquet.Uncompressed), parquet.DataPageVersion(1), parquet.PageBufferSize(1500))
	if _, err := w.Write(slices.Repeat([]row{{"twelve bytes"}}, 150)); err != nil || w.Close() != nil {
		t.Fatal("no Parquet", err)
	}
	file := b.Bytes()
	p := &parquetFile{at: bytes.NewReader(file), size: int64(len(file))}
	if err := p.open(); err != nil {
		t.Fatal(err)
	}
	meta := p.groups[0].meta[0].MetaData
	at := meta.DataPageOffset
	for _, more := range []int{2, -2} { // zigzag; of a page of 128 rows and one of 22 no digit is carried
		h, n, err := p.pageHeader(at, at+meta.TotalCompressedSize)
		if err != nil {
			t.Fatal(err)
		}
		count := bytes.Index(file[at:][:n], []byte{0x1c, 0x15}) + 2 // a page of data, behind a checksum, and its first number
		if count < 2 {
			t.Fatal("no header of a page")
		}
		file[int(at)+count] += byte(more)
		at += int64(n) + int64(h.CompressedPageSize)
	}
	f, err := opened(t, "x", file, tensorio.Options{})
	if err == nil {
		_, err = f.Key("plain")
	}
	if err == nil || !strings.Contains(err.Error(), `column "plain": byte `) || !strings.Contains(err.Error(), ", and its header says ") {
		t.Error(err)
	}
}
