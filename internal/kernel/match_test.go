package kernel

import (
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

func testTally[K Key](t *testing.T) {
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
			Tally(n, at, keys, c, limit)
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

// testTallyRows counts as many rows as are allowed.
func testTallyRows[K Key](t *testing.T) {
	const lanes = 70
	keys := make([]K, TallyRows*lanes)
	same := Class[K]{make([]K, lanes), make([]K, lanes)}
	limit := slices.Repeat([]K{MaxKey[K]()}, lanes)
	n, at := make([]K, lanes), make([]K, lanes)
	Tally(n, at, keys, same, limit)
	for j := range lanes {
		if int(n[j]) != TallyRows || int(at[j]) != TallyRows-1 {
			t.Fatalf("lane %d: %d of %d rows, the last %d", j, n[j], TallyRows, at[j])
		}
	}
}

// TestTally counts in lanes of every width, limit and class.
func TestTally(t *testing.T) {
	eachImpl(t, "Match", func(t *testing.T) {
		t.Run("int8", testTally[int8])
		t.Run("int16", testTally[int16])
		t.Run("int32", testTally[int32])
		t.Run("int64", testTally[int64])
		t.Run("int16 rows", testTallyRows[int16])
		t.Run("int32 rows", testTallyRows[int32])
	})
}

func testShare[K Key](t *testing.T) {
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
		Share(dst, keys, classes, bits)
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
		Share(dst, keys, classes, bits)
		gl, one := guardedKeys[K](n)
		ShareLane(one, keys, lo, hi, own)
		if !slices.Equal(one, dst) {
			t.Fatalf("n=%d: %v alike\nwant %v", n, one, dst)
		}
		gl.Check(t)
		Share(keys, keys, classes, bits)
		if !slices.Equal(keys, dst) {
			t.Fatalf("n=%d: in place %v\nwant %v", n, keys, dst)
		}
	}
}

// TestShare shares among the keys of two classes, of every width and length, in
// place too.
func TestShare(t *testing.T) {
	eachImpl(t, "Match", func(t *testing.T) {
		t.Run("int8", testShare[int8])
		t.Run("int16", testShare[int16])
		t.Run("int32", testShare[int32])
		t.Run("int64", testShare[int64])
	})
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
	eachImpl(t, "Match", func(t *testing.T) {
		t.Run("int8", testStream[int8])
		t.Run("int16", testStream[int16])
		t.Run("int32", testStream[int32])
		t.Run("int64", testStream[int64])
	})
}
