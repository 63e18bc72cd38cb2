package gomlx_test

import (
	"strings"
	"testing"
)

// checkError demands that the graph failed as ogive does.
func checkError(t *testing.T, err, want error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want.Error()) {
		t.Fatalf("the graph's error is %v, want %v", err, want)
	}
}
