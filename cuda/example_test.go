package cuda_test

import (
	"errors"
	"fmt"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/cuda"
	"github.com/ogive-go/ogive/dtype"
)

// The median of a stack of images along its first axis, where the images lie.
func Example() {
	gpu, err := cuda.Open(0)
	if errors.Is(err, cuda.ErrNoDriver) {
		return // this computer has no NVIDIA GPU, or no driver for it
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gpu.Close()
	stack := ogive.Must(ogive.Zeros(dtype.Float32, 31, 2048, 4096))
	far, err := stack.To(gpu)
	if err != nil {
		fmt.Println(err)
		return
	}
	median, err := far.NaNMedian(ogive.Axis(0)) // lies on the GPU, as stack does
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(median.ToHost())
}

// Memory that another library has allocated on the device, read where it is.
func ExampleFromPointer() {
	gpu, err := cuda.Open(0)
	if err != nil {
		return
	}
	defer gpu.Close()
	var address uint64 // such as torch's x.data_ptr()
	x, err := cuda.FromPointer(gpu, address, dtype.Float32, []int{1000, 100}, nil, nil)
	if err != nil {
		return
	}
	fmt.Println(x.Quantile(0.99, ogive.Axis(1)))
}
