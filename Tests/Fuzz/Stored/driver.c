#define FUZZED footage_fuzz_stored
#include "../driver.h"
