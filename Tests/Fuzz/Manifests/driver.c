#define FUZZED footage_fuzz_manifests
#include "../driver.h"
