package formats

import "encoding/binary"

// flatTable says where a table of FlatBuffers has what takes more room than a number:
// the fields that refer to other places, by their slots. Arrow's reader allocates by
// the lengths of vectors, which are checked here before it does.
type flatTable map[int]flatField

// flatField is such a field.
type flatField struct {
	size   int              // bytes of an element of a vector, 1 for a string
	tables func() flatTable // of a table, or of the elements of a vector if size is 4
	vector bool
	union  map[byte]func() flatTable // by the type in the slot before; others hold numbers
}

func flatText() flatField            { return flatField{size: 1, vector: true} }
func flatStructs(size int) flatField { return flatField{size: size, vector: true} }
func flatTables(t func() flatTable) flatField {
	return flatField{size: 4, vector: true, tables: t}
}
func flatOne(t func() flatTable) flatField { return flatField{tables: t} }

// The tables of Arrow's Schema.fbs, Message.fbs and File.fbs.

func arrowFooter() flatTable {
	return flatTable{1: flatOne(arrowSchemaTable), 2: flatStructs(24), 3: flatStructs(24), 4: flatTables(arrowKeyValue)}
}

func arrowMessage() flatTable {
	return flatTable{2: {union: map[byte]func() flatTable{1: arrowSchemaTable, 2: arrowDictionaryBatch, 3: arrowRecordBatch}}, 4: flatTables(arrowKeyValue)}
}

func arrowSchemaTable() flatTable {
	return flatTable{1: flatTables(arrowFieldTable), 2: flatTables(arrowKeyValue), 3: flatStructs(8)}
}

func arrowFieldTable() flatTable {
	return flatTable{0: flatText(), 3: {union: map[byte]func() flatTable{
		10: func() flatTable { return flatTable{1: flatText()} },     // a timestamp's zone
		14: func() flatTable { return flatTable{1: flatStructs(4)} }, // a union's types
	}}, 4: flatOne(func() flatTable { return flatTable{1: flatOne(arrowNumbersOnly)} }), 5: flatTables(arrowFieldTable), 6: flatTables(arrowKeyValue)}
}

func arrowKeyValue() flatTable { return flatTable{0: flatText(), 1: flatText()} }

func arrowNumbersOnly() flatTable { return nil }

func arrowRecordBatch() flatTable {
	return flatTable{1: flatStructs(16), 2: flatStructs(16), 3: flatOne(arrowNumbersOnly), 4: flatStructs(8)}
}

func arrowDictionaryBatch() flatTable { return flatTable{1: flatOne(arrowRecordBatch)} }

// flatWalk is a walk over the tables of a buffer.
type flatWalk struct {
	b    []byte
	left int // tables that may still come; several may be the same
}

// maxFlat bounds how deep tables are nested.
const maxFlat = 64

// checkFlat checks the table that a buffer begins with.
func checkFlat(b []byte, t func() flatTable) error {
	w := &flatWalk{b, len(b)}
	root, ok := w.offset(0)
	if !ok || !w.table(root, t(), 0) {
		return malformed("a description of %d bytes that refers to what lies beyond it", len(b))
	}
	return nil
}

// offset follows the reference at a place.
func (w *flatWalk) offset(at int) (int, bool) {
	if at < 0 || at > len(w.b)-4 {
		return 0, false
	}
	to := at + int(binary.LittleEndian.Uint32(w.b[at:]))
	return to, to >= 0 && to <= len(w.b)-4
}

// field returns where the field in a slot of the table at a place is, 0 if it has none.
// The list of a table's fields has two bytes for each, behind four: of one of another
// size readers take two bytes beyond it for a field.
func (w *flatWalk) field(at, slot int) (int, bool) {
	list := at - int(int32(binary.LittleEndian.Uint32(w.b[at:])))
	if list < 0 || list > len(w.b)-4 {
		return 0, false
	}
	size := int(binary.LittleEndian.Uint16(w.b[list:]))
	if size < 4 || size%2 != 0 || list > len(w.b)-size {
		return 0, false
	}
	if 4+2*slot+2 > size {
		return 0, true
	}
	place := int(binary.LittleEndian.Uint16(w.b[list+4+2*slot:]))
	if place == 0 {
		return 0, true
	}
	return at + place, at+place < len(w.b)
}

func (w *flatWalk) table(at int, t flatTable, depth int) bool {
	if w.left--; w.left < 0 || depth > maxFlat || at < 0 || at > len(w.b)-4 {
		return false
	}
	for slot, f := range t {
		place, ok := w.field(at, slot)
		if !ok {
			return false
		}
		if place == 0 {
			continue
		}
		inner := f.tables
		if f.union != nil {
			kind, ok := w.field(at, slot-1)
			if !ok || kind == 0 {
				return false
			}
			if inner = f.union[w.b[kind]]; inner == nil {
				continue
			}
		}
		to, ok := w.offset(place)
		if !ok {
			return false
		}
		if !f.vector {
			if !w.table(to, inner(), depth+1) {
				return false
			}
			continue
		}
		n := int(binary.LittleEndian.Uint32(w.b[to:]))
		if n < 0 || n > (len(w.b)-to-4)/f.size {
			return false
		}
		for i := 0; inner != nil && i < n; i++ {
			element, ok := w.offset(to + 4 + 4*i)
			if !ok || !w.table(element, inner(), depth+1) {
				return false
			}
		}
	}
	return true
}
