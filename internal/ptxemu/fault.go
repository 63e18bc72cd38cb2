package ptxemu

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ogive-go/ogive/internal/cudrv"
)

// The ways in which a kernel fails. A [Fault] wraps one of them.
var (
	ErrIllegalAddress = errors.New("illegal address")
	ErrMisaligned     = errors.New("misaligned address")
	ErrUninitialized  = errors.New("uninitialised value")
	ErrRace           = errors.New("race in shared memory")
	ErrBarrier        = errors.New("divergent barrier")
	ErrWarpOperation  = errors.New("divergent operation of a warp")
	ErrTrap           = errors.New("trap")
	ErrEndless        = errors.New("too many instructions")
)

// ErrInvalidLaunch is a launch that the driver refuses. It does not cost the device.
var ErrInvalidLaunch = errors.New("invalid launch")

// Fault is the failure of a running kernel, after which the device is lost: it is a
// [cudrv.ErrDeviceLost] too.
type Fault struct {
	Kind        error // one of the above
	Kernel      string
	Block       [3]int
	Thread      int
	Line        int    // of the PTX text
	Instruction string // that line
	Detail      string
}

func (e *Fault) Error() string {
	return fmt.Sprintf("%s: block (%d,%d,%d), thread %d, line %d `%s`: %v: %s",
		e.Kernel, e.Block[0], e.Block[1], e.Block[2], e.Thread, e.Line, e.Instruction, e.Kind, e.Detail)
}

func (e *Fault) Unwrap() []error { return []error{e.Kind, cudrv.ErrDeviceLost} }

// fault ends the launch under way for what a lane did at pc; [executor.launch] returns it.
func (x *executor) fault(w *warp, pc int32, lane int, kind error, format string, args ...any) {
	line := int(x.prog.lines[pc])
	panic(&Fault{
		Kind:        kind,
		Kernel:      x.prog.name,
		Block:       w.block.index,
		Thread:      w.id*warpSize + lane,
		Line:        line,
		Instruction: strings.Join(strings.Fields(x.prog.unit.lines[line-1]), " "),
		Detail:      fmt.Sprintf(format, args...),
	})
}
