package groups

import "github.com/ogive-go/ogive/internal/crew"

// Division holds elements by parts, each of a range of numbers; within a part they
// are in the order in which they came. Its memory is kept from one use to the next.
type Division[P any] struct {
	Numbers  []uint32 // of the elements, unspecified if each part is one number
	Elements []P
	Ends     []int // of the parts; each begins where the one before ends

	cursors []int // by chunk and part
}

// Part returns where the elements of a part are.
func (d *Division[P]) Part(i int) (from, to int) {
	if i > 0 {
		from = d.Ends[i-1]
	}
	return from, d.Ends[i]
}

// block is how many elements are read at a time.
const block = 1 << 12

// Divide divides elements with the given numbers, of which there are span from first
// on: each part has those of 2^shift numbers. read returns the elements from … to-1,
// in dst or where they lie. It fails only if the context of c ends.
func (d *Division[P]) Divide(c *crew.Crew, numbers []uint32, first uint32, span int, shift uint, read func(dst []P, from, to int) []P) error {
	n, parts := len(numbers), (span-1)>>shift+1
	d.Elements, d.Ends = crew.Resize(d.Elements, n), crew.Resize(d.Ends, parts)
	if shift > 0 {
		d.Numbers = crew.Resize(d.Numbers, n)
	}
	count, length := chunks(c, n, 4)
	d.cursors = crew.Resize(d.cursors, count*parts)
	clear(d.cursors)
	err := c.Each(count, n, func(i int, _ *crew.Scratch) {
		counts := d.cursors[i*parts:][:parts]
		for _, number := range numbers[i*length : min((i+1)*length, n)] {
			counts[(number-first)>>shift]++
		}
	})
	if err != nil {
		return err
	}
	at := 0
	for p := range parts {
		for i := range count {
			cursor := &d.cursors[i*parts+p]
			at, *cursor = at+*cursor, at
		}
		d.Ends[p] = at
	}
	return c.Each(count, n, func(i int, s *crew.Scratch) {
		cursors := d.cursors[i*parts:][:parts]
		memory := crew.Alloc[P](s, block)
		for from, end := i*length, min((i+1)*length, n); from < end; from += block {
			to := min(from+block, end)
			elements := read(memory, from, to)
			if shift == 0 {
				for i, number := range numbers[from:to] {
					cursor := &cursors[number-first]
					d.Elements[*cursor] = elements[i]
					*cursor++
				}
				continue
			}
			for i, number := range numbers[from:to] {
				cursor := &cursors[(number-first)>>shift]
				d.Elements[*cursor], d.Numbers[*cursor] = elements[i], number
				*cursor++
			}
		}
	})
}

// Arranged are the elements of a part, group by group.
type Arranged[P any] struct {
	Elements []P
	Lengths  []uint32 // of the groups, those of up to lengths-2 elements ascending
	Ranks    []uint32 // which of the groups of the part each is, in the order of their numbers
}

// lengths is how many lengths are told apart: groups of equal length lie side by
// side, so that they can be worked on together.
const lengths = 256

// Arrange brings the elements of each group together, in memory of s. There are span
// numbers from first on.
func Arrange[P any](numbers []uint32, first uint32, span int, elements []P, s *crew.Scratch) Arranged[P] {
	counts := crew.Alloc[uint32](s, span)
	clear(counts)
	for _, number := range numbers {
		counts[number-first]++
	}
	var next [lengths]uint32 // by length
	groups := uint32(0)
	for _, n := range counts {
		if n > 0 {
			next[min(n, lengths-1)]++
			groups++
		}
	}
	at := uint32(0)
	for n := range next {
		at, next[n] = at+next[n], at
	}
	a := Arranged[P]{
		Elements: crew.Alloc[P](s, len(elements)),
		Lengths:  crew.Alloc[uint32](s, int(groups)), Ranks: crew.Alloc[uint32](s, int(groups)),
	}
	order := crew.Alloc[uint32](s, int(groups))
	rank := uint32(0)
	for number, n := range counts {
		if n > 0 {
			k := &next[min(n, lengths-1)]
			a.Lengths[*k], a.Ranks[*k], order[*k] = n, rank, uint32(number)
			*k++
			rank++
		}
	}
	at = 0
	for k, number := range order {
		counts[number] = at
		at += a.Lengths[k]
	}
	for i, number := range numbers {
		cursor := &counts[number-first]
		a.Elements[*cursor] = elements[i]
		*cursor++
	}
	return a
}
