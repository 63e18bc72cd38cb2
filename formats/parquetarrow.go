package formats

import (
	"bytes"
	"encoding/base64"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ogive-go/ogive/tensorio"
)

// arrowSchemaKey is where writers of Parquet that hold Arrow's tables keep the schema of
// these.
const arrowSchemaKey = "ARROW:schema"

// durations gives the columns that are durations by an Arrow schema, in base64, their unit:
// Parquet itself has only integers for them. A schema that cannot be read changes nothing,
// as the columns can be read without it.
func (p *parquetFile) durations(text string) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return
	}
	a := &arrowFile{at: bytes.NewReader(b), size: int64(len(b)), memory: p.memory}
	if a.check() != nil {
		return
	}
	schema, err := a.schema()
	if err != nil {
		return
	}
	units := map[string]tensorio.Unit{}
	for _, f := range schema.Fields() {
		if d, ok := valueType(f.Type).(*arrow.DurationType); ok {
			units[f.Name] = arrowUnits[d.Unit] | tensorio.UnitDuration
		}
	}
	for _, l := range p.leaves {
		if l.kind == leafInt64 && l.unit == tensorio.UnitNone {
			l.unit = units[l.name]
		}
	}
}
