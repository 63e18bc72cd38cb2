package ptxemu

// kind says how an instruction is executed.
type kind uint8

const (
	arithmetic kind = iota // d = v(a, b, c)
	insertion              // bfi: d = f(a, b, c, e)
	carrying               // d = f(a, b, c) and the carry
	comparison             // predicate d = t(a, b), combined with predicate p
	selection              // d = predicate p ? a : b
	logic                  // predicate d = f(predicate p, predicate a, flipped by b)
	define                 // d has any value
	definePredicate
	load
	store
	atomic
	branch

	// From here on, lanes may wait or go elsewhere.
	branchTable
	exit
	trap
	shuffle
	vote
	reduce
	match
	warpBarrier
	barrier
	activeMask
	genericSpaceTest
	yield
	nothing
)

// always is the predicate that is true, and the slot of it.
const always = 0

// noValue is the slot of a register that is zero, which stands for a missing operand.
const noValue = 0

// instr is a decoded instruction. Registers are numbered slots of the warp's register
// file, in which constants, special registers and parameters have their slots too.
type instr struct {
	v          vector
	t          test
	more       *details
	d, a, b, c int32
	p          int32  // a predicate that is read
	pFlip      uint32 // all ones if its opposite is
	guard      int32
	guardFlip  uint32
	target     int32
	kind       kind
	weight     uint8 // instructions of PTX that it stands for
}

// details are what only some instructions have.
type details struct {
	// Memory.
	space   space
	offset  uint64
	size    int     // bytes of an element
	regs    []int32 // of a vector, or the one
	sext    uint    // bits above a signed element that is read
	regMask uint64  // bits of the register that is read into
	strong  bool    // volatile, relaxed or stronger, or atomic
	update  func(old, b, c uint64) uint64

	// Warp operations and barriers.
	everyLane bool             // the operation names all lanes, by a number
	sources   *[warpSize]uint8 // of a shuffle by numbers: where each lane's value is from
	inside    uint32           // and the lanes whose source is inside the segment
	combine   func(x, y uint32) uint32
	mode      string
	e         int32 // a further register, or predicate
	other     int32 // a further predicate that is written, 0 if none
	insert    func(a, b, pos, length uint64) uint64
	carry     carryFunc
	sets      bool // the carry is written
	targets   []int32
	counted   bool // a barrier with a number of threads
	arriving  bool // a barrier that is not waited at
}

// program is a kernel ready to run on any device. It is not changed by running.
type program struct {
	name       string
	unit       *unit
	code       []instr
	lines      []int32 // of the text, by instruction
	slots      int
	preds      int
	constants  []constant
	specials   []special
	parameters []parameter
	symbols    []symbolAddress
	arguments  int
	static     int // bytes of shared memory
	dynamic    int // where the dynamic part of it starts
	local      int // bytes of local memory of a thread
	grain      uint
	maxThreads int
}

// constant is a slot with a value.
type constant struct {
	slot  int32
	value uint64
}

// special is a slot with a special register.
type special struct {
	slot int32
	name string
}

// parameter is a slot with a part of an argument.
type parameter struct {
	slot     int32
	argument int
	shift    uint
	mask     uint64
	sext     uint
	regMask  uint64
}

// symbolAddress is a slot with the address of a variable in global memory.
type symbolAddress struct {
	slot   int32
	symbol *symbol
	add    uint64
}
