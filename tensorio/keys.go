package tensorio

import (
	"cmp"
	"math/big"
	"strings"
)

// KeyOrder returns how the texts of groups are ordered: by their numbers where all of
// them are decimal numbers, those of one value by text, and otherwise by text.
func KeyOrder(texts []string) func(a, b string) int {
	for _, s := range texts {
		if v, _, kind := parseNumber([]byte(s)); kind == notNumber || v != v {
			return strings.Compare
		}
	}
	return compareTexts
}

// compareTexts compares numbers by their value in float64, and integers that round to
// one float64 exactly: they stand before the other texts of it.
func compareTexts(a, b string) int {
	v, _, kindA := parseNumber([]byte(a))
	w, _, kindB := parseNumber([]byte(b))
	if c := cmp.Compare(v, w); c != 0 {
		return c
	}
	switch {
	case kindA == realNumber && kindB == realNumber:
		return strings.Compare(a, b)
	case kindA == realNumber:
		return 1
	case kindB == realNumber:
		return -1
	}
	x, _ := new(big.Int).SetString(a, 10)
	y, _ := new(big.Int).SetString(b, 10)
	return cmp.Or(x.Cmp(y), strings.Compare(a, b))
}
