// Package crew runs work that falls into independent tasks on several
// goroutines, and gives each of them scratch memory. It knows nothing of what
// the tasks do.
package crew

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/ogive-go/ogive/internal/tuning"
)

// Meter counts the work of a running operation, in elements looked at. Total
// may grow while more passes over the data prove necessary. Both may be read
// at any time.
type Meter struct{ Total, Done atomic.Int64 }

// Config is how work is done, whatever it computes.
type Config struct {
	Workers int // goroutines, the caller's included; GOMAXPROCS if less than 1
	Context context.Context
	Meter   *Meter
	Tuned   *tuning.Thresholds // nil for the tuned ones
}

// Thresholds returns the sizes at which the way of working changes.
func (c *Config) Thresholds() *tuning.Thresholds {
	if c.Tuned != nil {
		return c.Tuned
	}
	return &tuning.Default
}

// Phase is a stage of an operation that falls into independent tasks.
type Phase interface {
	// Task does the task of the given number, with scratch memory that is
	// its own.
	Task(number int, s *Scratch)
}

// Stages is work in several phases, which depend on what the one before found.
type Stages interface {
	Phase
	// Next ends the phase before and prepares another one: so many tasks, which
	// look at so many elements in all. There is none if there are no tasks.
	Next() (tasks, elements int)
}

// Crew runs phases on several goroutines. Tasks are handed out one at a time
// from a shared counter, and the caller works too, so that a helper that wakes
// late costs nothing. The zero value is ready; it runs one phase at a time.
//
// A fault in memory that a task reads, such as that of a mapped file that has been cut
// short, ends the phase as a panic of the caller, whichever goroutine met it.
type Crew struct {
	Config Config

	// Budget is how many bytes of scratch memory all workers may take together,
	// and Memory those that a task of the next phase takes, 0 for a few.
	Budget, Memory int

	phase   Phase
	tasks   int64
	next    atomic.Int64
	weight  int64 // elements a task, for the meter
	stopped atomic.Bool
	wg      sync.WaitGroup
	help    func() // c.helper, made once: a method value made anew would allocate
	fault   atomic.Pointer[any]
}

// Workers returns how many goroutines may work.
func (c *Crew) Workers() int {
	if n := c.Config.Workers; n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Share returns how much memory a task may take so that all workers may be at one.
func (c *Crew) Share() int { return c.Budget / (arenaGrowth * c.Workers()) }

// RunStages runs one phase after the other until there are no more. It returns
// the context's error if that ended first.
func (c *Crew) RunStages(s Stages) error {
	for {
		tasks, elements := s.Next()
		if tasks == 0 {
			return c.err()
		}
		if err := c.Run(s, tasks, elements); err != nil {
			return err
		}
	}
}

// Alone runs one phase after the other on the calling goroutine.
func Alone(st Stages, s *Scratch) {
	mark := s.Mark()
	for {
		tasks, _ := st.Next()
		if tasks == 0 {
			return
		}
		for i := range tasks {
			st.Task(i, s)
			s.Release(mark)
		}
	}
}

// Run does the tasks of a phase, which look at the given number of elements in
// all. It returns the context's error if that ended first.
func (c *Crew) Run(p Phase, tasks, elements int) error {
	if err := c.err(); err != nil || tasks == 0 {
		return err
	}
	c.phase, c.tasks, c.weight = p, int64(tasks), int64(elements/tasks)
	c.next.Store(0)
	c.stopped.Store(false)
	if m := c.Config.Meter; m != nil {
		m.Total.Add(c.weight * c.tasks)
	}
	if elements < c.Config.Thresholds().SoloWork {
		c.work()
	} else {
		workers := min(c.Workers(), tasks)
		if c.Memory > 0 {
			workers = min(workers, max(c.Budget/(arenaGrowth*c.Memory), 1))
		}
		c.workTogether(workers - 1)
	}
	c.phase, c.Memory = nil, 0
	if c.stopped.Load() {
		return c.err()
	}
	return nil
}

// Each does so many tasks by calling do, as Run does.
func (c *Crew) Each(tasks, elements int, do func(task int, s *Scratch)) error {
	return c.Run(taskFunc(do), tasks, elements)
}

// taskFunc is a phase made of a function.
type taskFunc func(task int, s *Scratch)

func (f taskFunc) Task(number int, s *Scratch) { f(number, s) }

// arenaGrowth is how much more than its arrays an arena takes: it doubles, and
// the blocks before live as long as the task.
const arenaGrowth = 3

// workTogether does the tasks with so many helpers.
func (c *Crew) workTogether(helpers int) {
	if c.help == nil {
		c.help = c.helper
	}
	if helpers > 0 {
		c.wg.Add(helpers)
		for range helpers {
			go c.help()
		}
	}
	defer c.join()
	c.work()
}

// join waits for the helpers, whose fault becomes the caller's. If the caller panics,
// none begins another task.
func (c *Crew) join() {
	c.next.Add(c.tasks)
	c.wg.Wait()
	if p := c.fault.Load(); p != nil {
		c.fault.Store(nil)
		panic(*p)
	}
}

// err returns the context's error.
func (c *Crew) err() error {
	if c.Config.Context == nil {
		return nil
	}
	return c.Config.Context.Err()
}

func (c *Crew) helper() {
	defer c.wg.Done()
	debug.SetPanicOnFault(true)
	defer c.caught()
	c.work()
}

// caught hands a fault to the caller; other panics go on.
func (c *Crew) caught() {
	p := recover()
	if p == nil {
		return
	}
	if _, ok := p.(interface{ Addr() uintptr }); !ok {
		panic(p)
	}
	fault := p // on the heap only here
	c.fault.Store(&fault)
	c.next.Add(c.tasks)
}

// work does tasks until there are none.
func (c *Crew) work() {
	s := Borrow()
	for {
		i := c.next.Add(1) - 1
		if i >= c.tasks {
			break
		}
		if c.err() != nil {
			c.stopped.Store(true)
			break
		}
		s.Reset()
		c.phase.Task(int(i), s)
		if m := c.Config.Meter; m != nil {
			m.Done.Add(c.weight)
		}
	}
	s.Return()
}
