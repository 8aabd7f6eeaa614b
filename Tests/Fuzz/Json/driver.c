#define FUZZED footage_fuzz_json
#include "../driver.h"
