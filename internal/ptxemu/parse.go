package ptxemu

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// parser reads tokens from the left to the right.
type parser struct {
	toks []token
	at   int
	unit *unit
}

// parse reads a PTX text.
func parse(text string) (u *unit, err error) {
	defer guardSyntax(&err)
	p := &parser{
		toks: lex(text),
		unit: &unit{globals: newScope(nil), funcs: map[string]*function{}, lines: strings.Split(text, "\n")},
	}
	for p.peek().kind != endOfText {
		p.topLevel()
	}
	if p.unit.version == 0 || p.unit.target == 0 {
		failAt(1, "no .version or no .target")
	}
	return p.unit, nil
}

func (p *parser) peek() token { return p.toks[p.at] }

func (p *parser) next() token {
	t := p.toks[p.at]
	if t.kind != endOfText {
		p.at++
	}
	return t
}

// accept takes the next token if it is text.
func (p *parser) accept(text string) bool {
	if t := p.peek(); t.text == text && t.kind != quoted && t.kind != endOfText {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if t := p.peek(); !p.accept(text) {
		failAt(t.line, "%q where %q is expected", t.text, text)
	}
}

func (p *parser) word() token {
	t := p.next()
	if t.kind != word {
		failAt(t.line, "%q where a name is expected", t.text)
	}
	return t
}

// topLevel reads one directive, variable or function of the module.
func (p *parser) topLevel() {
	extern := false
	for {
		t := p.word()
		switch t.text {
		case ".visible", ".weak", ".common":
		case ".extern":
			extern = true
		case ".version":
			p.unit.version = p.readVersion()
			return
		case ".target":
			p.unit.target = p.readTarget()
			return
		case ".address_size":
			if n := p.next(); n.text != "64" {
				failAt(n.line, "addresses of %s bits", n.text)
			}
			return
		case ".file", ".loc":
			p.skipLine(t.line)
			return
		case ".entry", ".func":
			p.function(t.text == ".entry")
			return
		default:
			sp, ok := spaces[t.text[1:]]
			if !ok || sp < sharedSpace {
				failAt(t.line, "unknown directive %s", t.text)
			}
			sym := p.declare(p.unit.globals, sp)
			sym.extern = extern && sp == sharedSpace
			sym.fixed = t.text == ".const"
			p.unit.order = append(p.unit.order, sym)
			p.expect(";")
			return
		}
	}
}

func (p *parser) readVersion() int {
	t := p.next()
	major, minor, _ := strings.Cut(t.text, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if err1 != nil || err2 != nil {
		failAt(t.line, "version %q", t.text)
	}
	return 10*a + b
}

func (p *parser) readTarget() int {
	t := p.word()
	n, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(t.text, "sm_"), "a"))
	if err != nil {
		failAt(t.line, "target %q", t.text)
	}
	for p.accept(",") {
		p.word()
	}
	return n
}

func (p *parser) skipLine(line int) {
	for t := p.peek(); t.line == line && t.kind != endOfText; t = p.peek() {
		p.next()
	}
}

// declare reads a declaration after the name of its state space, up to its end, and
// returns the last name declared.
func (p *parser) declare(sc *scope, sp space) (sym *symbol) {
	align, typ := 0, scalar{}
	for p.peek().text != "" && p.peek().text[0] == '.' {
		t := p.word()
		switch {
		case t.text == ".align":
			align = p.integer()
		case t.text == ".ptr" || spaces[t.text[1:]] != noSpace: // what a parameter points to
		default:
			var ok bool
			if typ, ok = scalarOf(t.text[1:]); !ok {
				failAt(t.line, "unknown type %s", t.text)
			}
		}
	}
	for {
		t := p.word()
		sym = &symbol{name: t.text, space: sp, typ: typ, size: typ.bytes(), align: max(align, typ.bytes(), 1)}
		if p.accept("<") {
			sym.count = p.integer()
			p.expect(">")
		}
		p.dimensions(sym)
		if p.accept("=") {
			p.initial(sym)
		}
		if _, ok := sc.symbols[sym.name]; ok && sp != paramSpace {
			failAt(t.line, "%s is declared twice", sym.name)
		}
		sc.symbols[sym.name] = sym
		if sp == paramSpace || !p.accept(",") {
			return sym
		}
	}
}

func (p *parser) dimensions(sym *symbol) {
	for p.accept("[") {
		if p.accept("]") {
			sym.size, sym.extern = 0, true
			continue
		}
		sym.size *= p.integer()
		p.expect("]")
	}
}

// initial reads the value of a variable.
func (p *parser) initial(sym *symbol) {
	sym.init = make([]byte, sym.size)
	width, at := sym.typ.bytes(), 0
	var values func()
	values = func() {
		if p.accept("{") {
			for !p.accept("}") {
				values()
				p.accept(",")
			}
			return
		}
		line := p.peek().line
		o := p.operand()
		if at+width > sym.size {
			failAt(line, "more values than %s has room for", sym.name)
		}
		if o.name != "" {
			sym.relocs = append(sym.relocs, p.relocation(at, width, o))
		} else {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], o.value)
			copy(sym.init[at:at+width], b[:])
		}
		at += width
	}
	values()
}

// relocation reads what follows the name of a variable in an initial value, which may
// be "generic(name)".
func (p *parser) relocation(at, width int, o operand) reloc {
	line := p.peek().line
	if o.name == "generic" && p.accept("(") {
		o = p.operand()
		p.expect(")")
	}
	if width != 8 {
		failAt(line, "the address of %s in %d bytes", o.name, width)
	}
	return reloc{at: at, symbol: o.name, add: int64(o.value)}
}

