//go:build cgo && unix

package stdio

/*
#include <fcntl.h>

static int ogive_open[3];

// A constructor runs before Go's runtime does.
__attribute__((constructor)) static void ogive_look(void) {
	for (int fd = 0; fd < 3; fd++) ogive_open[fd] = fcntl(fd, F_GETFD) != -1;
}

static int ogive_closed(int fd) { return !ogive_open[fd]; }
*/
import "C"

func closed(fd int) bool { return C.ogive_closed(C.int(fd)) != 0 }
