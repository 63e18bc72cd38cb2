//go:build !(cgo && unix)

package stdio

func closed(int) bool { return false }
