package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// atMosts writes the count of bytes up to each of eight bounds. The counters
// are bytes, a lane each, of the keys above a bound; AVX2 has no registers left
// for the bounds.
func atMosts(g *gen) {
	const bounds = 8
	for _, v := range both {
		g.begin("atMost"+v.name+"Bytes", "(counts *int64, src *int8, n int, bounds *int8, flip int8)")
		counts, src, n := g.param("counts"), g.param("src"), g.param("n")
		from := g.param("bounds")
		flip := g.vec(v)
		r, x := g.GP32(), g.XMM()
		g.Load(g.Param("flip"), r.As8())
		g.VMOVD(r, x)
		g.VPBROADCASTB(x, flip)
		ones := g.ones(v)
		var bound, above [bounds]reg.VecVirtual
		for i := range bounds {
			above[i] = g.zero(v)
			if v == avx512 {
				bound[i] = g.vec(v)
				g.VPBROADCASTB(mem(from, i), bound[i])
			}
		}
		total := g.GP64()
		g.MOVQ(n, total)
		g.Label("loop")
		k := g.vec(v)
		g.xor(v, mem(src, 0), flip, k)
		g.PREFETCHT0(mem(src, passAhead))
		for i := range bounds {
			if v == avx512 {
				const greater = 6
				over := g.K()
				g.VPCMPB(operand.U8(greater), bound[i], k, over)
				g.VPSUBB(ones, above[i], over, above[i])
				continue
			}
			over := g.vec(v)
			g.VPBROADCASTB(mem(from, i), over)
			g.VPCMPGTB(over, k, over)
			g.VPSUBB(over, above[i], above[i])
		}
		g.ADDQ(operand.I32(int32(v.bytes)), src)
		g.SUBQ(operand.I32(int32(v.bytes)), n)
		g.JNZ(operand.LabelRef("loop"))
		zero := g.zero(v)
		for i := range bounds {
			g.VPSADBW(zero, above[i], above[i])
			here := g.GP64()
			g.MOVQ(total, here)
			g.SUBQ(g.sum(v, above[i], 64), here)
			g.ADDQ(here, mem(counts, 8*i))
		}
		g.VZEROUPPER()
		g.RET()
	}
}
