package ogive_test

import (
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

// Options print as the functions that make them.
func TestOptionString(t *testing.T) {
	for want, o := range map[string]ogive.Option{
		"none":     {},
		"Axis":     ogive.Axis(1),
		"Method":   ogive.Method(rank.Hazen),
		"Weights":  ogive.Weights(nil),
		"EqualNaN": ogive.EqualNaN(),
		"Ratio":    ogive.Ratio(1, 3),
		"Test":     ogive.Test(nil),
	} {
		if got := o.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
