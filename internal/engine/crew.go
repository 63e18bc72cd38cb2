package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ogive-go/ogive/internal/selection"
)

// Meter counts the work of a running operation, in elements looked at. Total
// may grow while more passes over the data prove necessary. Both may be read
// at any time.
type Meter struct{ Total, Done atomic.Int64 }

// Config is how an operation runs, whatever it computes.
type Config struct {
	Workers   int // goroutines, the caller's included; GOMAXPROCS if less than 1
	Context   context.Context
	Meter     *Meter
	Overwrite bool // the input may be used as scratch space
}

// phase is a stage of an operation that falls into independent tasks.
type phase interface {
	// task does the task of the given number, with scratch memory that is
	// its own.
	task(number int, s *selection.Scratch)
}

// crew runs phases on several goroutines. Tasks are handed out one at a time
// from a shared counter, and the caller works too, so that a helper that wakes
// late costs nothing.
type crew struct {
	config  Config
	phase   phase
	tasks   int64
	next    atomic.Int64
	weight  int64 // elements a task, for the meter
	budget  int   // bytes of scratch memory that all workers may take together
	memory  int   // bytes that a task of the next phase takes, 0 for a few
	stopped atomic.Bool
	wg      sync.WaitGroup
	help    func() // c.helper, made once: a method value made anew would allocate
}

var scratchPool = sync.Pool{New: func() any { return new(selection.Scratch) }}

// workers returns how many goroutines may work.
func (c *crew) workers() int {
	if n := c.config.Workers; n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// run does the tasks of a phase, which look at the given number of elements in
// all. It returns the context's error if that ended first.
func (c *crew) run(p phase, tasks, elements int) error {
	if err := c.err(); err != nil || tasks == 0 {
		return err
	}
	c.phase, c.tasks, c.weight = p, int64(tasks), int64(elements/tasks)
	c.next.Store(0)
	c.stopped.Store(false)
	if m := c.config.Meter; m != nil {
		m.Total.Add(c.weight * c.tasks)
	}
	if elements < Thresholds.SoloWork {
		c.work()
	} else {
		c.workTogether(min(c.workers(), tasks, c.affordable()) - 1)
	}
	c.phase, c.memory = nil, 0
	if c.stopped.Load() {
		return c.err()
	}
	return nil
}

// arenaGrowth is how much more than its arrays an arena takes: it doubles, and
// the blocks before live as long as the task.
const arenaGrowth = 3

// affordable returns how many workers the scratch memory is enough for.
func (c *crew) affordable() int {
	if c.memory == 0 {
		return c.workers()
	}
	return max(c.budget/(arenaGrowth*c.memory), 1)
}

// workTogether does the tasks with so many helpers.
func (c *crew) workTogether(helpers int) {
	if c.help == nil {
		c.help = c.helper
	}
	if helpers > 0 {
		c.wg.Add(helpers)
		for range helpers {
			go c.help()
		}
	}
	c.work()
	c.wg.Wait()
}

// err returns the context's error.
func (c *crew) err() error {
	if c.config.Context == nil {
		return nil
	}
	return c.config.Context.Err()
}

func (c *crew) helper() {
	defer c.wg.Done()
	c.work()
}

// work does tasks until there are none.
func (c *crew) work() {
	s := scratchPool.Get().(*selection.Scratch)
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
		c.phase.task(int(i), s)
		if m := c.config.Meter; m != nil {
			m.Done.Add(c.weight)
		}
	}
	scratchPool.Put(s)
}