// function reads a kernel or a device function after its keyword.
func (p *parser) function(entry bool) {
	f := &function{entry: entry, line: p.peek().line}
	sc := newScope(p.unit.globals)
	if p.peek().text == "(" {
		f.results = p.parameters(sc)
	}
	f.name = p.word().text
	if p.peek().text == "(" {
		f.params = p.parameters(sc)
	}
	for p.peek().text != "{" && p.peek().text != ";" {
		t := p.word()
		switch t.text {
		case ".maxntid", ".reqntid":
			f.maxThreads = p.integer()
			for p.accept(",") {
				f.maxThreads *= p.integer()
			}
		case ".minnctapersm", ".maxnreg", ".maxnctapersm":
			p.integer()
		case ".noreturn":
		case ".pragma":
			p.next()
			p.expect(";")
		default:
			failAt(t.line, "unknown directive %s", t.text)
		}
	}
	if old := p.unit.funcs[f.name]; old != nil && old.defined {
		if p.accept(";") {
			return
		}
		failAt(f.line, "%s is defined twice", f.name)
	}
	p.unit.funcs[f.name] = f
	if p.accept(";") {
		return
	}
	f.defined = true
	p.expect("{")
	p.block(f, sc)
}

func (p *parser) parameters(sc *scope) (list []*symbol) {
	p.expect("(")
	for !p.accept(")") {
		t := p.word()
		sp := spaces[t.text[1:]]
		if sp != paramSpace {
			failAt(t.line, "a parameter in %s", t.text)
		}
		list = append(list, p.declare(sc, sp))
		p.accept(",")
	}
	return list
}

// block reads statements up to the brace that ends them.
func (p *parser) block(f *function, sc *scope) {
	for !p.accept("}") {
		t := p.peek()
		switch {
		case t.kind == endOfText:
			failAt(t.line, "%s does not end", f.name)
		case p.accept("{"):
			p.block(f, newScope(sc))
		case t.text == ".pragma":
			p.at += 2
			p.expect(";")
		case t.text == ".loc" || t.text == ".file":
			p.skipLine(t.line)
		case t.text[0] == '.':
			p.next()
			sp := spaces[t.text[1:]]
			if sp == noSpace {
				failAt(t.line, "unknown directive %s", t.text)
			}
			p.declare(sc, sp)
			p.expect(";")
		default:
			s := p.statement()
			s.scope = sc
			f.body = append(f.body, s)
		}
	}
}

// statement reads a label or an instruction.
func (p *parser) statement() statement {
	s := statement{line: p.peek().line}
	if p.accept("@") {
		s.guardNot = p.accept("!")
		s.guard = p.word().text
	}
	op := p.word().text
	if p.accept(":") {
		s.label = op
		if p.accept(".branchtargets") {
			for {
				s.targets = append(s.targets, p.word().text)
				if !p.accept(",") {
					break
				}
			}
			p.expect(";")
		}
		return s
	}
	parts := strings.Split(op, ".")
	s.opcode, s.mods = parts[0], parts[1:]
	for !p.accept(";") {
		s.args = append(s.args, p.operand())
		p.accept(",")
	}
	return s
}

// operand reads one operand.
func (p *parser) operand() (o operand) {
	t := p.next()
	switch {
	case t.text == "!":
		o = p.operand()
		o.not = true
	case t.text == "-" || t.kind == number:
		p.at--
		o = operand{kind: numberOperand, value: p.value()}
	case t.text == "[":
		o = p.operand()
		if o.kind == tupleOperand || o.kind == addressOperand || o.not {
			failAt(t.line, "an address that is none")
		}
		o.kind = addressOperand
		p.expect("]")
	case t.text == "{" || t.text == "(":
		o.kind = tupleOperand
		for !p.accept("}") && !p.accept(")") {
			o.tuple = append(o.tuple, p.operand())
			p.accept(",")
		}
	case t.kind == word:
		o.name = t.text
		switch {
		case p.accept("|"):
			o.second = p.word().text
		case p.accept("+"):
			o.value = p.value()
		case p.peek().text == "-":
			o.value = p.value()
		}
	default:
		failAt(t.line, "%q where an operand is expected", t.text)
	}
	return o
}

// value reads a number: an integer, or the bits of a float.
func (p *parser) value() uint64 {
	negative := p.accept("-")
	t := p.next()
	v, ok := numberOf(t.text)
	if t.kind != number || !ok {
		failAt(t.line, "%q where a number is expected", t.text)
	}
	if negative {
		v = -v
	}
	return v
}

// numberOf returns the value of a literal. 0f and 0d precede the bits of floats.
func numberOf(s string) (v uint64, ok bool) {
	var err error
	switch {
	case len(s) == 10 && (strings.HasPrefix(s, "0f") || strings.HasPrefix(s, "0F")):
		v, err = strconv.ParseUint(s[2:], 16, 32)
	case len(s) == 18 && (strings.HasPrefix(s, "0d") || strings.HasPrefix(s, "0D")):
		v, err = strconv.ParseUint(s[2:], 16, 64)
	case strings.Contains(s, "."):
		var f float64
		f, err = strconv.ParseFloat(s, 64)
		v = math.Float64bits(f)
	default:
		v, err = strconv.ParseUint(strings.TrimSuffix(s, "U"), 0, 64)
	}
	return v, err == nil
}

// integer reads a small count.
func (p *parser) integer() int {
	t := p.peek()
	v := p.value()
	if v > math.MaxInt32 {
		failAt(t.line, "%s where a count is expected", t.text)
	}
	return int(v)
}
