package formats

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/ogive-go/ogive"
)

// malformed returns an error of the file's content.
func malformed(format string, args ...any) *ogive.Error {
	return &ogive.Error{Kind: ogive.ErrFormat, Detail: fmt.Sprintf(format, args...)}
}

// misused returns an error of what the caller asked for.
func misused(format string, args ...any) *ogive.Error {
	return &ogive.Error{Kind: ogive.ErrOption, Detail: fmt.Sprintf(format, args...)}
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
		return &ogive.Error{Kind: ogive.ErrFormat, Detail: name, Cause: err}
	}
	named := *own
	if name != "" {
		named.Detail = name + ": " + named.Detail
	}
	return &named
}

// guard calls f, which runs the library that reads a format. What that panics with, as
// some do for hostile files, becomes an error.
func guard(format string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = malformed("the %s reader stopped: %v", format, p)
		}
	}()
	return f()
}
