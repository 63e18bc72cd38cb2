package main

import (
	"math"
	"strconv"
	"strings"
)

// parseSize reads the amount of memory of a flag: bytes, or with a suffix K, M, G or T
// (powers of 1024), which may be followed by B or iB.
func parseSize(flag, text string) (int, error) {
	number := strings.ToUpper(strings.TrimSpace(text))
	number = strings.TrimSuffix(strings.TrimSuffix(number, "B"), "I")
	shift := 0
	if n := len(number); n > 0 {
		if i := strings.IndexByte("KMGT", number[n-1]); i >= 0 {
			shift, number = 10*(i+1), number[:n-1]
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt>>shift {
		return 0, usageError("for example --"+flag+" 64M", "--%s: %q is no amount of memory", flag, text)
	}
	return int(n) << shift, nil
}
