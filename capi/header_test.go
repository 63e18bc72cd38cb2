package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

// enumerated returns the constants of an enumeration of ogive.h, as the header spells them.
func enumerated(t *testing.T, name string) map[string]int {
	t.Helper()
	text, err := os.ReadFile("ogive.h")
	if err != nil {
		t.Fatal(err)
	}
	body := regexp.MustCompile(`(?s)enum ` + name + ` \{(.*?)\};?\n`).FindSubmatch(text)
	if body == nil {
		t.Fatalf("ogive.h has no enum %s", name)
	}
	list := map[string]int{}
	for _, m := range regexp.MustCompile(`OGIVE_(\w+) = (\d+)`).FindAllStringSubmatch(string(body[1]), -1) {
		list[m[1]], _ = strconv.Atoi(m[2])
	}
	return list
}

// TestHeader: the numbers of ogive.h are those of package ogive, and none is missing.
func TestHeader(t *testing.T) {
	ops := enumerated(t, "ogive_op")
	for name, number := range ops {
		if op, err := ogive.ParseOp(strings.ToLower(name)); err != nil || int(op) != number {
			t.Errorf("OGIVE_%s is %d, of package ogive %d (%v)", name, number, op, err)
		}
	}
	if next := ogive.Op(len(ops) + 1); !strings.HasPrefix(next.String(), "op(") {
		t.Errorf("ogive.h lacks the operation %v", next)
	}
	methods := enumerated(t, "ogive_method")
	for _, m := range rank.Methods() {
		if number, ok := methods[strings.ToUpper(m.String())]; !ok || number != int(m) {
			t.Errorf("the method %v is %d in ogive.h, want %d", m, number, m)
		}
	}
	if len(methods) != len(rank.Methods()) {
		t.Errorf("ogive.h has %d methods, want %d", len(methods), len(rank.Methods()))
	}
	for name, number := range enumerated(t, "ogive_mode") {
		if mode, err := ogive.ParseMode(strings.ToLower(strings.TrimPrefix(name, "MODE_"))); err != nil || int(mode) != number {
			t.Errorf("OGIVE_%s is %d, want %d (%v)", name, number, mode, err)
		}
	}
	for name, number := range enumerated(t, "ogive_kind") {
		if kind, err := ogive.ParseKind(strings.ToLower(name)); err != nil || int(kind) != number {
			t.Errorf("OGIVE_%s is %d, want %d (%v)", name, number, kind, err)
		}
	}
}
