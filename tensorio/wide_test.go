package tensorio

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestWideTables: a table takes time for its cells, however many columns they are in.
func TestWideTables(t *testing.T) {
	read := func(columns int) time.Duration {
		var names, values []string
		for i := range columns {
			names, values = append(names, fmt.Sprint("c", i)), append(values, fmt.Sprint(i))
		}
		line := strings.Join(values, ",") + "\n"
		text := strings.Join(names, ",") + "\n" + line + line
		start := time.Now()
		for _, o := range []Options{{}, {Columns: names, Keys: names[:2]}} {
			f, err := Read(strings.NewReader(text), "x.csv", o)
			if err != nil {
				t.Fatal(err)
			}
			for i, name := range f.Names() {
				c, err := f.Column(name)
				if err != nil || c.Values.Len() != 2 || !f.HasColumn(name) {
					t.Fatal(name, err)
				}
				if _, err := f.Key(name); err != nil || i > columns {
					t.Fatal(err)
				}
			}
			for _, err := range f.Batches(f.Names()...) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		return time.Since(start)
	}
	const few, factor = 5000, 20
	least := func(columns int) (d time.Duration) {
		d = read(columns)
		for range 2 {
			d = min(d, read(columns))
		}
		return d
	}
	// Squares would be 400 times as much.
	if a, b := least(few), least(factor*few); b > 100*a {
		t.Errorf("%d columns take %v, %d take %v", few, a, factor*few, b)
	}
}

// TestSameNames: a name that two columns have is told with the first two places.
func TestSameNames(t *testing.T) {
	_, err := Read(bytes.NewReader([]byte("a,b,a,b,a\n1,2,3,4,5\n")), "x.csv", Options{Columns: []string{"b"}})
	if err == nil || !strings.Contains(err.Error(), `columns 2 and 4 have the same name, "b"`) {
		t.Error(err)
	}
}
