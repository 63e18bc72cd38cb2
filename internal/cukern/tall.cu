// Lanes of 33 to 64 elements, sorted in registers: a module of its own, as it takes the
// driver as long to compile as all others together.
#include "network.h"

MIDDLE(47) MIDDLE(48) MIDDLE(63) MIDDLE(64)
QUANTILES(48) QUANTILES(64)
