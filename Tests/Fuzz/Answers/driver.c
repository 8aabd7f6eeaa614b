#define FUZZED footage_fuzz_answers
#include "../driver.h"
