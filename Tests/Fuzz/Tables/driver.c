#define FUZZED footage_fuzz_tables
#include "../boxes_driver.h"
