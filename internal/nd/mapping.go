package nd

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive/internal/errs"
)

// Mapping is the Owner of memory that a file is mapped to.
//
// A file that others cut short takes pages of such memory away, and the next access to
// one of them is a fault, which ends a Go program unless its goroutine asked for a panic
// (debug.SetPanicOnFault). What reads memory of tensors on behalf of a caller therefore
// does so within [Guard], and package crew hands the faults of its workers to the
// goroutine that called it.
type Mapping struct{ region *region }

// region is the memory of a Mapping, which it does not keep alive.
type region struct {
	name string // of the file
	data []byte
}

var (
	regions sync.Map     // of the live ones, *region, by the address of their first byte
	mapped  atomic.Int64 // their number
	pinned  sync.Map     // of *Mapping that live for good
)

// NewMapping returns the owner of the memory of a mapped file. Once nothing refers to
// it any more, unmap is called with the memory.
func NewMapping(name string, data []byte, unmap func([]byte)) *Mapping {
	m := &Mapping{&region{name, data}}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	regions.Store(base, m.region)
	mapped.Add(1)
	runtime.AddCleanup(m, func(r *region) {
		regions.Delete(base)
		mapped.Add(-1)
		unmap(r.data)
	}, m.region)
	return m
}

// Pin keeps the memory mapped for the rest of the program. It is for memory
// that is handed out without its owner.
func (m *Mapping) Pin() { pinned.Store(m, nil) }

// Guard calls read and returns its error, with the operation op in it. A fault of the
// calling goroutine in memory of a mapped file ends read: it is an ErrFormat that names the
// file and the byte. A program without mapped files pays for it with the look at a counter,
// so read maps none itself.
func Guard(op string, read func() error) error {
	if mapped.Load() == 0 {
		return errs.Named(op, read())
	}
	return errs.Named(op, GuardMapping(read))
}

// Guarded is Guard of what returns a value.
func Guarded[T any](op string, read func() (T, error)) (v T, err error) {
	err = Guard(op, func() (err error) {
		v, err = read()
		return err
	})
	return v, err
}

// GuardMapping is Guard of what may map files itself. It leaves errors without an
// operation.
func GuardMapping(read func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			e := fault(p)
			if e == nil {
				panic(p) // of another kind
			}
			err = e
		}
	}()
	return read()
}

// fault returns the error of a panic that is a fault in memory of a mapped file, nil for
// all others.
func fault(p any) *errs.Error {
	at, ok := p.(interface{ Addr() uintptr })
	if !ok {
		return nil
	}
	var e *errs.Error
	regions.Range(func(base, value any) bool {
		r, at := value.(*region), at.Addr()-base.(uintptr)
		if at >= uintptr(len(r.data)) {
			return true
		}
		e = errs.New(errs.ErrFormat, "%s: byte %d could not be read: the file was cut short, or its disk failed, while it was in use", r.name, at)
		return false
	})
	return e
}
