package ptxemu

import "math"

// test compares the values of all lanes and returns a bit for each.
type test func(a, b *lanes) uint32

// testOf returns the comparison of a setp, nil if there is none.
func testOf(cmp string, t scalar) test {
	switch {
	case t.class == 'f' && t.bits == 32:
		return floatTest(cmp, f32)
	case t.class == 'f' && t.bits == 64:
		return floatTest(cmp, f64)
	case t.class == 'b' && cmp != "eq" && cmp != "ne":
		return nil
	}
	switch t.String() {
	case "s16":
		return integerTest[int16](cmp)
	case "s32":
		return integerTest[int32](cmp)
	case "s64":
		return integerTest[int64](cmp)
	case "u16", "b16":
		return integerTest[uint16](cmp)
	case "u32", "b32":
		return integerTest[uint32](cmp)
	case "u64", "b64":
		return integerTest[uint64](cmp)
	}
	return nil
}

func integerTest[T integer](cmp string) test {
	switch cmp {
	case "eq":
		return equalLanes[T]
	case "ne":
		return func(a, b *lanes) uint32 { return ^equalLanes[T](a, b) }
	case "lt", "lo":
		return lessLanes[T]
	case "gt", "hi":
		return func(a, b *lanes) uint32 { return lessLanes[T](b, a) }
	case "le", "ls":
		return func(a, b *lanes) uint32 { return ^lessLanes[T](b, a) }
	case "ge", "hs":
		return func(a, b *lanes) uint32 { return ^lessLanes[T](a, b) }
	}
	return nil
}

func equalLanes[T integer](a, b *lanes) (r uint32) {
	for i := range a {
		var one uint32
		if T(a[i]) == T(b[i]) {
			one = 1
		}
		r |= one << (i & 31)
	}
	return r
}

func lessLanes[T integer](a, b *lanes) (r uint32) {
	for i := range a {
		var one uint32
		if T(a[i]) < T(b[i]) {
			one = 1
		}
		r |= one << (i & 31)
	}
	return r
}

// floatTest returns a comparison of floats. The first six are false for a NaN; those
// that end in u are true for one.
func floatTest[T float32 | float64](cmp string, read func(uint64) T) test {
	holds := map[string]func(x, y T) bool{
		"eq":  func(x, y T) bool { return x == y },
		"ne":  func(x, y T) bool { return x < y || x > y },
		"lt":  func(x, y T) bool { return x < y },
		"le":  func(x, y T) bool { return x <= y },
		"gt":  func(x, y T) bool { return x > y },
		"ge":  func(x, y T) bool { return x >= y },
		"equ": func(x, y T) bool { return !(x < y || x > y) },
		"neu": func(x, y T) bool { return x != y },
		"ltu": func(x, y T) bool { return !(x >= y) },
		"leu": func(x, y T) bool { return !(x > y) },
		"gtu": func(x, y T) bool { return !(x <= y) },
		"geu": func(x, y T) bool { return !(x < y) },
		"num": func(x, y T) bool { return x == x && y == y },
		"nan": func(x, y T) bool { return x != x || y != y },
	}[cmp]
	if holds == nil {
		return nil
	}
	return func(a, b *lanes) (r uint32) {
		for i := range a {
			if holds(read(a[i]), read(b[i])) {
				r |= 1 << i
			}
		}
		return r
	}
}

// propertyOf returns the test of one float of a testp, nil if there is none.
func propertyOf(name string, t scalar) test {
	value := func(u uint64) float64 { return f64(u) }
	smallest := 0x1p-1022
	if t.bits == 32 {
		value = func(u uint64) float64 { return float64(f32(u)) }
		smallest = 0x1p-126
	}
	finite := func(x float64) bool { return !math.IsInf(x, 0) && x == x }
	holds := map[string]func(x float64) bool{
		"finite":     finite,
		"infinite":   func(x float64) bool { return math.IsInf(x, 0) },
		"number":     func(x float64) bool { return x == x },
		"notanumber": func(x float64) bool { return x != x },
		"normal":     func(x float64) bool { return finite(x) && math.Abs(x) >= smallest },
		"subnormal":  func(x float64) bool { return x != 0 && math.Abs(x) < smallest },
	}[name]
	if holds == nil || !t.float() {
		return nil
	}
	return func(a, _ *lanes) (r uint32) {
		for i := range a {
			if holds(value(a[i])) {
				r |= 1 << i
			}
		}
		return r
	}
}

// connective returns how a setp combines its result with a predicate, nil if there is none.
func connective(name string) func(x, p uint32) uint32 {
	switch name {
	case "and":
		return func(x, p uint32) uint32 { return x & p }
	case "or":
		return func(x, p uint32) uint32 { return x | p }
	case "xor":
		return func(x, p uint32) uint32 { return x ^ p }
	}
	return nil
}
