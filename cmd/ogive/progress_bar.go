//go:build !wasip1

package main

import (
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/ogive-go/ogive"
)

// showProgress draws m until done is closed, then removes the bar.
func showProgress(s streams, name string, m *ogive.Meter, done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-time.After(progressAfter):
	}
	bars := mpb.New(mpb.WithOutput(s.err), mpb.WithWidth(40), mpb.WithAutoRefresh())
	bar := bars.New(m.Total.Load(), mpb.BarStyle(),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name("ogive: "+name+" ")),
		mpb.AppendDecorators(decor.Percentage(decor.WC{W: 5}), decor.Elapsed(decor.ET_STYLE_GO, decor.WC{W: 6})))
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		bar.SetTotal(m.Total.Load(), false)
		bar.SetCurrent(m.Done.Load())
		select {
		case <-done:
			bar.Abort(true)
			bars.Wait()
			return
		case <-tick.C:
		}
	}
}
