package rank_test

import (
	"fmt"

	"github.com/ogive-go/ogive/rank"
)

func ExampleParse() {
	m, err := rank.Parse("type5")
	fmt.Println(m, err)
	_, err = rank.Parse("type10")
	fmt.Println(err != nil)
	// Output:
	// hazen <nil>
	// true
}

func ExampleMethods() {
	for _, m := range rank.Methods() {
		if m.Discrete() {
			fmt.Println(m)
		}
	}
	// Output:
	// lower
	// higher
	// nearest
	// nearest_down
	// inverted_cdf
	// closest_observation
}

func ExampleMethod_Position() {
	// The median of 10 values is half way between the fifth and the sixth.
	fmt.Printf("%+v\n", rank.Linear.Position(10, rank.At(0.5)))
	// (101-1)·0.29 is less than 29 in float64; as a fraction it is 29.
	fmt.Println(rank.Lower.Position(101, rank.At(0.29)).Lo, rank.Lower.Position(101, rank.Ratio(29, 100)).Lo)
	// Output:
	// {Lo:4 Hi:5 G:0.5 Low:0}
	// 28 29
}

func ExampleSet() {
	set := rank.NewSet(rank.Linear, []rank.Q{rank.At(0.9), rank.At(0.5)})
	pos := set.Positions(nil, 10)
	fmt.Println(rank.Wanted(nil, pos))
	// Output: [4 5 8 9]
}

func ExampleInterpolate64() {
	a, b := []float64{-1.7e308, 5e-324, 1}, []float64{1.7e308, 1.5e-323, 2}
	dst := make([]float64, len(a))
	rank.Interpolate64(dst, a, b, []float64{0.75})
	fmt.Println(dst)
	// Output: [8.5e+307 1e-323 1.75]
}

func ExampleInterpolateInt() {
	dst := make([]float64, 1)
	rank.InterpolateInt(dst, []int64{-128}, []int64{127}, []float64{0.5})
	fmt.Println(dst)
	// Output: [-0.5]
}
