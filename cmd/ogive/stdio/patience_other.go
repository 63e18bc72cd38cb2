//go:build !unix

package stdio

import "os"

// PatientFile returns nil: no stream here is known not to block.
func PatientFile(*os.File) *Patient { return nil }
