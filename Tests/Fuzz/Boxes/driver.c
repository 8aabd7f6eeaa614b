#define FUZZED footage_fuzz_boxes
#include "../boxes_driver.h"
