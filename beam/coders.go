package ogivebeam

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive"
)

// What travels between workers does so as JSON, which runners in other languages take for
// bytes: rows of Beam's schemas they would read and write anew. The functions need names,
// and so none of them is generic.

func init() {
	coder[shard](encodeShard, decodeShard)
	coder[plan](encodePlan, decodePlan)
	coder[part](encodePart, decodePart)
	coder[width](encodeWidth, decodeWidth)
	coder[center](encodeCenter, decodeCenter)
	coder[result](encodeResult, decodeResult)
	coder[Answer](encodeAnswer, decodeAnswer)
	coder[Description](encodeDescription, decodeDescription)
}

func coder[T any](encode func(T) ([]byte, error), decode func([]byte) (T, error)) {
	beam.RegisterFunction(encode)
	beam.RegisterFunction(decode)
	beam.RegisterType(reflect.TypeFor[T]())
	beam.RegisterCoder(reflect.TypeFor[T](), encode, decode)
}

func encodeShard(v shard) ([]byte, error)   { return json.Marshal(v) }
func decodeShard(b []byte) (shard, error)   { return fromJSON[shard](b) }
func encodePlan(v plan) ([]byte, error)     { return json.Marshal(v) }
func decodePlan(b []byte) (plan, error)     { return fromJSON[plan](b) }
func encodePart(v part) ([]byte, error)     { return json.Marshal(v) }
func decodePart(b []byte) (part, error)     { return fromJSON[part](b) }
func encodeWidth(v width) ([]byte, error)   { return json.Marshal(v) }
func decodeWidth(b []byte) (width, error)   { return fromJSON[width](b) }
func encodeCenter(v center) ([]byte, error) { return json.Marshal(v) }
func decodeCenter(b []byte) (center, error) { return fromJSON[center](b) }
func encodeResult(v result) ([]byte, error) { return json.Marshal(v) }
func decodeResult(b []byte) (result, error) { return fromJSON[result](b) }
func encodeAnswer(v Answer) ([]byte, error) { return json.Marshal(v) }
func decodeAnswer(b []byte) (Answer, error) { return fromJSON[Answer](b) }

func fromJSON[T any](b []byte) (v T, err error) {
	err = json.Unmarshal(b, &v)
	return v, err
}

// A Description has numbers that JSON has not: they travel as an array.
func encodeDescription(d Description) ([]byte, error) {
	numbers, err := npyOf(append(slices.Clone(d.Percentiles), d.IQR, d.MAD))
	if err != nil {
		return nil, err
	}
	d.Percentiles, d.IQR, d.MAD = nil, 0, 0
	return json.Marshal(travelling{d, numbers})
}

func decodeDescription(b []byte) (Description, error) {
	d, err := fromJSON[travelling](b)
	if err != nil {
		return d.Description, err
	}
	numbers, err := (&result{NPY: d.Numbers}).floats()
	if n := len(numbers) - 2; err == nil && n >= 0 {
		d.Percentiles, d.IQR, d.MAD = numbers[:n], numbers[n], numbers[n+1]
	}
	return d.Description, err
}

type travelling struct {
	Description
	Numbers []byte
}

func npyOf(values []float64) ([]byte, error) {
	x, err := ogive.FromSlice(values)
	if err != nil {
		return nil, err
	}
	var r result
	err = r.setValues(x)
	return r.NPY, err
}
