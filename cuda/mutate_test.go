package cuda

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/cukern"
	"github.com/ogive-go/ogive/internal/ptxemu"
	"github.com/ogive-go/ogive/rank"
)

// The mutants that no trial can tell from the kernel, each with the reason: lines of a
// mutant, a tab, and why it gives the same answers.
//
//go:embed testdata/survivors.tsv
var survivorsTable string

// mutantTrials is how many trials a mutant has to survive: those in which its kernel does
// the greatest part of the work.
const mutantTrials = 16

// suite is the trials of each kernel.
type suite struct {
	mu      sync.Mutex
	trials  map[string][]*trial        // those that found mutants come first
	keep    map[string]map[string]bool // by kernel, the kernels that run in its trials
	budget  map[string]int64           // by kernel, instructions that a launch may take
	skipped map[string]bool            // kernels that no trial runs
}

// newSuite runs the trials and notes which kernels they launch.
func newSuite(t testing.TB, list []*trial) *suite {
	t.Helper()
	type use struct {
		of    *trial
		share float64
	}
	uses := map[string][]use{}
	ran, cost := map[*trial][]string{}, map[*trial]int64{}
	d := emulated(t, ptxemu.Options{Seed: 3})
	dev := d.dev.(*ptxemu.Device)
	for _, c := range list {
		dev.ResetStats()
		if err := c.on(d); err != nil {
			t.Fatal(err)
		}
		stats := dev.Stats()
		cost[c] = stats.Total().WarpInstructions
		for kernel, k := range stats.Kernels {
			ran[c] = append(ran[c], kernel)
			uses[kernel] = append(uses[kernel], use{c, float64(k.WarpInstructions) / float64(cost[c])})
		}
	}
	s := &suite{trials: map[string][]*trial{}, keep: map[string]map[string]bool{}, budget: map[string]int64{}}
	for kernel, of := range uses {
		slices.SortStableFunc(of, func(a, b use) int { return cmp.Compare(b.share, a.share) })
		s.keep[kernel] = map[string]bool{}
		for _, u := range of[:min(len(of), mutantTrials)] {
			s.trials[kernel] = append(s.trials[kernel], u.of)
			s.budget[kernel] = max(s.budget[kernel], 2*cost[u.of])
			for _, k := range ran[u.of] {
				s.keep[kernel][k] = true
			}
		}
		slices.SortStableFunc(s.trials[kernel], func(a, b *trial) int { return cmp.Compare(cost[a], cost[b]) })
	}
	return s
}

// kills reports whether a trial tells the mutant from the kernel; a mutant that cannot be
// loaded is an error, for no trial ran it.
func (s *suite) kills(m mutant) (bool, error) {
	own := string(cukern.PTX(m.module))
	s.mu.Lock()
	trials := slices.Clone(s.trials[m.kernel])
	s.mu.Unlock()
	d, err := open(ptxemu.New(ptxemu.Options{
		Seed: 3, Memory: 64 << 20, Budget: s.budget[m.kernel],
		Rewrite: func(ptx string) string {
			if ptx == own {
				return m.text(ptx, s.keep[m.kernel])
			}
			return ptx
		},
	}), 0)
	if err != nil {
		panic(err)
	}
	defer d.Close()
	for _, c := range trials {
		err := outcome(c, d)
		if invalid(err) {
			return false, err
		}
		if err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			list := s.trials[m.kernel]
			at := slices.Index(list, c)
			copy(list[1:at+1], list[:at])
			list[0] = c
			return true, nil
		}
	}
	return false, nil
}

// invalid reports whether an error says that a module's text is not decoded.
func invalid(err error) bool {
	var load *cudrv.LaunchError
	return errors.As(err, &load) && load.Cause != nil && load.Cause.Error() == "invalid PTX"
}

// outcome is what is wrong with a trial on a device, nil if nothing is; the host may
// stumble over what a mutant says.
func outcome(c *trial, d *Device) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", c.name, r)
		}
	}()
	return c.on(d)
}

// TestUndecodedMutant: a mutant whose text is no PTX is not taken for one that is found.
func TestUndecodedMutant(t *testing.T) {
	if onGPU() {
		t.Skip("a mutant may break the device")
	}
	b := &table{t: t}
	b.add("a row", nil, rowsOfAll(t, dtype.Float32, 2, 40, 1), quantilesBy(false, rank.Linear, 0.5))
	s := newSuite(t, b.list)
	for _, module := range cukern.Modules() {
		for _, m := range mutantsOf(module) {
			if s.trials[m.kernel] == nil {
				continue
			}
			m.is = "nonsense"
			if killed, err := s.kills(m); killed || !invalid(err) {
				t.Fatalf("%s: killed %v, error %v", m, killed, err)
			}
			return
		}
	}
	t.Fatal("no mutant")
}

// TestMutants: a barrier less or a comparison turned is found, in every kernel of 32 bits;
// those of other widths are compiled from the same sources. It takes some mutants, or all
// where OGIVE_MUTATE=all asks for it, or those of the kernels that OGIVE_MUTATE, a
// regular expression, names.
func TestMutants(t *testing.T) {
	if onGPU() {
		t.Skip("a mutant may break the device")
	}
	reasons := map[string]string{}
	for line := range strings.Lines(survivorsTable) {
		name, reason, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || reason == "" {
			t.Fatalf("no reason: %q", line)
		}
		reasons[name] = reason
	}
	defer func(own uint64) { seed = own }(seed)
	seed = 1 // what a sample finds is the same every time
	wanted, list := chosenMutants(t)
	s := newSuite(t, wanted)
	work := make(chan mutant)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for m := range work {
				name := m.String()
				killed := false
				if s.trials[m.kernel] != nil {
					var err error
					if killed, err = s.kills(m); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
				s.mu.Lock()
				reason, listed := reasons[name]
				delete(reasons, name)
				s.mu.Unlock()
				switch {
				case killed && listed:
					t.Errorf("%s is found now, but listed: %s", name, reason)
				case !killed && !listed:
					t.Errorf("survives: %s", name)
				}
			}
		})
	}
	for _, m := range list {
		work <- m
	}
	close(work)
	group.Wait()
	if os.Getenv("OGIVE_MUTATE") == "all" {
		for name := range reasons {
			t.Errorf("there is no mutant %s", name)
		}
	}
	t.Logf("%d mutants", len(list))
}

// chosenMutants returns the mutants that are asked for, and the trials for them.
func chosenMutants(t testing.TB) (trials []*trial, list []mutant) {
	asked := os.Getenv("OGIVE_MUTATE")
	pattern := regexp.MustCompile(asked)
	switch asked {
	case "":
		pattern = regexp.MustCompile(`^(digits|warps|rows|bracket|find)_f32$`)
	case "all":
		pattern = regexp.MustCompile("_(f32|32)$")
	}
	needed := map[string]bool{} // the element types of the modules
	for _, module := range cukern.Modules() {
		for _, m := range mutantsOf(module) {
			h := fnv.New32()
			fmt.Fprint(h, m)
			if pattern.MatchString(m.kernel) && (asked != "" || h.Sum32()%16 == 0) {
				list = append(list, m)
				_, suffix, _ := strings.Cut(module, "_")
				needed[suffix] = true
			}
		}
	}
	for _, dt := range dtype.All() {
		if dt.IsOrdered() && (needed[""] && asked != "all" || needed[codeOf(dt).suffix]) {
			trials = append(trials, trialsOf(t, dt)...)
		}
	}
	if needed[""] {
		trials = append(trials, elementTrials(t)...)
	}
	return trials, list
}
