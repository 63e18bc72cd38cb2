package tensorio

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long text from a file may be in messages: a name or a value, a list of them, and
// the whole message without the file's name.
const (
	longestName    = 100
	longestList    = 500
	longestMessage = 1200
)

// Shown returns text of a stranger as a terminal, a log or a message can show it: control
// characters, those that turn the direction of text around and what is not UTF-8 are
// escaped as in Go, and what is longer than so many bytes is shortened and ends in "…".
// All other text is returned as it is.
//
// It is meant for text that is read, not for data: what is escaped cannot be told from
// what was written so.
func Shown(text string, most int) string {
	if len(text) <= most && plain(text) {
		return text
	}
	var b strings.Builder
	for i, size := 0, 0; i < len(text); i += size {
		r, n := utf8.DecodeRuneInString(text[i:])
		size = n
		piece := text[i : i+n]
		if hurts(r) || r == utf8.RuneError && n == 1 {
			quoted := strconv.Quote(piece)
			piece = quoted[1 : len(quoted)-1]
		}
		if b.Len()+len(piece) > most {
			b.WriteString("…")
			break
		}
		b.WriteString(piece)
	}
	return b.String()
}

// hurts reports whether a character may do something to what shows it.
func hurts(r rune) bool {
	return unicode.IsControl(r) || 0x2028 <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}

// plain reports whether text is printable ASCII.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// ShownList returns the first names of a list for a message, each by Shown.
func ShownList(names []string) string {
	var b strings.Builder
	for i, name := range names {
		name = Shown(name, longestName)
		if i > 0 && b.Len()+len(name) > longestList {
			return b.String() + fmt.Sprintf(", … (%d in all)", len(names))
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return b.String()
}

// shownText is text for a message that Message does not shorten by itself.
type shownText string

// Message returns fmt.Sprintf of the same for an error or a note that tells of text of a
// stranger, in at most some 1200 bytes: each string among the arguments is shortened, and
// the whole is as by Shown.
func Message(format string, args ...any) string {
	short := make([]any, len(args))
	for i, a := range args {
		switch s := a.(type) {
		case string:
			if short[i] = s; len(s) > longestName {
				short[i] = clipped(s)
			}
		case []byte:
			if short[i] = s; len(s) > longestName {
				short[i] = clipped(string(s))
			}
		default:
			short[i] = a
		}
	}
	return Shown(fmt.Sprintf(format, short...), longestMessage)
}

// clipped returns the begin of a text that is too long for a name.
func clipped(s string) string {
	end := longestName
	for end > longestName-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
