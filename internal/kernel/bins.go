package kernel

import (
	"math"
	"unsafe"
)

// BinCount is the number of bins of a Bins: their counts, twice, leave room
// in a first-level cache, and a BinSet fits into vector registers.
const BinCount = 2048

// Bins maps keys to bins 0 … BinCount-1, in ascending order: no key of a bin is below
// one of the bin before. It maps keys evenly, of which those outside Lo … Hi go with
// these, or by splitters; or the values of floats, evenly, and then NaN has the last bin
// for itself.
type Bins[K Key] struct {
	Lo, Hi K
	Shift  int // of the distance from Lo

	Splitters *Splitters[K] // nil for even bins

	ByValue bool
	From    float64 // the value at which bin 0 begins, but for smaller ones
	Factor  float64 // bins for a distance of 1: positive and finite
}

// Between sets the scale to spread the keys lo <= hi, of elements with the
// given encoding, and reports whether it can: by value, where that is asked.
// lo and hi are not NaN.
func (s *Bins[K]) Between(lo, hi K, e Encoding[K], byValue bool) bool {
	*s = Bins[K]{Lo: lo, Hi: hi, ByValue: byValue}
	if !byValue {
		for width := uint64(int64(hi)) - uint64(int64(lo)); width>>s.Shift >= BinCount; {
			s.Shift++
		}
		return true
	}
	ends := [2]K{lo, hi}
	Decode(ends[:], ends[:], e, 0)
	from, to := valueOf(ends[0]), valueOf(ends[1])
	// lo is in the middle of its bin, so that if values lie evenly about as far apart
	// as bins, as integers do, the first ones have bins of their own.
	s.Factor = (BinCount - 2) / (to - from)
	s.From = from - 0.5/s.Factor
	limit := math.MaxFloat64
	if unsafe.Sizeof(lo) == 4 {
		s.From, s.Factor, limit = float64(float32(s.From)), float64(float32(s.Factor)), math.MaxFloat32
	}
	return s.Factor > 0 && s.Factor <= limit && s.From-s.From == 0
}

// Within sets the scale to spread the keys lo <= hi, with a bin for what is below them
// and one for what is above, where there is any.
func (s *Bins[K]) Within(lo, hi K) {
	*s = Bins[K]{Lo: MinKey[K](), Hi: MaxKey[K]()}
	for width := uint64(int64(hi)) - uint64(int64(lo)); width>>s.Shift >= BinCount-2; {
		s.Shift++
	}
	step := uint64(1) << s.Shift
	if uint64(int64(lo))-uint64(int64(s.Lo)) >= step {
		s.Lo = K(int64(uint64(int64(lo)) - step))
	}
	if uint64(int64(s.Hi))-uint64(int64(hi)) >= step {
		s.Hi = K(int64(uint64(int64(hi)) + step))
	}
	for (uint64(int64(s.Hi))-uint64(int64(s.Lo)))>>s.Shift >= BinCount {
		s.Shift++ // the keys begin or end near the first or the last of all
	}
}

// valueOf returns the value of an element of a 32- or 64-bit float dtype.
func valueOf[K Key](element K) float64 {
	switch unsafe.Sizeof(element) {
	case 4:
		return float64(math.Float32frombits(uint32(element)))
	case 8:
		return math.Float64frombits(uint64(element))
	}
	panic("kernel: a scale by value of narrow floats")
}

// BinOf returns the bin of an element, or of a key if the scale is not by
// value.
func (s *Bins[K]) BinOf(v K) int {
	if s.Splitters != nil {
		return s.Splitters.BinOf(v)
	}
	if !s.ByValue {
		return int((uint64(int64(min(max(v, s.Lo), s.Hi))) - uint64(int64(s.Lo))) >> s.Shift)
	}
	x := valueOf(v)
	if x != x {
		return BinCount - 1
	}
	t := (x - s.From) * s.Factor
	if unsafe.Sizeof(v) == 4 {
		t = float64(float32(float32(x)-float32(s.From)) * float32(s.Factor))
	}
	return int(max(min(t, BinCount-2), 0))
}

// Element returns what BinOf and FindBins look at for a key: the element if the scale is
// by value.
func (s *Bins[K]) Element(key K, e Encoding[K]) K {
	v := [1]K{key}
	if s.ByValue {
		Decode(v[:], v[:], e, 0)
	}
	return v[0]
}

// BinOfKey returns the bin of a key of elements with the given encoding.
func (s *Bins[K]) BinOfKey(key K, e Encoding[K]) int { return s.BinOf(s.Element(key, e)) }

