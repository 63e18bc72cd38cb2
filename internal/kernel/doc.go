// Package kernel holds the tight loops of ogive: keys, counting, collecting,
// ordering, searching, interpolating, looking up, the delimiters of text. Nothing
// here allocates, knows shapes, or returns errors; lengths that do not match are the
// caller's bug and panic.
//
// Values are ordered by their keys: signed integers of the element's width.
// Wherever two slices are walked together the first one's length counts.
//
// A kernel has a file with its contract and dispatch, one with the portable
// reference that is always compiled in, and one for each architecture beside
// the assembly that _gen writes, or one for the short vectors of both (_vector).
// The tag noasm leaves the assembly out.
package kernel

//go:generate sh -c "cd _gen && GOWORK=off go run ."
