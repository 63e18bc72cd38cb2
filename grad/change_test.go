package grad_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
)

// TestChangedInput: gradients end, with an error or whatever, if somebody else writes to x
// meanwhile.
func TestChangedInput(t *testing.T) {
	small := force("small", func(h *tuning.Thresholds) {
		h.SoloWork, h.TaskElements, h.BigBytes, h.ChunkBytes, h.LocateCounts = 0, 64, 0, 512, 1
	})
	for _, dt := range []dtype.DType{dtype.Float16, dtype.Float32, dtype.Float64} {
		for _, axis := range []int{0, 1} {
			before := testkit.Fill("normal", dt, 900, 3)
			memory := slices.Clone(before)
			x := ogive.Must(ogive.FromBytes(dt, memory, 90, 10))
			calls := map[string]func(opts ...ogive.Option) (*ogive.Tensor, grad.Pullback, error){
				"quantile": func(o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) { return grad.Quantile(x, 0.3, o...) },
				"quantiles": func(o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) {
					return grad.NaNQuantiles(x, []float64{0.2, 0.7}, o...)
				},
				"median": func(o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) { return grad.NaNMedian(x, o...) },
			}
			for name, call := range calls {
				run := func(c *testkit.Changer) {
					opts := append([]ogive.Option{ogive.Axis(axis), ogive.Workers(1), ogive.Context(c)}, small.opts...)
					y, pull, err := call(opts...)
					if err == nil {
						_, _ = pull(ogive.Must(ogive.Zeros(y.DType(), y.Shape()...)))
					}
				}
				plain := &testkit.Changer{Context: context.Background()}
				run(plain)
				for _, change := range slices.Sorted(maps.Keys(testkit.Changes)) {
					for at := 1; at <= plain.Asked; at += 1 + plain.Asked/20 {
						c := &testkit.Changer{Context: context.Background(), At: at, Most: 20*plain.Asked + 1000}
						c.Change = func() { testkit.Changes[change](memory, dt) }
						run(c)
						if c.Endless() {
							t.Errorf("%s of %v along axis %d, %s at %d: no end", name, dt, axis, change, at)
						}
						copy(memory, before)
					}
				}
			}
		}
	}
}
