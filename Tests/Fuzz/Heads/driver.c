#define FUZZED footage_fuzz_heads
#include "../driver.h"
