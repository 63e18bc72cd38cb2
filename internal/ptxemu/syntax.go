package ptxemu

import (
	"strconv"
	"strings"
)

// scalar is a PTX type: its class, one of 'b', 'u', 's', 'f' and 'p' (predicates), and
// its width.
type scalar struct {
	class byte
	bits  int
}

func (t scalar) bytes() int   { return t.bits / 8 }
func (t scalar) signed() bool { return t.class == 's' }
func (t scalar) float() bool  { return t.class == 'f' }
func (t scalar) String() string {
	if t.class == 'p' {
		return "pred"
	}
	return string(t.class) + strconv.Itoa(t.bits)
}

// scalarOf reads the name of a type, without its dot.
func scalarOf(name string) (t scalar, ok bool) {
	if name == "pred" {
		return scalar{'p', 1}, true
	}
	if name == "" || !strings.ContainsRune("busf", rune(name[0])) {
		return scalar{}, false
	}
	switch name[1:] {
	case "8", "16", "32", "64":
		bits, _ := strconv.Atoi(name[1:])
		return scalar{name[0], bits}, name != "f8"
	}
	return scalar{}, false
}

// space is a state space.
type space uint8

const (
	noSpace space = iota
	regSpace
	paramSpace
	localSpace
	sharedSpace
	globalSpace // and the constants, which are global memory that nobody writes
	genericSpace
)

// spaces are the state spaces by name. What is in .const is global memory that no
// store is aimed at.
var spaces = map[string]space{
	"reg": regSpace, "param": paramSpace, "local": localSpace,
	"shared": sharedSpace, "shared::cta": sharedSpace, "global": globalSpace, "const": globalSpace,
}

// symbol is a declared name: a register (or a family of them), a parameter or a variable.
type symbol struct {
	name   string
	space  space
	typ    scalar
	count  int // of a register family such as %r<8>; 0 for a name of its own
	size   int // bytes of a variable
	align  int
	extern bool // its size comes with the launch
	fixed  bool // it is in .const
	init   []byte
	relocs []reloc
}

// reloc is an address in the initial value of a variable.
type reloc struct {
	at     int
	symbol string
	add    int64
}

// scope is what is declared between two braces.
type scope struct {
	outer   *scope
	symbols map[string]*symbol
}

func newScope(outer *scope) *scope { return &scope{outer, map[string]*symbol{}} }

// find returns the declaration of a name; for a member of a family, also its number.
func (s *scope) find(name string) (sym *symbol, index int) {
	stem := strings.TrimRight(name, "0123456789")
	for ; s != nil; s = s.outer {
		if sym = s.symbols[name]; sym != nil && sym.count == 0 {
			return sym, 0
		}
		if sym = s.symbols[stem]; sym != nil && sym.count > 0 && stem != name {
			if i, err := strconv.Atoi(name[len(stem):]); err == nil && i < sym.count {
				return sym, i
			}
		}
	}
	return nil, 0
}

// operandKind says how an operand is written.
type operandKind uint8

const (
	nameOperand    operandKind = iota // %r1, %tid.x, tab+8
	numberOperand                     // -1, 0f3F800000
	addressOperand                    // [%rd1+8]
	tupleOperand                      // {%r1, %r2} and (param0, param1)
)

// operand is one operand of a statement.
type operand struct {
	kind   operandKind
	not    bool   // a "!" before it
	name   string // of a name, or the base of an address, "" if that is a number
	second string // the name after "|"
	value  uint64 // of a number; of an address or name, what is added
	tuple  []operand
}

// statement is an instruction as it is written. A label is a statement with nothing
// but a label.
type statement struct {
	line     int
	label    string
	guard    string // a predicate, "" if none
	guardNot bool
	opcode   string   // up to the first dot
	mods     []string // the rest, between the dots
	args     []operand
	targets  []string // of .branchtargets
	scope    *scope
}

// text returns the opcode as it is written.
func (s *statement) text() string {
	return strings.Join(append([]string{s.opcode}, s.mods...), ".")
}

// function is a kernel or a device function.
type function struct {
	name       string
	line       int
	entry      bool
	results    []*symbol
	params     []*symbol
	body       []statement
	defined    bool
	maxThreads int // of .maxntid and .reqntid, 0 if unlimited
}

// unit is a parsed PTX text.
type unit struct {
	version int // ten times it
	target  int // 75 for sm_75
	globals *scope
	order   []*symbol // the variables, as they are declared
	funcs   map[string]*function
	lines   []string
}
