// Command worker answers the calls of a process that cannot have libogive in itself: one
// that was forked after the library was loaded, or where it cannot be. That process starts
// it, sends messages to its standard input, and shares files with it, mapped to memory, in
// which the calls and their arrays lie. The worker ends when its standard input does, or
// when the process that started it has ended, however that came about.
//
// A message is a verb and the number of a segment, uint32 each, and a uint64:
//
//	1  map   the segment is the file whose path, of so many bytes, follows
//	2  drop  the segment is no more
//	3  run   the ogive_call at that address is done; see call.Memory
//
// The answer to each is a status of ogive_status, an int64, on standard output. Numbers are
// in the machine's byte order.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/ogive-go/ogive/capi/call"
)

func main() {
	signal.Ignore(os.Interrupt) // which is the parent's to see to
	go followParent(os.Getppid())
	if err := serve(os.Stdin, os.Stdout); err != io.EOF {
		fmt.Fprintln(os.Stderr, "ogive-worker:", err)
		os.Exit(1)
	}
}

// followParent ends the worker soon after its parent has ended. Its input ends then too,
// unless a child of the parent holds it.
func followParent(parent int) {
	for range time.Tick(time.Second) {
		if os.Getppid() != parent {
			os.Exit(0)
		}
	}
}

// serve answers messages until there are no more, which is io.EOF.
func serve(in io.Reader, out io.Writer) error {
	var memory call.Memory
	memory.Map(0, nil)
	message, answer := make([]byte, 16), make([]byte, 8)
	for {
		if _, err := io.ReadFull(in, message); err != nil {
			return err
		}
		segment := uint64(binary.NativeEndian.Uint32(message[4:]))
		value, status := binary.NativeEndian.Uint64(message[8:]), call.Status(0)
		switch verb := binary.NativeEndian.Uint32(message); verb {
		case 1:
			path := make([]byte, min(value, 1<<16))
			if _, err := io.ReadFull(in, path); err != nil {
				return err
			}
			bytes, err := open(string(path))
			if err != nil {
				return err
			}
			memory.Map(segment, bytes)
		case 2:
			if bytes := memory.Map(segment, nil); bytes != nil {
				unmap(bytes)
			}
		case 3:
			status = memory.Run(uintptr(value))
		default:
			return fmt.Errorf("a message of verb %d", verb)
		}
		binary.NativeEndian.PutUint64(answer, uint64(status))
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
}

// open returns the memory that the file of a path is.
func open(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return mapFile(f, int(info.Size()))
}
