#include "CFootageBuild.h"

#ifndef FOOTAGE_COMMIT
#define FOOTAGE_COMMIT ""
#endif

const char *cbuild_commit(void) { return FOOTAGE_COMMIT; }
