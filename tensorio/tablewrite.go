package tensorio

import (
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"strconv"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// writeTable returns the writer of a delimited table.
func writeTable(delimiter byte) func(io.Writer, *ogive.Tensor) error {
	return func(w io.Writer, t *ogive.Tensor) error {
		a, err := hostArray(t)
		if err != nil {
			return err
		}
		if t.DType().IsComplex() {
			return errs.New(errs.ErrDType, "a table does not hold %v", t.DType())
		}
		columns := 1
		switch shape := t.Shape(); len(shape) {
		case 0, 1:
		case 2:
			columns = shape[1]
		default:
			return errs.New(errs.ErrShape, "a table has at most 2 dimensions, got shape %v", shape)
		}
		return writeCells(w, a, columns, delimiter)
	}
}

// piece is how many elements are formatted at a time.
const piece = 1024

// writeCells writes the elements in C order, so many to a row.
func writeCells(w io.Writer, a *nd.Array, columns int, delimiter byte) error {
	size := a.DType.Size()
	raw := alignedBytes(piece * size)
	wide, format := cellFormat(a.DType)
	cells := alignedBytes(piece * 8)
	var out []byte
	var err error
	inRow := 0
	nd.Runs(a, nil, func(r nd.Run) {
		for i := 0; i < r.N && err == nil; i += piece {
			n := min(piece, r.N-i)
			nd.CopyRun(unsafe.Pointer(unsafe.SliceData(raw)), 1, a.Pointer(r.A+i*r.StepA), r.StepA, n, size)
			dtype.Convert(wide, cells[:8*n], a.DType, raw[:n*size])
			out = out[:0]
			for j := range n {
				out = format(out, cells[8*j:])
				inRow++
				if inRow == columns {
					out, inRow = append(out, '\n'), 0
				} else {
					out = append(out, delimiter)
				}
			}
			_, err = w.Write(out)
		}
	})
	runtime.KeepAlive(a)
	return err
}

// cellFormat returns the 8-byte dtype that holds every value of dt, and the
// function that appends an element of it.
func cellFormat(dt dtype.DType) (dtype.DType, func(out, element []byte) []byte) {
	switch {
	case dt.IsSigned():
		return dtype.Int64, func(out, e []byte) []byte { return strconv.AppendInt(out, int64(binary.NativeEndian.Uint64(e)), 10) }
	case !dt.IsFloat():
		return dtype.Uint64, func(out, e []byte) []byte { return strconv.AppendUint(out, binary.NativeEndian.Uint64(e), 10) }
	}
	precision := 64
	if dt.Size() < 8 {
		precision = 32 // the halves are exact in it
	}
	return dtype.Float64, func(out, e []byte) []byte {
		return appendFloat(out, math.Float64frombits(binary.NativeEndian.Uint64(e)), precision)
	}
}

// appendFloat appends the shortest decimal that reads back as v, in plain
// notation unless it is very large or small.
func appendFloat(out []byte, v float64, precision int) []byte {
	switch abs := math.Abs(v); {
	case v != v:
		return append(out, "nan"...)
	case math.IsInf(v, 1):
		return append(out, "inf"...)
	case math.IsInf(v, -1):
		return append(out, "-inf"...)
	case abs != 0 && abs < 1e-5, abs >= 1e16:
		return strconv.AppendFloat(out, v, 'e', -1, precision)
	}
	return strconv.AppendFloat(out, v, 'f', -1, precision)
}
