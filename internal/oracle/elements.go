package oracle

import (
	"math/big"

	"github.com/ogive-go/ogive/dtype"
)

// Predicates lists the element tests.
var Predicates = []string{"isposinf", "isneginf", "isinf", "isnan", "isfinite", "signbit", "isreal"}

// parts returns the real and imaginary part of an element; a real one has the
// imaginary part 0.
func parts(dt dtype.DType, b Bits) (re, im Number) {
	re = Decode(part(dt), b.Re)
	if dt.IsComplex() {
		im = Decode(part(dt), b.Im)
	}
	return re, im
}

// Predicate returns the bool array of the named element test.
func Predicate(name string, x *Array) (*Array, error) {
	if x == nil {
		return nil, ErrShape
	}
	if x.DType.IsComplex() && (name == "isposinf" || name == "isneginf" || name == "signbit") {
		return nil, ErrDType
	}
	out := New(dtype.Bool, x.Shape...)
	for i, b := range x.Bits {
		re, im := parts(x.DType, b)
		if test(name, re, im) {
			out.Bits[i].Re = 1
		}
	}
	return out, nil
}

func test(name string, re, im Number) bool {
	switch name {
	case "isposinf":
		return re.class == infinite && !re.neg
	case "isneginf":
		return re.class == infinite && re.neg
	case "isinf":
		return re.class == infinite || im.class == infinite
	case "isnan":
		return re.IsNaN() || im.IsNaN()
	case "isfinite":
		return re.class == finite && im.class == finite
	case "signbit":
		return re.neg
	case "isreal":
		return im.isZero()
	}
	panic("oracle: unknown predicate " + name)
}

// IsInOptions are those of isin.
type IsInOptions struct {
	Invert   bool
	EqualNaN bool
	Kind     string // "" means auto
}

// tableLimit is the largest table of kind table, in bytes.
const tableLimit = 1 << 30

// IsIn tells for each element whether its value is among those of test, both
// taken exactly: no dtype is promoted to another.
func IsIn(elements, test *Array, o IsInOptions) (*Array, error) {
	if elements == nil || test == nil {
		return nil, ErrShape
	}
	switch o.Kind {
	case "", "auto", "sort", "hash":
	case "table":
		if err := tableFits(elements.DType, test); err != nil {
			return nil, err
		}
	default:
		return nil, ErrOption
	}
	type value struct{ re, im Number }
	read := func(dt dtype.DType, b Bits) (v value, nan bool) {
		re, im := parts(dt, b)
		if re.IsNaN() || im.IsNaN() {
			return value{re: Number{class: notANumber}}, true
		}
		return value{re.reduced(), im.reduced()}, false
	}
	set := make(map[value]bool)
	for _, b := range test.Bits {
		if v, nan := read(test.DType, b); !nan || o.EqualNaN {
			set[v] = true
		}
	}
	out := New(dtype.Bool, elements.Shape...)
	for i, b := range elements.Bits {
		v, nan := read(elements.DType, b)
		if found := set[v] && (!nan || o.EqualNaN); found != o.Invert {
			out.Bits[i].Re = 1
		}
	}
	return out, nil
}

// tableFits checks what kind table takes: integers and bool on both sides, and
// a range of test within the limit.
func tableFits(elements dtype.DType, test *Array) error {
	for _, dt := range []dtype.DType{elements, test.DType} {
		if !dt.IsInteger() && !dt.IsBool() {
			return ErrDType
		}
	}
	if len(test.Bits) == 0 {
		return nil
	}
	lo := Decode(test.DType, test.Bits[0].Re)
	hi := lo
	for _, b := range test.Bits {
		v := Decode(test.DType, b.Re)
		if compare(v, lo) < 0 {
			lo = v
		}
		if compare(v, hi) > 0 {
			hi = v
		}
	}
	span := hi.dyadic().add(lo.dyadic().neg()).m
	if span.Cmp(big.NewInt(tableLimit-1)) > 0 {
		return ErrOption
	}
	return nil
}
