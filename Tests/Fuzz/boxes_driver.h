// The functions that libFuzzer calls with each input made of boxes, and to make another one.
#include "driver.h"

size_t footage_mutate_boxes(uint8_t *bytes, size_t count, size_t limit, uint32_t seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t limit);

// Alternates between libFuzzer's own changes, which know nothing about boxes, and changes to boxes, which stay
// well-formed.
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t limit, unsigned int seed) {
  return seed % 2 == 0 ? LLVMFuzzerMutate(bytes, count, limit) : footage_mutate_boxes(bytes, count, limit, seed);
}
