package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// writePNG writes an answer of two dimensions as a picture in greys, and one of three
// whose last has length 3 in red, green and blue.
//
// Of a FILE of uint8 or uint16, values are levels as they are, rounded to the nearest
// one, halves to even; false and true are black and white. All else is mapped linearly,
// the smallest finite value to black and the largest to white, the same in all three
// colours; infinities are black and white, and NaNs are transparent.
func writePNG(w io.Writer, r *result) error {
	const hint = "reduce one axis of a stack of frames: --axis 0"
	if len(r.parts) != 1 || r.records != nil {
		return usageError(hint, "png holds one picture, and there are %d answers", len(r.parts))
	}
	p := &r.parts[0]
	shape := p.values.Shape()
	channels := 1
	if len(shape) == 3 && shape[2] == 3 {
		channels = 3
	} else if len(shape) != 2 {
		return usageError(hint, "png holds rows and columns, and perhaps three colours; the answer has shape %s", shapeText(shape))
	}
	if product(shape) == 0 || shape[0] > 1<<16 || shape[1] > 1<<16 {
		return fmt.Errorf("png holds 1 to 65536 rows and columns; the answer has shape %s", shapeText(shape))
	}
	wide, err := p.values.Cast(dtype.Float64)
	if err != nil {
		return err
	}
	values, err := ogive.Values[float64](wide)
	if err != nil {
		return err
	}
	return png.Encode(w, paint(values, shape[0], shape[1], channels, levelsOf(p, values)))
}

// levels map values to levels of 16 bits, of which there are 256 unless deep.
type levels struct {
	lo, hi float64 // of black and of white
	deep   bool    // more than 8 bits are needed
}

// levelsOf returns how the values of an answer are mapped.
func levelsOf(p *part, values []float64) levels {
	switch {
	case p.values.DType().IsBool():
		return levels{0, 1, false}
	case p.of == dtype.Uint8:
		return levels{0, 255, false}
	case p.of == dtype.Uint16:
		return levels{0, 65535, true}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v-v == 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return levels{lo, hi, false}
}

// at returns the level of a value that is not NaN, black where all are the same.
func (l levels) at(v float64) uint16 {
	top := 255.0
	if l.deep {
		top = 65535
	}
	level := 0.0
	switch {
	case math.IsInf(v, 1):
		level = top
	case math.IsInf(v, -1) || !(l.lo < l.hi):
	case l.lo == 0 && l.hi == top: // a level already
		level = v
	default:
		level = (v/2 - l.lo/2) / (l.hi/2 - l.lo/2) * top // which does not overflow
	}
	return uint16(math.RoundToEven(min(max(level, 0), top)) * (65535 / top))
}

// paint returns the picture.
func paint(values []float64, rows, columns, channels int, l levels) image.Image {
	box := image.Rect(0, 0, columns, rows)
	clear := false
	for _, v := range values {
		clear = clear || v != v
	}
	switch {
	case !clear && channels == 1 && l.deep:
		img := image.NewGray16(box)
		for i, v := range values {
			img.SetGray16(i%columns, i/columns, color.Gray16{Y: l.at(v)})
		}
		return img
	case !clear && channels == 1:
		img := image.NewGray(box)
		for i, v := range values {
			img.Pix[i] = uint8(l.at(v) >> 8)
		}
		return img
	}
	var img draw.Image = image.NewNRGBA(box)
	if l.deep {
		img = image.NewNRGBA64(box)
	}
	for i := range rows * columns {
		c := color.NRGBA64{A: 65535}
		for k, to := range []*uint16{&c.R, &c.G, &c.B} {
			v := values[i*channels+k%channels]
			if v != v {
				c.A = 0
				continue
			}
			*to = l.at(v)
		}
		if c.A == 0 {
			c = color.NRGBA64{}
		}
		img.Set(i%columns, i/columns, c)
	}
	return img
}
