package call

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Memory says what the addresses of a call mean. The zero value is the memory of this
// process; once Map was called it is that of segments alone, and an address is the number
// of a segment in its upper 16 bits and a distance from the start in the others.
type Memory struct {
	mu       sync.RWMutex
	segments map[uint64][]byte
}

// distanceBits are the bits of an address in a segment.
const distanceBits = 48

// Map makes bytes the segment of a number, nil for none, and returns what that was.
func (m *Memory) Map(number uint64, bytes []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.segments == nil {
		m.segments = map[uint64][]byte{}
	}
	before := m.segments[number]
	m.segments[number] = bytes
	return before
}

// at returns the pointer to so many bytes at an address, nil if they are not there. Of
// this process' own memory only address 0 is known not to be.
func (m *Memory) at(address uintptr, size uint64) unsafe.Pointer {
	switch {
	case address == 0:
		return nil
	case m.segments == nil:
		return *(*unsafe.Pointer)(unsafe.Pointer(&address))
	}
	m.mu.RLock()
	segment := m.segments[uint64(address)>>distanceBits]
	m.mu.RUnlock()
	from, length := uint64(address)&(1<<distanceBits-1), uint64(len(segment))
	if from > length || size > length-from {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(segment)), from)
}

// slice returns n values at an address. Where there are none the request fails, and it is
// nil.
func slice[T any](r *request, address uintptr, n int64, name string) []T {
	over, size := bits.Mul64(uint64(n), uint64(unsafe.Sizeof(*new(T))))
	if n < 0 || over != 0 || size > 1<<distanceBits {
		return fail[[]T](r, argument("%d of %s", n, name))
	}
	switch p := r.memory.at(address, size); {
	case n == 0:
		return nil
	case address == 0:
		return fail[[]T](r, argument("a pointer of %s is NULL", name))
	case p == nil:
		return fail[[]T](r, argument("%s points to %#x, which no segment has", name, address))
	case uintptr(p)%unsafe.Alignof(*new(T)) != 0:
		return fail[[]T](r, argument("%s points to %#x, which is not aligned", name, address))
	default:
		return unsafe.Slice((*T)(p), n)
	}
}

// value returns the value at an address. Where there is none the request fails, and it is
// a zero.
func value[T any](r *request, address uintptr, name string) *T {
	if list := slice[T](r, address, 1, name); list != nil {
		return &list[0]
	}
	return new(T)
}

// ints returns n numbers at an address, a shape or strides.
func ints(r *request, address uintptr, n int64, name string) []int {
	list := slice[int64](r, address, n, name)
	wide := make([]int, len(list))
	for i, v := range list {
		if wide[i] = int(v); int64(wide[i]) != v {
			return fail[[]int](r, argument("%s has %d, which is too much for this machine", name, v))
		}
	}
	return wide
}
