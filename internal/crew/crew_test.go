package crew_test

import (
	"runtime/debug"
	"sync/atomic"
	"testing"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/testkit"
)

// TestEach: all tasks are done, each once.
func TestEach(t *testing.T) {
	c := crew.Crew{Config: crew.Config{Workers: 3}}
	var done [100]atomic.Int32
	if err := c.Each(len(done), 1<<20, func(task int, _ *crew.Scratch) { done[task].Add(1) }); err != nil {
		t.Fatal(err)
	}
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Errorf("task %d was done %d times", i, n)
		}
	}
}

// TestFault: a fault of any worker is a panic of the caller, once no worker is at it any
// more, and the Crew works on.
func TestFault(t *testing.T) {
	b := testkit.Gone(t, 1<<20)
	for _, workers := range []int{1, 2, 8} {
		c := crew.Crew{Config: crew.Config{Workers: workers}}
		for range 20 {
			var at, sum atomic.Int64
			func() {
				defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
				defer func() {
					if _, ok := recover().(interface{ Addr() uintptr }); !ok || at.Load() != 0 {
						t.Errorf("%d workers: no fault, or %d tasks still at work", workers, at.Load())
					}
				}()
				_ = c.Each(64, 1<<20, func(task int, _ *crew.Scratch) {
					at.Add(1)
					defer at.Add(-1)
					sum.Add(int64(b[task*1<<14]))
				})
			}()
		}
		var done atomic.Int64
		if err := c.Each(64, 1<<20, func(int, *crew.Scratch) { done.Add(1) }); err != nil || done.Load() != 64 {
			t.Errorf("%d workers, after a fault: %d tasks, %v", workers, done.Load(), err)
		}
	}
}