// FirstIn returns the first key from lo to hi whose bin is at least c, or hi
// if there is none. It looks near where the bin should begin first.
func (s *Bins[K]) FirstIn(c int, lo, hi K, e Encoding[K]) K {
	if s.Splitters != nil {
		return s.Splitters.firstIn(c, lo, hi)
	}
	reaches := func(key K) bool { return s.BinOfKey(key, e) >= c }
	if at := s.KeyAt(float64(c), e); at > lo && at < hi {
		down := reaches(at)
		if down {
			hi = at
		} else {
			lo = at + 1
		}
		for step := uint64(1); uint64(int64(hi))-uint64(int64(lo)) > step; step *= 2 {
			if down {
				if at = hi - K(step); !reaches(at) {
					lo = at + 1
					break
				}
				hi = at
			} else {
				if at = lo + K(step); reaches(at) {
					hi = at
					break
				}
				lo = at + 1
			}
		}
	}
	for lo < hi {
		if mid := lo&hi + (lo^hi)>>1; reaches(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// KeyAt returns a key near a position among the bins, which is that of a bin
// and a part of it: keys at a position are as far into their bin as its
// fraction. The bin must be below that of Hi, and the bins even.
func (s *Bins[K]) KeyAt(position float64, e Encoding[K]) K {
	if !s.ByValue {
		return K(int64(uint64(int64(s.Lo)) + uint64(position*float64(uint64(1)<<s.Shift))))
	}
	value := s.From + position/s.Factor
	key := [1]K{}
	if unsafe.Sizeof(key[0]) == 4 {
		key[0] = K(int32(math.Float32bits(float32(value))))
	} else {
		key[0] = K(int64(math.Float64bits(value)))
	}
	Encode(key[:], key[:], e)
	return key[0]
}

// FindBins sets the bins of the elements of src, which are keys unless the scale
// is by value.
func FindBins[K Key](bins []uint16, src []K, s *Bins[K]) {
	bins = bins[:len(src)]
	if s.Splitters != nil {
		s.Splitters.find(bins, src)
		return
	}
	done := findBinsVector(bins, src, s)
	bins = bins[done:]
	for i, v := range src[done:] {
		bins[i] = uint16(s.BinOf(v))
	}
}

// CountBins counts bins, which are below BinCount, in either of two tables,
// whose sums are the counts. src are the elements whose bins they are: those
// that follow it in memory are asked for.
func CountBins[K Key](tables *[2 * BinCount]uint32, bins []uint16, src []K) {
	bins = bins[countBinsVector(tables, bins, src):]
	for len(bins) >= 4 {
		four := (*[4]uint16)(bins)
		tables[four[0]%BinCount]++
		tables[BinCount+four[1]%BinCount]++
		tables[four[2]%BinCount]++
		tables[BinCount+four[3]%BinCount]++
		bins = bins[4:]
	}
	for _, c := range bins {
		tables[c%BinCount]++
	}
}

// BinSet is a set of bins of a Bins, a bit each.
type BinSet [BinCount / 32]uint32

// Add adds a bin.
func (s *BinSet) Add(c int) { s[c/32] |= 1 << (c % 32) }

// Has reports whether a bin is in the set.
func (s *BinSet) Has(c int) bool { return s[c/32]>>(c%32)&1 == 1 }

// CollectBins writes the keys whose bins are in the set to dst, and the bins to
// dstBins, in order, and returns how many there are. It leaves out those that
// are like that of their bin in excluded, unless that is empty. What follows the last one
// written is overwritten too: both must hold len(src), as bins does; they may be src
// and bins. of are the elements that src comes from: those that follow them in
// memory are asked for.
func CollectBins[K Key](dst []K, dstBins []uint16, src []K, bins []uint16, set *BinSet, excluded, of []K) int {
	dst, dstBins, bins = dst[:len(src)], dstBins[:len(src)], bins[:len(src)]
	kept, done := collectBinsVector(dst, dstBins, src, bins, set, excluded, of)
	if len(excluded) == 0 {
		for i := done; i < len(src); i++ {
			c := bins[i] % BinCount
			dst[kept], dstBins[kept] = src[i], c
			kept += int(set[c/32] >> (c % 32) & 1)
		}
		return kept
	}
	without := (*[BinCount]K)(excluded)
	for i := done; i < len(src); i++ {
		c := bins[i] % BinCount
		dst[kept], dstBins[kept] = src[i], c
		in := set[c/32] >> (c % 32) & 1
		if src[i] == without[c] {
			in = 0
		}
		kept += int(in)
	}
	return kept
}
