#include "CDarwin.h"

#include <sys/file.h>

int cdarwin_flock(int descriptor, int operation) { return flock(descriptor, operation); }
