package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/testkit"
)

// guardedKeys are n keys between guard words.
func guardedKeys[K Key](n int) (*testkit.Guarded[K], []K) {
	g := testkit.NewGuarded[K](n, 1)
	return g, g.Data()
}

// classOf returns a class of n lanes: of one key, of two neighbours, or of
// nothing, among them the extremes.
func classOf[K Key](t *testing.T, n int, side testkit.Side, rng *rand.Rand) Class[K] {
	lo, hi := keysOf[K](n, rng), make([]K, n)
	for j, k := range lo {
		switch hi[j] = k; rng.IntN(4) {
		case 0:
			if k < MaxKey[K]() {
				hi[j]++
			}
		case 1:
			lo[j], hi[j] = 1, 0
		}
	}
	return Class[K]{testkit.FencedCopy(t, lo, side), testkit.FencedCopy(t, hi, side)}
}

func (c Class[K]) has(j int, k K) bool { return c.Lo[j] <= k && k <= c.Hi[j] }

// widths are numbers of lanes around those of vectors.
func widths() (all []int) {
	for n := range 140 {
		all = append(all, n)
	}
	return append(all, 511, 512, 513)
}

func testCountAndLocate[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for _, lanes := range widths() {
		for _, rows := range []int{0, 1, 2, 20, 100} {
			side := testkit.Sides[rng.IntN(2)]
			keys := testkit.FencedCopy(t, keysOf[K](rows*lanes, rng), side)
			c := classOf[K](t, lanes, side, rng)
			limit := testkit.Fenced[K](t, lanes, side)
			for j := range limit {
				limit[j] = K(rng.IntN(6) - 1)
				if rng.IntN(3) == 0 {
					limit[j] = MaxKey[K]()
				}
			}
			gn, n := guardedKeys[K](lanes)
			ga, at := guardedKeys[K](lanes)
			CountAndLocate(n, at, keys, c, limit)
			for j := range lanes {
				var found []int
				for i := range rows {
					if c.has(j, keys[i*lanes+j]) {
						found = append(found, i)
					}
				}
				want := 0
				if last := min(int64(len(found)-1), int64(limit[j])); last >= 0 {
					want = found[last]
				}
				if int(n[j]) != len(found) || int(at[j]) != want {
					t.Fatalf("%d lanes, %d rows, lane %d, limit %d: %d found, row %d; want %d, %d", lanes, rows, j, limit[j], n[j], at[j], len(found), want)
				}
			}
			gn.Check(t)
			ga.Check(t)
		}
	}
}

// testCountAndLocateRows counts as many rows as are allowed.
func testCountAndLocateRows[K Key](t *testing.T) {
	const lanes = 70
	keys := make([]K, LocateRows*lanes)
	same := Class[K]{make([]K, lanes), make([]K, lanes)}
	limit := slices.Repeat([]K{MaxKey[K]()}, lanes)
	n, at := make([]K, lanes), make([]K, lanes)
	CountAndLocate(n, at, keys, same, limit)
	for j := range lanes {
		if int(n[j]) != LocateRows || int(at[j]) != LocateRows-1 {
			t.Fatalf("lane %d: %d of %d rows, the last %d", j, n[j], LocateRows, at[j])
		}
	}
}

// TestCountAndLocate counts in lanes of every width, limit and class.
func TestCountAndLocate(t *testing.T) {
	eachImpl(t, "CountAndLocate", func(t *testing.T) {
		t.Run("int8", testCountAndLocate[int8])
		t.Run("int16", testCountAndLocate[int16])
		t.Run("int32", testCountAndLocate[int32])
		t.Run("int64", testCountAndLocate[int64])
		t.Run("int16 rows", testCountAndLocateRows[int16])
		t.Run("int32 rows", testCountAndLocateRows[int32])
	})
}

func testGradEqual[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	for _, n := range lengths() {
		side := testkit.Sides[rng.IntN(2)]
		keys := testkit.FencedCopy(t, keysOf[K](n, rng), side)
		var classes [2]Class[K]
		var bits [2][]K
		for i := range classes {
			classes[i] = classOf[K](t, n, side, rng)
			for j, k := range keys { // a class that has the key, often
				if rng.IntN(3) == 0 && classes[i].Lo[j] == classes[i].Hi[j] {
					classes[i].Lo[j], classes[i].Hi[j] = k, k
				}
			}
			bits[i] = testkit.FencedCopy(t, keysOf[K](n, rng), side)
		}
		want := make([]K, n)
		for j, k := range keys {
			for i := range classes {
				if classes[i].has(j, k) {
					want[j] = bits[i][j]
				}
			}
		}
		g, dst := guardedKeys[K](n)
		GradEqual(dst, keys, classes, bits)
		if !slices.Equal(dst, want) {
			t.Fatalf("n=%d: %v\nwant %v\nof %v in %v with %v", n, dst, want, keys, classes, bits)
		}
		g.Check(t)
		if n == 0 {
			continue
		}

		var lo, hi, own [2]K
		for i, c := range classes {
			lo[i], hi[i], own[i] = c.Lo[n/2], c.Hi[n/2], bits[i][n/2]
			for j := range n {
				c.Lo[j], c.Hi[j], bits[i][j] = lo[i], hi[i], own[i]
			}
		}
		GradEqual(dst, keys, classes, bits)
		gl, one := guardedKeys[K](n)
		GradEqualLane(one, keys, lo, hi, own)
		if !slices.Equal(one, dst) {
			t.Fatalf("n=%d: %v alike\nwant %v", n, one, dst)
		}
		gl.Check(t)
		GradEqual(keys, keys, classes, bits)
		if !slices.Equal(keys, dst) {
			t.Fatalf("n=%d: in place %v\nwant %v", n, keys, dst)
		}
	}
}

