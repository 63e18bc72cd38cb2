package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// frame writes an array, runs the command on it, and reads the picture.
func frame[T dtype.Element](t *testing.T, values []T, shape []int, args ...string) (img image.Image, stderr string) {
	t.Helper()
	folder := t.TempDir()
	in, out := filepath.Join(folder, "x.npy"), filepath.Join(folder, "x.png")
	if err := tensorio.Save(in, ogive.Must(ogive.FromSlice(values, shape...))); err != nil {
		t.Fatal(err)
	}
	var errors bytes.Buffer
	status := run(t.Context(), append(args, in, "-o", out), streams{in: &bytes.Buffer{}, out: &bytes.Buffer{}, err: &errors})
	data, err := os.ReadFile(out)
	if (status == 0) != (err == nil) {
		t.Fatalf("status %d, %v", status, err)
	}
	if err != nil {
		return nil, fmt.Sprintf("%d %s", status, &errors)
	}
	if img, err = png.Decode(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	return img, errors.String()
}

// pixels lists colours in 8 bits, row by row.
func pixels(img image.Image) (list []color.NRGBA) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			list = append(list, color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA))
		}
	}
	return list
}

func greys(levels ...uint8) (list []color.NRGBA) {
	for _, v := range levels {
		list = append(list, color.NRGBA{v, v, v, 255})
	}
	return list
}

func TestPictures(t *testing.T) {
	img, _ := frame(t, []uint8{0, 10, 255, 2, 13, 255}, []int{2, 1, 1, 3}, "median", "--axis", "0")
	if got := pixels(img); !cmp.Equal(got, []color.NRGBA{{1, 12, 255, 255}}) { // 11.5 is rounded to the even 12
		t.Errorf("uint8 as three colours: %v", got)
	}
	img, _ = frame(t, []uint8{10, 20, 30, 40, 12, 22, 30, 41}, []int{2, 2, 2}, "median", "--axis", "0")
	if got := pixels(img); !cmp.Equal(got, greys(11, 21, 30, 40)) { // 40.5 is rounded to the even 40
		t.Errorf("uint8 keeps its levels: %v", got)
	}
	img, _ = frame(t, []uint16{1, 300, 65535, 0}, []int{1, 2, 2}, "median", "--axis", "0", "--mode", "lower")
	if deep, ok := img.(*image.Gray16); !ok || deep.Gray16At(1, 0).Y != 300 || deep.Gray16At(0, 1).Y != 65535 {
		t.Errorf("uint16 keeps its levels: %v", img)
	}
	inf, nan := math.Inf(1), math.NaN()
	img, _ = frame(t, []float64{-1, 0, 1, inf, -inf, nan}, []int{1, 2, 3}, "median", "--axis", "0")
	if got := pixels(img); !cmp.Equal(got, append(greys(0, 128, 255, 255, 0), color.NRGBA{})) {
		t.Errorf("floats from the smallest to the largest: %v", got)
	}
	img, _ = frame(t, []float32{7, 7}, []int{1, 2}, "isnan")
	if got := pixels(img); !cmp.Equal(got, greys(0, 0)) {
		t.Errorf("bools: %v", got)
	}
	img, _ = frame(t, []float64{-math.MaxFloat64, math.MaxFloat64, 0}, []int{1, 1, 3}, "median", "--axis", "0", "--keepdims")
	if got := pixels(img); !cmp.Equal(got, []color.NRGBA{{0, 255, 128, 255}}) {
		t.Errorf("the largest range: %v", got)
	}
	for _, c := range []struct {
		shape []int
		args  []string
		want  string
	}{
		{[]int{2, 3}, []string{"median", "--axis", "0"}, "2 ogive: median: x.png: png holds rows and columns, and perhaps three colours; the answer has shape 3"},
		{[]int{1, 2, 3}, []string{"quantile", "--axis", "2", "--q", "0.1,0.9"}, "2 ogive: quantile: x.png: png holds rows and columns"},
	} {
		_, stderr := frame(t, []float64{1, 2, 3, 4, 5, 6}, c.shape, c.args...)
		if stderr = string(bytes.ReplaceAll([]byte(stderr), []byte(t.TempDir()), nil)); len(stderr) == 0 || stderr[0] != '2' {
			t.Errorf("%v %v: %s, want %s", c.shape, c.args, stderr, c.want)
		}
	}
}
