//go:build linux && !android && (amd64 || arm64)

package cudrv

import "testing"

// What the binding adds to the driver's own time: on the emulated library, nearly all.
func BenchmarkDevice(b *testing.B) {
	dev := openDevice(b)
	s := must[Stream](b)(dev.NewStream())
	p := alloc(b, dev, 64<<20)
	l := &Launch{Function: kernel(b, dev, "test_add", 0), Block: 64, Args: []uint64{uint64(p), 64, 1}}
	run := func(name string, bytes int, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(bytes))
			for i := 0; b.Loop(); i++ {
				check(b, f())
				if i%1024 == 1023 {
					b.StopTimer()
					check(b, s.Synchronize())
					b.StartTimer()
				}
			}
		})
	}
	run("push", 0, func() error {
		err := dev.(*device).enter()
		dev.(*device).leave()
		return err
	})
	run("launch", 0, func() error { return s.Launch(l) })
	run("alloc", 0, func() error {
		q, err := dev.Alloc(1 << 20)
		if err != nil {
			return err
		}
		return dev.Free(q)
	})
	for _, n := range []int{64, 4096, 64 << 20} {
		buffer := make([]byte, n)
		name := map[int]string{64: "64B", 4096: "4KiB", 64 << 20: "64MiB"}[n]
		run("upload/"+name, n, func() error { return s.Upload(p, buffer) })
		run("download/"+name, n, func() error { return s.Download(buffer, p) })
	}
}
