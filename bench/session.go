package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// session measures cases one after the other.
type session struct {
	dir     string  // for the arrays and answers that pass between the processes
	python  *python // nil without Python
	pace    pace
	workers int
	levels  []string // of vector instructions, plainer than the best, to measure too

	// The data of the last case, which the next may share.
	last     dataSpec
	x, test  *ogive.Tensor
	baseOf   dataSpec
	base     *ogive.Tensor // nil if the case has none
	baseTest *ogive.Tensor
}

// smallRead is the size in bytes below which reading the data is not measured:
// it would measure the call.
const smallRead = 1 << 20

// readColumn is the column of contestants that only read the data.
const readColumn = "read"

// measure runs one case.
func (s *session) measure(ctx context.Context, c benchCase) (result, error) {
	r := result{name: c.name(), peers: map[string]float64{}, levels: map[string]float64{}, read: math.NaN(), base: math.NaN()}
	if err := s.load(c); err != nil {
		return r, err
	}
	own, err := s.own(c.call, s.x, s.test)
	if err != nil {
		return r, err
	}
	all := []*contestant{own}
	var base *contestant
	if s.base != nil {
		if base, err = s.own(c.call, s.base, s.baseTest); err != nil {
			return r, err
		}
		base.label = "on " + c.base.String()
		all = append(all, base)
	}
	var plainer []*contestant
	for _, level := range s.levels {
		plainer = append(plainer, &contestant{column: sysOgive, label: level, turn: own.turn.at(level)})
	}
	var peers []*contestant
	for _, p := range c.peers {
		k, differs, err := s.peer(c, p)
		if err != nil {
			return r, err
		}
		if k != nil {
			peers = append(peers, k)
		}
		if differs != "" {
			r.notes = append(r.notes, fmt.Sprintf("%s: %s: %s", p.system, p.expr, differs))
		}
	}
	readers, err := s.readers(c)
	if err != nil {
		return r, err
	}
	runtime.GC()
	all = slices.Concat(all, plainer, peers, readers)
	if err := measure(ctx, all, s.pace); err != nil {
		return r, err
	}
	for _, k := range all {
		if k.err == nil {
			continue
		}
		var raised errPeer
		if !errors.As(k.err, &raised) {
			return r, fmt.Errorf("%v: %w", k, k.err)
		}
		if k.column != readColumn { // any way to read that works will do
			r.notes = append(r.notes, fmt.Sprintf("%v: %v", k, raised))
		}
	}
	r.ogive, r.spread = own.median(), own.spread()
	for _, k := range plainer {
		r.levels[k.label] = k.median()
	}
	for _, system := range peerSystems {
		var of []*contestant
		for _, k := range peers {
			if k.column == system {
				of = append(of, k)
			}
		}
		if best := fastest(of); best != nil {
			r.peers[system] = best.median()
		}
	}
	if reader := fastest(readers); reader != nil {
		r.read = reader.median()
	}
	if base != nil {
		r.base = base.median()
	}
	return r, nil
}

// load makes the case's data, here and in Python.
func (s *session) load(c benchCase) error {
	if s.x == nil || !s.last.equal(c.data) {
		s.x, s.test, s.last = nil, nil, dataSpec{}
		runtime.GC()
		x, test, err := c.data.generate()
		if err != nil {
			return err
		}
		if c.data.shown != "" {
			if err := c.attack(x, test, s.workers); err != nil {
				return err
			}
			defer func() { s.last = dataSpec{} }() // made for this call alone
		}
		s.x, s.test, s.last = x, test, c.data
	}
	if c.base.shape == nil {
		s.base = nil
	} else if s.base == nil || !s.baseOf.equal(c.base) {
		base, test, err := c.base.generate()
		if err != nil {
			return err
		}
		s.base, s.baseTest, s.baseOf = base, test, c.base
	}
	if s.python == nil {
		return nil
	}
	req := request{Op: "load", X: filepath.Join(s.dir, "x.npy"), Qs: c.call.qs, BFloat16: c.data.dt == dtype.BFloat16}
	if req.Qs == nil {
		req.Qs = []float64{0.5}
	}
	if err := tensorio.Save(req.X, s.x); err != nil {
		return err
	}
	defer os.Remove(req.X)
	if s.test != nil {
		req.Test = filepath.Join(s.dir, "test.npy")
		if err := tensorio.Save(req.Test, s.test); err != nil {
			return err
		}
		defer os.Remove(req.Test)
	}
	_, err := s.python.ask(req)
	return err
}

// own returns ogive's call on x.
func (s *session) own(call ogiveCall, x, test *ogive.Tensor) (*contestant, error) {
	f, err := call.prepared(x, test, s.workers)
	if err != nil {
		return nil, err
	}
	return &contestant{column: sysOgive, label: call.String(), turn: goTurn(f)}, nil
}

// peer returns a peer's call, nil if its library is not there, and how its
// answer differs from ogive's, "" if it does not.
func (s *session) peer(c benchCase, p peerCall) (*contestant, string, error) {
	k := &contestant{column: p.system, label: p.expr}
	var got []float64
	switch {
	case p.goFunc != nil:
		q := 0.5
		if len(c.call.qs) == 1 {
			q = c.call.qs[0]
		}
		f, err := p.goFunc(s.x, q)
		if err != nil {
			return nil, "", err
		}
		v, err := f()
		if err != nil {
			return nil, "", err
		}
		got = []float64{v}
		k.turn = goTurn(func() error { _, err := f(); return err })
	case s.python == nil || !s.python.has(p.system):
		return nil, "", nil
	default:
		var err error
		if got, err = s.pythonAnswer(p.expr); err != nil {
			var raised errPeer
			if errors.As(err, &raised) {
				return nil, raised.Error(), nil
			}
			return nil, "", err
		}
		k.turn = s.python.turn(p.expr)
	}
	want, rtol, err := s.answer(c.call, p.answer)
	if err != nil {
		return nil, "", err
	}
	return k, differ(want, got, rtol), nil
}

// answer returns ogive's answer and the tolerance of its dtype.
func (s *session) answer(call ogiveCall, kind answerKind) ([]float64, float64, error) {
	t, err := call.eager(s.x, s.test, append(call.options(kind), ogive.Workers(s.workers)))
	if err != nil {
		return nil, 0, err
	}
	want, err := float64s(t)
	return want, tolerance(t.DType()), err
}

// pythonAnswer evaluates an expression in Python.
func (s *session) pythonAnswer(expr string) ([]float64, error) {
	path := filepath.Join(s.dir, "answer.npy")
	if _, err := s.python.ask(request{Op: "answer", Expr: expr, Path: path}); err != nil {
		return nil, err
	}
	defer os.Remove(path)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := tensorio.ReadNPY(f)
	if err != nil {
		return nil, err
	}
	return float64s(t)
}

// readers returns the ways to read the case's data once.
func (s *session) readers(c benchCase) ([]*contestant, error) {
	if c.data.bytes() < smallRead {
		return nil, nil
	}
	f, err := goRead(s.x, s.workers)
	if err != nil {
		return nil, err
	}
	rs := []*contestant{{column: readColumn, label: "Go", turn: goTurn(f)}}
	for _, p := range readExprs {
		if s.python != nil && s.python.has(p.system) {
			rs = append(rs, &contestant{column: readColumn, label: p.expr, turn: s.python.turn(p.expr)})
		}
	}
	return rs, nil
}
