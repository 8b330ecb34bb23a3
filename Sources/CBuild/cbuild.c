#include "CBuild.h"

#ifndef LONGWAVE_COMMIT
#define LONGWAVE_COMMIT ""
#endif

const char *longwave_commit(void) { return LONGWAVE_COMMIT; }
