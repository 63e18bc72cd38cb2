package stream_test

import (
	"fmt"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/stream"
	"github.com/ogive-go/ogive/tensorio"
)

// The median of more data than the budget holds, in passes over its chunks.
func Example() {
	s := ogive.Must(stream.New(ogive.OpMedian, dtype.Int64, stream.MinBudget))
	for again := true; again; {
		for chunk := range 200 { // any iteration that gives the same data each time
			block := make([]int64, 1000)
			for i := range block {
				block[i] = int64(1000*chunk + i)
			}
			if err := s.Add(ogive.Must(ogive.FromSlice(block)), nil); err != nil {
				panic(err)
			}
		}
		var err error
		if again, err = s.Next(); err != nil {
			panic(err)
		}
	}
	fmt.Println(ogive.Must(s.Result()), "after", s.Pass(), "passes")
	// Output: 99999.5 after 2 passes
}

// The blocks of a file feed a State; whatever its size, they are read as often as it takes.
func ExampleState_Of() {
	s := ogive.Must(stream.New(ogive.OpNaNMedian, dtype.Float64, stream.MinBudget))
	fmt.Println(s.Of(tensorio.Chunks("../examples/data/seattle-hourly-temperature.npy", tensorio.Options{}, 64<<10)))
	// Output: 10.4 <nil>
}

// A pass over the blocks of a file.
func ExampleState_AddAll() {
	s := ogive.Must(stream.New(ogive.OpNaNMedian, dtype.Float64, stream.MinBudget))
	err := s.AddAll(tensorio.Chunks("../examples/data/seattle-hourly-temperature.npy", tensorio.Options{}, 64<<10))
	fmt.Println(s.Count(), err)
	// Output: 8760 <nil>
}

// Two workers share a pass; what one has seen travels as bytes.
func ExampleState_Merge() {
	s := ogive.Must(stream.New(ogive.OpNaNQuantile, dtype.Float64, stream.MinBudget, ogive.Q(0.25, 0.75)))
	far := s.Fork()
	s.Add(ogive.Must(ogive.FromSlice([]float64{4, 1})), nil)
	far.Add(ogive.Must(ogive.FromSlice([]float64{3, 2, 5})), nil)

	var arrived stream.State
	if err := arrived.UnmarshalBinary(ogive.Must(far.MarshalBinary())); err != nil {
		panic(err)
	}
	if err := s.Merge(&arrived); err != nil {
		panic(err)
	}
	again := ogive.Must(s.Next())
	fmt.Println(again, ogive.Must(s.Result()))
	// Output: false [2. 4.]
}

// rows is an array that is made when it is read: a file's place.
type rows struct{ n, columns int }

func (r rows) DType() dtype.DType { return dtype.Int32 }
func (r rows) Shape() []int       { return []int{r.n, r.columns} }
func (r rows) Read(lo, hi []int) (*ogive.Tensor, error) {
	var block []int32
	for i := lo[0]; i < hi[0]; i++ {
		for j := lo[1]; j < hi[1]; j++ {
			block = append(block, int32(i*(j+1)))
		}
	}
	return ogive.FromSlice(block, hi[0]-lo[0], hi[1]-lo[1])
}

// The 90th percentile of each column of an array that is read piece by piece.
func ExampleReduce() {
	p90, err := stream.Reduce(ogive.OpPercentile, rows{100_001, 3}, 4*stream.MinBudget, ogive.P(90), ogive.Axis(0))
	fmt.Println(p90, err)
	// Output: [ 90000. 180000. 270000.] <nil>
}
