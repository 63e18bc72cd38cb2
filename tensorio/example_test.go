package tensorio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

func ExampleOpen() {
	f, err := tensorio.Open("../examples/data/seattle-weather.csv", tensorio.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	wind, err := f.Tensor("wind")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Names())
	fmt.Println("text:", f.Text())
	fmt.Println(wind.DType(), wind.Shape())
	// Output:
	// [precipitation temp_max temp_min wind]
	// text: [date weather]
	// float64 [1461]
}

func ExampleRead() {
	in := strings.NewReader("city;t\nOslo;4.5\nRome;\n")
	f, err := tensorio.Read(in, "standard input", tensorio.Options{Format: "csv", Delimiter: ';'})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ogive.Must(f.Tensor("t")))
	// Output: [4.5 nan]
}

func ExampleFile_Tensor() {
	f, err := tensorio.Read(strings.NewReader("t\n1\nfoo\n"), "x.csv", tensorio.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = f.Tensor("t")
	fmt.Println(err)
	fmt.Println(errors.Is(err, ogive.ErrFormat))
	// Output:
	// x.csv:3:1: column "t": "foo" is not a number
	// true
}

func ExampleSave() {
	dir, err := os.MkdirTemp("", "ogive")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.npy")

	x := ogive.Must(ogive.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
	if err := tensorio.Save(path, x); err != nil {
		log.Fatal(err)
	}
	f, err := tensorio.Open(path, tensorio.Options{})
	if err != nil {
		log.Fatal(err)
	}
	y := ogive.Must(f.Tensor(""))
	fmt.Println(y.DType(), y.Shape())
	// Output: float32 [2 2]
}

func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "ogive")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "report.txt")

	err = tensorio.WriteFile(path, func(w io.Writer) error {
		fmt.Fprintln(w, "half of it")
		return errors.New("out of ideas")
	})
	_, missing := os.Stat(path)
	fmt.Println(err != nil, os.IsNotExist(missing))
	// Output: true true
}

func ExampleReadNPY() {
	var file bytes.Buffer
	x := ogive.Must(ogive.FromSlice([]int16{1, 2, 3, 4, 5, 6}, 2, 3))
	if err := tensorio.WriteNPY(&file, x); err != nil {
		log.Fatal(err)
	}
	y, err := tensorio.ReadNPY(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.DType(), y.Shape(), ogive.Must(ogive.Values[int16](y)))
	// Output: int16 [2 3] [1 2 3 4 5 6]
}

func ExampleWriteNPY() {
	var file bytes.Buffer
	if err := tensorio.WriteNPY(&file, ogive.Must(ogive.FromSlice([]bool{true, false}))); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", file.Bytes()[10:66])
	// Output: "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), "
}

func ExampleWriteNPZ() {
	var file bytes.Buffer
	xs := []*ogive.Tensor{ogive.Scalar(1.5), ogive.Must(ogive.FromSlice([]int64{1, 2}))}
	if err := tensorio.WriteNPZ(&file, []string{"scale", "counts"}, xs); err != nil {
		log.Fatal(err)
	}
	f, err := tensorio.Read(&file, "standard input", tensorio.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Names())
	// Output: [scale counts]
}

func ExampleWrite() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2.5, 3, 4}, 2, 2))
	if err := tensorio.Write(os.Stdout, "csv", x); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1,2.5
	// 3,4
}

func ExampleChunks() {
	days := 0
	path := "../examples/data/seattle-hourly-temperature.npy"
	for block, err := range tensorio.Chunks(path, tensorio.Options{}, 24*8*100) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(block.Shape())
		days += block.Shape()[0]
	}
	fmt.Println(days)
	// Output:
	// [100 24]
	// [100 24]
	// [100 24]
	// [65 24]
	// 365
}

func ExampleFormats() {
	for _, f := range tensorio.Formats() {
		fmt.Println(f.Name, f.Endings)
	}
	// Output:
	// npy [.npy]
	// npz [.npz]
	// csv [.csv]
	// tsv [.tsv .tab]
	// raw [.raw .bin]
	// netcdf [.nc .cdf .nc3]
}
