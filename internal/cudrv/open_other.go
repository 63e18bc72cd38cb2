//go:build !linux || android || !(amd64 || arm64)

package cudrv

import (
	"fmt"
	"runtime"
)

func initialize() (Driver, error) {
	return nil, fmt.Errorf("%w: it is used on linux/amd64 and linux/arm64, this is %s/%s", ErrNoDriver, runtime.GOOS, runtime.GOARCH)
}
