#define FUZZED footage_fuzz_growing
#include "../boxes_driver.h"
