// The function that libFuzzer calls with each input. FUZZED names the function under test.
#include <stddef.h>
#include <stdint.h>

void FUZZED(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  FUZZED(bytes, count);
  return 0;
}
