//go:build !unix

package early

// spareDescriptors checks nothing.
func spareDescriptors(int) error { return nil }

// measureRoom knows of no limits.
func measureRoom() (room int64, limited bool) { return 0, false }
