package crew

import (
	"sync/atomic"
	"testing"
)

// TestEach: all tasks are done, each once.
func TestEach(t *testing.T) {
	c := Crew{Config: Config{Workers: 3}}
	var done [100]atomic.Int32
	if err := c.Each(len(done), 1<<20, func(task int, _ *Scratch) { done[task].Add(1) }); err != nil {
		t.Fatal(err)
	}
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Errorf("task %d was done %d times", i, n)
		}
	}
}
