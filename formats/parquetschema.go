package formats

import (
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ogive-go/ogive/tensorio"
)

// leaf is a column of a Parquet file.
type leaf struct {
	name     string // its path, joined by dots
	element  *format.SchemaElement
	defined  byte // the definition level of a value that is there
	repeated bool // it is a list, or in one
	kind     leafKind
	bits     int // of the integers, where they are narrower than they are stored
	scale    int // of a decimal
	unit     tensorio.Unit
	reason   error // why it holds no numbers
}

// leafKind says how values are stored and what becomes of them.
type leafKind uint8

const (
	leafNone leafKind = iota // not read, see leaf.reason
	leafBool
	leafInt32
	leafInt64
	leafUint32
	leafUint64
	leafFloat
	leafDouble
	leafFloat16
	leafInt96 // a time in nanoseconds
	leafDecimal32
	leafDecimal64
	leafDecimalBytes
	leafText
)

// leaves returns the columns of a schema, depth first.
func leaves(schema []format.SchemaElement) ([]*leaf, error) {
	var list []*leaf
	next := 0
	var walk func(path []string, defined byte, repeated bool) error
	walk = func(path []string, defined byte, repeated bool) error {
		if next >= len(schema) || len(path) > 255 {
			return malformed("the schema is broken at element %d of %d", next, len(schema))
		}
		e := &schema[next]
		next++
		if e.RepetitionType.Valid {
			switch e.RepetitionType.V {
			case format.Optional:
				defined++
			case format.Repeated:
				defined++
				repeated = true
			}
		}
		path = append(path[:len(path):len(path)], e.Name)
		if !e.NumChildren.Valid || e.NumChildren.V == 0 && e.Type.Valid {
			l := &leaf{name: strings.Join(path, "."), element: e, defined: defined, repeated: repeated}
			l.classify()
			list = append(list, l)
			return nil
		}
		for range e.NumChildren.V {
			if err := walk(path, defined, repeated); err != nil {
				return err
			}
		}
		return nil
	}
	if len(schema) == 0 {
		return nil, malformed("the file has no schema")
	}
	next = 1
	for range schema[0].NumChildren.V {
		if err := walk(nil, 0, false); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// classify finds out what the values are.
func (l *leaf) classify() {
	e := l.element
	switch {
	case l.repeated:
		l.reason = malformed("column %q holds lists", l.name)
		return
	case !e.Type.Valid:
		l.reason = malformed("column %q holds values of no known type", l.name)
		return
	}
	l.logical()
	if l.kind != leafNone || l.reason != nil {
		return
	}
	switch e.Type.V {
	case format.Boolean:
		l.kind = leafBool
	case format.Int32:
		l.kind = leafInt32
	case format.Int64:
		l.kind = leafInt64
	case format.Int96:
		l.kind, l.unit = leafInt96, tensorio.UnitNanosecond
	case format.Float:
		l.kind = leafFloat
	case format.Double:
		l.kind = leafDouble
	case format.ByteArray:
		l.kind = leafText
	}
	switch l.kind {
	case leafText:
		l.reason = malformed("column %q holds text", l.name)
	case leafNone:
		l.reason = malformed("column %q holds %v, which are no numbers", l.name, e.Type.V)
	}
}

// logical looks at what a column says of itself beside how it is stored.
func (l *leaf) logical() {
	physical := l.element.Type.V
	switch t := l.element.LogicalType.Value.(type) {
	case *format.IntType:
		l.integer(int(t.BitWidth), t.IsSigned)
	case *format.DateType:
		l.unit = tensorio.UnitDay
	case *format.TimestampType:
		switch t.Unit.Value.(type) {
		case *format.MilliSeconds:
			l.unit = tensorio.UnitMillisecond
		case *format.MicroSeconds:
			l.unit = tensorio.UnitMicrosecond
		case *format.NanoSeconds:
			l.unit = tensorio.UnitNanosecond
		}
		if !t.IsAdjustedToUTC {
			l.unit |= tensorio.UnitLocal
		}
	case *format.Float16Type:
		if physical == format.FixedLenByteArray && l.element.TypeLength.V == 2 {
			l.kind = leafFloat16
		}
	case *format.DecimalType:
		l.decimal(int(t.Scale))
	case nil:
		l.converted()
	}
	if l.unit != tensorio.UnitNone && physical != format.Int32 && physical != format.Int64 {
		l.unit = tensorio.UnitNone
	}
}

// converted looks at the marks of older files.
func (l *leaf) converted() {
	if !l.element.ConvertedType.Valid {
		return
	}
	switch l.element.ConvertedType.V {
	case deprecated.Uint8:
		l.integer(8, false)
	case deprecated.Uint16:
		l.integer(16, false)
	case deprecated.Uint32:
		l.integer(32, false)
	case deprecated.Uint64:
		l.integer(64, false)
	case deprecated.Int8:
		l.integer(8, true)
	case deprecated.Int16:
		l.integer(16, true)
	case deprecated.Date:
		l.unit = tensorio.UnitDay
	case deprecated.TimestampMillis:
		l.unit = tensorio.UnitMillisecond
	case deprecated.TimestampMicros:
		l.unit = tensorio.UnitMicrosecond
	case deprecated.Decimal:
		l.decimal(int(l.element.Scale.V))
	}
}

// integer is a column of integers of some bits.
func (l *leaf) integer(bits int, signed bool) {
	switch l.element.Type.V {
	case format.Int32:
		l.bits = bits
		l.kind = leafUint32
		if signed {
			l.kind = leafInt32
		}
	case format.Int64:
		l.kind = leafUint64
		if signed {
			l.kind = leafInt64
		}
	}
}

// decimal is a column of integers that count 10^-scale.
func (l *leaf) decimal(scale int) {
	l.scale = scale
	switch l.element.Type.V {
	case format.Int32:
		l.kind = leafDecimal32
	case format.Int64:
		l.kind = leafDecimal64
	case format.ByteArray, format.FixedLenByteArray:
		l.kind = leafDecimalBytes
	}
}
