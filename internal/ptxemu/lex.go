package ptxemu

import (
	"fmt"
	"strings"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	endOfText tokenKind = iota
	word                // an identifier, a directive or an opcode with its modifiers
	number
	quoted
	punct // one character
)

// token is the smallest unit of PTX text.
type token struct {
	text string
	line int
	kind tokenKind
}

// syntaxError is a PTX text that cannot be run, and where.
type syntaxError struct {
	line int
	text string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

// failAt ends the parsing or decoding under way; [guardSyntax] turns it into an error.
func failAt(line int, format string, args ...any) {
	panic(&syntaxError{line: line, text: fmt.Sprintf(format, args...)})
}

// guardSyntax sets *err if a failAt is under way.
func guardSyntax(err *error) {
	switch r := recover().(type) {
	case nil:
	case *syntaxError:
		*err = r
	default:
		panic(r)
	}
}

// implicitDef is the opcode that stands for the comment by which LLVM says that a
// register has a value without an instruction having written it: any value will do.
const implicitDef = "implicit-def"

// lex splits a PTX text. Comments are dropped, except LLVM's "implicit-def", which
// becomes a statement.
func lex(text string) []token {
	var toks []token
	line := 1
	add := func(k tokenKind, s string) { toks = append(toks, token{text: s, line: line, kind: k}) }
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == 0:
			i++
		case strings.HasPrefix(text[i:], "//"):
			n := strings.IndexByte(text[i:], '\n')
			if n < 0 {
				n = len(text) - i
			}
			if reg, ok := strings.CutPrefix(strings.TrimSpace(text[i+2:i+n]), implicitDef+": "); ok {
				add(word, implicitDef)
				add(word, strings.TrimSpace(reg))
				add(punct, ";")
			}
			i += n
		case strings.HasPrefix(text[i:], "/*"):
			n := strings.Index(text[i:], "*/")
			if n < 0 {
				failAt(line, "a comment that does not end")
			}
			line += strings.Count(text[i:i+n], "\n")
			i += n + 2
		case c == '"':
			n := strings.IndexByte(text[i+1:], '"')
			if n < 0 {
				failAt(line, "a string that does not end")
			}
			add(quoted, text[i+1:i+1+n])
			i += n + 2
		case isDigit(c):
			n := 1
			for i+n < len(text) && (isLetter(text[i+n]) || isDigit(text[i+n]) || text[i+n] == '.') {
				n++
			}
			add(number, text[i:i+n])
			i += n
		case isLetter(c) || c == '%' || c == '.':
			n := wordLength(text[i:])
			add(word, text[i:i+n])
			i += n
		default:
			add(punct, text[i:i+1])
			i++
		}
	}
	add(endOfText, "")
	return toks
}

// wordLength returns the length of the word that s starts with. Two colons belong to
// it, as in L1::no_allocate; one ends a label.
func wordLength(s string) int {
	n := 1
	for n < len(s) {
		switch c := s[n]; {
		case isLetter(c) || isDigit(c) || c == '.' || c == '%':
			n++
		case strings.HasPrefix(s[n:], "::"):
			n += 2
		default:
			return n
		}
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
}
