#define FUZZED footage_fuzz_certificates
#include "../driver.h"