// TestGradEqual shares among the keys of two classes, of every width and length, in
// place too.
func TestGradEqual(t *testing.T) {
	eachImpl(t, "CountAndLocate", func(t *testing.T) {
		t.Run("int8", testGradEqual[int8])
		t.Run("int16", testGradEqual[int16])
		t.Run("int32", testGradEqual[int32])
		t.Run("int64", testGradEqual[int64])
	})
}

// TestGradUnique shares among single elements, of every number of lanes, rows any
// distance apart, with zeros of both signs, NaNs and values that are there twice or
// never.
func TestGradUnique(t *testing.T) {
	eachImpl(t, "CountAndLocate", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(31, 5))
		finished := 0
		for _, lanes := range widths() {
			for _, rows := range []int{1, 2, 3, 20, 100} {
				for _, stream := range []bool{false, true} {
					finished += testGradUnique(t, lanes, rows, stream, rng)
				}
			}
		}
		if finished < 500 {
			t.Fatalf("%d of all were written", finished)
		}
	})
}

// testGradUnique returns how many gradients were written, 0 or 1.
func testGradUnique(t *testing.T, lanes, rows int, stream bool, rng *rand.Rand) int {
	side := testkit.Sides[rng.IntN(2)]
	pitch := max(lanes+rng.IntN(2)*rng.IntN(40), 1)
	if rng.IntN(3) == 0 {
		pitch = (pitch + 15) &^ 15
	}
	x := testkit.Fenced[float32](t, (rows-1)*pitch+lanes, side)
	for i := range x {
		x[i] = float32(i+1) / 7
	}
	var values, bits [2][]float32
	for i := range 2 {
		values[i], bits[i] = testkit.Fenced[float32](t, lanes, side), testkit.Fenced[float32](t, lanes, side)
	}
	odd := rng.IntN(3) == 0
	for j := range lanes {
		for i := range 2 {
			values[i][j], bits[i][j] = x[rng.IntN(rows)*pitch+j], float32(rng.NormFloat64())
		}
		if !odd || rng.IntN(lanes) > 0 {
			continue
		}
		special := []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), -1, 3}
		x[rng.IntN(rows)*pitch+j] = special[rng.IntN(5)]
		x[rng.IntN(rows)*pitch+j] = special[rng.IntN(5)]
		values[rng.IntN(2)][j] = special[rng.IntN(5)]
	}
	once, skip := true, 8*rng.IntN(3) // aligned or not
	all := make([]float32, skip+(rows-1)*pitch+lanes)
	for i := range all {
		all[i] = 5
	}
	want := all[skip:]
	for j := range lanes {
		var n [2]int
		for row := range rows {
			e := &want[row*pitch+j]
			*e = 0
			for i := range 2 {
				if x[row*pitch+j] == values[i][j] {
					*e = bits[i][j]
					n[i]++
				}
			}
		}
		once = once && n[0] == 1 && n[1] == 1
	}
	g := testkit.NewGuarded[float32](len(all), 1)
	dst := g.Data()
	for i := range dst {
		dst[i] = 5
	}
	done := GradUnique(dst[skip:], x, pitch, values, bits, stream)
	g.Check(t)
	if done != once {
		t.Fatalf("%d lanes, %d rows: %v", lanes, rows, done)
	}
	if !once {
		return 0
	}
	if !slices.Equal(dst, all) {
		t.Fatalf("%d lanes, %d rows, stream %v: %v\nwant %v", lanes, rows, stream, dst, all)
	}
	return 1
}

func testStream[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	for _, n := range lengths() {
		for from := range min(n, 3) + 1 { // aligned or not
			src := testkit.FencedCopy(t, keysOf[K](n, rng), testkit.Sides[rng.IntN(2)])
			g, dst := guardedKeys[K](n)
			copy(dst, src[:from])
			Stream(dst[from:], src[from:])
			if !slices.Equal(dst, src) {
				t.Fatalf("n=%d from %d: %v, want %v", n, from, dst, src)
			}
			g.Check(t)
		}
	}
}

// TestStream copies every length from and to every alignment.
func TestStream(t *testing.T) {
	eachImpl(t, "CountAndLocate", func(t *testing.T) {
		t.Run("int8", testStream[int8])
		t.Run("int16", testStream[int16])
		t.Run("int32", testStream[int32])
		t.Run("int64", testStream[int64])
	})
}
