package formats

import (
	"errors"
	"io/fs"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// malformed returns an error of the file's content.
func malformed(format string, args ...any) *ogive.Error {
	return &ogive.Error{Kind: ogive.ErrFormat, Detail: tensorio.Message(format, args...)}
}

// unsuitable returns an error of a column alone, tensorio.ErrColumn.
func unsuitable(format string, args ...any) *ogive.Error {
	e := malformed(format, args...)
	e.Kind = tensorio.ErrColumn
	return e
}

// misused returns an error of what the caller asked for.
func misused(format string, args ...any) *ogive.Error {
	return &ogive.Error{Kind: ogive.ErrOption, Detail: tensorio.Message(format, args...)}
}

// in puts the name of a file, or of a part of one, before err's message. An error from
// elsewhere becomes the cause of an ErrFormat.
func in(name string, err error) error {
	if err == nil {
		return nil
	}
	var own *ogive.Error
	if e, ok := err.(*ogive.Error); ok {
		own = e
	} else {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return &ogive.Error{Kind: ogive.ErrFormat, Detail: name, Cause: shown(err)}
	}
	named := *own
	if name != "" && own.Detail != "" {
		name += ": " + own.Detail
	}
	if name != "" {
		named.Detail = name
	}
	return &named
}

// shownError is an error of a library that is not shown as it is.
type shownError struct{ error }

func (e shownError) Error() string { return tensorio.Message("%v", e.error) }
func (e shownError) Unwrap() error { return e.error }

// shown returns an error whose message can be shown.
func shown(err error) error {
	if text := err.Error(); tensorio.Message("%v", err) == text {
		return err
	}
	return shownError{err}
}

// guard calls f, which runs the library that reads a format. What that panics with, as
// some do for hostile files, becomes an error.
func guard(format string, f func() error) (err error) {
	defer func() {
		p := recover()
		if own, ok := p.(*ogive.Error); ok {
			err = own
		} else if p != nil {
			err = malformed("the %s reader stopped: %v", format, p)
		}
	}()
	return f()
}
