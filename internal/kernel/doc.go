// Package kernel holds the tight loops of ogive: keys, counting, collecting,
// comparing. Nothing here allocates, knows shapes, or returns errors; lengths
// that do not match are the caller's bug and panic.
//
// Values are ordered by their keys: signed integers of the element's width.
// Wherever two slices are walked together the first one's length counts.
package kernel
