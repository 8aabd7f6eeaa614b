// What libFuzzer calls with each input.
#include <stddef.h>
#include <stdint.h>

void footage_fuzz_json(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  footage_fuzz_json(bytes, count);
  return 0;
}
