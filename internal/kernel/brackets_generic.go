package kernel

// collectGeneric is Brackets.Collect.
func (s *Brackets[K]) collectGeneric(dst, src []K) (inside int) {
	keys := src
	if s.enc.Code != Signed {
		// Keys are written behind the elements that are read, so dst serves
		// for both.
		s.nan += encodeGeneric(dst, src, s.enc)
		keys = dst
	}
	for _, k := range keys {
		dst[inside] = k
		in := 0
		for i := range s.records[:s.count] {
			r := &s.records[i]
			if int64(k) < r.from {
				break
			}
			r.atLeast++
			in = 0
			if int64(k) <= r.to {
				in = 1
			}
		}
		inside += in
	}
	return inside
}
