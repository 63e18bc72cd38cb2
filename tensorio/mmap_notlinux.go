//go:build unix && !linux

package tensorio

// noReserve is a flag of Linux.
const noReserve = 0
