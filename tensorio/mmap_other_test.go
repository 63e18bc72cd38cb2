//go:build !unix

package tensorio

// canMap says that files are mapped on this platform.
const canMap = false
