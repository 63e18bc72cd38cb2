package tensorio

import (
	"encoding/binary"
	"io"
	"math"
	"strings"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// npyMagic begins every npy file.
const npyMagic = "\x93NUMPY"

// maxHeader bounds the header of versions 2 and 3, whose length field reaches
// to 4 GiB. The headers of the dtypes that are read stay below 1 KiB; the rest
// leaves room for padding, and for a structured dtype's to be refused by name.
const maxHeader = 1 << 20

// npyLayout reads the header of an npy file and leaves r at the first element.
// Every error names the byte.
func npyLayout(r io.Reader, _ int64, _ Options) (layout, error) {
	var fixed [12]byte
	if n, err := io.ReadFull(r, fixed[:8]); err != nil {
		if n == 0 && err == io.EOF {
			return layout{}, errEmpty()
		}
		if err := notNPY(fixed[:min(n, len(npyMagic))]); err != nil {
			return layout{}, err
		}
		return layout{}, headerEnds(n, err)
	}
	if err := notNPY(fixed[:len(npyMagic)]); err != nil {
		return layout{}, err
	}
	width := 4
	switch {
	case fixed[7] != 0 || fixed[6] < 1 || fixed[6] > 3:
		return layout{}, malformed("header: byte 6: version %d.%d of npy is not known (1.0, 2.0, 3.0 are)", fixed[6], fixed[7])
	case fixed[6] == 1:
		width = 2
	}
	if n, err := io.ReadFull(r, fixed[8:8+width]); err != nil {
		return layout{}, headerEnds(8+n, err)
	}
	length := binary.LittleEndian.Uint32(fixed[8:])
	if length > maxHeader {
		return layout{}, malformed("header: byte 8: %d bytes of header, at most %d", length, maxHeader)
	}
	text := make([]byte, length)
	if n, err := io.ReadFull(r, text); err != nil {
		return layout{}, headerEnds(8+width+n, err)
	}
	p := pyParser{text: string(text), base: 8 + width, suffixL: fixed[6] < 3}
	l, err := p.layout()
	l.start = int64(p.base + len(text))
	return l, err
}

// notNPY returns an error unless head begins as npy files do.
func notNPY(head []byte) error {
	if string(head) == npyMagic[:len(head)] {
		return nil
	}
	return malformed("header: byte 0: not an npy file: it begins with %q", head)
}

// headerEnds is the error of a header that could be read up to byte n only.
func headerEnds(n int, err error) error {
	e := malformed("header: byte %d: the file ends", n)
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		e = malformed("header: byte %d", n)
		e.Cause = err
	}
	return e
}

// pyParser reads the Python literal of an npy header.
type pyParser struct {
	text    string
	pos     int
	base    int  // offset of text in the file
	suffixL bool // integers may end in L, as Python 2 wrote them
}

// fail returns an error that names the byte at position at.
func (p *pyParser) fail(at int, format string, args ...any) error {
	e := malformed(format, args...)
	return errs.New(errs.ErrFormat, "header: byte %d: %s", p.base+at, e.Detail)
}

// layout reads {'descr': string, 'fortran_order': bool, 'shape': tuple}, the
// keys in any order and each exactly once.
func (p *pyParser) layout() (layout, error) {
	var l layout
	var shapeAt int
	seen := map[string]bool{}
	p.space()
	if err := p.expect('{', "a dictionary"); err != nil {
		return l, err
	}
	for p.space(); !p.accept('}'); p.space() {
		at := p.pos
		key, err := p.str("a key")
		if err != nil {
			return l, err
		}
		if seen[key] {
			return l, p.fail(at, "key %q is given twice", key)
		}
		seen[key] = true
		p.space()
		if err := p.expect(':', "':'"); err != nil {
			return l, err
		}
		p.space()
		switch key {
		case "descr":
			err = p.descr(&l)
		case "fortran_order":
			l.fortran, err = p.boolean()
		case "shape":
			shapeAt = p.pos
			l.shape, err = p.tuple()
		default:
			err = p.fail(at, "key %q is not one of descr, fortran_order, shape", key)
		}
		if err != nil {
			return l, err
		}
		p.space()
		if !p.accept(',') && p.peek() != '}' {
			return l, p.fail(p.pos, "want ',' or '}', found %s", p.found())
		}
	}
	p.space()
	if p.pos < len(p.text) {
		return l, p.fail(p.pos, "%s after the dictionary", p.found())
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return l, p.fail(len(p.text), "key %q is missing", key)
		}
	}
	if _, err := nd.Count(l.shape, l.dt.Size()); err != nil {
		return l, p.fail(shapeAt, "%v", err)
	}
	return l, nil
}

// descr reads the dtype.
func (p *pyParser) descr(l *layout) error {
	at := p.pos
	switch p.peek() {
	case '[':
		return p.fail(at, "structured dtypes (records) are not supported")
	case '(':
		return p.fail(at, "subarray dtypes are not supported")
	}
	s, err := p.str("a dtype")
	if err != nil {
		return err
	}
	dt, bigEndian, problem := parseDescr(s)
	if problem != "" {
		return p.fail(at, "dtype %q: %s", s, problem)
	}
	l.dt, l.swap = dt, dt.Size() > 1 && foreign(bigEndian)
	return nil
}

