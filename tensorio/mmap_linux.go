package tensorio

import "golang.org/x/sys/unix"

// noReserve sets no memory aside for pages that may be written: without it a
// file larger than memory cannot be mapped for writing.
const noReserve = unix.MAP_NORESERVE
