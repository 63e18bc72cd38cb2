//go:build !race

package ogive_test

// raceEnabled tells that the race detector is on.
const raceEnabled = false