// descrs maps the kind and the size of a NumPy type string to a dtype. A void
// of two bytes is a bfloat16: that is how NumPy writes an ml_dtypes array.
var descrs = map[string]dtype.DType{
	"b1": dtype.Bool,
	"i1": dtype.Int8, "i2": dtype.Int16, "i4": dtype.Int32, "i8": dtype.Int64,
	"u1": dtype.Uint8, "u2": dtype.Uint16, "u4": dtype.Uint32, "u8": dtype.Uint64,
	"f2": dtype.Float16, "f4": dtype.Float32, "f8": dtype.Float64, "V2": dtype.BFloat16,
	"c8": dtype.Complex64, "c16": dtype.Complex128,
}

// parseDescr reads a type string such as "<f8", or says what is wrong with it.
// A void without a byte order, and the bare name bfloat16, are little-endian.
func parseDescr(s string) (dt dtype.DType, bigEndian bool, problem string) {
	if s == "bfloat16" {
		return dtype.BFloat16, false, ""
	}
	order, rest := byte('|'), s
	if s != "" && strings.IndexByte("<>|", s[0]) >= 0 {
		order, rest = s[0], s[1:]
	}
	dt, ok := descrs[rest]
	switch {
	case !ok:
		return dtype.Invalid, false, refusal(rest)
	case order == '|' && dt.Size() > 1 && dt != dtype.BFloat16:
		return dtype.Invalid, false, "does not say its byte order ('<' or '>')"
	}
	return dt, order == '>', ""
}

// refusal says why a type without its byte order is not read.
func refusal(s string) string {
	if s == "" {
		return "is empty"
	}
	switch s[0] {
	case 'O':
		return "object arrays hold pickled Python objects, which are not read"
	case 'M', 'm':
		return "dates and times are not supported; save them as integers, .astype('i8')"
	case 'S', 'U', 'a', 'T':
		return "text is not supported"
	case 'V':
		return "void is not supported, other than two bytes for bfloat16"
	case 'f', 'g', 'c', 'G':
		return "no such float (float16, float32, float64, complex64, complex128 are)"
	}
	return "is not known"
}

// tuple reads a tuple of dimensions.
func (p *pyParser) tuple() ([]int, error) {
	dims := []int{}
	if err := p.expect('(', "a tuple"); err != nil {
		return nil, err
	}
	for p.space(); !p.accept(')'); p.space() {
		d, err := p.integer()
		if err != nil {
			return nil, err
		}
		dims = append(dims, d)
		p.space()
		switch comma := p.accept(','); {
		case comma:
		case p.peek() != ')':
			return nil, p.fail(p.pos, "want ',' or ')', found %s", p.found())
		case len(dims) == 1:
			return nil, p.fail(p.pos, "want ',': a number in parentheses is not a tuple")
		}
	}
	return dims, nil
}

// integer reads a decimal number that is not negative.
func (p *pyParser) integer() (int, error) {
	at, n := p.pos, uint64(0)
	if p.peek() == '-' {
		return 0, p.fail(at, "a dimension is negative")
	}
	for ; p.pos < len(p.text) && p.text[p.pos]-'0' <= 9; p.pos++ {
		if n > (math.MaxUint64-9)/10 {
			return 0, p.fail(at, "a dimension is larger than memory")
		}
		n = 10*n + uint64(p.text[p.pos]-'0')
	}
	switch {
	case p.pos == at:
		return 0, p.fail(at, "want a number, found %s", p.found())
	case p.text[at] == '0' && p.pos > at+1:
		return 0, p.fail(at, "a number begins with 0")
	case n > uint64(maxInt):
		return 0, p.fail(at, "dimension %d is larger than memory", n)
	}
	if p.suffixL {
		p.accept('L')
	}
	return int(n), nil
}

// boolean reads True or False.
func (p *pyParser) boolean() (bool, error) {
	for _, v := range []string{"True", "False"} {
		if strings.HasPrefix(p.text[p.pos:], v) {
			p.pos += len(v)
			return v == "True", nil
		}
	}
	return false, p.fail(p.pos, "want True or False, found %s", p.found())
}

// str reads a quoted string without escapes.
func (p *pyParser) str(what string) (string, error) {
	if c := p.peek(); (c == 'u' || c == 'b') && p.pos+1 < len(p.text) && isQuote(p.text[p.pos+1]) {
		p.pos++ // a prefix of Python 2
	}
	quote := p.peek()
	if !isQuote(quote) {
		return "", p.fail(p.pos, "want %s in quotes, found %s", what, p.found())
	}
	from := p.pos + 1
	n := strings.IndexAny(p.text[from:], string(quote)+"\\\n")
	if n < 0 || p.text[from+n] != quote {
		return "", p.fail(p.pos, "the string has no end, or an escape in it")
	}
	p.pos = from + n + 1
	return p.text[from : from+n], nil
}

func isQuote(c byte) bool { return c == '\'' || c == '"' }

// peek returns the next byte, 0 at the end.
func (p *pyParser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// accept skips c if it is next.
func (p *pyParser) accept(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *pyParser) expect(c byte, what string) error {
	if !p.accept(c) {
		return p.fail(p.pos, "want %s, found %s", what, p.found())
	}
	return nil
}

// found describes what is next, for messages.
func (p *pyParser) found() string {
	if p.pos >= len(p.text) {
		return "the end of the header"
	}
	return quoted([]byte(p.text[p.pos:min(len(p.text), p.pos+12)]))
}

// space skips white space.
func (p *pyParser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n\f", p.text[p.pos]) >= 0 {
		p.pos++
	}
}
