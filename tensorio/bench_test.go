package tensorio

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkParse measures a block of a table of six columns, of which one or all that
// hold numbers are parsed.
func BenchmarkParse(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	text := []byte("id,day,temp,wind,place,v\n")
	for i := 0; len(text) < 1<<20; i++ {
		text = fmt.Appendf(text, "%d,%d-%02d-%02d,%.3f,%.2f,%s,%d\n", i, 2012+i%7, 1+i%12, 1+i%28,
			15+10*rng.NormFloat64(), 30*rng.Float64(), []string{"Seattle", "Port Angeles", "Yakima"}[rng.IntN(3)], rng.IntN(1e6))
	}
	for _, names := range [][]string{{"temp"}, {"id", "temp", "wind", "v"}} {
		b.Run(fmt.Sprintf("columns=%d", len(names)), func(b *testing.B) {
			t := &textTable{data: text, size: int64(len(text))}
			if _, err := t.open(',', Options{Columns: names}); err != nil {
				b.Fatal(err)
			}
			p, block := newParser(t, t.wanted()), block{data: text[t.start:]}
			b.SetBytes(int64(len(block.data)))
			for b.Loop() {
				if p.parse(&block, t.line); block.err != nil {
					b.Fatal(block.err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N*block.lines), "ns/row")
		})
	}
}
