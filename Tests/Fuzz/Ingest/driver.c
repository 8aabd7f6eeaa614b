#define FUZZED footage_fuzz_ingest
#include "../boxes_driver.h"
