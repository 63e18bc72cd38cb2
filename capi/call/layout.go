// Package call does what a struct ogive_call asks for, wherever it lies: in the memory of
// the program that libogive was loaded into, or in a segment that it shares with a worker.
// ogive.h is the documentation of the structs, their fields and the numbers in them.
package call

// Tensor is DLPack's DLTensor.
type Tensor struct {
	Data                 uintptr
	DeviceType, DeviceID int32
	NDim                 int32
	Code, Bits           uint8
	Lanes                uint16
	Shape, Strides       uintptr // of int64
	ByteOffset           uint64
}

// Result is ogive_result.
type Result struct {
	Tensor
	Room            int64
	Given, Reserved int32
}

// Call is ogive_call. Pointers are addresses, whose meaning a Memory knows.
type Call struct {
	Size, Verb, Op, Flags       uint32
	Method, Mode, Kind, Workers int32

	Axes                             uintptr
	NAxes                            int64
	Q                                uintptr
	NQ                               int64
	Num, Den                         uintptr
	Window, MinCount, Budget         int64
	X, Weights, Keys, Test, Upstream uintptr
	Results                          uintptr

	Handle, Other uint64
	Number        [4]int64

	Cancel, Progress uintptr
	Message          uintptr
	MessageRoom      int64
}

// The verbs that have a part in another's work, as ogive_verb has them.
const (
	verbValue = 0
	verbIndex = 1
)

// The flags, as ogive_flag has them.
const (
	keepDims = 1 << iota
	overwrite
	invert
	assumeUnique
	equalNaN
	byIndex
	withIndex

	allFlags = 1<<iota - 1
)

// unset is OGIVE_DEFAULT of a method or mode, and OGIVE_SCALAR of a number of quantiles.
const unset = -1
