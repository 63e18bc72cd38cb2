package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/ogive-go/ogive/dtype"
)

// The commands of the scripts that make and show npy files. They share no code
// with package tensorio.

// mainOf makes a main function of a command that gets its arguments.
func mainOf(f func(args []string) error) func() {
	return func() {
		if err := f(os.Args[1:]); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
			os.Exit(1)
		}
	}
}

// element writes and reads the elements of a dtype as text.
type element struct {
	size  int
	write func(b []byte, text string) error
	read  func(b []byte) string
}

func floats(size int, to func([]byte, float64), from func([]byte) float64) element {
	return element{size, func(b []byte, text string) error {
		if text == "-nan" {
			to(b, math.Copysign(math.NaN(), -1))
			return nil
		}
		v, err := strconv.ParseFloat(text, 64)
		to(b, v)
		return err
	}, func(b []byte) string { return strconv.FormatFloat(from(b), 'g', -1, 64) }}
}

func ints(size int, signed bool) element {
	return element{size, func(b []byte, text string) (err error) {
		var v uint64
		if signed {
			var i int64
			i, err = strconv.ParseInt(text, 10, 8*size)
			v = uint64(i)
		} else {
			v, err = strconv.ParseUint(text, 10, 8*size)
		}
		var wide [8]byte
		binary.LittleEndian.PutUint64(wide[:], v)
		copy(b, wide[:size])
		return err
	}, func(b []byte) string {
		var wide [8]byte
		copy(wide[:], b)
		v := binary.LittleEndian.Uint64(wide[:])
		if signed {
			return strconv.FormatInt(int64(v<<(64-8*size))>>(64-8*size), 10)
		}
		return strconv.FormatUint(v, 10)
	}}
}

var elements = map[string]element{
	"<f8": floats(8, func(b []byte, v float64) { binary.LittleEndian.PutUint64(b, math.Float64bits(v)) },
		func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }),
	"<f4": floats(4, func(b []byte, v float64) { binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v))) },
		func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }),
	"<f2": floats(2, func(b []byte, v float64) { binary.LittleEndian.PutUint16(b, dtype.ToF16(v).Bits()) },
		func(b []byte) float64 { return dtype.F16FromBits(binary.LittleEndian.Uint16(b)).Float64() }),
	"|i1": ints(1, true), "<i2": ints(2, true), "<i4": ints(4, true), "<i8": ints(8, true),
	"|u1": ints(1, false), "<u2": ints(2, false), "<u4": ints(4, false), "<u8": ints(8, false),
	"|b1": {1, func(b []byte, text string) error {
		v, err := strconv.ParseBool(text)
		if v {
			b[0] = 1
		}
		return err
	}, func(b []byte) string { return strconv.FormatBool(b[0] != 0) }},
	"<c8": {8, func(b []byte, text string) error {
		v, err := strconv.ParseComplex(text, 64)
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(real(v))))
		binary.LittleEndian.PutUint32(b[4:], math.Float32bits(float32(imag(v))))
		return err
	}, nil},
	"<c16": {16, func(b []byte, text string) error {
		v, err := strconv.ParseComplex(text, 128)
		binary.LittleEndian.PutUint64(b, math.Float64bits(real(v)))
		binary.LittleEndian.PutUint64(b[8:], math.Float64bits(imag(v)))
		return err
	}, nil},
}

// makeNPY is mknpy FILE DESCR SHAPE VALUE…: an npy file with NumPy's descr
// and a shape such as 2,3 or () for none. A descr that is not known gives a
// header alone, and one value "seq" the numbers 0, 1, ….
func makeNPY(args []string) error {
	if len(args) < 3 {
		return errors.New("usage: mknpy FILE DESCR SHAPE VALUE…")
	}
	shape := "(" + strings.TrimSuffix(strings.ReplaceAll(args[2], ",", ", "), " ") + ",)"
	n := 1
	if args[2] == "()" {
		shape = "()"
	} else {
		for _, d := range strings.Split(args[2], ",") {
			k, err := strconv.Atoi(d)
			if err != nil {
				return err
			}
			n *= k
		}
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", args[1], shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	b = append(b, header...)
	e, ok := elements[args[1]]
	values := args[3:]
	if ok && len(values) == 1 && values[0] == "seq" {
		values = nil
		for i := range n {
			values = append(values, strconv.Itoa(i))
		}
	}
	for _, v := range values {
		cell := make([]byte, e.size)
		if err := e.write(cell, v); err != nil {
			return err
		}
		b = append(b, cell...)
	}
	return os.WriteFile(args[0], b, 0o666)
}

// makeNPZ is mknpz FILE NAME=FILE…: an npz archive of npy files.
func makeNPZ(args []string) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, arg := range args[1:] {
		name, path, _ := strings.Cut(arg, "=")
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w, err := z.Create(name + ".npy")
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(args[0], b.Bytes(), 0o666)
}

var npyHeader = regexp.MustCompile(`'descr': '([^']+)', 'fortran_order': (True|False), 'shape': \(([^)]*)\)`)

// listNPY is lsnpy FILE [MEMBER]: the descr and shape of an npy file, or of a
// member of an npz, and the values on a line of their own.
func listNPY(args []string) error {
	b, err := os.ReadFile(args[0])
	if err == nil && len(args) > 1 {
		b, err = member(b, args[1])
	}
	if err != nil {
		return err
	}
	if len(b) < 10 || string(b[:8]) != "\x93NUMPY\x01\x00" {
		return errors.New("not an npy file of version 1")
	}
	end := 10 + int(b[8]) + int(b[9])<<8
	m := npyHeader.FindSubmatch(b[10:end])
	if m == nil {
		return fmt.Errorf("header %q", b[10:end])
	}
	e, ok := elements[string(m[1])]
	if !ok || e.read == nil {
		return fmt.Errorf("descr %s", m[1])
	}
	fmt.Printf("%s (%s)\n", m[1], m[3])
	var values []string
	for data := b[end:]; len(data) >= e.size; data = data[e.size:] {
		values = append(values, e.read(data[:e.size]))
	}
	fmt.Println(strings.Join(values, " "))
	return nil
}

func member(archive []byte, name string) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	f, err := z.Open(name + ".npy")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
