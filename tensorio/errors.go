package tensorio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/ogive-go/ogive/internal/errs"
)

// ErrColumn is the ErrFormat of a column that is not what it seems: a cell of it is not of
// its kind, a number is too long, another column has its name. See Options.Apart.
var ErrColumn error = ofColumn{}

type ofColumn struct{}

func (ofColumn) Error() string { return "unsuitable column" }
func (ofColumn) Unwrap() error { return errs.ErrFormat }

// malformed returns an error of the file's content.
func malformed(format string, args ...any) *errs.Error {
	return &errs.Error{Kind: errs.ErrFormat, Detail: Message(format, args...)}
}

// misused returns an error of what the caller asked for.
func misused(format string, args ...any) *errs.Error {
	return &errs.Error{Kind: errs.ErrOption, Detail: Message(format, args...)}
}

// atLine is an error of a text file, whose message follows a line, or a line and
// a column, of the file.
type atLine struct{ cause *errs.Error }

func (e *atLine) Error() string { return e.cause.Error() }
func (e *atLine) Unwrap() error { return e.cause }

// malformedAt returns an error of a text file's content at a place, both parts
// counted from 1; column 0 is none.
func malformedAt(line, column int, format string, args ...any) error {
	e := malformed(format, args...)
	place := strconv.Itoa(line) + ": "
	if column > 0 {
		place = fmt.Sprintf("%d:%d: ", line, column)
	}
	e.Detail = place + e.Detail
	return &atLine{e}
}

// unsuitable is the error of a cell that is not of its column's kind: ErrColumn.
func (x *badCell) unsuitable() error {
	return &atLine{&errs.Error{Kind: ErrColumn, Detail: fmt.Sprintf("%d:%d: %s", x.line, x.column, x.message)}}
}

// badCell is a cell that is not of its column's kind.
type badCell struct {
	line, column int
	message      string
}

// in puts the name of a file, or of a part of one, before err's message. An
// error from elsewhere becomes the cause of an ErrFormat; the name and the
// verb that the os package puts into its errors are left out of the message.
func in(name string, err error) error {
	if err == nil {
		return nil
	}
	switch e := err.(type) {
	case *errs.Error:
		return prefixed(name, ": ", *e)
	case *atLine:
		return prefixed(name, ":", *e.cause)
	}
	var path *fs.PathError
	var link *os.LinkError
	if errors.As(err, &path) {
		err = path.Err
	} else if errors.As(err, &link) {
		err = link.Err
	}
	return &errs.Error{Kind: errs.ErrFormat, Detail: name, Cause: shown(err)}
}

// shownError is an error of another package that is not shown as it is.
type shownError struct{ error }

func (e shownError) Error() string { return Shown(e.error.Error(), longestMessage) }
func (e shownError) Unwrap() error { return e.error }

// shown returns an error whose message can be shown.
func shown(err error) error {
	if text := err.Error(); Shown(text, longestMessage) == text {
		return err
	}
	return shownError{err}
}

// prefixed returns e with a name, if there is one, before its message.
func prefixed(name, between string, e errs.Error) *errs.Error {
	if name != "" && e.Detail != "" {
		name += between + e.Detail
	}
	if name != "" {
		e.Detail = name
	}
	return &e
}

// MemoryError is the cause of an error of a file that needs more memory than Options.Memory.
type MemoryError struct {
	Need int64 // bytes, as far as it was known: it may turn out to be more
	Most int64 // Options.Memory, or what was left of it
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("needs %s of memory at once, of %s that it may take", mebibytes(e.Need, true), mebibytes(e.Most, false))
}

// TooLarge is the error of a file that needs some bytes of memory, where Options.Memory
// is less: nil where it is not, and where it is no bound. Its cause is a *MemoryError.
func TooLarge(need, most int64) error {
	if most <= 0 || need <= most {
		return nil
	}
	return &errs.Error{Kind: errs.ErrFormat, Cause: &MemoryError{need, most}}
}

// mebibytes shows a size, rounded up or down.
func mebibytes(n int64, up bool) string {
	if n < 1<<20 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	if up {
		n += 1<<20 - 1
	}
	return strconv.FormatInt(n>>20, 10) + " MiB"
}
